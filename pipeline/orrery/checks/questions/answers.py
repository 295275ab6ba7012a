"""Checks of answers that several kinds share: comparison of sets, and reachability of conditions.

The answers were computed from the ground task, by exhaustive search and by the planner. Here, a plain search
and replayed plans decide reachability; otherwise, planner calls decide all stored elements together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.execution import ill_typed
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import differing, undecided
from orrery.model import Atom, OrreryError, Row, Step
from orrery.pddl.write import parse_atom, write_atom

PUBLISHED_MOST = 50
TINY = 1e-5  # shares are stored with six decimal places
ASKED_TOGETHER = 24  # number of conditions that one plan has to reach, if this is possible
ASKED_APART = 40  # number of conditions, not seen by a plain search, that are reached one by one


def different(name: str, stored: list[str], wanted: list[str]) -> list[str]:
    """Return the elements that a stored set lacks, contains wrongly, or repeats."""
    missing, extra = sorted(set(wanted) - set(stored)), sorted(set(stored) - set(wanted))
    return [
        *(f"{name}: {item} is missing" for item in missing),
        *(f"{name}: {item} is too much" for item in extra),
        *repeats(name, stored),
    ]


def repeats(name: str, stored: Sequence[str]) -> list[str]:
    """Return the elements that a list repeats."""
    return [f"{name}: {item} stands {n} times" for item, n in sorted(Counter(stored).items()) if n > 1]


def never_faults(rechecked: RecheckedState, named: Mapping[Condition, str], done: str) -> list[str]:
    """Return the conditions that some reachable state satisfies, by one call; by one call each if some do."""
    verdict = rechecked.none_can_hold(list(named))
    if verdict is None:
        return [undecided(f"whether none of {len(named)} stored can be {done}")]
    if verdict:
        return []
    faults = [f"{name} can be {done}" for condition, name in named.items() if rechecked.can_hold(condition)]
    return faults or [f"one of those stored can be {done}"]  # proven for all together, not for one


def sometime_faults(rechecked: RecheckedState, named: Mapping[Condition, str], done: str) -> list[str]:
    """Return the conditions that no state satisfies, as far as search and some planner calls show."""
    waiting = rechecked.samples.unseen(named)
    if rechecked.space.complete:
        return [f"{named[condition]} is never {done}" for condition in waiting]
    while len(waiting) > 1 and rechecked.visit(waiting[:ASKED_TOGETHER]):
        waiting = rechecked.samples.unseen(waiting)
    faults, still_open, calls = [], 0, 0
    while waiting and calls < ASKED_APART:
        condition = waiting.pop(len(waiting) // 2)
        verdict, calls = rechecked.can_hold(condition), calls + 1
        faults += [f"{named[condition]} is never {done}"] * (verdict is False)
        still_open += verdict is None
        waiting = rechecked.samples.unseen(waiting)
    still_open += len(waiting)
    return faults + ([undecided(f"whether {still_open} of {len(named)} can be {done}")] if still_open else [])


def needs_faults(row: Row, right: Set[Atom], relaxed: Set[Atom], universe: int) -> list[str]:
    """Return where the columns on the difficulty of an answer contradict the answer.

    ``relaxed`` is the set that the delete relaxation reaches; ``universe`` is the number of candidates.
    """
    needs = "none" if not right else "search" if right <= relaxed else "relaxation"
    chance = len(right) / universe if universe else 0.0
    rounded = {**row, "chance": chance if abs(row["chance"] - chance) < TINY else row["chance"]}
    return differing({"answer_needs": needs, "chance": chance}, rounded)


def action_faults(rechecked: RecheckedState, reachable: set[Step]) -> list[str]:
    """Return actions wrongly listed as unreachable, and actions wrongly listed as reachable."""
    named: dict[bool, dict[Condition, str]] = {True: {}, False: {}}
    for action in rechecked.task.actions:
        named[action.step in reachable][needs(action)] = write_atom(action.step)
    ambiguous = named[True].keys() & named[False].keys()
    faults = [
        f"{named[False][condition]} has the conditions of a reachable action"
        for condition in sorted(ambiguous)
    ]
    return (
        faults
        + never_faults(rechecked, named[False], "applied")
        + sometime_faults(rechecked, named[True], "applied")
    )


def fact_faults(rechecked: RecheckedState, unreachable: Set[Atom]) -> list[str]:
    """Return facts wrongly listed as unreachable, and unreachable facts that are not listed."""
    task, universe = rechecked.task, rechecked.facts
    faults = [f"{write_atom(fact)} is outside the universe" for fact in sorted(unreachable - set(universe))]
    named = {Condition(task.bit[f]): write_atom(f) for f in sorted(unreachable) if f in task.bit}
    faults += never_faults(rechecked, named, "reached")
    unlisted = [fact for fact in universe if fact not in unreachable]
    faults += [f"{write_atom(f)} is never reached" for f in unlisted if f not in task.bit]
    named = {Condition(task.bit[f]): write_atom(f) for f in unlisted if f in task.bit}
    return faults + sometime_faults(rechecked, named, "reached")


def landmark_faults(rechecked: RecheckedState, landmarks: list[Atom], others: list[Atom]) -> list[str]:
    """Return landmarks that some plan avoids, and other candidates that no plan avoids.

    The problem must have a plan. Together, both must be all candidates.
    """
    trivial = rechecked.problem.init | rechecked.problem.goal_facts
    universe = [write_atom(fact) for fact in rechecked.facts if fact not in trivial]
    faults = different("candidates", [write_atom(fact) for fact in sorted(landmarks + others)], universe)
    verdicts = {
        fact: rechecked.is_landmark(fact) for fact in [*landmarks, *others] if is_fact(fact, rechecked)
    }
    faults += [f"{write_atom(fact)} is no landmark" for fact in landmarks if verdicts.get(fact) is False]
    faults += [f"{write_atom(fact)} is a landmark" for fact in others if verdicts.get(fact) is True]
    still_open = sum(verdict is None for verdict in verdicts.values())
    return faults + ([undecided(f"{still_open} of {len(verdicts)} landmarks")] if still_open else [])


def step_of(text: str, rechecked: RecheckedState) -> Step:
    """Return the ground action in ``text``; raise OrreryError if it is none."""
    step = parse_atom(text)
    well_typed([step], rechecked)
    if write_atom(step) != text:
        raise OrreryError("claim", f"'{text}' is not written as actions are")
    return step


def well_typed(steps: list[Step], rechecked: RecheckedState) -> None:
    """Raise OrreryError if some step is not a ground action of the problem."""
    if faults := ill_typed(rechecked.domain, rechecked.problem, steps):
        raise OrreryError("claim", faults[0])


def fact_of(text: str, rechecked: RecheckedState) -> Atom:
    """Return the well-typed fact in ``text``; raise OrreryError if it is none."""
    fact = parse_atom(text)
    if write_atom(fact) != text or not is_fact(fact, rechecked):
        raise OrreryError("claim", f"'{text}' is no fact of the problem")
    return fact


def is_fact(fact: Atom, rechecked: RecheckedState) -> bool:
    """Return whether ``fact`` is a ground atom of the domain whose arguments are of the right types."""
    predicate = rechecked.domain.predicate_named.get(fact[0]) if fact else None
    if predicate is None or predicate.arity != len(fact) - 1:
        return False
    pairs = zip(fact[1:], predicate.parameters, strict=True)
    return all(
        rechecked.domain.fits(rechecked.types.get(name, ()), parameter.types) for name, parameter in pairs
    )
