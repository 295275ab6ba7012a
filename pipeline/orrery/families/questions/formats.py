"""Which candidates a yes/no question or a choice is made of, so that nothing on the surface tells the answer.

A look is used only where true and false candidates share it. A yes/no question takes either with equal
right. The four options of a choice get their looks first; each of the four is then the right one equally
often, whatever its look. Lengths are evened out: the two sides of a yes/no question are of nearly equal
length. The right option's length has a rank given beforehand, and so has its likeness to the other options:
neither the longest nor the odd one out is a good guess.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from orrery.families.questions.claims import ClaimCandidate, Look
from orrery.families.questions.evidence import sample
from orrery.model import Atom

OPTIONS = 4
DRAWS = 24  # sets of looks, and sets of options, that are tried
NEAREST = 5  # candidates of either side among which those nearest in length are taken

Length = Callable[[ClaimCandidate], int]
Sides = Mapping[Look, tuple[list[ClaimCandidate], list[ClaimCandidate]]]


def sides_of(candidates: Sequence[ClaimCandidate]) -> Sides:
    """True and false candidates by look."""
    found: dict[Look, tuple[list[ClaimCandidate], list[ClaimCandidate]]] = defaultdict(lambda: ([], []))
    for candidate in candidates:
        found[candidate.look][not candidate.holds].append(candidate)
    return {look: found[look] for look in sorted(found, key=repr)}


def lengths(words: Callable[[ClaimCandidate], str]) -> Length:
    """The lengths of candidates in words, worded once for each look: names alone tell the others apart."""
    rest: dict[Look, int] = {}

    def length(candidate: ClaimCandidate) -> int:
        names = _letters(candidate.atoms)
        if candidate.look not in rest:
            rest[candidate.look] = len(words(candidate)) - names
        return rest[candidate.look] + names

    return length


@lru_cache(maxsize=4096)
def _letters(atoms: tuple[Atom, ...]) -> int:
    return sum(len(name) for atom in atoms for name in atom[1:])


def two_sides(sides: Sides, length: Length, rng: random.Random) -> list[ClaimCandidate]:
    """A true and a false candidate of one look and of nearly one length.

    Where no look has both, one of either side as far as there are: other states may give their matches.
    """
    both = [look for look, (yes, no) in sides.items() if yes and no]
    if not both:
        apart = [[pair[side] for pair in sides.values() if pair[side]] for side in (0, 1)]
        return [rng.choice(rng.choice(lists)) for lists in apart if lists]
    yes, no = (sample(rng, side, NEAREST) for side in sides[rng.choice(both)])
    pairs = [(abs(length(one) - length(other)), one, other) for one in yes for other in no]
    least = min(gap for gap, _, _ in pairs)
    _, one, other = rng.choice([pair for pair in pairs if pair[0] == least])
    return [one, other]


class Ranks(NamedTuple):
    """What ranks the right option is to have, from 0, for length and for likeness to the others."""

    length: int
    likeness: int


def options(sides: Sides, ranks: Ranks, length: Length, rng: random.Random) -> list[ClaimCandidate] | None:
    """Four different candidates, the right one first and the others in any order; None where there are none.

    Where a few draws do not find the wanted ``ranks``, those nearest are taken.
    """
    looks = _looks(sides, rng)
    if looks is None:
        return None
    right, *others = rng.sample(looks, OPTIONS)
    wrong = sorted(Counter(others).items(), key=repr)
    best: tuple[int, list[ClaimCandidate]] | None = None
    for _ in range(DRAWS):
        chosen = [rng.choice(sides[right][0])]
        for look, count in wrong:
            chosen += rng.sample(sides[look][1], count)
        missed = _missed([length(candidate) for candidate in chosen], ranks.length)
        missed += _missed(_likeness(chosen), ranks.likeness)
        if best is None or missed < best[0]:
            best = missed, chosen
        if not missed:
            break
    return best[1] if best else None


def rules_of_thumb(
    chosen: list[ClaimCandidate],
    length: Length,
    asked: Sequence[Atom] = (),
    goal: frozenset[str] = frozenset(),
) -> dict[str, list[int]]:
    """What simple rules measure of options, the option with the most being what each of them picks.

    ``asked`` are the steps that the question names: what a single one changes names its objects, too.
    ``goal`` are the objects of the goal, where the question is on the way to it.
    """
    objects = [len({name for atom in candidate.atoms for name in atom[1:]}) for candidate in chosen]
    found = {
        "longest": [length(candidate) for candidate in chosen],
        "most like the others": _likeness(chosen),
        "most objects": objects,
        "most parts": [len(candidate.atoms) for candidate in chosen],
        "latest": [candidate.at[-1] + len(candidate.atoms) if candidate.at else 0 for candidate in chosen],
    }
    found["same first argument"] = [
        len({atom[1:2] for atom in each.atoms}) < len(each.atoms) for each in chosen
    ]
    if goal:
        found["most of the goal"] = [len(goal & _names(candidate.atoms)) for candidate in chosen]
    if len(asked) == 1:
        named = frozenset(asked[0][1:])
        found["most like the question"] = [len(named & _names(candidate.atoms)) for candidate in chosen]
    return found | {f"not {rule}": [-value for value in values] for rule, values in found.items()}


def _missed(sizes: Sequence[int], wanted: int) -> int:
    return abs(rank_of(sizes, wanted) - wanted)


def _likeness(chosen: list[ClaimCandidate]) -> list[int]:
    """How many names each shares with the others, counted for each of the others."""
    names = [_names(candidate.atoms) for candidate in chosen]
    return [sum(len(own & other) for other in names) - len(own) for own in names]


@lru_cache(maxsize=4096)
def _names(atoms: tuple[Atom, ...]) -> frozenset[str]:
    return frozenset(name for atom in atoms for name in atom)


def _looks(sides: Sides, rng: random.Random) -> list[Look] | None:
    """The looks of four options each of which could be the right one."""
    both = [look for look, (yes, no) in sides.items() if yes and no]
    for _ in range(DRAWS if both else 0):
        looks = rng.choices(both, k=OPTIONS)
        if _feasible(sides, looks):
            return looks
    alone = [look for look in both if _feasible(sides, [look] * OPTIONS)]
    return [rng.choice(alone)] * OPTIONS if alone else None


def _feasible(sides: Sides, looks: list[Look]) -> bool:
    counts = Counter(looks)
    most = OPTIONS - 1
    return all(len(sides[look][1]) >= min(count, most) for look, count in counts.items())


def rank_of(sizes: Sequence[int], wanted: int) -> int:
    """The rank of the first of ``sizes``, from 0; of those that ties allow the one nearest to ``wanted``."""
    shorter = sum(size < sizes[0] for size in sizes)
    equal = sum(size == sizes[0] for size in sizes) - 1
    return min(max(wanted, shorter), shorter + equal)
