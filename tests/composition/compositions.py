"""Compositions that tests share: the first ones that are kept under a seed of the tests."""

from functools import cache
from typing import NamedTuple

import pytest

from orrery.composition.compose import Composition, compose
from orrery.composition.mechanic import mechanic_names
from orrery.composition.theme import theme_names
from orrery.families.modelling.composed import composed_rows
from orrery.pddl.read import read_domain, read_problem
from tests.every_domain import ROOT

SEED = 6
# Together they have an attachment, a mechanic with types below "thing", and labels.
FEW = ("walking", "carrying", "recipe", "lessons")
MECHANICS = sorted(mechanic_names(ROOT), key=lambda name: (name not in FEW, name))
THEMES = theme_names(ROOT)


class KeptDomain(NamedTuple):
    """A composition with its rows in both tables."""

    composition: Composition
    levels: list
    row: dict

    @property
    def domain(self):
        """The gold domain, read from its text."""
        return read_domain(self.row["gold_domain"])

    def problems(self):
        """Pairs of the row of a problem, and the problem read from its text."""
        domain = self.domain
        return [(row, read_problem(row["pddl"], domain)) for row in self.row["problems"]]


def by_day(values, keep):
    """Parameters of which the first ``keep`` run by day, the others with the slow tests."""
    listed = list(values)
    return [*listed[:keep], *(pytest.param(value, marks=pytest.mark.slow) for value in listed[keep:])]


@cache
def rows_of(number):
    return composed_rows(number, ROOT, SEED)


@cache
def _number_of(index):
    """The number of the kept composition with this index."""
    number = _number_of(index - 1) + 1 if index else 0
    while rows_of(number)["rejects"]:
        number += 1
    return number


def kept(index):
    """The composition with this index among those that are kept."""
    number = _number_of(index)
    rows = rows_of(number)
    return KeptDomain(compose(ROOT, SEED, number), list(rows["action_modeling"]), rows["domain_modeling"][0])


COMPOSITIONS = by_day(range(15), 2)
every_composition = pytest.mark.parametrize("index", COMPOSITIONS)
every_mechanic = pytest.mark.parametrize("name", by_day(MECHANICS, 6))
every_theme = pytest.mark.parametrize("name", by_day(THEMES, 4))
