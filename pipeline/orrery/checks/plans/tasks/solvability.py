"""Pairs of which one has a plan: that the other has none is proven by what did not search all its states."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from orrery.checks.compiled_query import Condition
from orrery.checks.plans import stored_plan
from orrery.checks.plans.asked import Asked, Row
from orrery.checks.plans.replies import NONE, plan_reply
from orrery.checks.plans.searched import SharedState
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import differing, undecided
from orrery.model import Atom, Literal, Problem, Proof
from orrery.pddl.write import parse_atom

NAMES, WORLD, ARRANGEMENT = "names", "world", "arrangement"
CONTRASTS = frozenset({NAMES, WORLD, ARRANGEMENT})

Table: TypeAlias = tuple[str, str, tuple[tuple[bool, ...], ...]]


def _faults(asked: Asked) -> list[str]:
    row, problem = asked.row, asked.problem
    proof = Proof.WITNESS if row["solvable"] else Proof.EXHAUSTION
    found = differing({"proof": str(proof)}, row)
    found += [] if row["contrast"] in CONTRASTS else [f"there is no contrast '{row['contrast']}'"]
    found += _removed_faults(asked)
    if row["solvable"]:
        return found + stored_plan.check(asked)
    found += ["the goal holds at the start"] * problem.satisfied(problem.init)
    found += differing({"plan": [], "plan_length": 0, "h_star": None}, row)
    solvable = _has_plan(asked.state)
    if solvable is None:
        return [*found, undecided("whether there is a plan")]
    return [*found, "there is a plan"] if solvable else found


def _has_plan(state: SharedState) -> bool | None:
    """Return whether there is a plan: by pairs of facts, Fast Downward, then all states."""
    task = state.task
    goal = Condition(task.goal_positive, task.goal_negative)
    never = task.goal_positive & ~task.init
    for action in task.actions:
        never &= ~action.add
    if never or goal.positive & goal.negative or state.pairs.exclude(goal):
        return False
    has_plan = state.call_planner(task).solvable
    if has_plan is None and state.visited.complete:
        return state.visited.cost is not None
    return has_plan


def _removed_faults(asked: Asked) -> list[str]:
    """Return where the world lacks other facts than stated, or such as actions change."""
    removed = [asked.names.atom(parse_atom(text)) for text in asked.row["removed"]]
    stated = asked.row["removed"]
    found = ["removed is not sorted"] * (stated != sorted(set(stated), key=parse_atom))
    if asked.row["contrast"] != WORLD:
        return found + ["removed: this pair shares its world"] * bool(removed)
    static = asked.plain_domain.fluents
    found += ["removed: a fact that actions change"] * any(fact[0] in static for fact in removed)
    found += ["removed: nothing"] * (not removed)
    if asked.origin.init - asked.plain_problem.init != frozenset(removed):
        found.append("removed: not what the world lacks")
    return found


def _group(rows: Sequence[Asked]) -> list[str]:
    """Return what is wrong with each pair."""
    pairs: dict[str, list[Asked]] = defaultdict(list)
    for asked in rows:
        pairs[asked.row["pair"]].append(asked)
    found = []
    for name, some in pairs.items():
        if len(some) != 2 or len({asked.row["solvable"] for asked in some}) != 2:
            found.append(f"{name}: is no pair of which one has a plan")
        elif len({_shared(asked.row) for asked in some}) > 1:
            found.append(f"{name}: its rows belong to different states, or contrasts")
        else:
            found += [f"{name}: {fault}" for fault in _unlike(*some)]
    return found


def _shared(row: Row) -> tuple[object, ...]:
    return row["state_source"], row["state_step"], row["vocabulary"], row["contrast"]


def _unlike(one: Asked, other: Asked) -> list[str]:
    """Return where two problems differ in more than their contrast, or in size."""
    first, second, contrast = one.plain_problem, other.plain_problem, one.row["contrast"]
    found = [
        f"the two have not as many {name}"
        for name in ("objects", "init", "goal")
        if len(getattr(first, name)) != len(getattr(second, name))
    ]
    same = {name for name in ("init", "goal") if getattr(first, name) == getattr(second, name)}
    wanted = {"init"} if contrast in (NAMES, ARRANGEMENT) else {"goal"}
    if same != wanted or set(first.objects) != set(second.objects):
        found.append(f"the two differ in something else than {contrast}")
    if contrast == NAMES and not _exchanged(first, second):
        found.append("one goal is not the other with two names exchanged")
    if contrast == ARRANGEMENT and _material(first) != _material(second):
        found.append("the goals do not arrange the same objects and predicates")
    if contrast == ARRANGEMENT and _joined(first) != _joined(second):
        found.append("some two facts of the one goal share other arguments than any two of the other")
    held = {sum(each.holds(problem.init) for each in problem.goal) for problem in (first, second)}
    if contrast in (NAMES, ARRANGEMENT) and len(held) > 1:
        found.append("more of the one goal holds at the start than of the other")
    return found


def _exchanged(first: Problem, second: Problem) -> bool:
    """Return whether exchanging two objects makes the one goal of the other."""
    names = sorted({name for literal in first.goal | second.goal for name in literal.atom[1:]})
    return any(
        _renamed(first.goal, {one: other, other: one}) == second.goal
        for number, one in enumerate(names)
        for other in names[:number]
    )


def _renamed(goal: frozenset[Literal], names: dict[str, str]) -> frozenset[Literal]:
    return frozenset(
        Literal((each.atom[0], *(names.get(name, name) for name in each.atom[1:])), each.positive)
        for each in goal
    )


def _material(problem: Problem) -> tuple[list[str], list[str]]:
    """Return the predicates of the goal's literals and the objects that they name, as often as they do."""
    heads = sorted(f"{literal.positive} {literal.atom[0]}" for literal in problem.goal)
    return heads, sorted(name for literal in problem.goal for name in literal.atom[1:])


def _joined(problem: Problem) -> Counter[frozenset[Table]]:
    """Return of each two facts of the goal, in either order, which of their arguments are the same."""
    atoms = [each.atom for each in problem.goal]
    return Counter(
        frozenset((_table(one, other), _table(other, one))) for one, other in combinations(atoms, 2)
    )


def _table(one: Atom, other: Atom) -> Table:
    return one[0], other[0], tuple(tuple(name == each for each in other[1:]) for name in one[1:])


def _reply(row: Row) -> str:
    return plan_reply(row) if row["solvable"] else NONE


CHECK = TaskCheck(
    ("solvable", "plan", "plan_length", "proof", "pair", "contrast", "removed"), _faults, _reply, group=_group
)
