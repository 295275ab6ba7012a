"""Atom reachability (``reach``): a fact that is true in no reachable state."""

from __future__ import annotations

from functools import partial

from ..alternatives import alternatives_of, check_one
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_one
from ..row import AtomSet, Row
from ..score import Grader, Score
from ..symbols import fact_symbols


def _check(facts: AtomSet, row: Row) -> Score:
    return check_one(facts, alternatives_of(row))


GRADERS = {
    "reachable_atom_gen": Grader(atoms_finder(partial(read_one, impossible=True), fact_symbols), _check),
    "reachable_atom_bool": BOOLEAN,
    "reachable_atom_mc": CHOICE,
}
