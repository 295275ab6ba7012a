"""A program, not a module to import: writes two texts into files and becomes Fast Downward's translator.

Reads a JSON object from standard input: domain, problem (texts) and sas (the file to write). ``serving``
runs it for many requests: the translator is started once then, to print its help, and so has been loaded.
"""

import contextlib
import io
import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRANSLATOR = "fast_downward.translate"


def prepared() -> Callable[[dict[str, Any]], None]:
    """Return what translates; the translator has been run once (see ``serving``)."""
    with contextlib.redirect_stdout(io.StringIO()):
        _become(["-h"])
    return lambda request: sys.exit(_become(_arguments(request)))


def _become(arguments: list[str]) -> int | str | None:
    """Run the translator in this process; return what it would exit with."""
    sys.argv = [TRANSLATOR, *arguments]
    try:
        runpy.run_module(TRANSLATOR, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    return None


def _arguments(request: dict[str, Any]) -> list[str]:
    """Write the texts into files; return what the translator is to be told."""
    for name in ("domain", "problem"):
        Path(f"{name}.pddl").write_text(request[name], encoding="utf-8", errors="replace")
    return ["domain.pddl", "problem.pddl", "--sas-file", request["sas"]]


def main() -> None:
    """Write the files; the translator takes over this process, and with it the limits set on it."""
    arguments = _arguments(json.load(sys.stdin))
    os.execv(sys.executable, [sys.executable, "-P", "-m", TRANSLATOR, *arguments])


if __name__ == "__main__":
    main()
