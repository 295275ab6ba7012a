"""Atom reachability (``reach``): a fact that is true in no reachable state."""

from __future__ import annotations

from functools import partial

from ..alternatives import alternatives_of, check_one
from ..atoms import AtomSet
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import read_one, reader_of_atoms
from ..grader import Grader
from ..names import predicate_names
from ..reply import answer_finder
from ..row import Row
from ..score import Score


def _check(facts: AtomSet, row: Row) -> Score:
    return check_one(facts, alternatives_of(row))


_READER = partial(reader_of_atoms, partial(read_one, impossible=True), predicate_names)
GRADERS = {
    "reachable_atom_gen": Grader(answer_finder(_READER), _check),
    "reachable_atom_bool": BOOLEAN,
    "reachable_atom_mc": CHOICE,
}
