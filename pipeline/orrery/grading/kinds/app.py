"""Applicable actions (``app``): all actions whose preconditions hold, in any order."""

from __future__ import annotations

from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_set
from ..row import AtomSet, Row, atom_set, difference, structured_value
from ..score import Grader, Score, score_of
from ..symbols import step_symbols


def _check(actions: AtomSet, row: Row) -> Score:
    """Return the verdict: right iff the sets are equal.

    ``jaccard`` is their similarity, 1 for two empty sets.
    """
    gold = atom_set(structured_value(row, "answer"))
    union = len(actions | gold)
    similarity = len(actions & gold) / union if union else 1.0
    return score_of(actions == gold, difference(actions, gold), {"jaccard": similarity})


GRADERS = {
    "applicable_actions_gen": Grader(atoms_finder(read_set, step_symbols), _check, ("jaccard",)),
    "applicable_actions_bool": BOOLEAN,
    "applicable_actions_mc": CHOICE,
}
