"""Claims about a state: what yes/no questions ask, and what the options of a choice say.

A claim is told in words, named in PDDL, and stored formally as JSON, so that it can be decided again
without the words. All facts, actions and sequences below are PDDL text such as ``(at c1 l2)``; *the state*
is the initial state of the row's PDDL problem, and *reachable* includes the state itself. ``claim`` of a
yes/no row holds one such object, ``claims`` of a choice a list of four in the order of the options::

    {"kind": "app",    "action": A}                the action is applicable in the state
    {"kind": "prog",   "action": A, "facts": [F, ...]}    all facts hold once A, applicable, was carried out
    {"kind": "reach",  "facts": [F, ...]}          one reachable state holds all of the facts
    {"kind": "areach", "actions": [A, ...]}        one reachable state allows each of the actions
    {"kind": "val",    "sequence": [A, ...], "says": S}   S is true of the sequence, where S is one of
        "plan" (each action is applicable in turn, and the goal holds at the end),
        "applicable" (each is applicable in turn, but the goal does not hold at the end),
        "inapplicable" (each is a ground action of the domain, but some are not applicable in turn) and
        "invalid" (some action has a name that the domain does not have): exactly one of them is true
    {"kind": "just",   "plan": [A, ...], "remove": [A] or [A, B], "at": [i, ...]}   the plan stays a plan when
        A, or A and B behind it, is removed at one of the 0-based positions ``at``: those of all occurrences,
        on which the answers agree
    {"kind": "land",   "fact": F}                  every plan makes F, true neither now nor in the goal, true

The answer to a yes/no row is whether its claim is true; of the four of a choice exactly one is.

What is drawn must not betray the answer, so candidates carry a ``look``: everything that shows on the
surface (names, numbers of objects, repetitions). True and false ones of one look can stand in for each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from orrery.model import Atom, Step

Look: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ClaimCandidate:
    """Facts or steps that might be asked about together, and whether what is asked holds of them.

    ``proof`` says how that is known (empty where the meaning of actions tells), ``form`` how the candidate
    was found; ``at`` are positions in a plan, where the kind speaks of one, and ``late`` is the third of the
    plan, from 0, that the last of them is in.
    """

    atoms: tuple[Atom, ...]
    holds: bool
    look: Look
    form: str
    proof: str = ""
    at: tuple[int, ...] = ()
    late: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """What a kind can ask about a state: candidates, and the steps that the question itself speaks of.

    ``goal`` are the objects of the goal, where claims that name them could be taken to hold.
    """

    candidates: list[ClaimCandidate]
    steps: tuple[Step, ...] = ()
    goal: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in words and in PDDL, whether it holds, how that is known, and its JSON (see above)."""

    words: str
    pddl: str
    holds: bool
    proof: str
    form: str
    formal: Mapping[str, Any]


def placed(candidate: ClaimCandidate) -> ClaimCandidate:
    """The candidate with a look that tells also where in a plan it stands."""
    return replace(candidate, look=(*candidate.look, candidate.late))


def refined(
    candidates: list[ClaimCandidate], detail: Callable[[ClaimCandidate], Look]
) -> list[ClaimCandidate]:
    """The candidates with looks that tell ``detail``, too, where true and false ones then still match."""
    finer = [replace(each, look=(*each.look, detail(each))) for each in candidates]
    sides: dict[Look, set[bool]] = defaultdict(set)
    for each in finer:
        sides[each.look].add(each.holds)
    split = {one.look for one, fine in zip(candidates, finer, strict=True) if len(sides[fine.look]) == 2}
    return [fine if one.look in split else one for one, fine in zip(candidates, finer, strict=True)]


def pattern_of(candidate: ClaimCandidate) -> Look:
    """Which arguments of the atoms are equal: of each the place at which its object is first named."""
    objects = [name for atom in candidate.atoms for name in atom[1:]]
    return tuple(map(objects.index, objects))


def plain(candidate: ClaimCandidate) -> ClaimCandidate:
    """The candidate with a look that tells its names and the number of its objects alone."""
    return replace(candidate, look=look_of(*candidate.atoms))


def coarse(candidate: ClaimCandidate) -> ClaimCandidate:
    """The candidate with a look that tells the numbers of its parts and of their objects, but no names."""
    return replace(candidate, look=(len(candidate.atoms), look_of(*candidate.atoms)[-1]))


def bare(candidate: ClaimCandidate) -> ClaimCandidate:
    """The candidate with a look that tells the number of its parts alone."""
    return replace(candidate, look=(len(candidate.atoms),))


def look_of(*atoms: Atom) -> Look:
    """Names of the facts or steps, and how many different objects they speak of."""
    return (*(atom[0] for atom in atoms), len({name for atom in atoms for name in atom[1:]}))
