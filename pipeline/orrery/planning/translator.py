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
from orrery.planning.external_parser_worker import NO_MEMORY, SAS
from orrery.planning.fast_downward import PLAN_FILE, complaint, read_plan, run_search, without_plan
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.process import run

PLANNER = "fast-downward translator and lazy greedy FF"
PACKAGE = "fast-downward.translate"
# Complete, and its heuristic detects only real dead ends; axioms and conditional effects are supported.
_SEARCH = (
    "let(relaxed, ff(), lazy_greedy([relaxed], preferred=[relaxed], reopen_closed=false, verbosity=silent))"
)
_MEGABYTES = 2048
_WORKER = Path(__file__).with_name("external_parser_worker.py")


def installed() -> bool:
    """Return whether the translator is installed, without loading it."""
    spec = importlib.util.find_spec("fast_downward")
    return spec is not None and any(
        Path(folder, "translate", "__main__.py").is_file() for folder in spec.submodule_search_locations or ()
    )


def solve_text(domain_text: str, problem_text: str, *, seconds: float = 20.0) -> PlannerResult:
    """Return the result of translator and search, with an unchecked plan if one was found.

    Every action costs one. ``seconds`` limits the processor time of each of the two.

    Raises:
        PddlError: the translator refuses the texts.
        ToolMissing: the translator or the planner is not installed.
    """
    if not installed():
        raise ToolMissing("translator", f"package {PACKAGE} is not installed", install("planners"))
    texts = [json.dumps([domain_text, problem_text])]
    request = {"path": [], "parser": "fast-downward", "texts": texts, "seconds": seconds}
    command, feed = [sys.executable, "-P", str(_WORKER)], json.dumps(request)
    ended = run(command, feed=feed, seconds=seconds, megabytes=_MEGABYTES, keep=[SAS])
    accepted, message = json.loads(ended.output) if ended.output else (False, complaint("no answer", ended))
    if "MemoryError" in ended.errors or message == NO_MEMORY:
        return PlannerResult(PlannerOutcome.OUT_OF_MEMORY, detail=NO_MEMORY, grounded=False)
    if ended.timed_out or accepted is None:
        detail = f"stopped after {seconds:g} s"
        return PlannerResult(PlannerOutcome.OUT_OF_TIME, detail=detail, grounded=False)
    if not accepted:
        raise PddlError("translator", message)
    search = run_search(_SEARCH, ended.files[SAS], seconds, _MEGABYTES)
    if (failure := without_plan(search, seconds)) is not None:
        return failure
    return PlannerResult(PlannerOutcome.SOLVED, Plan(read_plan(search.files[PLAN_FILE]), PLANNER))
