"""Fast Downward on PDDL text: its own translator and search, each a process.

It supports more than our reader.

These are disjunctions, quantifiers, conditional effects and derived predicates. The translator comes with the
package fast-downward.translate (GPL), which is located and run, never imported. Plans are not checked here;
the caller checks them.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

from orrery.installation import install
from orrery.model import Plan, ToolMissing
from orrery.pddl.read import PddlError
from orrery.planning.fast_downward import binary, complaint, read_plan, without_plan
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.process import run
from orrery.planning.translator_starter import reason

PLANNER = "fast-downward translator and lazy greedy FF"
PACKAGE = "fast-downward.translate"
# Complete, and its heuristic detects only real dead ends; axioms and conditional effects are supported.
_SEARCH = (
    "let(relaxed, ff(), lazy_greedy([relaxed], preferred=[relaxed], reopen_closed=false, verbosity=silent))"
)
_SAS, _PLAN = "output.sas", "sas_plan"
_STARTER = Path(__file__).with_name("translator_starter.py")


def installed() -> bool:
    """Return whether the translator is installed, without loading it."""
    spec = importlib.util.find_spec("fast_downward")
    return spec is not None and any(
        Path(folder, "translate", "__main__.py").is_file() for folder in spec.submodule_search_locations or ()
    )


def solve_text(
    domain_text: str, problem_text: str, *, seconds: float = 20.0, megabytes: int = 2048
) -> PlannerResult:
    """Return the result of translator and search, with an unchecked plan if one was found.

    Every action costs one. ``seconds`` limits the processor time of each of the two.

    Raises:
        PddlError: the translator refuses the texts.
        ToolMissing: the translator or the planner is not installed.
    """
    if not installed():
        raise ToolMissing("translator", f"package {PACKAGE} is not installed", install("planners"))
    request = {"domain": domain_text, "problem": problem_text, "sas": _SAS}
    command, feed = [sys.executable, "-P", str(_STARTER)], json.dumps(request)
    ended = run(command, feed=feed, seconds=seconds, megabytes=megabytes, keep=[_SAS])
    if ended.timed_out or ended.code in (21, 23):
        detail = f"stopped after {seconds:g} s"
        return PlannerResult(PlannerOutcome.OUT_OF_TIME, detail=detail, grounded=False)
    if ended.code in (20, 22) or "MemoryError" in ended.errors:
        detail = "the memory limit was reached"
        return PlannerResult(PlannerOutcome.OUT_OF_MEMORY, detail=detail, grounded=False)
    if ended.code != 0 or _SAS not in ended.files:
        raise PddlError("translator", reason(ended.output, ended.errors, ended.code))
    return _search(ended.files[_SAS], seconds, megabytes)


def _search(sas: str, seconds: float, megabytes: int) -> PlannerResult:
    command = [str(binary()), "--internal-plan-file", _PLAN, "--search", _SEARCH]
    ended = run(command, feed=sas, seconds=seconds, megabytes=megabytes, keep=[_PLAN])
    if (failure := without_plan(ended, seconds)) is not None:
        return failure
    if _PLAN not in ended.files:
        return PlannerResult(PlannerOutcome.ERROR, detail=complaint("success without a plan", ended))
    return PlannerResult(PlannerOutcome.SOLVED, Plan(read_plan(ended.files[_PLAN]), PLANNER))
