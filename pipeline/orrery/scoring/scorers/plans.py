"""Replies to the tasks of planning: plans made, checked, mended and followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from orrery.grading import RIGHT, UNPARSED, WRONG, grade
from orrery.model import OrreryError
from orrery.scoring.scorer import Columns, DatasetRow, Scorer
from orrery.scoring.tally import Measures, ScoreRow, columns
from orrery.store.kinds import REAL, STRING, Schema, column, table

# What graders call the finer scores of a reply, and what the columns of scores are called.
PARTS: Mapping[str, str] = MappingProxyType(
    {
        "cost_ratio": "cost_ratio",
        "f1": "f1",
        "verdict": "verdict_right",
        "step": "step_right",
        "literals": "literals_right",
    }
)
# Long, and no grader reads them.
UNREAD = frozenset(
    {
        "context", "context_pddl", "context_both", "question", "question_pddl", "shown_problem_pddl",
        "shown_examples", "sample", "output",
    }
)  # fmt: skip

SCHEMA = table(
    "grades",
    "Grades of replies to the tasks of planning",
    column("id", STRING, "The row of a table of plans"),
    column("sample", STRING, "Which reply to that row; empty where there is one"),
    column("group", STRING, "The table of the row"),
    column("task", STRING, "What is asked: `generation`, `optimal`, `verification` and so on"),
    column("domain", STRING, "Name of the planning domain"),
    column("vocabulary", STRING, "`plain`, or the obfuscated names that the row uses"),
    column("form", STRING, "How the goal is told; empty where that is not what is measured"),
    column("twin_group", STRING, "Equal for the rows of one problem in several forms; else empty"),
    column("verdict", STRING, "`right`, `wrong` or `unparsed`"),
    column("detail", STRING, "Why it is not right"),
    column(
        "cost_ratio", REAL,
        "The least cost by that of the plan, 0 where it is none; null for other tasks", nullable=True,
    ),
    column("f1", REAL, "F1 of the facts of the state; null for other tasks", nullable=True),
    column(
        "verdict_right", REAL, "1 if it is right whether a plan is valid; null for other tasks", nullable=True
    ),
    column("step_right", REAL, "1 if the step that fails is right; null for other tasks", nullable=True),
    column(
        "literals_right", REAL, "1 if the literals that do not hold are right; null for other tasks",
        nullable=True,
    ),
    key=("id", "sample"),
)  # fmt: skip


def _twins(row: ScoreRow) -> str:
    """Return what replies share that should be judged alike; empty where there is nothing to compare."""
    named = (row["twin_group"], row["vocabulary"], row["sample"])
    return "\n".join(named) if row["twin_group"] else ""


@dataclass(frozen=True)
class PlanScorer(Scorer):
    """Grade plans, and what is said of plans, in replies to the plan tables."""

    needed: ClassVar[tuple[str, ...]] = ("id", "group", "domain", "domain_pddl", "problem_pddl", "phrases")
    schema: ClassVar[Schema] = SCHEMA
    measures: ClassVar[Measures] = Measures(
        shares={
            "right": lambda row: row["verdict"] == RIGHT,
            "wrong": lambda row: row["verdict"] == WRONG,
            "unparsed": lambda row: row["verdict"] == UNPARSED,
        },
        means=tuple(PARTS.values()),
        groups={**columns("domain", "task", "vocabulary"), "form": lambda row: row["form"] or None},
        listed={},
        best="right",
        shown=("right", "wrong", "unparsed"),
        printed=(),
        alike={"groups answered alike": _twins},
    )

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
        group = str(row["group"])
        return {
            "group": group,
            "task": str(row.get("task") or group.partition("_")[2]),
            "domain": str(row["domain"]),
            "vocabulary": str(row.get("vocabulary") or ""),
            "form": str(row.get("form") or ""),
            "twin_group": str(row.get("twin_group") or ""),
            "verdict": found.verdict,
            "detail": found.detail,
            **{column: found.parts.get(part) for part, column in PARTS.items()},
        }


SCORER = PlanScorer
