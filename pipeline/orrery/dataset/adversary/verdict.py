"""The score of a trick on a table or domain, and whether it is too high.

No trick may score more than chance plus a limit, if there are enough rows. A score above the limit
fails the build unless noise explains it: if each row were right with a probability of just the limit, one of
all tricks on one of all tables would get as many rows right with a probability of ``LEVEL`` or more (exact
one-sided binomial test with Bonferroni's correction for tricks and tables; without the tables, many builds of
the smallest size would fail by chance). Rows of one problem are correlated and count as fewer, by the design
effect (Kish, Survey Sampling, 1965). With many rows this becomes the plain limit.

An open question offers no options. A trick that ranks all facts, actions, positions or parts of a plan by
features of state, goal and plan has read these and is a heuristic. Its score is shown and not
judged. The judged tricks need no reading: a constant reply, a position, a form, the reply to a similar text.

A trick that reads one of several conditions may rule out half of the wrong options, so its chance is computed
accordingly. A trick that writes whole replies, such as plans, has the chance of those replies. Its limit is
tight, and it is judged on few rows too, because a plan is never right by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import floor, fsum
from types import MappingProxyType
from typing import NamedTuple

from orrery.dataset.adversary.targets import Scores, Targets, TrickScores
from orrery.families import tables
from orrery.families.attack import JUDGE, Target

EVERY = ""  # the domain of figures on all rows
LIMIT, DOMAIN_LIMIT = 0.05, 0.10  # maximum score above chance on a table, and on a domain of it
TIGHT_LIMIT = 0.03  # the same for tricks that write whole replies
ENOUGH = 100  # with fewer rows, of a table or of a domain of it, there is no verdict
LEVEL = 0.05
PLACES = 4
TINY = 1e-9
WITHIN, NOISE, FAILED, FEW = "within the limit", "within the noise", "too much", "few rows"
SHOWN, UNREAD = "shown", "unread"


class TrickFigure(NamedTuple):
    """The score of a trick on a table, or on a domain of it, with that of a random reply.

    ``independent`` is the effective number of rows, because some share a problem. ``tried`` is the number of
    tricks tested on them. ``judged`` is false for a trick that ranks candidates which an open question does
    not show. ``beside`` are the means of its other measures, by name.
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
    tight: bool = False
    beside: Mapping[str, float] = MappingProxyType({})

    @property
    def limit(self) -> float:
        """The maximum allowed score."""
        margin = TIGHT_LIMIT if self.tight else DOMAIN_LIMIT if self.domain else LIMIT
        return round(self.chance + margin, PLACES)

    @property
    def verdict(self) -> str:
        """The verdict: within the limit, above it within the noise, or too much."""
        if not self.judged:
            return SHOWN
        if self.rows < ENOUGH and not self.tight:
            return FEW
        if self.score <= self.limit:
            return WITHIN
        rows = max(1, floor(self.independent))
        likely = at_least(floor(self.score * rows + TINY), rows, self.limit)
        return FAILED if likely * self.tried * _judged_tables() < LEVEL else NOISE

    def __str__(self) -> str:
        """Return the figure as a sentence."""
        return (
            f"the rule '{self.rule}' scores {self.score:.3f} on {self.rows} rows; "
            f"chance is {self.chance:.3f}, the limit {self.limit:.3f}"
        )


def _judged_tables() -> int:
    """Return the number of tables that tricks are tried on: those with a gold reply."""
    return sum(table.gold is not None for table in tables().values())


def at_least(hits: int, rows: int, rate: float) -> float:
    """Return the probability of ``hits`` or more right rows, each right with the probability ``rate``."""
    from scipy.special import bdtrc

    return float(bdtrc(hits - 1, rows, min(1.0, rate))) if hits > 0 else 1.0


def figures(table: str, rows: Targets, tricks: Iterable[TrickScores]) -> list[TrickFigure]:
    """Return the figures of all tricks, on the table and by domain."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        places[EVERY].append(place)
        if row.domain:
            places[row.domain].append(place)
    listed = list(tricks)
    return [
        figure._replace(tried=len(listed))
        for domain, chosen in sorted(places.items())
        for trick in listed
        if (figure := _figure(table, domain, trick, rows, chosen)) is not None
    ]


def _figure(
    table: str, domain: str, trick: TrickScores, rows: Targets, places: Sequence[int]
) -> TrickFigure | None:
    """Return the figure of a trick on some rows; None if it applies to none of them."""
    scored = [
        (score, rows[place], _chance(trick, rows[place], place))
        for place in places
        if (score := trick.scores[place]) is not None
    ]
    if not scored:
        return None
    chance = fsum(chance for _, _, chance in scored) / len(scored)
    if trick.writes:
        chance = max(chance, fsum(target.fixed for _, target, _ in scored) / len(scored))
    score = fsum(score for score, _, _ in scored) / len(scored)
    worth = independent([(value, (target.domain, target.problem)) for value, target, _ in scored], score)
    return TrickFigure(
        table,
        domain,
        trick.rule,
        len(scored),
        round(score, PLACES),
        round(chance, PLACES),
        round(worth, PLACES),
        judged=not trick.compares or all(target.offered for _, target, _ in scored),
        tight=trick.chances is not None,
        beside=_means(trick.beside, places),
    )


def _means(measures: Mapping[str, Scores], places: Sequence[int]) -> dict[str, float]:
    """Return the mean of each measure on the rows that have it."""
    values = {
        name: [v for place in places if (v := by_row[place]) is not None] for name, by_row in measures.items()
    }
    return {name: round(fsum(listed) / len(listed), PLACES) for name, listed in values.items() if listed}


def _chance(trick: TrickScores, target: Target, place: int) -> float:
    """Return the expected score of a random reply; a partial trick rules out half of the wrong options."""
    if trick.chances is not None:
        return trick.chances[place]
    chance = target.chance or 0.0
    if not trick.partial:
        return chance
    return 1 - chance / 2 if target.form == JUDGE else 2 * chance / (1 + chance)


def independent(scored: Sequence[tuple[float, Hashable]], mean: float) -> float:
    """Return the effective number of rows, between the number of problems and the number of rows.

    ``scored`` has the score of each row and an identifier of its problem.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    squares = 0.0
    for score, problem in scored:
        sums[problem] += score - mean
        squares += (score - mean) ** 2
    between = fsum(value**2 for value in sums.values())
    least = float(len(sums))
    if squares < TINY:
        return least  # all scores are equal, so the correlation is unknown
    return max(least, min(len(scored), len(scored) * squares / max(between, TINY)))
