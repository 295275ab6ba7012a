"""Simulated takers of adaptive tests."""

import numpy as np
from scipy.special import expit

from orrery.evaluation.adaptive import AdaptiveTest, administer
from orrery.evaluation.difficulty import RowDifficulty


def rows_of(values, error=0.0, guess=0.0, tables=1):
    return {
        (f"table{place % tables}", f"{place:05}"): RowDifficulty(float(value), error, guess)
        for place, value in enumerate(values)
    }


def rank_correlation(one, other):
    from scipy.stats import spearmanr  # takes a second to import

    return spearmanr(one, other).statistic


class Simulation:
    """Takers with normal abilities on rows with normal difficulties, of which ``error`` is unknown.

    ``estimates`` are the abilities by adaptive tests, ``by_random_rows`` those by as many random rows.
    """

    def __init__(self, takers, ability_sd, error=0.0, guess=0.0, rows=1000, **ends):
        self.rng, self.guess = np.random.default_rng(takers), guess
        self.rows = rows_of(self.rng.normal(1, 1, rows), error, guess)
        self.truth = {row: known.value + self.rng.normal(0, error) for row, known in self.rows.items()}
        self.test = AdaptiveTest(self.rows, ability_sd, **ends)
        self.abilities = self.rng.normal(0, ability_sd, takers)
        self.tests = [administer(self.test, self.answers_of(ability)) for ability in self.abilities]
        self.estimates = [self.test.ability(verdicts) for verdicts in self.tests]
        self.by_random_rows = [
            self._by_random_rows(*pair) for pair in zip(self.abilities, self.tests, strict=True)
        ]

    def answers_of(self, ability):
        def ask(batch):
            chances = {row: self.guess + (1 - self.guess) * expit(ability - self.truth[row]) for row in batch}
            return {row: bool(self.rng.random() < chance) for row, chance in chances.items()}

        return ask

    def _by_random_rows(self, ability, verdicts):
        keys = [*self.rows]
        places = self.rng.choice(len(keys), len(verdicts), replace=False)
        return self.test.ability(self.answers_of(ability)([keys[place] for place in places]))

    def order(self, estimates):
        """The rank correlation of estimated and true abilities."""
        return rank_correlation([estimate.value for estimate in estimates], self.abilities)

    def coverage(self):
        """The share of takers whose ability is in the 95 % interval."""
        errors = [
            abs(estimate.value - ability) / estimate.standard_error
            for estimate, ability in zip(self.estimates, self.abilities, strict=True)
        ]
        return np.mean(np.array(errors) < 1.96)
