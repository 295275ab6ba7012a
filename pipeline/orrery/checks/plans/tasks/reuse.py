"""Plans for another goal: no part of the shown one is enough, but some steps of it are of use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.checks.execution import is_plan, plan_faults
from orrery.checks.plans import stored_plan
from orrery.checks.plans.asked import Asked, literal_order
from orrery.checks.plans.replies import plan_reply
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import undecided
from orrery.model import Step

SHOWN = 3  # steps at least
DIGITS = 4


def _faults(asked: Asked) -> list[str]:
    row, domain, shown = asked.row, asked.domain, asked.steps("shown")
    first, then = asked.shown_problem, asked.problem
    found = stored_plan.check(asked) + plan_faults(domain, first, shown, "the plan that is shown")
    found += [f"it shows {len(shown)} steps alone"] * (len(shown) < SHOWN)
    if first.init != then.init or set(first.objects) != set(then.objects):
        found.append("the other goal is asked from another state")
    found += ["the other goal is the same"] * (first.goal == then.goal)
    for part in parts(shown):
        if is_plan(domain, then, part):
            found.append(f"{len(part)} steps that are shown solve it")
            break
    kept = asked.state.kept_at_most(frozenset(asked.plain_steps("shown")))
    if kept is None:
        return [*found, undecided("how much can be reused")]
    share = round(kept / len(row["plan"]), DIGITS) if row["plan"] else 0.0
    found += ["nothing can be reused"] * (kept == 0)
    fits = abs(row["reusable"] - share) < 10**-DIGITS
    return found if fits else [*found, f"reusable is {row['reusable']}, should be {share}"]


def parts(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Yield all steps in a row that are shown in a row."""
    for start in range(len(steps)):
        for end in range(start + 1, len(steps) + 1):
            yield steps[start:end]


def _content(asked: Asked) -> QuestionContent:
    goal = sorted(asked.problem.goal, key=literal_order)
    return QuestionContent(lists=(tuple(asked.steps("shown")),), literals=tuple(goal), said=(None, None))


CHECK = TaskCheck(
    ("shown", "shown_problem_pddl", "plan", "plan_length", "reusable"), _faults, plan_reply, content=_content
)
