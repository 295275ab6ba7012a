"""Claims on a state: the subject of yes/no questions, and the options of multiple choice.

A claim has words, a PDDL form, and a formal JSON form from which it can be decided again without the words.
All facts, actions and sequences in it are PDDL text such as ``(at c1 l2)``. *The state* is the initial state
of the row's PDDL problem, and *reachable* includes the state itself. The module of each kind defines the
meaning of its claims. Their keys are common to all kinds:

- ``kind``: the kind of question
- ``fact``, ``facts``: the claimed facts; with ``action``, they refer to the state after this action
- ``action``, ``actions``: otherwise, the claimed actions
- ``plan``, ``remove``, ``at``: a plan, and the part ``remove`` of it at the positions ``at``
- ``sequence``, ``says``: a sequence of actions, and the claimed verdict on it

``claim`` of a yes/no row contains one such object; ``claims`` of a multiple-choice row contains a list of
four in the order of the options. The answer to a yes/no row is whether its claim is true; exactly one of four
options is true.

Candidates must not reveal the answer. Therefore they carry their surface *features*: all visible properties
(names, numbers of objects, repetitions). True and false candidates *match* if all their features are equal.
They can then replace each other, and the false ones are matched distractors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from orrery.families.questions.evidence import StateEvidence
from orrery.model import Atom, Step
from orrery.planning.execution import types_of_objects

MOST_NEAR = 2  # limit of counted facts on the objects of a claim; larger numbers look alike

Features: TypeAlias = tuple[object, ...]
Measures: TypeAlias = tuple[tuple[str, int], ...]
Measure: TypeAlias = "Callable[[ClaimCandidate], Measures]"


class ClaimCandidate(NamedTuple):
    """Facts or steps for one claim, and whether the claim is true.

    ``proof`` tells how this is known (empty if it follows from the meaning of actions); ``form`` tells how
    the candidate was found. ``at`` are positions in a plan, for kinds with a plan. ``aspect`` is a further
    visible property, by which only claims of yes/no questions are matched: the third of the plan, from 0,
    with the last of these positions, or how many facts hold before an action, and which of their arguments
    are equal. ``unmet`` are the predicates of the conditions that fail in a false claim of applicability.
    """

    atoms: tuple[Atom, ...]
    holds: bool
    features: Features
    form: str
    proof: str = ""
    at: tuple[int, ...] = ()
    aspect: tuple[int, ...] = (0,)
    unmet: frozenset[str] = frozenset()

    def seen_as(self, features: Features) -> ClaimCandidate:
        """Return the candidate with other surface features."""
        return self._replace(features=features)


def unmeasured(candidate: ClaimCandidate) -> Measures:
    """Return no measures."""
    return ()


def measured_by(*measures: Callable[[tuple[Atom, ...]], Measures]) -> Measure:
    """Return a function that gives all measures of the atoms of a candidate, each computed once."""

    @cache
    def of(atoms: tuple[Atom, ...]) -> Measures:
        return tuple(chain.from_iterable(measure(atoms) for measure in measures))

    return lambda candidate: of(candidate.atoms)


@dataclass(frozen=True, slots=True)
class Offer:
    """The possible claims of a kind on a state: candidates, and the steps in the question itself.

    The effects of these ``steps`` name their objects, too. ``goal`` are the objects of the goal, for claims
    that a reader may believe because they name them. ``watched`` is the predicate of the condition that
    readers check first (see ``near_misses``). ``measure`` gives, by name, the measures that heuristic rules
    take by state, goal or plan.
    """

    candidates: list[ClaimCandidate]
    steps: tuple[Step, ...] = ()
    goal: frozenset[str] = frozenset()
    watched: str = ""
    measure: Measure = unmeasured


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in words and in PDDL, its truth, how it is known, and its JSON without the kind."""

    words: str
    pddl: str
    holds: bool
    proof: str
    form: str
    formal: Mapping[str, Any]


def features_of(*atoms: Atom) -> Features:
    """Return the names of the facts or steps, and the number of different objects in them."""
    if len(atoms) == 1:
        return (atoms[0][0], len({*atoms[0][1:]}))
    names = {name for atom in atoms for name in atom[1:]}
    return (*[atom[0] for atom in atoms], len(names))


def pattern_of(atoms: tuple[Atom, ...]) -> tuple[int, ...]:
    """Return which arguments of the atoms are equal: for each, the position where its object first occurs."""
    objects: list[str] = []
    for atom in atoms:
        objects += atom[1:]
    return tuple(map(objects.index, objects))


