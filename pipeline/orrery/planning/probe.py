"""Self-test of the planners on this machine: each solves a task of one step."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable

from orrery.model import Domain, OrreryError, Problem
from orrery.planning import fast_downward
from orrery.planning.external_parsers import PlannedProblem, validate_plans
from orrery.planning.task import GroundAction, PlanningTask

Finding = tuple[str, str | None, str]
"""The name of an installed tool, its version (None if it does not work), and details."""

_DOMAIN = "(define (domain probe) (:predicates (lit)) (:action light :parameters () :effect (lit)))"
_PROBLEM = "(define (problem probe) (:domain probe) (:init) (:goal (lit)))"
_STEP = ("light",)


def probe() -> list[Finding]:
    """Try the installed tools among Fast Downward, unified-planning and numba (about three seconds).

    If numba's cache is empty, compiling takes about ten more.
    """
    tools = (
        ("fast-downward", fast_downward.PACKAGE, _try_fast_downward),
        ("unified-planning", "unified-planning", _try_unified_planning),
        ("numba", "numba", _try_numba),
    )
    return [tool_version for tool in tools if (tool_version := _try_tool(*tool))]


def _try_tool(name: str, package: str, attempt: Callable[[], str]) -> Finding | None:
    """Return the finding on an installed tool; ``attempt`` returns the details, or raises the fault."""
    try:
        return name, importlib.metadata.version(package), attempt()
    except importlib.metadata.PackageNotFoundError:
        return None
    except (OrreryError, ImportError) as failure:
        return name, None, str(failure)


def one_step() -> PlanningTask:
    """Return a minimal planning task (one fact, one action) to test whether a planner works."""
    domain = Domain("probe", (), (), (), (), ())
    problem = Problem("probe", "probe", (), frozenset(), frozenset())
    return PlanningTask(
        domain, problem, (("lit",),), (GroundAction(_STEP, 0, 0, 1, 0),), 0, 1, 0, frozenset()
    )


def _try_fast_downward() -> str:
    answer = fast_downward.solve(one_step())
    if answer.plan is None or answer.plan.steps != (_STEP,):
        raise OrreryError("fast-downward", f"fails on a task of one step: {answer.outcome}", answer.detail)
    return str(fast_downward.binary())


def _try_unified_planning() -> str:
    [(accepted, message)] = validate_plans([PlannedProblem(_DOMAIN, _PROBLEM, "(light)")])
    if not accepted:
        raise OrreryError("unified-planning", f"fails on a plan of one step: {message}", "reinstall it")
    return "it validates plans"


def _try_numba() -> str:
    from orrery.planning import exhaustive

    if exhaustive.explore(one_step()).optimal_plan() != [_STEP]:
        raise OrreryError("numba", "the compiled search fails on a task of one step", "remove its cache")
    return f"compiled loops are kept in {exhaustive.kernel_cache() or 'no folder: none can be written'}"
