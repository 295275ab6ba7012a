"""Landmarks (``land``): a fact that every plan makes true at some time before the goal."""

from __future__ import annotations

from ..alternatives import check_one
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_one
from ..row import AtomSet, Row, structured_value
from ..score import Grader, Score
from ..symbols import fact_symbols


def _check(facts: AtomSet, row: Row) -> Score:
    return check_one(facts, structured_value(row, "answer")["yes"])


GRADERS = {
    "landmarks_gen": Grader(atoms_finder(read_one, fact_symbols), _check),
    "landmarks_bool": BOOLEAN,
    "landmarks_mcq": CHOICE,
}
