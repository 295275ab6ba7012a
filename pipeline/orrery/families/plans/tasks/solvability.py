"""Ask whether a plan exists. Rows come in pairs of equal size: one has a plan, the other provably has none.

The problems of a pair differ in names within the goal, or in which static facts are missing, or, if neither
gives a pair, in how the goal arranges the same objects. For any two facts of one goal, the other goal has two
facts with the same common arguments. Therefore, no two facts alone reveal unsolvability, as they would in "b1
is on b2, b1 is on b3".
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product, starmap
from typing import Any, NamedTuple, TypeAlias

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import LENGTH, PLAN, plan_reply, plan_row, plan_task, planned
from orrery.families.plans.source import Source, drawn_goal, is_guessed
from orrery.families.plans.space import Space, space_of
from orrery.model import Atom, Literal, Problem, Proof, Row, Step
from orrery.pddl.renaming import object_names
from orrery.pddl.write import write_atom
from orrery.planning.possible import names_twice
from orrery.store.kinds import BOOL, STRING, STRINGS, column

TRIES, WORLDS = 12, 10  # limits of drawn goals and of drawn sets of missing facts
ARRANGED = 60  # goals drawn of which few can be arranged so that no two facts tell the one from the other
MOST_REMOVED = 3
NAMES, WORLD, ARRANGEMENT = "names", "world", "arrangement"

Look: TypeAlias = tuple[str, str, tuple[tuple[int, int], ...]]
Goal: TypeAlias = frozenset[Literal]
Types: TypeAlias = Mapping[str, tuple[str, ...]]
Exchanges: TypeAlias = Callable[[Goal, Types], Iterable[Goal]]


class _GoalCase(NamedTuple):
    """A problem with a shortest plan, or None if it has none; and the static facts that it lacks."""

    problem: Problem
    plan: list[Step] | None
    removed: tuple[Atom, ...] = ()


Pair: TypeAlias = tuple[_GoalCase, _GoalCase]


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield a pair of each contrast; arrangements only if there is no other pair."""
    space = source.space
    if space is None:
        raise Rejected("too_many_states")
    has_pair = False
    for contrast, pair_of in CONTRASTS.items():
        if contrast == ARRANGEMENT and has_pair:
            return
        pair = pair_of(source, space, rng)
        if pair is None:
            yield Rejected(f"no_pair_of_{contrast}")
            continue
        has_pair = True
        turned = rng.sample(pair, 2)  # the order of a pair reveals nothing
        rows = (_row(source, case, contrast, number, rng) for number, case in enumerate(turned))
        yield Draft(tuple(rows), contrast)


def _by_goal(
    tries: int, exchanges: Exchanges, source: Source, space: Space, rng: random.Random
) -> Pair | None:
    """Return two goals such that an exchange maps one to the other, and two facts look alike in both."""
    types = {typed.name: typed.types for typed in source.problem.objects}
    for _ in range(tries):
        goal = drawn_goal(source, space, rng)
        if goal is None:
            return None
        exchanged = list(exchanges(goal, types))
        rng.shuffle(exchanged)
        for second in exchanged:
            if looks_of(second) == looks_of(goal) and (pair := _pair(source, space, goal, second, rng)):
                return pair
    return None


def _renamings(goal: Goal, types: Types) -> Iterator[Goal]:
    """Yield the goals after an exchange of two objects of the same type."""
    for first in sorted({name for literal in goal for name in literal.atom[1:] if name in types}):
        for second in sorted(types):
            if first != second and types[first] == types[second]:
                yield object_names({first: second, second: first}).literals(goal)


def looks_of(goal: Iterable[Literal]) -> Counter[Look]:
    """Return the features of each two facts of a goal that are visible without the state.

    They are the predicates, and the positions at which the facts name the same object.
    """
    return Counter(starmap(_look, combinations(sorted(literal.atom for literal in goal), 2)))


def _look(first: Atom, second: Atom) -> Look:
    places = product(range(1, len(first)), range(1, len(second)))
    common = [(m, n) for m, n in places if first[m] == second[n]]
    turned = sorted((n, m) for m, n in common)
    return first[0], second[0], tuple(min(common, turned) if first[0] == second[0] else common)


def _arrangements(goal: Goal, types: Types) -> Iterator[Goal]:
    """Yield the goals after an exchange of one argument, of the same type, between two facts."""
    for literal, partner in combinations(sorted(goal), 2):
        for place, place_of_other in product(range(1, len(literal.atom)), range(1, len(partner.atom))):
            first, second = list(literal.atom), list(partner.atom)
            if types.get(first[place]) != types.get(second[place_of_other]):
                continue
            first[place], second[place_of_other] = second[place_of_other], first[place]
            changed = (goal - {literal, partner}) | {Literal(tuple(first)), Literal(tuple(second))}
            repeats = names_twice(tuple(first)) or names_twice(tuple(second))
            if len(changed) == len(goal) and changed != goal and not repeats:
                yield changed


