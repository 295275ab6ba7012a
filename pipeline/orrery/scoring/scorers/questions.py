"""Replies to questions: of the tables that name this scorer, and of others whose rows have a ``group``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.families import tables
from orrery.families.questions.kind import kind_and_format
from orrery.grading import RIGHT, UNPARSED, WRONG, grade
from orrery.model import OrreryError
from orrery.scoring.scorer import Columns, DatasetRow, Scorer
from orrery.scoring.tally import Measures, columns
from orrery.store.kinds import REAL, STRING, Schema, column, table

PARTS = ("jaccard", "pos", "neg")
UNKNOWN = "unknown"
# Long, and no grader reads them.
UNREAD = frozenset({"context", "context_pddl", "context_both", "question_pddl", "proofs", "sample", "output"})

SCHEMA = table(
    "grades",
    "Grades of replies to the questions",
    column("id", STRING, "The row of a table of questions"),
    column("sample", STRING, "Which reply to that row; empty where there is one"),
    column("group", STRING, "Kind and format of the question, as the row has it"),
    column("kind", STRING, "Kind of the question"),
    column("format", STRING, "`gen`, `bool` or `mcq`"),
    column("domain", STRING, "Name of the planning domain"),
    column("verdict", STRING, "`right`, `wrong` or `unparsed`"),
    column("detail", STRING, "Why it is not right"),
    column("jaccard", REAL, "Similarity of the sets of actions; null for other kinds", nullable=True),
    column("pos", REAL, "1 if the facts that become true are right; null for other kinds", nullable=True),
    column("neg", REAL, "1 if the facts that become false are right; null for other kinds", nullable=True),
    key=("id", "sample"),
)


@dataclass(frozen=True)
class QuestionScorer(Scorer):
    """Grade replies to questions of all kinds and formats."""

    needed: ClassVar[tuple[str, ...]] = ("id", "group", "answer")
    schema: ClassVar[Schema] = SCHEMA
    block: ClassVar[int] = 1000
    measures: ClassVar[Measures] = Measures(
        shares={
            "right": lambda row: row["verdict"] == RIGHT,
            "wrong": lambda row: row["verdict"] == WRONG,
            "unparsed": lambda row: row["verdict"] == UNPARSED,
        },
        means=PARTS,
        groups={
            **columns("domain", "format", "kind"),
            "kind and format": lambda row: f"{row['kind']} {row['format']}",
        },
        listed={"unparsed": lambda row: [row["detail"]] if row["verdict"] == UNPARSED else []},
        best="right",
        shown=("right", "wrong", "unparsed"),
        printed=("unparsed",),
    )

    @classmethod
    def tables(cls, dataset: Path) -> tuple[str, ...]:
        """Return the tables there that name this scorer, sorted, and others whose rows have a group.

        Or files in one folder that hold questions.
        """
        folders = {path.parent.name: path for path in sorted((dataset / "data").glob("*/*.parquet"))}
        named = {name: table.grader == cls.grader() for name, table in tables().items()}
        found = {name for name, path in folders.items() if named.get(name, _has(path, "group"))}
        found |= {path.stem for path in dataset.glob("*.parquet") if _has(path, *cls.needed)}
        return tuple(sorted(found))

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether a grader may read the column."""
        return column not in UNREAD

    def score(self, row: DatasetRow, reply: str) -> Columns:
        """Return the verdict on a reply, and what the row is grouped by."""
        try:
            found = grade(reply, row)
        except ValueError as error:
            raise OrreryError(f"row {row['id']}", str(error)) from error
        kind, form = kind_and_format(row)
        return {
            "group": row["group"],
            "kind": kind,
            "format": form,
            "domain": str(row.get("domain") or UNKNOWN),
            "verdict": found.verdict,
            "detail": found.detail,
            **{part: found.parts.get(part) for part in PARTS},
        }


SCORER = QuestionScorer


def _has(path: Path, *columns: str) -> bool:
    """Return whether a file has the columns.

    Unreadable ones count, so that their reader reports the error.
    """
    try:
        return set(columns).issubset(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return True
