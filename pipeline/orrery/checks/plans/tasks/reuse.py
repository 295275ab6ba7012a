"""Check plans for another goal: no part of the shown plan suffices, but some of its steps are useful."""

from __future__ import annotations

from orrery.checks.bounds import by_search
from orrery.checks.execution import plan_faults, positive_first
from orrery.checks.plans.plan_row import PlanRow, plan_reply, solving_part, stored_plan_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing, undecided
from orrery.model import Step

SHOWN = 3  # minimum number of steps
DIGITS = 4


def _faults(view: PlanRow) -> list[str]:
    row, domain, old_plan = view.row, view.domain, view.steps("given_actions")
    first, then = view.shown_problem, view.problem
    faults = stored_plan_faults(view) + plan_faults(domain, first, old_plan, "the plan that is shown")
    faults += [f"it shows {len(old_plan)} steps alone"] * (len(old_plan) < SHOWN)
    if first.init != then.init or set(first.objects) != set(then.objects):
        faults.append("the other goal is asked from another state")
    faults += ["the other goal is the same"] * (first.goal == then.goal)
    if part := solving_part(domain, then, old_plan):
        faults.append(f"{len(part)} steps that are shown solve it")
    if not by_search(row):
        faults += ["nothing can be reused"] * {*old_plan}.isdisjoint(view.steps("plan"))
        return faults + differing({"reusable": None}, row)
    if row["reusable"] is None:
        return [*faults, "reusable is empty"]
    most_reused = _most_used(view.state, frozenset(view.plain_steps("given_actions")))
    if most_reused is None:
        return [*faults, undecided("how much can be reused")]
    share = round(most_reused / len(row["plan"]), DIGITS) if row["plan"] else 0.0
    faults += ["nothing can be reused"] * (most_reused == 0)
    fits = abs(row["reusable"] - share) < 10**-DIGITS
    return faults if fits else [*faults, f"reusable is {row['reusable']}, should be {share}"]


def _most_used(searched: RecheckedState, steps: frozenset[Step]) -> int | None:
    """Return the maximum number of ``steps`` in one shortest plan; None if some states are unexpanded."""
    graph, layered = searched.visited, searched.visited.layered()
    if layered is None:
        return None
    wanted = [action.step in steps for action in searched.task.actions]
    most = [0] * graph.size
    for source, action, target in layered:
        most[target] = max(most[target], most[source] + wanted[action])
    return max(most[goal] for goal in graph.nearest_goals)


def _content(view: PlanRow) -> QuestionContent:
    goal = sorted(view.problem.goal, key=positive_first)
    return QuestionContent(
        lists=(tuple(view.steps("given_actions")),), literals=tuple(goal), said=(None, None)
    )


CHECK = TaskCheck(
    ("given_actions", "given_problem_pddl", "plan", "plan_length", "reusable"),
    _faults,
    plan_reply,
    content=_content,
)