def look_of(evidence: StateEvidence) -> Callable[[ClaimCandidate], Features]:
    """Return a function for the visible properties of a claim other than names: its pattern, and its objects.

    The properties of objects are their types (a static fact is known to be false without the state), how many
    of them the state mentions, and how many facts, at most two, mention only them. Results are cached.
    """
    problem = evidence.record.problem
    types = types_of_objects(evidence.record.domain, problem)
    holding = [fact for fact in evidence.task.facts_of(evidence.task.init) if len(fact) > 1]
    spoken = {name for fact in holding for name in fact[1:]}

    @cache
    def mentions(objects: frozenset[str]) -> tuple[int, int]:
        near = sum(objects.issuperset(fact[1:]) for fact in holding)
        return len(objects & spoken), min(near, MOST_NEAR)

    @cache
    def of(atoms: tuple[Atom, ...]) -> Features:
        names = [name for atom in atoms for name in atom[1:]]
        return (*pattern_of(atoms), *map(types.get, names), *mentions(frozenset(names)))

    return lambda candidate: of(candidate.atoms)


def pair_of(
    atoms: tuple[Atom, Atom], now: int, holds: bool, form: str, proof: str,
    look: Callable[[ClaimCandidate], Features],
) -> ClaimCandidate:  # fmt: skip
    """Return the claim of two atoms, ``now`` of which are true already; features are visible properties."""
    features = (now, *features_of(*atoms))
    pair = ClaimCandidate(atoms, holds, features, form, proof)
    return pair.seen_as((*features, look(pair)))


def different(pairs: Iterable[ClaimCandidate], most: int) -> list[ClaimCandidate]:
    """Return pairs of different atoms, at most ``most``."""
    chosen = dict[tuple[Atom, ...], ClaimCandidate]()
    for pair in pairs:
        chosen[pair.atoms] = pair
        if len(chosen) == most:
            break
    return list(chosen.values())


def alike(
    pairs: Iterable[ClaimCandidate], models: Iterable[ClaimCandidate], most: int
) -> list[ClaimCandidate]:
    """Return different pairs, at most ``most``, that look like one of ``models``.

    All pairs come from ``pair_of``. Pairs look alike if they have the same names, the same number of true
    atoms now, and the same pattern of equal objects.
    """
    likenesses = set(map(_likeness, models))
    return different((pair for pair in pairs if _likeness(pair) in likenesses), most) if likenesses else []


def _likeness(pair: ClaimCandidate) -> Features:
    return (*pair.features[:-1], pattern_of(pair.atoms))


def refined(
    candidates: list[ClaimCandidate], detail: Callable[[ClaimCandidate], Features]
) -> list[ClaimCandidate]:
    """Add a ``detail`` to the features of the candidates if true and false ones still match with it."""
    finer = detailed(candidates, detail)
    answers: dict[Features, set[bool]] = defaultdict(set)
    for candidate in finer:
        answers[candidate.features].add(candidate.holds)
    split = {
        coarse_candidate.features
        for coarse_candidate, fine in zip(candidates, finer, strict=True)
        if len(answers[fine.features]) == 2
    }
    return [
        fine if coarse_candidate.features in split else coarse_candidate
        for coarse_candidate, fine in zip(candidates, finer, strict=True)
    ]


def detailed(
    candidates: list[ClaimCandidate], detail: Callable[[ClaimCandidate], Features]
) -> list[ClaimCandidate]:
    """Add a ``detail`` to the features of all candidates, even if true and false ones do not match then."""
    return [candidate.seen_as((*candidate.features, detail(candidate))) for candidate in candidates]


def whole(candidate: ClaimCandidate) -> Features:
    """Return all surface features of a candidate."""
    return candidate.features


def paired(candidate: ClaimCandidate) -> Features:
    """Return the surface features of a candidate and its aspect, by which yes/no questions are matched."""
    return (*candidate.features, *candidate.aspect)


def plain(candidate: ClaimCandidate) -> Features:
    """Return the names of a candidate and its number of objects."""
    return features_of(*candidate.atoms)


def coarse(candidate: ClaimCandidate) -> Features:
    """Return the numbers of parts and of objects of a candidate, without names."""
    return len(candidate.atoms), features_of(*candidate.atoms)[-1]


def bare(candidate: ClaimCandidate) -> Features:
    """Return only the number of parts of a candidate."""
    return (len(candidate.atoms),)
