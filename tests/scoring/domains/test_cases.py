"""Pairs of actions made by others, with the verdict of trying every bijection."""

import json

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


def test_all_verdicts_are_right(cases):
    rows = [json.loads(line) for line in (cases / "action_equivalence.jsonl").read_text().splitlines()]
    assert len(rows) == 388
    for row in rows:
        one, other = action(row["action_a"]), action(row["action_b"])
        aligned = align(one, other, typed=True)
        counts = (aligned.parameters, aligned.preconditions, aligned.effects)
        is_near = sum(count.distance for count in counts) == 0
        verdicts = {equal_actions(one, other), equal_actions(other, one), aligned.equal, is_near}
        assert verdicts == {row["true_verdict"]}, (row["source"], row["note"])
