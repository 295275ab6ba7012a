"""Claims on a state: what yes/no questions ask, and what the options of multiple choice say.

A claim is worded, named in PDDL, and stored formally as JSON, so that it can be decided again without the
words. All facts, actions and sequences in it are PDDL text such as ``(at c1 l2)``; *the state* is the initial
state of the row's PDDL problem, and *reachable* includes the state itself. The module of each kind says what
its claims mean. Their keys are a small language that all kinds share:

- ``kind``: the kind of question
- ``fact``, ``facts``: facts that are claimed, of one action ahead where there is ``action``
- ``action``, ``actions``: otherwise, actions that are claimed
- ``plan``, ``remove``, ``at``: a plan, and what is claimed of its part ``remove`` at the positions ``at``
- ``sequence``, ``says``: a sequence of actions, and the judgement on it that is claimed

``claim`` of a yes/no row holds one such object, ``claims`` of a multiple-choice row a list of four in the
order of the options. The answer to a yes/no row is whether its claim is true; of the four of a choice exactly
one is.

What is drawn must not show the answer, so candidates carry their surface *features*: everything that shows
(names, numbers of objects, repetitions). True and false candidates *match* where all features are equal: they
can stand in for each other, the false ones as matched distractors.
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

MOST_NEAR = 2  # facts that speak of the objects of a claim: more look alike

Features: TypeAlias = tuple[object, ...]
Measures: TypeAlias = tuple[tuple[str, int], ...]
Measure: TypeAlias = "Callable[[ClaimCandidate], Measures]"


class ClaimCandidate(NamedTuple):  # made by the thousand: a frozen dataclass takes several times as long
    """Facts or steps that might be asked about together, and whether what is asked holds of them.

    ``proof`` says how that is known (empty where it follows from the meaning of actions), ``form`` how the
    candidate was found; ``at`` are positions in a plan, where the kind speaks of one, and ``late`` is the
    third of the plan, from 0, that the last of them is in. ``unmet`` are the predicates of the conditions
    that a false claim of applicability misses.
    """

    atoms: tuple[Atom, ...]
    holds: bool
    features: Features
    form: str
    proof: str = ""
    at: tuple[int, ...] = ()
    late: int = 0
    unmet: frozenset[str] = frozenset()

    def seen_as(self, features: Features) -> ClaimCandidate:
        """Return the candidate with other surface features; ``_replace`` takes three times as long."""
        return ClaimCandidate(
            self.atoms, self.holds, features, self.form, self.proof, self.at, self.late, self.unmet
        )


def unmeasured(candidate: ClaimCandidate) -> Measures:
    """Return no measures."""
    return ()


def measured_by(*measures: Callable[[tuple[Atom, ...]], Measures]) -> Measure:
    """Return what gives all of some measures of the atoms of a candidate, each computed once."""

    @cache
    def of(atoms: tuple[Atom, ...]) -> Measures:
        return tuple(chain.from_iterable(measure(atoms) for measure in measures))

    return lambda candidate: of(candidate.atoms)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a kind can claim of a state: candidates, and the steps that the question itself speaks of.

    ``goal`` are the objects of the goal, where claims that name them could be taken to hold. ``watched`` is
    the predicate of the condition that is looked at first (see ``near_misses``). ``measure`` says by name
    what simple rules make of a candidate after a look at the state, the goal or the plan.
    """

    candidates: list[ClaimCandidate]
    steps: tuple[Step, ...] = ()
    goal: frozenset[str] = frozenset()
    watched: str = ""
    measure: Measure = unmeasured


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in words and in PDDL, whether it holds, how that is known, and its JSON without the kind."""

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


def pattern_of(atoms: tuple[Atom, ...]) -> Features:
    """Return which arguments of the atoms are equal: for each, where its object is first named."""
    objects: list[str] = []
    for atom in atoms:
        objects += atom[1:]
    return tuple(map(objects.index, objects))


def look_of(evidence: StateEvidence) -> Callable[[ClaimCandidate], Features]:
    """Return what shows of a claim besides names: its pattern, and what is said of its objects.

    That is of which types they are, as a fact on what nothing moves is known to be false without a look at
    the state; how many of them the state speaks of; and how many of its facts, two at most, speak of these
    alone. What was looked at is remembered.
    """
    problem = evidence.record.problem
    types = {typed.name: typed.types for typed in (*evidence.record.domain.constants, *problem.objects)}
    holding = [fact for fact in evidence.task.facts_of(evidence.task.init) if len(fact) > 1]
    spoken = {name for fact in holding for name in fact[1:]}

    @cache
    def said(named: frozenset[str]) -> tuple[int, int]:
        near = sum(named.issuperset(fact[1:]) for fact in holding)
        return len(named & spoken), min(near, MOST_NEAR)

    @cache
    def of(atoms: tuple[Atom, ...]) -> Features:
        names = [name for atom in atoms for name in atom[1:]]
        return (*pattern_of(atoms), *map(types.get, names), *said(frozenset(names)))

    return lambda candidate: of(candidate.atoms)


def pair_of(
    atoms: tuple[Atom, Atom], now: int, holds: bool, form: str, proof: str,
    look: Callable[[ClaimCandidate], Features],
) -> ClaimCandidate:  # fmt: skip
    """Return the claim of two atoms, of which ``now`` are true already, with all that shows as features."""
    features = (now, *features_of(*atoms))
    pair = ClaimCandidate(atoms, holds, features, form, proof)
    return pair.seen_as((*features, look(pair)))


def alike(
    pairs: Iterable[ClaimCandidate], models: Iterable[ClaimCandidate], most: int
) -> list[ClaimCandidate]:
    """Return different pairs, at most ``most``, that look like one of ``models``.

    Both are of ``pair_of``. Pairs look alike that share their names, how many of each are true now, and which
    objects are the same.
    """
    likenesses, chosen = set(map(_likeness, models)), dict[tuple[Atom, ...], ClaimCandidate]()
    for pair in pairs if likenesses else ():
        if _likeness(pair) in likenesses:
            chosen[pair.atoms] = pair
        if len(chosen) == most:
            break
    return list(chosen.values())


def _likeness(pair: ClaimCandidate) -> Features:
    return (*pair.features[:-1], pattern_of(pair.atoms))


def refined(
    candidates: list[ClaimCandidate], detail: Callable[[ClaimCandidate], Features]
) -> list[ClaimCandidate]:
    """Add a ``detail`` to the features of the candidates, where true and false ones then still match."""
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
    """Add a ``detail`` to the features of all candidates, whether or not true and false ones still match."""
    return [candidate.seen_as((*candidate.features, detail(candidate))) for candidate in candidates]


def placed(candidate: ClaimCandidate) -> Features:
    """Return the surface features of a candidate, and its place in a plan."""
    return (*candidate.features, candidate.late)


def plain(candidate: ClaimCandidate) -> Features:
    """Return the names of a candidate and its number of objects."""
    return features_of(*candidate.atoms)


def coarse(candidate: ClaimCandidate) -> Features:
    """Return the numbers of parts and of objects of a candidate, without names."""
    return len(candidate.atoms), features_of(*candidate.atoms)[-1]


def bare(candidate: ClaimCandidate) -> Features:
    """Return the number of parts of a candidate alone."""
    return (len(candidate.atoms),)
