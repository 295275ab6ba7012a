"""Check several forms of one problem: the same states must satisfy the goal in every form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from orrery.checks.compiled_query import Condition
from orrery.checks.plans.plan_row import PlanRow, anonymous, plan_reply, stored_plan_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import undecided
from orrery.model import Literal, Problem

FEWEST = 3  # forms of a problem
PLAIN, SHUFFLED = "plain", "shuffled"
SAME = frozenset({PLAIN, SHUFFLED, "reworded", "abstract"})  # forms with the same literals
LONGER, SHORTER = "completed", "reduced"
FORMS = SAME | {LONGER, SHORTER}


def _faults(view: PlanRow) -> list[str]:
    form = view.row["form"]
    faults = [] if form in FORMS else [f"there is no form '{form}'"]
    goal, first = view.plain_problem.goal, view.origin.goal
    if form in SAME and goal != first:
        faults.append(f"{form}: the goal has other literals than that of the problem")
    if form == LONGER and not goal > first:
        faults.append(f"{form}: the goal has not all literals of that of the problem, and more")
    if form == SHORTER and not len(goal) < len(first):
        faults.append(f"{form}: the goal has as many literals as that of the problem")
    return faults + stored_plan_faults(view) + _other_states(view)


def _other_states(view: PlanRow) -> list[str]:
    """Return a fault if some reachable state satisfies only one of the goals of the row and its problem."""
    problem, first = view.plain_problem, view.origin
    if problem.goal == first.goal:
        return []
    verdicts = [
        _implied(view.state, problem, first),
        _implied(view.state_of(anonymous(first)), first, problem),
    ]
    if False in verdicts:
        return ["other states satisfy the goal than that of the problem"]
    return [undecided("whether the same states satisfy the goal")] if None in verdicts else []


def _implied(state: RecheckedState, premise: Problem, conclusion: Problem) -> bool | None:
    """Return whether every reachable goal state of ``premise`` is a goal state of ``conclusion``."""
    task = state.task
    violations = [_violated(state, literal) for literal in sorted(conclusion.goal - premise.goal)]
    conditions = [
        Condition(task.goal_positive | way.positive, task.goal_negative | way.negative)
        for way in violations
        if way is not None
    ]
    possible = [condition for condition in conditions if not condition.positive & condition.negative]
    if state.visited.complete:
        return not any(condition.met(reached) for condition in possible for reached in state.visited.states)
    return state.none_can_hold(possible)


def _violated(state: RecheckedState, literal: Literal) -> Condition | None:
    """Return the condition for a literal to be false; None if it is always true."""
    if literal.atom in state.task.statics:
        return None if literal.positive else Condition(0)
    bit = state.task.bit.get(literal.atom)
    if bit is None:
        return Condition(0) if literal.positive else None
    return Condition(0, bit) if literal.positive else Condition(bit)


def _group(rows: Sequence[PlanRow]) -> list[str]:
    """Return the faults of the forms of each state, in each vocabulary."""
    groups: dict[tuple[object, ...], list[PlanRow]] = defaultdict(list)
    for view in rows:
        row = view.row
        groups[row["state_source"], row["state_step"], row["vocabulary"]].append(view)
    faults, names = [], [frozenset(view.row["twin_group"] for view in views) for views in groups.values()]
    for views, its in zip(groups.values(), names, strict=True):
        first = views[0].row["id"]
        if len(its) != 1 or names.count(its) > 1 or "" in its:
            faults.append(f"{first}: twin_group is not one name for the rows of one problem")
        forms = [view.row["form"] for view in views]
        if len(set(forms)) < max(FEWEST, len(forms)):
            faults.append(f"{first}: the problem has the forms {', '.join(sorted(forms))} alone")
        if len({view.row["context"] for view in views}) < len(views):
            faults.append(f"{first}: two forms are told in the same words")
        by_form = {view.row["form"]: view.row["context_pddl"] for view in views}
        if SHUFFLED in by_form and by_form[SHUFFLED] == by_form.get(PLAIN):
            faults.append(f"{first}: the PDDL of two forms is the same")
    return faults


CHECK = TaskCheck(("form", "twin_group", "plan", "plan_length"), _faults, plan_reply, group=_group)
