"""The choice of problems that questions are asked about: small ones of each split, spread evenly.

Problems stand by difficulty, so that what is spread over them has its share of each; of one that has very
many, for the texts of text_to_pddl, only the first count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

Fits = Callable[[int], bool]
SHARE = 4  # times the problems wanted: so many of a difficulty count
BEYOND = ("vast", "huge")  # difficulties that only texts have
TRIES = 5  # problems of unknown size that are tried for one place


def choose(
    levels: Iterable[tuple[str, str]], num_facts: Iterable[int | None], most: int, count: int, fits: Fits
) -> list[int]:
    """Return the numbers of the problems chosen, ascending: at most ``count`` of a split.

    ``levels`` (split and difficulty) and ``num_facts`` are those of all problems in order; one with more than
    ``most`` facts is not chosen, and where their number is not known ``fits`` says whether it may be.
    """
    by_level: dict[tuple[str, str], list[tuple[int, bool]]] = defaultdict(list)
    for number, (level, facts) in enumerate(zip(levels, num_facts, strict=True)):
        if (facts is None or facts <= most) and len(by_level[level]) < SHARE * count:
            by_level[level].append((number, facts is not None))
    by_split: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for (split, difficulty), problems in by_level.items():
        if difficulty not in BEYOND:
            by_split[split] += problems
    return sorted(number for each in by_split.values() for number in _spread(each, count, fits))


def _spread(problems: Sequence[tuple[int, bool]], count: int, fits: Fits) -> Iterator[int]:
    """Yield the first that fits of each of ``count`` equal stretches."""
    total, stretches = len(problems), min(count, len(problems))
    for place in range(stretches):
        stretch = problems[place * total // stretches : (place + 1) * total // stretches]
        suited = (number for number, known in islice(stretch, TRIES) if known or fits(number))
        yield from islice(suited, 1)
