"""Next action (``nexta``): an applicable action that brings the goal closer; in open form only."""

from __future__ import annotations

from ..alternatives import check_one
from ..facts_and_actions import atoms_finder, read_one
from ..row import AtomSet, Row, atom_set, structured_value, written
from ..score import Grader, Score, score_of
from ..symbols import step_symbols


def _check(actions: AtomSet, row: Row) -> Score:
    """Return the verdict: right iff the action is in ``yes``.

    Actions that a published row leaves undecided (``maybe``) are wrong.
    """
    answer = structured_value(row, "answer")
    score = check_one(actions, answer["yes"])
    if score.value or not actions:
        return score
    reasons = {"no": "does not bring the goal closer", "maybe": "is not decided in the row"}
    applicable_reasons = (why for part, why in reasons.items() if actions <= atom_set(answer.get(part, ())))
    return score_of(False, f"{written(actions)} {next(applicable_reasons, 'is not applicable')}")


GRADERS = {"goal_closer_gen": Grader(atoms_finder(read_one, step_symbols), _check)}
