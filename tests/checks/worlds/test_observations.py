"""Observations of worlds are read back as what they were made from, and a changed one is not."""

import random

import pytest

import orrery
from orrery.checks.reading.sentences import sentence_reader
from orrery.checks.worlds.observations import ObservationReader, state_each
from orrery.model import Literal
from tests.every_domain import CATALOG
from tests.plain_search import PlainSearch

DOMAINS = [name for name in CATALOG.names if CATALOG.entry(name).tasks]
STEPS = 12


def reader_of(world):
    return ObservationReader(sentence_reader(world.problem.words, world.problem.domain))


def differences(before, after):
    return [*map(Literal, after - before), *(Literal(fact, False) for fact in before - after)]


def walk(world, rng):
    """Random steps: the state before, the action, the state after, and another action that is impossible."""
    search = PlainSearch(world.problem.domain, world.problem.problem)
    state, every_step = world.problem.problem.init, [action.step for action in world.problem.task.actions]
    for _ in range(STEPS):
        if not search.after[state]:
            return
        step = rng.choice(list(search.after[state]))
        after = search.after[state][step]
        others = [other for other in every_step if other not in search.after[state]]
        yield state, step, after, rng.choice(others) if others else None
        state = after


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_a_world_says_is_read_as_what_happened(domain):
    for seed in range(2):
        world = orrery.world(domain, seed=seed, max_states=300)
        reader, texts = reader_of(world), world.problem.texts
        for before, step, after, impossible in walk(world, random.Random(seed)):
            changed = differences(before, after)
            gained, lost = (sorted(literal.atom for literal in changed if literal.positive == sign)
                            for sign in (True, False))  # fmt: skip
            told, clauses = reader.effect(texts.effect(step, gained, lost))
            assert told == step
            assert state_each(clauses, changed)
            if changed:
                assert not state_each(clauses, changed[1:])
                assert not state_each(clauses[1:], changed)
            if impossible:
                unmet = world.problem.unmet(impossible, world.problem.task.mask(before))
                told, clauses = reader.refusal(texts.refusal(impossible, unmet))
                assert told == impossible
                assert state_each(clauses, [Literal(atom, not sign) for atom, sign in unmet[:2]])


@pytest.fixture(scope="module")
def ferry():
    return reader_of(orrery.world("ferry", seed=7))


@pytest.mark.parametrize(
    "text",
    [
        "", "You dance. Nothing changes.", "You sail from location l1 to location l2.",
        "You sail from location l1 to location l2. Now the ferry is at location l2",
        "You sail from location l1 to location l2. Now the ferry is at location l2, so there.",
        "You sail from location l1 to location l2. Now the ferry is happy.",
        "sail from location l1 to location l2. Nothing changes.",
    ],
)  # fmt: skip
def test_other_texts_are_refused(ferry, text):
    with pytest.raises(ValueError, match=r"worded like|does not begin|ends before"):
        ferry.effect(text)


def test_clauses_of_two_readings_state_one_of_them_each():
    dark, on, off = Literal(("dark", "a")), Literal(("on", "a")), Literal(("on", "a"), False)
    either = frozenset({dark, off})
    assert state_each([frozenset({dark}), either], [dark, off])
    assert state_each([either, frozenset({dark})], [dark, off])
    assert state_each([either], [off])
    assert not state_each([either], [on])
    assert not state_each([either, either], [dark])
    assert state_each([], [])
