"""Pairs of actions made by others, with the verdict of trying every bijection."""

import json
from functools import cache

import pytest

from orrery.model import TypedName
from orrery.pddl.adl import NOT, AdlAction, Formula
from orrery.scoring.domains.alignment import align, equal_actions


def action(record):
    """The action of a record, whose literals are listed by sign."""
    parameters = tuple(
        TypedName(name, tuple(kind.split()) or ("object",)) for name, kind in record["parameters"]
    )
    sides = (("pos_pre", "neg_pre"), ("add", "del"))
    conditions, effects = (
        tuple(literal(atom, sign == positive) for sign in (positive, negative) for atom in record[sign])
        for positive, negative in sides
    )
    return AdlAction(record["name"], parameters, conditions, effects)


def literal(atom, positive):
    formula = Formula(atom[0], tuple(atom[1:]))
    return formula if positive else Formula(NOT, (formula,))


@cache
def pairs(folder):
    lines = (folder / "action_equivalence.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [(action(row["action_a"]), action(row["action_b"]), row) for row in rows]


def test_all_verdicts_are_right(cases):
    found = pairs(cases)
    assert len(found) == 388
    wrong = [
        (row["source"], row["note"], row["true_verdict"])
        for one, other, row in found
        if equal_actions(one, other) is not row["true_verdict"]
        or equal_actions(other, one) is not row["true_verdict"]
    ]
    assert wrong == []


def test_the_best_bijection_agrees(cases):
    for one, other, row in pairs(cases):
        found = align(one, other, typed=True)
        distances = [found.parameters.distance, found.preconditions.distance, found.effects.distance]
        assert found.equal is row["true_verdict"]
        assert (sum(distances) == 0) is row["true_verdict"]


@pytest.mark.parametrize("source", ["handcrafted", "model prediction"])
def test_the_cases_are_of_every_source(cases, source):
    assert any(row["source"] == source for *_, row in pairs(cases))
