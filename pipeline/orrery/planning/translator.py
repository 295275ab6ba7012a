"""Fast Downward on PDDL text: its own translator and search, each a process; reads more than we do.

Disjunctions, quantifiers, conditional effects and derived predicates. The translator comes with the
package fast-downward.translate (GPL), which is looked up and run, never imported. Plans are the planner's
word here: whoever uses one checks it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from orrery.installation import install
from orrery.model import Plan, ToolMissing
from orrery.planning.fast_downward import binary, complaint, read_plan, without_plan
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.process import ProcessResult, run
from orrery.planning.translator_starter import reason

PLANNER = "fast-downward translator and lazy greedy FF"
PACKAGE = "fast-downward.translate"
# Complete, and its heuristic calls a state hopeless only where it is; axioms and conditional effects fit.
_SEARCH = (
    "let(relaxed, ff(), lazy_greedy([relaxed], preferred=[relaxed], reopen_closed=false, verbosity=silent))"
)
_SAS, _PLAN = "output.sas", "sas_plan"
_STARTER = Path(__file__).with_name("translator_starter.py")


@dataclass(frozen=True, slots=True)
class Translation:
    """The translator's result on two texts: its own format, or why it refused them.

    ``accepted`` is None where a limit ended it or it is not installed.
    """

    accepted: bool | None
    sas: str = ""
    message: str = ""
    outcome: PlannerOutcome = PlannerOutcome.ERROR


def installed() -> bool:
    """Return whether the translator is there to be run; looking for it loads nothing of it."""
    spec = importlib.util.find_spec("fast_downward")
    return spec is not None and any(
        Path(folder, "translate", "__main__.py").is_file() for folder in spec.submodule_search_locations or ()
    )


def translate(
    domain_text: str, problem_text: str, *, seconds: float = 20.0, megabytes: int = 2048
) -> Translation:
    """Return the task in the planner's own format.

    Raises:
        ToolMissing: the translator is not installed.
    """
    if not installed():
        raise ToolMissing("translator", f"package {PACKAGE} is not installed", install("planners"))
    request = {"domain": domain_text, "problem": problem_text, "sas": _SAS}
    command, feed = [sys.executable, "-P", str(_STARTER)], json.dumps(request)
    return _translation(run(command, feed=feed, seconds=seconds, megabytes=megabytes, keep=[_SAS]), seconds)


def _translation(ended: ProcessResult, seconds: float) -> Translation:
    if ended.timed_out or ended.code in (21, 23):
        return Translation(None, "", f"stopped after {seconds:g} s", PlannerOutcome.OUT_OF_TIME)
    if ended.code in (20, 22) or "MemoryError" in ended.errors:
        return Translation(None, "", "the memory limit was reached", PlannerOutcome.OUT_OF_MEMORY)
    if ended.code == 0 and _SAS in ended.files:
        return Translation(True, ended.files[_SAS], "", PlannerOutcome.SOLVED)
    return Translation(False, "", reason(ended.output, ended.errors, ended.code), PlannerOutcome.ERROR)


def search(task: Translation, *, seconds: float = 30.0, megabytes: int = 2048) -> PlannerResult:
    """Search for a plan of an accepted translation, counting every action as one.

    Returns:
        The named outcome, with the plan where one was found, not checked.

    Raises:
        ToolMissing: the planner is not installed.
    """
    command = [str(binary()), "--internal-plan-file", _PLAN, "--search", _SEARCH]
    ended = run(command, feed=task.sas, seconds=seconds, megabytes=megabytes, keep=[_PLAN])
    if (failure := without_plan(ended, seconds)) is not None:
        return failure
    if _PLAN not in ended.files:
        return PlannerResult(PlannerOutcome.ERROR, detail=complaint("success without a plan", ended))
    return PlannerResult(PlannerOutcome.SOLVED, Plan(read_plan(ended.files[_PLAN]), PLANNER))
