"""Applicable actions (``app``): all actions whose preconditions hold, in any order."""

from __future__ import annotations

from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_set
from ..row import AtomSet, Row, atom_set, difference, jaccard, structured_value
from ..score import Grader, Score, score_of
from ..symbols import step_symbols


def _check(actions: AtomSet, row: Row) -> Score:
    """Return the verdict: right iff the sets are equal, with their similarity ``jaccard``."""
    gold = atom_set(structured_value(row, "answer"))
    return score_of(actions == gold, difference(actions, gold), {"jaccard": jaccard(actions, gold)})


GRADERS = {
    "applicable_actions_gen": Grader(atoms_finder(read_set, step_symbols), _check, ("jaccard",)),
    "applicable_actions_bool": BOOLEAN,
    "applicable_actions_mc": CHOICE,
}
