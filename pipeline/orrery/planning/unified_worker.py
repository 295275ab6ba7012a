"""A program, not a module to import: validates plans with unified-planning.

Reads a JSON list of objects from standard input (domain, problem, plan: texts), and writes a list of
statuses, or of ``ERROR: ...`` for what cannot be read. This is our only file that loads the engines of
unified-planning, and with them that of up-fast-downward (GPL); a process of its own keeps that apart, and
lets the caller limit time and memory.
"""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType

# unified-planning names a class of ConfigSpace in one annotation; with scipy, which that brings, it takes
# four times as long to load.
_configspace = ModuleType("ConfigSpace")
_configspace.ConfigurationSpace = object  # type: ignore[attr-defined]
sys.modules["ConfigSpace"] = _configspace

from pyparsing import ParserElement
from unified_planning.engines import SequentialPlanValidator
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import get_environment

# unified-planning's grammar of another language has all parsers remember what they tried, which takes longer.
ParserElement.disable_memoization()


def _verdict(domain: str, problem: str, plan: str) -> str:
    """Return the name of the validator's status.

    Whatever unified-planning cannot read is a fault of the text.
    """
    environment = get_environment()
    environment.credits_stream = None
    # PDDL lets an action and a predicate share a name; unified-planning refuses that by default.
    environment.error_used_name = False
    try:
        parsed = PDDLReader(environment).parse_problem_string(domain, problem)
        steps = PDDLReader(environment).parse_plan_string(parsed, plan)
        return str(SequentialPlanValidator().validate(parsed, steps).status.name)
    except MemoryError:
        raise  # no fault of the text
    except Exception as error:
        return f"ERROR: {type(error).__name__}: {' '.join(str(error).split())}"


def main() -> None:
    """Answer one request from standard input, on standard output."""
    request = json.load(sys.stdin)
    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever libraries print is no answer
    with answer_to:
        json.dump([_verdict(**planned) for planned in request], answer_to)


if __name__ == "__main__":
    main()
