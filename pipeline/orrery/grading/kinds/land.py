"""Landmarks (``land``): a fact that every plan makes true at some time before the goal."""

from __future__ import annotations

from functools import partial

from ..alternatives import Alternatives, check_one
from ..atoms import AtomSet
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import read_one, reader_of_atoms
from ..grader import Grader
from ..names import predicate_names
from ..reply import answer_finder
from ..row import Row, structured_value
from ..score import Score


def _check(facts: AtomSet, row: Row) -> Score:
    return check_one(facts, Alternatives(structured_value(row, "answer")["yes"]))


GRADERS = {
    "landmarks_gen": Grader(answer_finder(partial(reader_of_atoms, read_one, predicate_names)), _check),
    "landmarks_bool": BOOLEAN,
    "landmarks_mcq": CHOICE,
}
