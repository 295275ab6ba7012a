"""Check pairs of a solvable and an unsolvable problem; unsolvability is proven by a different method."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from orrery.checks.automorphisms import moved
from orrery.checks.compiled_query import Condition
from orrery.checks.plans.plan_row import NONE, PlanRow, plan_reply, stored_plan_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import TaskCheck
from orrery.checks.verdicts import differing, undecided
from orrery.model import Atom, Literal, Problem, Proof, Row
from orrery.pddl.write import parse_atom

NAMES, WORLD, ARRANGEMENT = "names", "world", "arrangement"
CONTRASTS = frozenset({NAMES, WORLD, ARRANGEMENT})

Table: TypeAlias = tuple[str, str, tuple[tuple[bool, ...], ...]]


def _faults(view: PlanRow) -> list[str]:
    row, problem = view.row, view.problem
    proof = Proof.WITNESS if row["solvable"] else Proof.EXHAUSTION
    faults = differing({"proof": str(proof)}, row)
    faults += [] if row["pair_type"] in CONTRASTS else [f"no pair type '{row['pair_type']}'"]
    faults += _removed_faults(view)
    if row["solvable"]:
        return faults + stored_plan_faults(view)
    faults += ["the goal holds at the start"] * problem.satisfied(problem.init)
    faults += differing({"plan": [], "plan_length": 0, "h_star": None}, row)
    solvable = _has_plan(view.state)
    if solvable is None:
        return [*faults, undecided("whether there is a plan")]
    return [*faults, "there is a plan"] if solvable else faults


def _has_plan(state: RecheckedState) -> bool | None:
    """Return whether a plan exists: by pairs of facts, then Fast Downward, then a search of all states."""
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


def _removed_faults(view: PlanRow) -> list[str]:
    """Return a fault if the missing facts are not those stated, or if actions change them."""
    removed = view.plain_names.atoms(map(parse_atom, view.row["removed_static_facts"]))
    stated = view.row["removed_static_facts"]
    faults = ["removed_static_facts is not sorted"] * (stated != sorted(set(stated), key=parse_atom))
    if view.row["pair_type"] != WORLD:
        return faults + ["removed_static_facts: this pair shares its world"] * bool(removed)
    static = view.plain_domain.fluents
    faults += ["removed_static_facts: a fact that actions change"] * any(
        fact[0] in static for fact in removed
    )
    faults += ["removed_static_facts: nothing"] * (not removed)
    if view.origin.init - view.plain_problem.init != frozenset(removed):
        faults.append("removed_static_facts: not what the world lacks")
    return faults


def _group(rows: Sequence[PlanRow]) -> list[str]:
    """Return the faults of each pair."""
    pairs: dict[str, list[PlanRow]] = defaultdict(list)
    for view in rows:
        pairs[view.row["pair"]].append(view)
    faults = []
    for name, pair in pairs.items():
        if len(pair) != 2 or len({view.row["solvable"] for view in pair}) != 2:
            faults.append(f"{name}: is no pair of which one has a plan")
        elif len({_shared(view.row) for view in pair}) > 1:
            faults.append(f"{name}: its rows belong to different states, or contrasts")
        else:
            faults += [f"{name}: {fault}" for fault in _unlike(*pair)]
    return faults


def _shared(row: Row) -> tuple[object, ...]:
    return row["state_source"], row["state_step"], row["vocabulary"], row["pair_type"]


def _unlike(first_view: PlanRow, second_view: PlanRow) -> list[str]:
    """Return where two problems differ in more than their contrast, or in size."""
    first, second, contrast = first_view.plain_problem, second_view.plain_problem, first_view.row["pair_type"]
    faults = [
        f"the two have not as many {name}"
        for name in ("objects", "init", "goal")
        if len(getattr(first, name)) != len(getattr(second, name))
    ]
    same = {name for name in ("init", "goal") if getattr(first, name) == getattr(second, name)}
    expected = {"init"} if contrast in (NAMES, ARRANGEMENT) else {"goal"}
    if same != expected or set(first.objects) != set(second.objects):
        faults.append(f"the two differ in something else than {contrast}")
    if contrast == NAMES and not _exchanged(first, second):
        faults.append("one goal is not the other with two names exchanged")
    if contrast == ARRANGEMENT and _material(first) != _material(second):
        faults.append("the goals do not arrange the same objects and predicates")
    if contrast == ARRANGEMENT and _joined(first) != _joined(second):
        faults.append("some two facts of the one goal share other arguments than any two of the other")
    facts_held = {sum(literal.holds(problem.init) for literal in problem.goal) for problem in (first, second)}
    if contrast in (NAMES, ARRANGEMENT) and len(facts_held) > 1:
        faults.append("more of the one goal holds at the start than of the other")
    return faults


def _exchanged(first: Problem, second: Problem) -> bool:
    """Return whether an exchange of two objects maps one goal to the other."""
    names = sorted({name for literal in first.goal | second.goal for name in literal.atom[1:]})
    return any(
        _renamed(first.goal, {name: earlier_name, earlier_name: name}) == second.goal
        for number, name in enumerate(names)
        for earlier_name in names[:number]
    )


def _renamed(goal: frozenset[Literal], names: dict[str, str]) -> frozenset[Literal]:
    return frozenset(Literal(moved(literal.atom, names), literal.positive) for literal in goal)


def _material(problem: Problem) -> tuple[list[str], list[str]]:
    """Return the predicates in the goal and the objects in it, with multiplicity."""
    heads = sorted(f"{literal.positive} {literal.atom[0]}" for literal in problem.goal)
    return heads, sorted(name for literal in problem.goal for name in literal.atom[1:])


def _joined(problem: Problem) -> Counter[frozenset[Table]]:
    """Return, for each two facts of the goal in either order, which of their arguments are equal."""
    atoms = [literal.atom for literal in problem.goal]
    return Counter(
        frozenset((_table(first, second), _table(second, first))) for first, second in combinations(atoms, 2)
    )


def _table(first: Atom, second: Atom) -> Table:
    return (
        first[0],
        second[0],
        tuple(tuple(name == argument for argument in second[1:]) for name in first[1:]),
    )


def _reply(row: Row) -> str:
    return plan_reply(row) if row["solvable"] else NONE


CHECK = TaskCheck(
    ("solvable", "plan", "plan_length", "proof", "pair", "pair_type", "removed_static_facts"),
    _faults,
    _reply,
    group=_group,
)
