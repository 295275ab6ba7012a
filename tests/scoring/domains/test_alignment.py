"""Exact comparison against trying every bijection."""

import random

import pytest

from orrery.model import TypedName
from orrery.pddl.adl import AdlAction, Formula
from orrery.pddl.conjuncts import conjuncts
from orrery.scoring.domains import alignment
from orrery.scoring.domains.alignment import align, equal_actions
from tests.effort import by_day, slow
from tests.scoring.domains import brute_force
from tests.scoring.domains.brute_force import disguised, mutated, random_action


@by_day(3)
@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_trying_every_bijection(seed):
    rng = random.Random(seed)
    verdicts = {True: 0, False: 0}
    for _ in range(150):
        first = random_action(rng)
        second = mutated(rng, disguised(rng, first)) if rng.random() < 0.7 else random_action(rng)
        truth = brute_force.equal(first, second)
        assert equal_actions(first, second) is truth, (first, second)
        assert equal_actions(second, first) is truth
        verdicts[truth] += 1
    assert min(verdicts.values()) >= 10


@pytest.mark.parametrize("seed", range(4))
def test_an_action_in_disguise_is_equal(seed):
    rng = random.Random(f"disguise {seed}")
    for _ in range(100):
        action = random_action(rng, most=6)
        assert equal_actions(disguised(rng, action), action) is True, action


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_bijection_matches_as_much_as_any(seed, typed):
    rng = random.Random(f"best {seed}")
    for _ in range(60):
        gold = random_action(rng, most=3)
        predicted = (
            mutated(rng, mutated(rng, disguised(rng, gold))) if rng.random() < 0.7 else random_action(rng, 3)
        )
        aligned = align(predicted, gold, typed=typed)
        matched = aligned.preconditions.matched + aligned.effects.matched
        truth = brute_force.best(predicted, gold, typed)
        assert (matched, aligned.parameters.matched) == truth, (predicted, gold)
        assert aligned.complete
        assert len(aligned.missing) == aligned.preconditions.gold + aligned.effects.gold - matched
        assert len(aligned.redundant) == aligned.preconditions.predicted + aligned.effects.predicted - matched
        same = aligned.parameters.same and aligned.preconditions.same and aligned.effects.same
        assert aligned.equal is (same if typed else brute_force.equal(predicted, gold))


def test_ties_go_to_the_order_of_the_gold_action():
    gold = AdlAction("a", (TypedName("?x"), TypedName("?y")), (), (Formula("r"),))
    predicted = AdlAction("a", (TypedName("?u"), TypedName("?v")), (), (Formula("r"),))
    assert dict(align(predicted, gold, typed=True).mapping) == {"?x": "?u", "?y": "?v"}


def test_a_parameter_of_the_wrong_type_costs_itself_only_where_types_are_distinguished():
    gold = AdlAction("a", (TypedName("?x", ("t",)),), (Formula("p", ("?x",)),), ())
    predicted = AdlAction("a", (TypedName("?x", ("u",)),), (Formula("p", ("?x",)),), ())
    loose, strict = (align(predicted, gold, typed=typed) for typed in (False, True))
    assert (loose.parameters.matched, loose.preconditions.matched) == (0, 1)
    assert (strict.parameters.matched, strict.preconditions.matched) == (0, 0)
    assert strict.parameters.distance == 2
    assert strict.equal is loose.equal is False


def test_parameters_without_end_are_given_up_after_a_count(monkeypatch):
    tried = []
    attempt = alignment._AlignmentSearch._try
    monkeypatch.setattr(alignment._AlignmentSearch, "_try", lambda *given: (tried.append(1), attempt(*given)))
    gold = AdlAction("a", (TypedName("?x"), TypedName("?y")), (), (Formula("r"),))
    wide = AdlAction("a", tuple(TypedName(f"?x{i}") for i in range(1000)), (), (Formula("q"),))
    assert align(wide, gold, typed=True).equal is False
    assert len(tried) <= alignment.BUDGET + 2 * 1000  # of a million pairs


def ring(size, step, name):
    """An action whose parameters form rings: all look alike."""
    names = [f"?{name}{i}" for i in range(size)]
    edges = [Formula("q", (names[i], names[(i + step) % size])) for i in range(size)]
    return AdlAction(name, tuple(map(TypedName, names)), tuple(edges), (Formula("r"),))


@slow
def test_symmetric_actions_end():
    assert equal_actions(ring(18, 1, "a"), ring(18, 5, "b")) is True
    assert equal_actions(ring(24, 1, "a"), ring(24, 2, "b")) is False
    many = AdlAction("a", tuple(TypedName(f"?x{i}") for i in range(100)), (), (Formula("r"),))
    assert equal_actions(many, many) is True
    assert equal_actions(ring(40, 1, "a"), ring(40, 4, "b"), budget=100) in (False, None)


@slow
def test_more_parameters_than_can_be_searched_leave_it_open():
    huge = ring(1000, 1, "a")
    assert equal_actions(huge, huge) is None
    assert not align(huge, huge, typed=True).complete
    assert equal_actions(huge, ring(999, 1, "b")) is False


@pytest.mark.exhaustive
def test_nested_quantifiers_end():
    formula = Formula("p", ("?a0",))
    for level in range(9):
        bound = tuple(TypedName(f"?v{level}{i}") for i in range(4))
        atoms = tuple(Formula("p", (typed.name,)) for typed in bound)
        formula = Formula("exists", (Formula("and", (formula, *atoms)),), bound)
    action = AdlAction("a", (), (formula,), ())
    assert equal_actions(action, action) is True


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (Formula("and", (Formula("and", ()), Formula("r"))), [Formula("r")]),
        (
            Formula("when", (Formula("r"), Formula("and", (Formula("p", ("k",)), Formula("r"))))),
            [
                Formula("when", (Formula("r"), Formula("p", ("k",)))),
                Formula("when", (Formula("r"), Formula("r"))),
            ],
        ),
        (Formula("when", (Formula("and"), Formula("r"))), [Formula("r")]),
        (Formula("not", (Formula("not", (Formula("r"),)),)), [Formula("r")]),
    ],
)
def test_conjunctions_are_flattened_where_they_may_be(formula, expected):
    assert conjuncts([formula]) == expected
