"""Weights of predicates: found where there are some; where there are none, the search ends."""

import random
from collections import Counter
from itertools import product

import pytest

from orrery.equivalence import reaching
from orrery.equivalence.reaching import _balanced, free_predicates
from orrery.pddl.read import read_domain
from tests.effort import some

NAMES = ("p", "q", "r")
PARKING = """(define (domain parking)
 (:requirements :strips :typing :action-costs) (:types car curb)
 (:predicates (at-curb ?a - car) (at-curb-num ?a - car ?k - curb) (behind-car ?a ?b - car)
  (car-clear ?a - car) (curb-clear ?k - curb))
 (:functions (total-cost) - number)
 (:action move-curb-to-curb :parameters (?a - car ?k ?l - curb)
  :precondition (and (car-clear ?a) (curb-clear ?l) (at-curb-num ?a ?k))
  :effect (and (not (curb-clear ?l)) (curb-clear ?k) (at-curb-num ?a ?l) (not (at-curb-num ?a ?k))
   (increase (total-cost) 1)))
 (:action move-curb-to-car :parameters (?a - car ?k - curb ?b - car)
  :precondition (and (car-clear ?a) (car-clear ?b) (at-curb-num ?a ?k) (at-curb ?b))
  :effect (and (not (car-clear ?b)) (curb-clear ?k) (behind-car ?a ?b) (not (at-curb-num ?a ?k))
   (not (at-curb ?a)) (increase (total-cost) 1)))
 (:action move-car-to-curb :parameters (?a ?b - car ?k - curb)
  :precondition (and (car-clear ?a) (curb-clear ?k) (behind-car ?a ?b))
  :effect (and (not (curb-clear ?k)) (car-clear ?b) (at-curb-num ?a ?k) (not (behind-car ?a ?b))
   (at-curb ?a) (increase (total-cost) 1)))
 (:action move-car-to-car :parameters (?a ?b ?c - car)
  :precondition (and (car-clear ?a) (car-clear ?c) (behind-car ?a ?b) (at-curb ?c))
  :effect (and (not (car-clear ?c)) (car-clear ?b) (behind-car ?a ?c) (not (behind-car ?a ?b))
   (increase (total-cost) 1))))"""


@pytest.fixture
def tried(monkeypatch):
    """Counts how many weights are tried."""
    counts = Counter()
    tested = reaching._first_unbalanced

    def counted(*arguments):
        counts["tried"] += 1
        return tested(*arguments)

    monkeypatch.setattr(reaching, "_first_unbalanced", counted)
    return counts


def test_weights_are_found_exactly_where_some_exist():
    rng, answers = random.Random(5), Counter()
    heaviest = reaching._HEAVIEST
    for _ in range(some(150)):
        actions = [Counter({name: rng.randint(-2, 2) for name in NAMES}) for _ in range(rng.randint(1, 4))]
        exist = any(
            all(sum(w * losses[n] for n, w in zip(NAMES, weights, strict=True)) >= 0 for losses in actions)
            for weights in product(range(1, heaviest + 1), repeat=len(NAMES))
        )
        assert _balanced(actions, dict.fromkeys(NAMES, 1)) is exist
        answers[exist] += 1
    assert len(answers) == 2


def test_a_domain_without_weights_is_given_up_after_so_many_steps(tried):
    """Cars leave a curb and come back to it: no weights suit all four moves."""
    assert free_predicates(read_domain(PARKING)) is None
    assert 0 < tried["tried"] <= reaching._MOST_TRIED
