"""What a rule scores on a table or a domain of it, and whether that is too much.

Where there are rows enough to say so, no rule may score more than chance and a limit. A score above that is
held against the build unless the noise of so few rows explains it: were each row right with a probability of
just the limit, one of all the rules tried would get as many right with a probability of ``LEVEL`` or more
(exact one-sided binomial test, with Bonferroni's correction). Rows of one problem resemble each other, so
they count as fewer, by the design effect (Kish, Survey Sampling, 1965). With many rows this becomes the plain
limit.

An open question shows no candidates. Who ranks all facts, actions, places or parts of a plan by what state,
goal and plan say of them has read these, and searches by a heuristic: what such rules score is shown and not
judged. Judged is what can be written without: one reply, a place, a form, the reply to a similar text.

A rule that reads one of several conditions is no guess: it may rule out half of what is wrong, so that is
what its score is compared with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import exp, floor, fsum, lgamma, log, log1p
from typing import NamedTuple

from orrery.dataset.adversary.targets import Trial
from orrery.dataset.adversary.tried import Tried
from orrery.families.attack import JUDGE, Target

EVERY = ""  # the domain of figures on all rows
LIMIT, DOMAIN_LIMIT = 0.05, 0.10  # so much above chance is allowed: on a table, on a domain of it
ENOUGH = 100  # fewer rows, of a table or of a domain of it, say too little
LEVEL = 0.05
PLACES = 4
TINY = 1e-9
WITHIN, NOISE, FAILED, FEW = "within the limit", "within the noise", "too much", "few rows"
SHOWN = "shown"


class Trick(NamedTuple):
    """The score of a rule on a table, or on a domain of it, beside that of a random reply.

    ``independent`` is how many rows the rows are worth, as some share a problem; ``tried`` how many rules
    were tried on them. ``judged`` is whether the limit is meant for the rule: not for one that compares what
    an open question does not show.
    """

    table: str
    domain: str
    rule: str
    rows: int
    score: float
    chance: float
    independent: float
    tried: int = 1
    judged: bool = True

    @property
    def limit(self) -> float:
        """The score that is allowed."""
        return round(self.chance + (DOMAIN_LIMIT if self.domain else LIMIT), PLACES)

    @property
    def verdict(self) -> str:
        """Whether the score is within the limit, above it within the noise of so few rows, or too much."""
        if not self.judged:
            return SHOWN
        if self.rows < ENOUGH:
            return FEW
        if self.score <= self.limit:
            return WITHIN
        rows = max(1, floor(self.independent))
        likely = at_least(floor(self.score * rows), rows, self.limit)
        return FAILED if likely * self.tried < LEVEL else NOISE

    def __str__(self) -> str:
        """Return the figure as a sentence."""
        return (
            f"the rule '{self.rule}' scores {self.score:.3f} on {self.rows} rows; "
            f"chance is {self.chance:.3f}, the limit {self.limit:.3f}"
        )


def at_least(hits: int, rows: int, rate: float) -> float:
    """Return how probable ``hits`` or more of ``rows`` are, each right with the probability ``rate``."""
    if hits <= 0 or rate >= 1:
        return 1.0
    if rate <= 0:
        return 0.0
    whole = lgamma(rows + 1)
    return min(
        1.0,
        fsum(
            exp(whole - lgamma(k + 1) - lgamma(rows - k + 1) + k * log(rate) + (rows - k) * log1p(-rate))
            for k in range(hits, rows + 1)
        ),
    )


def tricks(table: str, trials: Sequence[Trial], rules: Iterable[Tried]) -> list[Trick]:
    """Return the figures of all rules, on the table and by domain."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, trial in enumerate(trials):
        places[EVERY].append(place)
        if trial.target.domain:
            places[trial.target.domain].append(place)
    some = list(rules)
    return [
        figure._replace(tried=len(some))
        for domain, mine in sorted(places.items())
        for each in some
        if (figure := _figure(table, domain, each, trials, mine)) is not None
    ]


def _figure(
    table: str, domain: str, tried: Tried, trials: Sequence[Trial], places: Sequence[int]
) -> Trick | None:
    """Return the score of a rule on some rows; None where it was tried on none of them."""
    pairs = [(score, trials[p].target) for p in places if (score := tried.scores[p]) is not None]
    if not pairs:
        return None
    of = _half if tried.partial else _plain_chance
    chance = fsum(of(target) for _, target in pairs) / len(pairs)
    if tried.writes:
        chance = max(chance, fsum(target.fixed for _, target in pairs) / len(pairs))
    score = fsum(score for score, _ in pairs) / len(pairs)
    rows = independent([(each, (target.domain, target.problem)) for each, target in pairs], score)
    score, chance, rows = (round(value, PLACES) for value in (score, chance, rows))
    judged = not tried.compares or all(target.offered for _, target in pairs)
    return Trick(table, domain, tried.rule, len(pairs), score, chance, rows, judged=judged)


def _half(target: Target) -> float:
    """Return what is expected of someone who rules out half of what is wrong, and then guesses."""
    chance = _plain_chance(target)
    return 1 - chance / 2 if target.form == JUDGE else 2 * chance / (1 + chance)


def _plain_chance(target: Target) -> float:
    return target.chance or 0.0


def independent(pairs: Sequence[tuple[float, Hashable]], mean: float) -> float:
    """Return how many independent rows the rows are worth, between the number of problems and their own.

    Each has its score and what names its problem.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    squares = 0.0
    for score, problem in pairs:
        sums[problem] += score - mean
        squares += (score - mean) ** 2
    together = fsum(value**2 for value in sums.values())
    least = float(len(sums))
    if squares < TINY:
        return least  # all agree, so nothing says that rows of one problem would not
    return max(least, min(len(pairs), len(pairs) * squares / max(together, TINY)))
