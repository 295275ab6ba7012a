"""Justification (``just``): a plan that remains a plan after one or two consecutive actions are removed.

An answer is the simplified plan: the remaining actions in their order, not the removed actions. The unchanged
plan is not an answer, and neither are a few of its actions in prose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import asserted, atoms_finder
from ..reply import only
from ..row import Atom, Row, action_sequence, atom_of, structured_value
from ..score import Grader, Score, score_of
from ..symbols import step_symbols
from ..tokens import Token, ordered_runs, says_none


def _read(reply: str, row: Row) -> Any:
    """Return the plan of a reply; the reply "none" is the empty plan."""
    plan = tuple(action_sequence(row, "plan"))
    return atoms_finder(partial(_read_plan, plan), step_symbols, given=plan)(reply, row)


def _read_plan(plan: tuple[Atom, ...], tokens: list[Token], marked: bool) -> Any:
    """Return the plan in a text.

    A copy of the given plan next to another plan is ignored. Without ``ANSWER:``, a list with fewer than half
    of the actions of the given plan is a remark.
    """
    tokens = asserted(tokens, marked)
    runs = list(dict.fromkeys(ordered_runs(tokens)))
    if not runs and says_none(tokens, marked):
        return ()
    least = min(len(plan) - 2, len(plan) // 2)
    whole = [run for run in runs if marked or len(run) >= least]
    return only([run for run in whole if run != plan] or whole, "no plan found")


def _check(plan_read: tuple[Atom, ...], row: Row) -> Score:
    """Return the verdict: right iff some removal leaves exactly this plan."""
    plan = action_sequence(row, "plan")
    removed = len(plan) - len(plan_read)
    starts = {start for start, width in _removals(row, plan) if width == removed}
    right = any((*plan[:start], *plan[start + removed :]) == plan_read for start in starts)
    if removed in (1, 2):
        return score_of(right, "these actions cannot be removed, or others were changed")
    return score_of(right, f"one action or two are to be removed; {len(plan_read)} of {len(plan)} are left")


def _removals(row: Row, plan: Sequence[Atom]) -> Iterator[tuple[int, int]]:
    """Yield the start of each stored removal and the number of actions it removes.

    Without ``positions``, a pair is removed at each of its places, and an action at the named occurrence.
    """
    answer = structured_value(row, "answer")
    positions = structured_value(row, "positions")
    if positions is not None:
        yield from ((int(start), len(removal) - 1) for start, removal in zip(positions, answer, strict=True))
        return
    for *removed, occurrence in answer:
        actions = [atom_of(step) for step in removed]
        places = [i for i in range(len(plan)) if list(plan[i : i + len(actions)]) == actions]
        places_chosen = places if len(actions) == 2 else places[int(occurrence) - 1 :][:1]
        yield from ((place, len(actions)) for place in places_chosen)


GRADERS = {
    "action_justification_gen": Grader(_read, _check),
    "action_justification_bool": BOOLEAN,
    "action_justification_mcq": CHOICE,
}
