"""Scorers with one verdict per reply, from the graders or from a function of a family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from orrery.grading import RIGHT, UNPARSED, WRONG, Score, grade
from orrery.model import OrreryError
from orrery.scoring.scorer import Columns, DatasetRow, Scorer, message
from orrery.scoring.tally import Measures, columns

UNKNOWN = "unknown"
VERDICTS = (RIGHT, WRONG, UNPARSED)
# Long columns that no grader reads.
UNREAD = frozenset({"context", "context_pddl", "context_both", "question_pddl", "sample", "output"})


def verdict_measures(**measures: Any) -> Measures:
    """Return the measures of verdicts: shares of right, wrong and unparsed replies, and ``measures``."""
    shares = {verdict: f"verdict = '{verdict}'" for verdict in VERDICTS}
    defaults = {"groups": columns("domain"), "listed": {}, "printed": ()}
    return Measures(shares=shares, best=RIGHT, shown=VERDICTS, **{**defaults, **measures})


@dataclass(frozen=True)
class GradeScorer(Scorer):
    """Score replies by a verdict.

    A subclass may replace ``score``, and declare ``parts`` if the score has some: columns with their
    meanings, named after the parts of the grader, some followed by ``_right``. ``labels`` are the columns
    that describe the row, with their meanings.
    """

    needed: ClassVar[tuple[str, ...]] = ("id", "group")
    measures: ClassVar[Measures] = verdict_measures()
    replies_to: ClassVar[tuple[str, str]] = ("the rows", "a table")  # names used in descriptions
    unread: ClassVar[frozenset[str]] = UNREAD
    labels: ClassVar[Mapping[str, str]] = {"domain": "Name of the planning domain"}
    parts: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def schema(cls) -> Any:
        """Return the schema of the table ``grades``: labels, verdict, detail, and the parts of the score."""
        from orrery.store.kinds import REAL, STRING, column, table

        rows, origin = cls.replies_to
        return table(
            "grades",
            f"Grades of replies to {rows}",
            column("id", STRING, f"The row of {origin}"),
            column("sample", STRING, "Which reply to that row; empty where there is one"),
            *(column(name, STRING, description) for name, description in cls.labels.items()),
            column("verdict", STRING, "`right`, `wrong` or `unparsed`"),
            column("detail", STRING, "Why it is not right"),
            *(column(name, REAL, meaning, nullable=True) for name, meaning in cls.parts.items()),
            key=("id", "sample"),
        )

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether a grader may read the column."""
        return column not in cls.unread

    def labelled(self, row: DatasetRow) -> dict[str, str]:
        """Return the labels of a row: by default the columns of their names."""
        labels = {name: str(row.get(name) or "") for name in self.labels}
        return {**labels, "domain": str(row.get("domain") or UNKNOWN)}

    def score(self, reply: str, row: DatasetRow) -> Score:
        """Return the verdict of the grader of the row's group."""
        return grade(reply, row)

    def measure(self, row: DatasetRow, reply: str, score: Score | None = None) -> Columns:
        """Return the labels of the row, the verdict on the reply, and the parts of the score."""
        try:
            score = score or self.score(reply, row)
        except ValueError as error:
            raise OrreryError(f"row {row['id']}", str(error)) from error
        return {
            **self.labelled(row),
            "verdict": score.verdict,
            "detail": score.detail,
            **{name: score.parts.get(name.removesuffix("_right")) for name in self.parts},
        }

    def feedback(self, reply: str, row: DatasetRow, score: Score) -> str:
        """Return the message that no answer could be read; empty for a readable answer, to reveal nothing."""
        return message(self.root, "unread") if score.verdict == UNPARSED else ""
