"""The score of a reply to a row of any table, from one function.

Which scorer serves says the row itself, or the table where it is named. What is costly (a domain, its
planner, its rule for goals) is made once a process. Nothing here is changed after it was made, so that
threads and forked workers may score side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from orrery.grading import GRADERS, PLAN_GRADERS, RIGHT, UNPARSED, WRONG, grade
from orrery.grading.score import MAX_REPLY, TOO_LONG
from orrery.installation import find_root, tool_missing
from orrery.model import OrreryError, UsageError

UNDECIDED = "undecided"
NO_TEXT = "the reply is no text"

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Score:
    """The score of one reply.

    ``value`` is 1.0 where the reply is right, else 0.0; ``verdict`` is ``right``, ``wrong``, ``unparsed`` (no
    answer could be read) or ``undecided`` (a budget ended before it was proven either way: never "wrong").
    ``detail`` says why it is not right. ``parts`` holds finer figures from 0 to 1 where the table has some.
    """

    value: float
    verdict: str
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


def score(reply: str | None, row: Row, table: str | None = None, *, root: Path | str | None = None) -> Score:
    """Return the score of a model's reply to a row of any table that asks something.

    Args:
        reply: the whole reply; None, and what is no text, counts as unparsed.
        row: the row, with the columns that its scorer reads.
        table: the name of the row's table; told from the row's columns unless given.
        root: the folder with domains and generators; that of the installation unless given.

    Raises:
        UsageError: there is no such table, it asks nothing, or the row is of no table that does.
        OrreryError: the row lacks what its scorer reads, or cannot be read. No reply raises.
    """
    judge = _JUDGES[_grader(row, table)]
    text, why = _text(reply)
    if why:
        return Score(0.0, UNPARSED, why)
    try:
        return judge(text, row, None if root is None else Path(root))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        said = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise OrreryError(_named(row), said, "give rows as the dataset has them") from error


def _named(row: Row) -> str:
    return f"row {row.get('id', '')}".strip()


def _text(reply: Any) -> tuple[str, str]:
    """Return the reply as text, and what is wrong with it as a text."""
    if reply is None:
        return "", ""
    if not isinstance(reply, str):
        return "", NO_TEXT
    return (reply, "") if len(reply) <= MAX_REPLY else ("", TOO_LONG)


def _grader(row: Row, table: str | None) -> str:
    """Return the name of what scores replies to the row: one of ``_JUDGES``."""
    if not isinstance(row, Mapping):
        raise UsageError("row", f"is {type(row).__name__}, no mapping", "give a row as a dict")
    return _of_row(row) if table is None else _of_table(table)


def _of_row(row: Row) -> str:
    if row.get("group") is not None:
        return "questions"
    if "gold_domain" in row:
        return "actions" if "header" in row else "domains"
    if "problem_pddl" in row:
        return "text_to_pddl"
    known = "rows of questions and plans have 'group', texts 'problem_pddl', domains 'gold_domain'"
    raise UsageError(_named(row), "is of no table that asks something", known)


@lru_cache(maxsize=256)
def _of_table(name: str) -> str:
    try:
        from orrery.families import table_of, tables  # pyarrow is an extra, and takes its time to import
    except ModuleNotFoundError as error:
        raise tool_missing(error) or error from error
    grader = table_of(name).grader
    if grader not in _JUDGES:
        known = ", ".join(sorted(each for each, table in tables().items() if table.grader in _JUDGES))
        raise UsageError(f"table '{name}'", "asks nothing that can be scored", f"tables: {known}")
    return grader


def _by_grade(reply: str, row: Row, _: Path | None) -> Score:
    """Return the grade of a reply to a question or a plan task."""
    if str(row.get("group")) not in {*GRADERS, *PLAN_GRADERS}:
        raise UsageError(_named(row), f"is of group {row.get('group')!r}, which is not graded", "see the row")
    found = grade(reply, row)
    return Score(float(found.value), found.verdict, found.detail, found.parts)


def _by_problem(reply: str, row: Row, root: Path | None) -> Score:
    """Return the score of a problem in PDDL, by its plain reading."""
    from orrery.scoring.problems.known import known_of
    from orrery.scoring.problems.pairs import score_pair

    folder, pddl = (root or find_root()).absolute(), row.get("domain_pddl") or None
    found = score_pair(reply, row, known=known_of(folder, str(row.get("domain") or ""), pddl))
    view = found.plain
    parts = {name: float(bool(getattr(view, name))) for name in ("parseable", "solvable", "correct")}
    if not view.parseable:
        said = ": ".join(filter(None, [found.error, found.detail]))
        return Score(0.0, UNPARSED, said, parts)
    return Score(float(view.correct is True), _VERDICTS[view.correct], _why(view.correct, view.reason), parts)


def _by_domain(reply: str, row: Row, *, headed: bool) -> Score:
    """Return the score of a domain, or of the actions for a header, by equality with the gold."""
    from orrery.scoring.domains.evaluation import evaluate

    found = evaluate(reply, row, headed=headed)
    shares = [each.equal is True for each in found.strict.values()]
    gold = len(found.gold.action_named)
    parts = {"action_accuracy": sum(shares) / gold if gold else 0.0}
    if found.predicted.empty:
        return Score(0.0, UNPARSED, str(found.predicted.error_class or "no domain could be read"), parts)
    first = next((f"{each.kind}: {each.detail}" for each in found.findings), "differs from the gold domain")
    return Score(float(found.equal is True), _VERDICTS[found.equal], _why(found.equal, first), parts)


def _why(right: bool | None, reason: str) -> str:
    return "" if right else reason


_VERDICTS: Mapping[bool | None, str] = MappingProxyType({True: RIGHT, False: WRONG, None: UNDECIDED})
_JUDGES: Mapping[str, Callable[[str, Row, Path | None], Score]] = MappingProxyType(
    {
        "questions": _by_grade,
        "plans": _by_grade,
        "text_to_pddl": _by_problem,
        "actions": lambda reply, row, _: _by_domain(reply, row, headed=True),
        "domains": lambda reply, row, _: _by_domain(reply, row, headed=False),
    }
)
