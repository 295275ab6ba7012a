"""The universe of questions on reachability: what substitution of all objects finds, in every domain."""

from __future__ import annotations

import pytest
from hypothesis import given

from orrery.checks.lifted import actions_of, facts_of
from orrery.planning.possible import possible_atoms, possible_steps
from orrery.planning.universe import count_steps
from tests import universe
from tests.effort import examples
from tests.every_domain import CATALOG, easy_problems, entry
from tests.pddl.random_pddl import tasks

MOST = 60_000  # combinations of objects that are tried


@pytest.mark.parametrize("name", CATALOG.names)
def test_it_is_what_substitution_finds_by_both_routes(name):
    domain, seen = entry(name).domain, 0
    for problem in easy_problems(name, 4):
        if count_steps(domain, problem) > MOST:
            continue
        actions, facts = universe.actions(domain, problem), universe.facts(domain, problem)
        assert possible_steps(domain, problem) == actions_of(domain, problem) == sorted(actions)
        assert possible_atoms(domain, problem) == facts_of(domain, problem) == sorted(facts)
        seen += 1
    assert seen or name == "alfworld"


@pytest.mark.slow
@examples(500)
@given(tasks(most=3, lively=True))
def test_in_random_domains_it_is_what_substitution_finds_by_both_routes(task):
    """Their effects may name a constant, or a parameter twice."""
    actions, facts = universe.actions(*task), universe.facts(*task)
    assert possible_steps(*task) == actions_of(*task) == sorted(actions)
    assert possible_atoms(*task) == facts_of(*task) == sorted(facts)


def test_nothing_stands_on_itself_where_conditions_say_so():
    for name, predicate in (("depots", "on"), ("grid", "conn")):
        domain = entry(name).domain
        for problem in easy_problems(name, 2):
            atoms_possible = possible_atoms(domain, problem)
            assert not any(atom[0] == predicate and atom[1] == atom[2] for atom in atoms_possible)
