"""A program, not a module to import: unified-planning in a process of its own.

Reads a JSON object from standard input and writes one to standard output. With ``problem``: solves it
(domain, problem, optimal: the texts, and whether to ask for a shortest plan; seconds: the engine's
limit); the answer has status, the name of unified-planning's status; steps, a list of lists of names or
null; log, the output of the engine. With ``problems``: reads each and validates its plan (problem, plan:
texts); the answer has verdicts, a list of statuses, or of ``ERROR: ...`` for what cannot be read. This
is the only file of ours that loads the engine of up-fast-downward (GPL); a process of its own keeps that
apart, and lets the caller limit time and memory. With ``--serve`` it answers request after request, each
with its limits (limit: seconds of processor time; megabytes) and its folder, and loads but once.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
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

from unified_planning.engines import PlanGenerationResult, SequentialPlanValidator
from unified_planning.io import PDDLReader
from unified_planning.model.metrics import MinimizeSequentialPlanLength
from unified_planning.shortcuts import OneshotPlanner, get_environment


def _read(domain: str, problem: str) -> Any:
    """Return the problem, to be solved in as few actions as possible whatever they cost."""
    environment = get_environment()
    environment.credits_stream = None
    # PDDL lets an action and a predicate share a name; unified-planning refuses that by default.
    environment.error_used_name = False
    found = PDDLReader(environment).parse_problem_string(domain, problem)
    found.clear_quality_metrics()
    for action in found.actions:
        _forget_costs(action)
    # Without a metric even a proven optimum is reported as merely satisficing.
    found.add_quality_metric(MinimizeSequentialPlanLength())
    return found


def _forget_costs(action: Any) -> None:
    """Drop the action's cost, which stays a numeric effect where the problem names no metric.

    The engine supports no numeric effects.
    """
    effects = list(action.effects)
    action.clear_effects()
    for effect in effects:
        if not (effect.is_increase() and effect.fluent.fluent().name == "total-cost"):
            action.add_effect(effect.fluent, effect.value, effect.condition, effect.forall)


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
        found = _read(domain, problem)
        steps = PDDLReader(get_environment()).parse_plan_string(found, plan)
        return str(SequentialPlanValidator().validate(found, steps).status.name)
    except MemoryError:
        raise  # no fault of the text
    except Exception as error:
        return f"ERROR: {type(error).__name__}: {' '.join(str(error).split())}"


def _solved(request: dict[str, Any]) -> dict[str, Any]:
    problem = _read(request["domain"], request["problem"])
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
    wanted = math.ceil(seconds + time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (min(wanted, soft) if soft >= 0 else wanted, hard))
    return None


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one request."""
    if "problems" not in request:
        return _solved(request)
    problems = request["problems"]
    return {"verdicts": [_verdict(request["domain"], each["problem"], each["plan"]) for each in problems]}


def _limit(request: dict[str, Any]) -> None:
    """Limit this process, which was forked for one request: its processor time counts from there.

    Raises:
        MemoryError: what is loaded takes more than the limit already, which libraries answer in odd ways.
    """
    memory, seconds = request["megabytes"] * 2**20, math.ceil(request["limit"])
    size = Path("/proc/self/statm")
    if size.exists() and int(size.read_text().split()[0]) * resource.getpagesize() > memory:
        raise MemoryError
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, seconds, seconds + 1),
    ):
        # Where the limits that we were born with are lower, those stay.
        born = [math.inf if each == resource.RLIM_INFINITY else each for each in resource.getrlimit(kind)]
        resource.setrlimit(kind, (int(min(soft, *born)), int(min(hard, born[1]))))


def _serve_one(request: dict[str, Any]) -> int:
    """Answer one request in a folder of its own, where the answer is left; return the exit code."""
    os.chdir(request["folder"])
    os.environ["TMPDIR"] = tempfile.tempdir = request["folder"]
    for stream, name in ((sys.stdin, os.devnull), (sys.stdout, "output"), (sys.stderr, "errors")):
        # Whatever libraries print is no answer, and whatever they start must not read our requests.
        handle = os.open(name, os.O_RDONLY if stream is sys.stdin else os.O_WRONLY | os.O_CREAT)
        os.dup2(handle, stream.fileno())
    try:
        _limit(request)
        answer = json.dumps(_answer(request))
        with open("answer", "w", encoding="utf-8") as file:
            file.write(answer)
        return 0
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def serve() -> None:
    """Answer requests, a line each, in a process each, forked once all is loaded.

    For each a line is written: the exit code of its process, and the processor seconds it took.
    """
    for line in sys.stdin:
        request = json.loads(line)
        if (child := os.fork()) == 0:
            os._exit(_serve_one(request))
        _, status, usage = os.wait4(child, 0)
        code, seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        print(json.dumps({"code": code, "seconds": seconds}), flush=True)


def main() -> None:
    """Answer one request from standard input, on standard output."""
    request = json.load(sys.stdin)
    answer_to = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever libraries print is no answer
    with answer_to:
        json.dump(_answer(request), answer_to)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv[1:] else main()
