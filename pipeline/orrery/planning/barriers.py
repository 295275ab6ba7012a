"""States made for questions on reachability, in domains where nothing is out of reach otherwise.

Some facts are removed from the initial state of a problem: ways in one direction, or single properties. What
is then out of reach is so for a reason several steps away: types and static facts allow some action that adds
it. Ways into other places are removed too, so that few ways into a place are no proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from random import Random
from statistics import mean

from orrery.model import Atom, Problem, State
from orrery.planning.grounding import Explored, Grounder
from orrery.planning.possible import added_facts, possible_atoms, possible_steps
from orrery.planning.states import AskedState
from orrery.planning.task import applicable, progress, union

BARRED = "barred"  # the source of these states
TRIES = 60  # draws for one state
OPEN = 0.2  # share of the states that bar nothing, although facts are removed
MOST = 0.6  # maximum share of the facts of the universe that is out of reach
FEWEST = 2  # places behind a barrier
THIN = 0.7  # share of the places that keep a single way in


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
            predicate = rng.choice(predicates)
            state = problem.init - _removed(problem.init, predicate, is_open, rng)
            if state not in used and _is_apt(grounder, replace(problem, init=state), predicate, is_open):
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
    gaps = set[Atom]()
    for place in sorted({way[2] for way in facts}):
        ways = [way for way in facts if way[2] == place and way not in into]
        if rng.random() < THIN:
            gaps.update(rng.sample(ways, max(0, len(ways) - 1)))
    return gaps if is_open else into | gaps


def _group(ways: Sequence[Atom], rng: Random) -> Collection[str]:
    """Return linked places: two or more, at most half of all."""
    places = sorted({name for way in ways for name in way[1:]})
    group = [rng.choice(places)]
    for _ in range(rng.randint(FEWEST, max(FEWEST, len(places) // 2)) - 1):
        if near := sorted({way[2] for way in ways if way[1] in group and way[2] not in group}):
            group.append(rng.choice(near))
    return group


def _is_apt(grounder: Grounder, problem: Problem, predicate: str, is_open: bool) -> bool:
    """Return whether few facts, or none if it should be open, are out of reach, and each by several steps."""
    domain, universe = grounder.domain, possible_atoms(grounder.domain, problem)
    explored = grounder.explore(problem)
    never = [fact for fact in universe if fact not in explored.facts]
    if is_open or not never:
        return is_open and not never
    return (
        len(never) <= MOST * len(universe)
        and _is_hidden(explored, predicate, never)
        and added_facts(domain, possible_steps(domain, problem)).issuperset(never)
    )


def _is_hidden(explored: Explored, predicate: str, never: Collection[Atom]) -> bool:
    """Return whether the counts of ways at places do not suggest which of them are out of reach.

    Of the places with the fewest ways in, no larger share is out of reach than of all places that are not
    reached in one step; the same holds for ways in less ways out.
    """
    ways = [fact for fact in explored.problem.init if fact[0] == predicate and len(fact) == 3]
    ways_in, ways_out = (Counter(way[place] for way in ways) for place in (2, 1))
    task = explored.task()
    near = union(progress(task.init, action) for action in applicable(task, task.init))
    far = explored.facts.difference(task.facts_of(near), explored.problem.init)
    barred, reached = (
        {fact[1] for fact in facts if len(fact) == 2} & (ways_in | ways_out).keys() for facts in (never, far)
    )
    if not ways or not reached:
        return not ways
    differences = Counter(ways_in)
    differences.subtract(ways_out)
    chance, *shares = (
        _share_of_fewest(barred, barred | reached, counts)
        for counts in (Counter[str](), ways_in, differences)
    )
    return max(shares) <= chance


def _share_of_fewest(barred: Collection[str], places: Collection[str], counts: Counter[str]) -> float:
    """Return the share of barred places among the places with the smallest count."""
    least = min(counts[place] for place in places)
    return mean(place in barred for place in places if counts[place] == least)
