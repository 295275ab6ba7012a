"""Applicable actions (``app``): all actions whose preconditions hold, in any order."""

from __future__ import annotations

from functools import partial

from ..atoms import AtomSet, atom_set, difference
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import read_set, reader_of_atoms
from ..grader import Grader
from ..names import action_names
from ..reply import answer_finder
from ..row import Row, structured_value
from ..score import Score, score_of


def _check(actions: AtomSet, row: Row) -> Score:
    """Return the verdict: right iff the sets are equal.

    ``jaccard`` is their similarity, 1 for two empty sets.
    """
    gold = atom_set(structured_value(row, "answer"))
    union = len(actions | gold)
    similarity = len(actions & gold) / union if union else 1.0
    return score_of(actions == gold, difference(actions, gold), {"jaccard": similarity})


_READER = partial(reader_of_atoms, read_set, action_names)
GRADERS = {
    "applicable_actions_gen": Grader(answer_finder(_READER), _check, ("jaccard",)),
    "applicable_actions_bool": BOOLEAN,
    "applicable_actions_mc": CHOICE,
}
