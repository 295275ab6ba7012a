"""Adaptive tests: each reply decides which rows are asked next (computerized adaptive testing).

The next rows are those with the most information at the estimated ability. The estimate is the mean of the
posterior (expected a posteriori), its standard error the standard deviation of the posterior. A row with an
uncertain difficulty discriminates less: the logistic curve is averaged over a normal error of its difficulty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from orrery.evaluation.difficulty import RowDifficulty, RowKey, information, success

BATCH = 5  # rows that are asked at the same time; fixed, so that a resumed test has the same rows
STANDARD_ERROR = 0.3
MAX_ROWS = 100
_GRID = np.linspace(-5, 5, 201)  # abilities in prior standard deviations
_FLATTER = np.pi / 8  # MacKay (1992): averaging over a normal error is nearly a flatter logistic curve

# By row: whether its reply is right; None if there is no decided reply.
Verdicts: TypeAlias = Mapping[RowKey, bool | None]


class Ability(NamedTuple):
    """An estimated ability in logits, its standard error, and the number of replies that it is based on."""

    value: float
    standard_error: float
    replies: int


class AdaptiveTest:
    """An adaptive test of some rows; it ends at a standard error, or after ``max_rows`` rows."""

    def __init__(
        self,
        rows: Mapping[RowKey, RowDifficulty],
        ability_sd: float,
        standard_error: float = STANDARD_ERROR,
        max_rows: int = MAX_ROWS,
    ) -> None:
        """Set the rows with their difficulties, and the standard deviation of abilities, whose mean is 0."""
        self.standard_error, self.max_rows = standard_error, max_rows
        self._place = {key: number for number, key in enumerate(rows)}
        self._keys = [*rows]
        self._values, errors, self._guesses = np.array([*rows.values()]).T
        self._slopes = (1 + _FLATTER * errors**2) ** -0.5
        _, self._tables = np.unique([table for table, _ in rows], return_inverse=True)
        self._grid = _GRID * ability_sd
        self._prior = -(_GRID**2) / 2

    def ability(self, verdicts: Verdicts) -> Ability:
        """Return the ability estimated from the decided replies."""
        decided = {key: verdict for key, verdict in verdicts.items() if verdict is not None}
        places = np.array([self._place[key] for key in decided], int)
        logits = self._slopes[places, None] * (self._grid - self._values[places, None])
        chances = success(logits, self._guesses[places, None])
        is_right = np.array([*decided.values()], bool)[:, None]
        posterior = self._prior + np.log(np.where(is_right, chances, 1 - chances)).sum(axis=0)
        weights = np.exp(posterior - posterior.max())
        mean = np.average(self._grid, weights=weights)
        variance = np.average((self._grid - mean) ** 2, weights=weights)
        return Ability(float(mean), float(variance**0.5), len(decided))

    def next_rows(self, verdicts: Verdicts) -> list[RowKey]:
        """Return the rows to ask after those in ``verdicts``; none at the end of the test.

        The rows come from the tables with the fewest rows so far, so that all tables weigh the same. Among
        their rows, the ones with the most information are selected; ties are broken by the order of the rows.
        """
        ability = self.ability(verdicts)
        count = min(BATCH, self.max_rows - len(verdicts))
        if ability.standard_error <= self.standard_error:
            return []
        logits = self._slopes * (ability.value - self._values)
        says = self._slopes**2 * information(logits, self._guesses)
        asked = np.array([self._place[key] for key in verdicts], int)
        says[asked] = -np.inf
        selected: list[int] = []
        for _ in range(min(count, len(says) - len(asked))):
            counts = np.bincount(self._tables[[*asked, *selected]], minlength=self._tables.max() + 1)
            open_rows = np.flatnonzero(says > -np.inf)
            rarest = counts[self._tables[open_rows]]
            candidates = open_rows[rarest == rarest.min()]
            selected.append(int(candidates[says[candidates].argmax()]))
            says[selected[-1]] = -np.inf
        return [self._keys[place] for place in selected]


def administer(
    test: AdaptiveTest, ask: Callable[[Sequence[RowKey]], Verdicts], begun: Sequence[RowKey] = ()
) -> dict[RowKey, bool | None]:
    """Ask the rows of a test in batches until it ends, and return the verdicts in the order of the rows.

    ``ask`` returns the verdicts of a batch. An empty result ends the test early. A resumed test has the rows
    ``begun`` as its first batch.
    """
    verdicts: dict[RowKey, bool | None] = {}
    rows = begun or test.next_rows(verdicts)
    while rows and (batch := ask(rows)):
        verdicts |= batch
        rows = test.next_rows(verdicts)
    return verdicts