def _pair(
    source: Source,
    space: Space,
    goal: Goal,
    second_goal: Goal,
    rng: random.Random,
) -> Pair | None:
    """Return the two goals as cases if the first is reachable in some steps and the second is unreachable."""
    if _holding(source, goal) != _holding(source, second_goal) or space.goal_states(second_goal).any():
        return None
    goal_states = space.goal_states(goal)
    distances = space.distances(goal_states)
    if distances[0] < 2 or is_guessed(space, 0, goal_states, int(distances[0])):
        return None
    good = _GoalCase(replace(source.problem, goal=goal), space.shortest(0, distances, rng))
    return good, _GoalCase(replace(source.problem, goal=second_goal), None)


def _holding(source: Source, goal: Goal) -> int:
    """Return how many literals of a goal hold in the state; both goals of a pair have the same number."""
    return sum(literal.holds(source.problem.init) for literal in goal)


def _by_world(source: Source, space: Space, rng: random.Random) -> Pair | None:
    """Return two problems that lack equally many static facts of one predicate, with the same goal."""
    if source.distances is None or source.distances[0] < 2:
        return None
    roads = _removable(source)
    if not roads:
        return None
    name = rng.choice(sorted(roads))
    count = rng.randint(1, min(MOST_REMOVED, len(roads[name]) - 1))
    cases: dict[bool, _GoalCase] = {}
    for _ in range(WORLDS):
        sampled = rng.sample(roads[name], count)
        removed = tuple(sorted(fact for facts in sampled for fact in facts))
        if cases and len(removed) != len(next(iter(cases.values())).removed):
            continue
        if _bare(source, name, removed):
            continue
        case = _without(source, removed, rng)
        if case is not None and (case.plan is None or len(case.plan) > 1):
            cases.setdefault(case.plan is not None, case)
        if len(cases) == 2:
            return cases[True], cases[False]
    return None


def _removable(source: Source) -> dict[str, list[tuple[Atom, ...]]]:
    """Return, by predicate, the static facts on two or more objects; both directions of an edge are one."""
    fluents, facts_by_objects = source.record.domain.fluents, dict[str, dict[frozenset[str], list[Atom]]]()
    for fact in sorted(source.problem.init):
        if fact[0] not in fluents and len(fact) > 2:
            key = frozenset(fact[1:]) if len(fact) == 3 else frozenset([" ".join(fact)])
            facts_by_objects.setdefault(fact[0], {}).setdefault(key, []).append(fact)
    grouped = {name: [tuple(facts) for facts in groups.values()] for name, groups in facts_by_objects.items()}
    return {name: groups for name, groups in grouped.items() if len(groups) > 2}


def _bare(source: Source, name: str, removed: Sequence[Atom]) -> bool:
    """Return whether some object would no longer occur in any fact of the predicate."""
    connected = {
        argument for fact in source.problem.init - set(removed) if fact[0] == name for argument in fact[1:]
    }
    return any(argument not in connected for fact in removed for argument in fact[1:])


def _without(source: Source, removed: tuple[Atom, ...], rng: random.Random) -> _GoalCase | None:
    """Return the problem of the source without some facts, decided; None if there are too many states."""
    problem = replace(source.problem, init=source.problem.init - set(removed))
    task = source.with_problem(problem).task
    space = space_of(task, source.max_states)
    if space is None:
        return None
    goal_states = space.found.goal
    distances = space.distances(goal_states)
    if is_guessed(space, 0, goal_states, max(0, int(distances[0]))):
        return None
    return _GoalCase(problem, space.shortest(0, distances, rng) if distances[0] >= 0 else None, removed)


CONTRASTS: Mapping[str, Callable[[Source, Space, random.Random], Pair | None]] = {
    NAMES: partial(_by_goal, TRIES, _renamings),
    WORLD: _by_world,
    ARRANGEMENT: partial(_by_goal, ARRANGED, _arrangements),
}


def _row(source: Source, case: _GoalCase, contrast: str, number: int, rng: random.Random) -> dict[str, Any]:
    columns = {
        "solvable": case.plan is not None,
        **planned(case.plan or ()),
        "proof": str(Proof.WITNESS if case.plan is not None else Proof.EXHAUSTION),
        "pair": f"{source.name}/solvability/{contrast}",
        "pair_type": contrast,
        "removed_static_facts": [write_atom(fact) for fact in case.removed],
    }
    h_star = None if case.plan is None else len(case.plan)
    suffix = f"{contrast}-{number}"
    row = plan_row(source, "solvability", rng, (), columns, judged=case.problem, h_star=h_star, suffix=suffix)
    return {**row, "num_states": None} if case.removed else row


def _gold(row: Row) -> str:
    return plan_reply(row["plan"]) if row["solvable"] else "ANSWER: none"


TASK = plan_task(
    name="solvability",
    subject="Is there a plan: one is wanted, or the statement that there is none",
    draw=_draw,
    columns=(
        column("solvable", BOOL, "Whether there is a plan"),
        PLAN,
        LENGTH,
        column("proof", STRING, "How that is known: `witness`, or `exhaustion` where there is none"),
        column("pair", STRING, "Equal for the two rows of a pair, of which one has a plan"),
        column(
            "pair_type",
            STRING,
            "How the two of a pair differ: `names` in the goal, `world` (static facts removed), or "
            "`arrangement` of the goal",
        ),
        column("removed_static_facts", STRINGS, "Static facts of the problem that this row's world lacks"),
    ),
    gold=_gold,
    gold_columns=("solvable", "plan"),
)
