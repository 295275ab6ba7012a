"""A program, not a module to import: writes two texts into files and becomes Fast Downward's translator.

Reads a JSON object from standard input: domain, problem (texts) and sas (the file to write). ``serving``
runs it for many requests: the translator is loaded once then.
"""

import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TRANSLATOR = "fast_downward.translate"
NO_MEMORY, REFUSED = 20, 31  # its exit codes


def prepared() -> Callable[[dict[str, Any]], None]:
    """Return what translates; the translator is loaded (see ``serving``).

    Its own start would reserve ten megabytes for its last words, and touch each page of them for each text.
    """
    program = runpy.run_module(f"{TRANSLATOR}.main", run_name=f"{TRANSLATOR}.main", alter_sys=True)
    set_options = sys.modules[f"{TRANSLATOR}.options"].set_options
    parse_error = program["pddl_parser"].ParseError

    def translate(request: dict[str, Any]) -> None:
        set_options(_arguments(request))
        try:
            program["main"]()
        except MemoryError:
            sys.exit(NO_MEMORY)
        except parse_error as error:
            print(error)
            sys.exit(REFUSED)

    return translate


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
