"""A program, not a module to import: unified-planning in a process of its own.

Reads a JSON object from standard input and writes one to standard output. With ``problem``: solves it
(domain, problem, optimal: the texts, and whether to ask for a shortest plan; seconds: the engine's
limit); the answer has status, the name of unified-planning's status; steps, a list of lists of names or
null; log, the output of the engine. With ``problems``: reads each and validates its plan (domain,
problem, plan: texts); the answer has verdicts, a list of statuses, or of ``ERROR: ...`` for what cannot
be read. This is the only file of ours that loads the engine of up-fast-downward (GPL); a process of its
own keeps that apart, and lets the caller limit time and memory.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from types import ModuleType
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# unified-planning names a class of ConfigSpace in one annotation; with scipy, which that brings, it takes
# four times as long to load.
_configspace = ModuleType("ConfigSpace")
_configspace.ConfigurationSpace = object  # type: ignore[attr-defined]
sys.modules["ConfigSpace"] = _configspace

from pyparsing import ParserElement
from unified_planning.engines import PlanGenerationResult, SequentialPlanValidator
from unified_planning.io import PDDLReader
from unified_planning.model.metrics import MinimizeSequentialPlanLength
from unified_planning.shortcuts import OneshotPlanner, get_environment

# unified-planning's grammar of another language has all parsers remember what they tried, which takes longer.
ParserElement.disable_memoization()


def _read(domain: str, problem: str) -> Any:
    """Return the problem, to be solved in as few actions as possible whatever they cost."""
    environment = get_environment()
    environment.credits_stream = None
    # PDDL lets an action and a predicate share a name; unified-planning refuses that by default.
    environment.error_used_name = False
    parsed = PDDLReader(environment).parse_problem_string(domain, problem)
    parsed.clear_quality_metrics()
    for action in parsed.actions:
        _forget_costs(action)
    # Without a metric even a proven optimum is reported as merely satisficing.
    parsed.add_quality_metric(MinimizeSequentialPlanLength())
    return parsed


def _forget_costs(action: Any) -> None:
    """Drop the action's cost, which stays a numeric effect where the problem names no metric.

    The engine supports no numeric effects.
    """
    effects = list(action.effects)
    action.clear_effects()
    for effect in effects:
        if not (effect.is_increase() and effect.fluent.fluent().name == "total-cost"):
            action.add_effect(effect.fluent, effect.value, effect.condition, effect.forall)


def _with_effects(problem: Any) -> Any:
    """Return the problem without actions that change nothing.

    No shortest plan has one, and unified-planning writes them without ``:effect``, which the engine refuses.
    """
    effective = [action for action in problem.actions if action.effects]
    problem.clear_actions()
    problem.add_actions(effective)
    return problem


def _described(result: PlanGenerationResult) -> dict[str, Any]:
    plan = result.plan
    steps = None
    if plan is not None:
        steps = [[a.action.name, *(str(value) for value in a.actual_parameters)] for a in plan.actions]
    log = [message.message for message in result.log_messages or ()]
    return {"status": result.status.name, "steps": steps, "log": log}


def _verdict(domain: str, problem: str, plan: str) -> str:
    """Return the name of the validator's status.

    Whatever unified-planning cannot read is a fault of the text.
    """
    try:
        parsed = _read(domain, problem)
        steps = PDDLReader(get_environment()).parse_plan_string(parsed, plan)
        return str(SequentialPlanValidator().validate(parsed, steps).status.name)
    except MemoryError:
        raise  # no fault of the text
    except Exception as error:
        return f"ERROR: {type(error).__name__}: {' '.join(str(error).split())}"


def _solved(request: dict[str, Any]) -> dict[str, Any]:
    problem = _with_effects(_read(request["domain"], request["problem"]))
    engine = "fast-downward-opt" if request["optimal"] else "fast-downward"
    with OneshotPlanner(name=engine) as planner:
        return _described(planner.solve(problem, timeout=_limited(request["seconds"])))


def _limited(seconds: float) -> float | None:
    """Limit the processor time of what is started from now on; return the limit where that cannot be done.

    The engine's own limit is one by the clock, which would make the answer depend on how busy the machine is.
    """
    if not hasattr(resource, "setrlimit"):
        return seconds
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    # It holds for this process as well, which has used some of it.
    limit = math.ceil(seconds + time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (min(limit, soft) if soft >= 0 else limit, hard))
    return None


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one request."""
    if "problems" not in request:
        return _solved(request)
    return {"verdicts": [_verdict(**planned) for planned in request["problems"]]}


def main() -> None:
    """Answer one request from standard input, on standard output."""
    request = json.load(sys.stdin)
    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever libraries print is no answer
    with answer_to:
        json.dump(_answer(request), answer_to)


if __name__ == "__main__":
    main()
