"""Action reachability (``areach``): a ground action that is applicable in no reachable state.

If the row has the column ``typing``, an action is a candidate only if it is well typed, and its static
preconditions and (in)equalities hold; all that is in the PDDL of the row too. A row may store the reachable
actions instead (``answer_all_is``) if they are fewer than the unreachable ones.
"""

from __future__ import annotations

from functools import partial

from ..alternatives import alternatives_of, check_one
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder, read_one
from ..plans.simulation import static_fault_of
from ..row import AtomSet, Row, atom_set, structured_value, value, written
from ..score import Grader, Score, score_of
from ..symbols import problem_of, step_symbols


def _check(actions: AtomSet, row: Row) -> Score:
    faults = (static_fault_of(problem_of(row), action) for action in actions)
    if value(row, "typing") is not None and (fault := "".join(faults)):
        return score_of(False, f"{written(actions)} is no action of the problem: {fault}")
    if value(row, "answer_all_is") != "reachable":
        return check_one(actions, alternatives_of(row))
    if not actions:
        return check_one(actions, structured_value(row, "answer"))
    reachable = atom_set(structured_value(row, "answer_all"))
    return score_of(not actions <= reachable, f"{written(actions)} can become applicable")


GRADERS = {
    "reachable_action_gen": Grader(atoms_finder(partial(read_one, impossible=True), step_symbols), _check),
    "reachable_action_bool": BOOLEAN,
    "reachable_action_mc": CHOICE,
}
