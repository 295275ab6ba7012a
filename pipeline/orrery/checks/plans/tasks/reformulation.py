"""One problem in several forms: whatever the form of its goal, the states that satisfy it are the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from orrery.checks.compiled_query import Condition
from orrery.checks.plans import stored_plan
from orrery.checks.plans.asked import Asked
from orrery.checks.plans.replies import plan_reply
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import undecided
from orrery.model import Literal, Problem

FEWEST = 3  # forms of a problem
PLAIN, SHUFFLED = "plain", "shuffled"
SAME = frozenset({PLAIN, SHUFFLED, "reworded", "abstract"})  # forms that have the same literals
LONGER, SHORTER = "completed", "reduced"
FORMS = SAME | {LONGER, SHORTER}


def _faults(asked: Asked) -> list[str]:
    form = asked.row["form"]
    found = [] if form in FORMS else [f"there is no form '{form}'"]
    own, first = asked.plain_problem.goal, asked.origin.goal
    if form in SAME and own != first:
        found.append(f"{form}: the goal has other literals than that of the problem")
    if form == LONGER and not own > first:
        found.append(f"{form}: the goal has not all literals of that of the problem, and more")
    if form == SHORTER and not len(own) < len(first):
        found.append(f"{form}: the goal has as many literals as that of the problem")
    return found + stored_plan.check(asked) + _other_states(asked)


def _other_states(asked: Asked) -> list[str]:
    """Return whether some reachable state satisfies one of two goals, that of the row and of its problem."""
    own, first = asked.plain_problem, asked.origin
    if own.goal == first.goal:
        return []
    verdicts = [_implied(asked.state, own, first), _implied(asked.searched.state(first), first, own)]
    if False in verdicts:
        return ["other states satisfy the goal than that of the problem"]
    return [undecided("whether the same states satisfy the goal")] if None in verdicts else []


def _implied(state: RecheckedState, one: Problem, other: Problem) -> bool | None:
    """Return whether every reachable state that satisfies the goal of ``one`` satisfies that of ``other``."""
    task = state.task
    ways = [_violated(state, literal) for literal in sorted(other.goal - one.goal)]
    conditions = [
        Condition(task.goal_positive | way.positive, task.goal_negative | way.negative)
        for way in ways
        if way is not None
    ]
    possible = [each for each in conditions if not each.positive & each.negative]
    if state.visited.complete:
        return not any(condition.met(reached) for condition in possible for reached in state.visited.states)
    return state.none_can_hold(possible)


def _violated(state: RecheckedState, literal: Literal) -> Condition | None:
    """Return the condition under which a literal does not hold; None where it always holds."""
    if literal.atom in state.task.statics:
        return None if literal.positive else Condition(0)
    bit = state.task.bit.get(literal.atom)
    if bit is None:
        return Condition(0) if literal.positive else None
    return Condition(0, bit) if literal.positive else Condition(bit)


def _group(rows: Sequence[Asked]) -> list[str]:
    """Return what is wrong with the forms of each state, in each vocabulary."""
    groups: dict[tuple[object, ...], list[Asked]] = defaultdict(list)
    for asked in rows:
        row = asked.row
        groups[row["state_source"], row["state_step"], row["vocabulary"]].append(asked)
    found, names = [], [frozenset(asked.row["twin_group"] for asked in some) for some in groups.values()]
    for some, its in zip(groups.values(), names, strict=True):
        first = some[0].row["id"]
        if len(its) != 1 or names.count(its) > 1 or "" in its:
            found.append(f"{first}: twin_group is not one name for the rows of one problem")
        forms = [asked.row["form"] for asked in some]
        if len(set(forms)) < max(FEWEST, len(forms)):
            found.append(f"{first}: the problem has the forms {', '.join(sorted(forms))} alone")
        if len({asked.row["context"] for asked in some}) < len(some):
            found.append(f"{first}: two forms are told in the same words")
        by_form = {asked.row["form"]: asked.row["context_pddl"] for asked in some}
        if SHUFFLED in by_form and by_form[SHUFFLED] == by_form.get(PLAIN):
            found.append(f"{first}: the PDDL of two forms is the same")
    return found


CHECK = TaskCheck(("form", "twin_group", "plan", "plan_length"), _faults, plan_reply, group=_group)
