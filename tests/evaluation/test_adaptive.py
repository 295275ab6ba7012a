"""Adaptive tests ask what says most, end in time, and order simulated takers as their abilities do."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from scipy.special import expit

from orrery.evaluation.adaptive import BATCH, AdaptiveTest, administer
from orrery.evaluation.difficulty import RowDifficulty
from tests.evaluation.takers import Simulation, rows_of

SD = 1.7


def values_of(rows, keys):
    return [rows[key].value for key in keys]


def test_the_first_rows_are_those_of_average_difficulty():
    rows = rows_of(np.linspace(-3, 3, 61))
    first = values_of(rows, AdaptiveTest(rows, SD).next_rows({}))
    assert sorted(first) == pytest.approx([-0.2, -0.1, 0, 0.1, 0.2], abs=1e-9)


@pytest.mark.parametrize("is_right", [True, False])
def test_the_next_rows_are_as_hard_as_the_model_is_able(is_right):
    rows = rows_of(np.linspace(-6, 6, 121))
    test = AdaptiveTest(rows, SD)
    verdicts = dict.fromkeys(test.next_rows({}), is_right)
    ability = test.ability(verdicts)
    assert (ability.value > 0) == is_right
    upcoming = test.next_rows(verdicts)
    assert np.mean(values_of(rows, upcoming)) == pytest.approx(ability.value, abs=0.1)
    assert not {*upcoming} & verdicts.keys()


def test_rows_of_known_difficulty_are_asked_before_uncertain_ones():
    rows = rows_of([0.0] * 10, error=1.5) | {("table0", "known"): RowDifficulty(0.0, 0.2, 0.0)}
    assert AdaptiveTest(rows, SD).next_rows({})[0] == ("table0", "known")


def test_rows_that_can_be_guessed_are_asked_later():
    rows = rows_of([0.0] * 10, guess=0.5) | {("table0", "open"): RowDifficulty(0.0, 0.0, 0.0)}
    assert AdaptiveTest(rows, SD).next_rows({})[0] == ("table0", "open")


def test_tables_take_turns_until_they_are_exhausted():
    rows = rows_of(np.zeros(12), tables=3) | {("small", "0"): RowDifficulty(9.0, 0.0, 0.0)}
    verdicts = administer(AdaptiveTest(rows, SD, 0.01), dict.fromkeys)
    tables = [table for table, _ in verdicts]
    assert len(verdicts) == len(rows)
    assert {*tables[:4]} == {"table0", "table1", "table2", "small"}
    for end in range(1, len(tables)):
        counts = [tables[:end].count(f"table{number}") for number in range(3)]
        assert max(counts) - min(counts) <= 1


def test_a_test_ends_at_the_standard_error_or_at_the_number_of_rows():
    rows = rows_of(np.zeros(300))
    alternating = count()

    def ask(batch):
        return {row: next(alternating) % 2 == 0 for row in batch}

    test = AdaptiveTest(rows, SD, 0.4)
    verdicts = administer(test, ask)
    assert test.ability(verdicts).standard_error <= 0.4
    before = dict([*verdicts.items()][:-BATCH])
    assert test.ability(before).standard_error > 0.4
    assert len(administer(AdaptiveTest(rows, SD, 0.01, 42), ask)) == 42


def test_undecided_replies_count_as_asked_but_not_in_the_ability():
    test = AdaptiveTest(rows_of(np.zeros(20)), SD, 0.1)
    verdicts = administer(test, dict.fromkeys)
    ability = test.ability(verdicts)
    assert len(verdicts) == 20
    assert (ability.value, ability.replies) == (pytest.approx(0), 0)
    assert ability.standard_error == pytest.approx(SD, rel=1e-3)


def test_a_test_without_an_answer_ends_and_goes_on_with_the_same_rows():
    rng = np.random.default_rng(0)
    rows = rows_of(rng.normal(0, 1, 200))
    replies = {row: bool(rng.random() < 0.6) for row in rows}
    test = AdaptiveTest(rows, SD)
    whole = administer(test, lambda batch: {row: replies[row] for row in batch})
    batches = iter(range(3))
    part = administer(
        test, lambda batch: {row: replies[row] for row in batch if next(batches, None) is not None}
    )
    assert [*part] == [*whole][: len(part)]
    assert 0 < len(part) < len(whole)
    assert administer(test, lambda batch: {row: replies[row] for row in batch}) == whole


def test_the_ability_is_the_mean_of_the_posterior():
    rows = rows_of([-1.0, 0.5], error=0.8, guess=0.25)
    verdicts = dict(zip(rows, (True, False), strict=True))
    rng = np.random.default_rng(1)
    abilities = rng.normal(0, SD, 400_000)
    likelihood = np.ones_like(abilities)
    for (_, row), is_right in zip(rows.items(), verdicts.values(), strict=True):
        truth = row.value + rng.normal(0, row.error, len(abilities))
        chance = row.guess + (1 - row.guess) * expit(abilities - truth)
        likelihood *= chance if is_right else 1 - chance
    mean = np.average(abilities, weights=likelihood)
    ability = AdaptiveTest(rows, SD).ability(verdicts)
    assert ability.value == pytest.approx(mean, abs=0.03)
    assert ability.standard_error == pytest.approx(
        np.average((abilities - mean) ** 2, weights=likelihood) ** 0.5, abs=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize(("takers", "error"), [(200, 0.0), (1000, 0.7)])
def test_simulated_takers_are_ordered_by_at_most_a_hundred_rows(takers, error):
    simulation = Simulation(takers, SD, error)
    assert max(map(len, simulation.tests)) <= 100
    assert simulation.order(simulation.estimates) >= 0.98
    assert simulation.order(simulation.estimates) > simulation.order(simulation.by_random_rows)
    assert simulation.coverage() > 0.92
