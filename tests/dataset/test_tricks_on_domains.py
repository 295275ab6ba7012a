"""Tricks on tables that ask for actions or a domain get what is planted, and nothing else."""

import pytest

from orrery.dataset.adversary import attack_table, baselines
from orrery.dataset.adversary.verdict import FAILED, WITHIN
from orrery.families.modelling.descriptions import header
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, NOT_COMPOSED, measures
from orrery.pddl.read import read_domain
from orrery.store import shards
from orrery.store.kinds import table_name
from tests.tables import MODELLING

EMPTY, EVERY = "empty bodies", "every literal over the parameters"
NEAREST, NAMED = "the nearest domain of train, renamed", "the action of train with the most similar name"
KNOWN = """(define (domain d) (:requirements :strips :typing) (:types item place - object)
 (:predicates (lies ?x - item ?p - place) (held ?x - item) (free))
 (:action take :parameters (?x - item ?p - place)
  :precondition (and (lies ?x ?p) (free)) :effect (and (not (lies ?x ?p)) (not (free)) (held ?x)))
 (:action drop :parameters (?x - item ?p - place)
  :precondition (held ?x) :effect (and (lies ?x ?p) (free) (not (held ?x)))))"""
RENAMED = (
    KNOWN.replace("take", "taken")
    .replace("drop", "dropped")
    .replace("lies", "lies-at")
    .replace("held", "held-up")
)
OTHER = """(define (domain d) (:requirements :strips :typing) (:types item place - object)
 (:predicates (open ?p - place) (shut ?p - place) (dark))
 (:action unlock :parameters (?p - place)
  :precondition (and (shut ?p) (dark)) :effect (and (open ?p) (not (shut ?p)))))"""
BARE = "(define (domain d) (:requirements :strips) (:predicates (p ?x)) (:action a :parameters (?x)))"
FULL = """(define (domain d) (:requirements :strips) (:predicates (p ?x) (q ?x))
 (:action a :parameters (?x) :precondition (and (p ?x) (q ?x)) :effect (and (p ?x) (q ?x))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects x - item l - place) (:init (lies-at x l) (free))
 (:goal (held-up x)))"""


def row(name, split, gold, problems):
    text = f"A text on {' '.join(sorted(read_domain(gold).predicate_named))}."
    return {
        **measures(read_domain(gold), gold),
        **NOT_COMPOSED,
        "id": f"{name}/{split}/domain",
        "domain": name,
        "source": "orrery",
        "license": "MIT",
        "header": header(read_domain(gold)),
        "action_names": list(read_domain(gold).action_named),
        "texts": {**dict.fromkeys(("none", "sum", "map", "rel"), ""), "all": text},
        "description_abstract": text,
        "description_concrete": text,
        "problems": problems,
        "explicitness": "",
        "style": "words",
    }


def figures(folder, table, tested, problems=()):
    """The figures of the tricks on a table with one domain in train, and several like ``tested`` in test."""
    rows = {
        "train": [row("known", "train", KNOWN, [])],
        "test": [row(f"new-{number}", "test", tested, list(problems)) for number in range(4)],
    }
    for schema in (ACTION_MODELING, DOMAIN_MODELING):
        for split, listed in rows.items():
            path = folder / "data" / table_name(schema) / f"{split}-00000-of-00001.parquet"
            shards.write(path, schema, [{name: one[name] for name in schema.names} for one in listed])
    return {figure.rule: figure for figure in attack_table(folder, table).figures if not figure.domain}


@pytest.mark.by_day(3)
@pytest.mark.parametrize("table", MODELLING)
@pytest.mark.parametrize(
    ("tested", "right"),
    [(RENAMED, {NEAREST, NAMED}), (OTHER, set()), (BARE, {EMPTY}), (FULL, {EVERY})],
    ids=["renamed", "other", "bare", "full"],
)
def test_each_trick_gets_the_actions_that_it_can_copy_or_guess(tmp_path, table, tested, right):
    found = figures(tmp_path, table, tested)
    for rule in (EMPTY, EVERY, NEAREST, NAMED):
        expected = (4, 1.0, FAILED) if rule in right else (4, 0.0, WITHIN)
        assert (found[rule].rows, found[rule].score, found[rule].verdict) == expected, rule


@pytest.mark.parametrize("table", MODELLING)
def test_f1_and_solved_problems_are_measured(tmp_path, table):
    problem = {"name": "p", "pddl": PROBLEM, "solvable": True, "plan": ["(taken x l)"], "optimal_cost": 1}
    found = figures(tmp_path, table, RENAMED, [problem])
    assert set(found[NEAREST].beside.values()) == {1.0}
    assert set(found[EMPTY].beside.values()) == {0.0}
    f1, solved = found[EVERY].beside.values()
    assert 0 < f1 < 1
    assert solved == 0


def test_without_train_only_guesses_are_tried(tmp_path):
    figures(tmp_path, "action_modeling", OTHER)
    rules = {figure.rule for figure in baselines(tmp_path, "test")}
    assert {EMPTY, EVERY} <= rules
    assert not {NEAREST, NAMED} & rules
