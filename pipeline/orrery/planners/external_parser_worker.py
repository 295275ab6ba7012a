"""A program, not a module to import: has a reader of PDDL read domains one by one, each under a limit.

Reads a JSON object from standard input: path (folders to import from), parser (a name of PARSERS), texts,
seconds (for each text). Writes a JSON list to standard output for each text as soon as it is read: whether
it was accepted (null where the limit ended it), and the message. Standard library only, but for the reader.
``serving`` runs it for many requests, each of one text; the reader is loaded but once then.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def _pddl() -> Callable[[str], Any]:
    from orrery.pddl.interchange import PackageReader

    return PackageReader().domain


def _unified_planning() -> Callable[[str], Any]:
    # It names a class of ConfigSpace in one annotation; scipy, which that brings, loads for seconds.
    configspace = ModuleType("ConfigSpace")
    configspace.ConfigurationSpace = object  # type: ignore[attr-defined]
    sys.modules["ConfigSpace"] = configspace
    from orrery.pddl.interchange import read_with_unified_planning, unified_reader

    reader = unified_reader()
    return lambda text: read_with_unified_planning(text, reader=reader)


def _tarski() -> Callable[[str], Any]:
    # Not among our dependencies: it is there in the Python that a variable names, or not at all.
    reader = import_module("tarski.io").PDDLReader
    return lambda text: reader(raise_on_error=True).parse_domain_string(text)


# Makers of readers; one may remember the text that it read, so that each reads one text.
PARSERS = {"pddl": _pddl, "unified-planning": _unified_planning, "tarski": _tarski}


class _TooSlow(BaseException):
    """The limit of one text; no ``except Exception`` of a reader may catch it."""


def _stop(_signal: int, _frame: object) -> None:
    raise _TooSlow


def _read(read: Callable[[str], Any], text: str, seconds: float) -> tuple[bool | None, str]:
    """Return the verdict of one parser on one text."""
    if hasattr(signal, "SIGPROF"):  # of processor time: what a reader says must not depend on others
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        read(text)
    except _TooSlow:
        return None, f"stopped after {seconds:g} s"
    except MemoryError:
        return None, "the memory limit was reached"
    except Exception as error:  # readers raise errors of a dozen unrelated classes; each is a verdict
        return False, f"{type(error).__name__}: {error}"
    finally:
        if hasattr(signal, "SIGPROF"):
            signal.setitimer(signal.ITIMER_PROF, 0)
    return True, ""


def prepared(parser: str, *path: str) -> Callable[[dict[str, Any]], None]:
    """Return what answers a request of one text and leaves the answer in a file (see ``serving``).

    The reader is made once: the process that answers is a copy of this one, in which nothing was read.
    """
    sys.path[:0] = path
    read = PARSERS[parser]()

    def answer(request: dict[str, Any]) -> None:
        (text,) = request["texts"]
        with open("answer", "w", encoding="utf-8") as file:
            print(json.dumps(_read(read, text, request["seconds"])), file=file)

    return answer


def main() -> None:
    """Answer one request, with a reader for each text."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        # Some readers print sets in their messages; these must not change from run to run.
        os.execve(sys.executable, sys.orig_argv, {**os.environ, "PYTHONHASHSEED": "0"})
    request = json.load(sys.stdin)
    sys.path[:0] = request["path"]
    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever libraries print is no answer
    for text in request["texts"]:
        read = PARSERS[request["parser"]]()
        print(json.dumps(_read(read, text, request["seconds"])), file=answer_to, flush=True)


if __name__ == "__main__":
    main()
