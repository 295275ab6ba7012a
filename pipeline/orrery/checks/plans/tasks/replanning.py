"""Plans after an event: it leads to a lawful state from which the old plan helps no more."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.checks.execution import execute, is_plan, plan_faults
from orrery.checks.plans import stored_plan
from orrery.checks.plans.asked import Asked, literal_order
from orrery.checks.plans.replies import plan_reply
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import undecided
from orrery.model import State, Step

UNCHANGED = ("objects", "goal")


def _faults(asked: Asked) -> list[str]:
    domain, shown, at = asked.domain, asked.steps("shown"), asked.row["event_step"]
    first, then = asked.shown_problem, asked.problem
    found = stored_plan.check(asked) + plan_faults(domain, first, shown, "the plan that is shown")
    if not 1 <= at <= len(shown):
        return [*found, f"event_step is {at}, {len(shown)} steps are shown"]
    found += [
        f"{name}: another after the event"
        for name in UNCHANGED
        if getattr(first, name) != getattr(then, name)
    ]
    run = execute(domain, first.init, shown)
    if run.failed is None:
        found += _event_faults(asked, run.states[at])
    if _helps(asked, shown):
        found.append("a part of the old plan still solves it")
    reached = asked.plain_state.reaches(asked.plain_problem.init)
    if reached is None:
        return [*found, undecided("whether the state after the event is within reach")]
    return found if reached else [*found, "the state after the event is out of reach"]


def _event_faults(asked: Asked, before: State) -> list[str]:
    """Return where the event is not exactly what tells the two states apart."""
    event = asked.literals("event")
    found = ["event is not sorted"] * (event != sorted(set(event), key=literal_order))
    if any(each.holds(before) for each in event):
        found.append("something of the event holds without it")
    gone, come = ({each.atom for each in event if each.positive == sign} for sign in (False, True))
    if (before - gone) | come != asked.problem.init:
        found.append("the event leads to another state than that of problem_pddl")
    return found if event else [*found, "there is no event"]


def _helps(asked: Asked, shown: Sequence[Step]) -> bool:
    """Return whether some steps in a row of the old plan solve what is left."""
    return any(
        is_plan(asked.domain, asked.problem, shown[start:end])
        for start in range(len(shown))
        for end in range(start + 1, len(shown) + 1)
    )


def _content(asked: Asked) -> QuestionContent:
    return QuestionContent(
        lists=(tuple(asked.steps("shown")),),
        literals=tuple(asked.literals("event")),
        numbers=(asked.row["event_step"],),
        said=(None, asked.row["event_step"], None),
    )


CHECK = TaskCheck(
    ("shown", "shown_problem_pddl", "event_step", "event", "plan", "plan_length"),
    _faults,
    plan_reply,
    content=_content,
)
