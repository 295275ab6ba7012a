"""Check traces: derivations in English, line by line, that end with the answer to a row.

``check_trace(trace, row)`` returns the first fault, or an empty string. Every line is verified with the
domain and the problem of the row. The answer must follow from the lines, and be right by the grader.
The forms of lines are those of ``lines``. Facts and actions are written in PDDL, or in quotes in words of the
row (``phrases``).

Standard library only, like all graders; nothing here imports the program that writes traces.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import grade
from ..row import Row
from ..score import RIGHT
from ..symbols import problem_of
from .conclusions import conclude
from .derivation import TraceRead
from .lines import TraceFault, read_line
from .phrases import RowPhrases

__all__ = ["check_trace"]

_ENDINGS = ("ANSWER:", "[PLAN]")


def check_trace(trace: str, row: Row) -> str:
    """Return the first fault of a trace for a row; empty if there is none.

    Args:
        trace: the lines, and the answer at the end, which begins with ``ANSWER:`` or ``[PLAN]``.
        row: a row of a table of questions or plan tasks. Required are the columns that its grader needs, and
            ``claim`` or ``claims`` for yes/no and multiple choice.

    Raises:
        ValueError: the row lacks a column, or its PDDL is outside the subset that is executed.
    """
    try:
        _check(trace.strip().split("\n"), row)
    except TraceFault as fault:
        return str(fault)
    return ""


def _check(lines: Sequence[str], row: Row) -> None:
    end = next((place for place, line in enumerate(lines) if line.startswith(_ENDINGS)), None)
    if end is None:
        raise TraceFault("the trace has no answer")
    phrases = RowPhrases(row)
    derived = TraceRead(problem_of(row))
    for number, text in enumerate(lines[:end], 1):
        if text.strip():
            derived.add(read_line(number, phrases.formal(number, text)))
    derived.finish()
    score = grade("\n".join(lines[end:]), row)
    if score.verdict != RIGHT:
        raise TraceFault(f"the answer is {score.verdict}: {score.detail}")
    conclude(derived, score.answer, row)
