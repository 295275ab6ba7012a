"""Check plans after an event: the new state must be legal, and the old plan must fail from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.checks.compiled_query import Condition
from orrery.checks.execution import execute, plan_faults, positive_first
from orrery.checks.plans.plan_row import PlanRow, plan_reply, solving_part, stored_plan_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import undecided
from orrery.model import State, Step
from orrery.planning.task import PlanningTask, applicable, progress, run

UNCHANGED = ("objects", "goal")


def _faults(view: PlanRow) -> list[str]:
    domain, old_plan, at = view.domain, view.steps("given_actions"), view.row["event_step"]
    first, then = view.shown_problem, view.problem
    faults = stored_plan_faults(view) + plan_faults(domain, first, old_plan, "the plan that is shown")
    if not 1 <= at <= len(old_plan):
        return [*faults, f"event_step is {at}, {len(old_plan)} steps are shown"]
    faults += [
        f"{name}: another after the event"
        for name in UNCHANGED
        if getattr(first, name) != getattr(then, name)
    ]
    executed = execute(domain, first, old_plan)
    if executed.failed is None:
        faults += _event_faults(view, executed.states[at])
    if solving_part(domain, then, old_plan):
        faults.append("a part of the old plan still solves it")
    reached = _reaches(view.plain_state, view.plain_problem.init, view.plain_steps("given_actions")[:at])
    if reached is None:
        return [*faults, undecided("whether the state after the event is within reach")]
    return faults if reached else [*faults, "the state after the event is out of reach"]


def _reaches(searched: RecheckedState, state: State, steps: Sequence[Step]) -> bool | None:
    """Return whether exactly this state is reachable, for example by two actions after ``steps``."""
    task = searched.task
    if not task.statics <= state or any(fact not in task.bit for fact in state - task.statics):
        return False
    mask = task.mask(state)
    states = run(task, steps)
    if states is not None and mask in _after_two(task, states[-1]):
        return True
    return searched.can_hold(Condition(mask, ~mask & ((1 << len(task.facts)) - 1)))


def _after_two(task: PlanningTask, mask: int) -> Iterator[int]:
    """Yield the states after one action, and after two."""
    nearest = [progress(mask, action) for action in applicable(task, mask)]
    yield from nearest
    for state in nearest:
        yield from (progress(state, action) for action in applicable(task, state))


def _event_faults(view: PlanRow, before: State) -> list[str]:
    """Return a fault if the event is not exactly the difference between the two states."""
    event = view.literals("event")
    faults = ["event is not sorted"] * (event != sorted(set(event), key=positive_first))
    if any(literal.holds(before) for literal in event):
        faults.append("something of the event holds without it")
    gone, come = ({literal.atom for literal in event if literal.positive == sign} for sign in (False, True))
    if (before - gone) | come != view.problem.init:
        faults.append("the event leads to another state than that of problem_pddl")
    return faults if event else [*faults, "there is no event"]


def _content(view: PlanRow) -> QuestionContent:
    return QuestionContent(
        lists=(tuple(view.steps("given_actions")),),
        literals=tuple(view.literals("event")),
        numbers=(view.row["event_step"],),
        said=(None, view.row["event_step"], None),
    )


CHECK = TaskCheck(
    ("given_actions", "given_problem_pddl", "event_step", "event", "plan", "plan_length"),
    _faults,
    plan_reply,
    content=_content,
)
