"""A program, not a module to import: it runs Fast Downward's translator on two texts, written to files.

Input is a JSON object on standard input: domain, problem (texts) and sas (the file to write). ``refusals``
reads many texts in one process.
"""

import io
import json
import os
import runpy
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from traceback import format_exception_only
from typing import Any

TRANSLATOR = "fast_downward.translate"
NO_MEMORY, REFUSED = 20, 31  # its exit codes
_CHATTER = ("Parsing...", "\t->")


def _translator() -> Callable[[dict[str, Any]], None]:
    """Return the translator as a function of a request."""
    program = runpy.run_module(f"{TRANSLATOR}.main", run_name=f"{TRANSLATOR}.main", alter_sys=True)
    set_options = sys.modules[f"{TRANSLATOR}.options"].set_options
    parse_error = program["pddl_parser"].ParseError

    def translate(request: dict[str, Any]) -> None:
        for name in ("domain", "problem"):
            Path(f"{name}.pddl").write_text(request[name], encoding="utf-8", errors="replace")
        set_options(["domain.pddl", "problem.pddl", "--sas-file", request["sas"]])
        try:
            program["main"]()
        except MemoryError:
            sys.exit(NO_MEMORY)
        except parse_error as error:
            print(error)
            sys.exit(REFUSED)

    return translate


def refusals() -> Callable[[str, str], str | None]:
    """Return a function that returns the translator's refusal of a domain and a problem, or None.

    Texts are independent, except that each warning is printed only once.
    """
    translate = _translator()
    warnings = sys.modules[f"{TRANSLATOR}.pddl_parser.warning"].printed_warnings

    def refusal(domain: str, problem: str) -> str | None:
        warnings.clear()
        with redirect_stdout(io.StringIO()) as output:
            try:
                translate({"domain": domain, "problem": problem, "sas": os.devnull})
            except SystemExit as end:
                if end.code == NO_MEMORY:
                    raise MemoryError from end
                return reason(output.getvalue(), "", REFUSED)
            except Exception as error:  # every exception is a refusal
                return reason(output.getvalue(), format_exception_only(error)[-1], 1)
        return None

    return refusal


def reason(output: str, errors: str, code: int) -> str:
    """Return why the translator refused a text, from what it printed and its exit code."""
    messages = [line for line in output.splitlines() if line.strip() and not line.startswith(_CHATTER)]
    if code != REFUSED or not messages:
        messages += errors.strip().splitlines()[-1:]
    return "; ".join(messages) or f"exit code {code}"


def main() -> None:
    """Run the translator on one request."""
    _translator()(json.load(sys.stdin))


if __name__ == "__main__":
    main()
