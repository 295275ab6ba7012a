"""States made for questions on reachability, in domains where nothing is out of reach otherwise.

Some facts are removed from the initial state of a problem: ways in one direction, or single properties. What
is then out of reach is so for a reason several steps away: types and static facts allow some action that adds
it. Other facts of the same kind are removed too, so that a gap alone is no proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from random import Random

from orrery.model import Atom, Problem, State
from orrery.planning.grounding import Grounder
from orrery.planning.possible import added_facts, possible_atoms, possible_steps
from orrery.planning.states import AskedState

BARRED = "barred"  # the source of these states
TRIES = 60  # draws for one state
OPEN = 0.2  # share of the states that bar nothing, although facts are removed
MOST = 0.6  # maximum share of the facts of the universe that is out of reach
FEWEST = 2  # places behind a barrier


def barred_states(
    grounder: Grounder, problem: Problem, predicates: Sequence[str], count: int, rng: Random
) -> Iterator[AskedState]:
    """Yield up to ``count`` different states made from the initial one; ``step`` numbers them from 1.

    ``predicates`` are those of the facts that may be removed. A predicate of two arguments is a way from the
    first to the second: all ways into a group of places are removed.
    """
    used = {problem.init}
    for number in range(1, count + 1 if predicates else 1):
        is_open = rng.random() < OPEN
        for _ in range(TRIES):
            state = problem.init - _removed(problem.init, rng.choice(predicates), is_open, rng)
            if state not in used and _is_apt(grounder, replace(problem, init=state), is_open):
                used.add(state)
                yield AskedState(BARRED, number, state)
                break


def _removed(state: State, predicate: str, is_open: bool, rng: Random) -> set[Atom]:
    """Return the facts to remove: ways into a group of places and some others, or single facts."""
    facts = sorted(fact for fact in state if fact[0] == predicate)
    if not facts or len(facts[0]) != 3:
        return set(rng.sample(facts, min(len(facts), rng.randint(1, 2))))
    group = _group(facts, rng)
    into = {fact for fact in facts if fact[1] not in group and fact[2] in group}
    out_of = {_back(fact) for fact in into}
    one_way, most = set[Atom](), rng.randint(1, max(1, len(into)))
    for fact in rng.sample(facts, len(facts)):
        if len(one_way) < most and not {fact, _back(fact)} & (into | out_of | one_way):
            one_way.add(fact)
    return one_way if is_open else into | one_way


def _group(ways: Sequence[Atom], rng: Random) -> Collection[str]:
    """Return linked places: two or more, at most half of all."""
    places = sorted({name for way in ways for name in way[1:]})
    group = [rng.choice(places)]
    for _ in range(rng.randint(FEWEST, max(FEWEST, len(places) // 2)) - 1):
        if near := sorted({way[2] for way in ways if way[1] in group and way[2] not in group}):
            group.append(rng.choice(near))
    return group


def _back(way: Atom) -> Atom:
    return (way[0], way[2], way[1])


def _is_apt(grounder: Grounder, problem: Problem, is_open: bool) -> bool:
    """Return whether few facts, or none if it should be open, are out of reach, and each by several steps."""
    domain, universe = grounder.domain, possible_atoms(grounder.domain, problem)
    reached = problem.init | added_facts(domain, grounder.explore(problem).steps)
    never = [fact for fact in universe if fact not in reached]
    if is_open or not never:
        return is_open and not never
    return added_facts(domain, possible_steps(domain, problem)).issuperset(never) and len(
        never
    ) <= MOST * len(universe)
