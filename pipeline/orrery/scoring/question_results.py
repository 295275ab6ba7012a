"""The table of grades: one row a reply to a question; and what they come to, by kind, format and domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orrery.grading import RIGHT, UNPARSED, WRONG, Score
from orrery.scoring.tally import wilson
from orrery.store.kinds import REAL, STRING, column, table

VERDICTS = (RIGHT, WRONG, UNPARSED)
PARTS = ("jaccard", "pos", "neg")
FORMATS: Mapping[str, str] = {"gen": "gen", "bool": "bool", "mc": "mcq", "mcq": "mcq"}
UNKNOWN = "unknown"

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


def result(row: Mapping[str, Any], sample: str, score: Score) -> dict[str, Any]:
    """One row of the table."""
    name, _, form = row["group"].rpartition("_")
    return {
        "id": str(row["id"]),
        "sample": sample,
        "group": row["group"],
        "kind": str(row.get("kind") or name),
        "format": FORMATS.get(form, UNKNOWN),
        "domain": str(row.get("domain") or UNKNOWN),
        "verdict": score.verdict,
        "detail": score.detail,
        **{part: score.parts.get(part) for part in PARTS},
    }


@dataclass
class Grades:
    """The grades of one file, counted as they come."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    parts: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    unparsed: Counter[str] = field(default_factory=Counter)
    ids: int = 0
    _last: str | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the table of grades; rows of one id must follow each other."""
        both = f"{row['kind']} {row['format']}"
        groups = [("all", "all"), ("kind and format", both)]
        for group in groups + [(name, row[name]) for name in ("kind", "format", "domain")]:
            self.counts.setdefault(group, Counter())[row["verdict"]] += 1
        for part in PARTS:
            if row[part] is not None:
                self.parts.setdefault((both, part), []).append(row[part])
        if row["verdict"] == UNPARSED:
            self.unparsed[row["detail"]] += 1
        self.ids += row["id"] != self._last
        self._last = row["id"]

    def as_dict(self, rows: int) -> dict[str, Any]:
        """The summary, where the dataset has ``rows`` rows; sorted. Shares have six digits, intervals 95 %.

        ``parts`` are means; where a reply is unparsed it has none, and does not count there.
        """
        by: dict[str, dict[str, Any]] = {}
        for (name, value), counts in sorted(self.counts.items()):
            by.setdefault(name, {})[value] = _counted(counts)
        overall = by.pop("all", {}).get("all", {})
        means = {
            f"{both} {part}": round(sum(values) / len(values), 6)
            for (both, part), values in sorted(self.parts.items())
        }
        return {
            "replies": overall.get("replies", 0),
            "rows": rows,
            "rows_with_reply": self.ids,
            "rows_without_reply": rows - self.ids,
            "overall": overall,
            "by": by,
            "parts": means,
            "unparsed": dict(sorted(self.unparsed.items())),
        }


def _counted(counts: Counter[str]) -> dict[str, Any]:
    """Replies by verdict, and the share that is right; what is unparsed is not."""
    total = counts.total()
    low, high = wilson(counts[RIGHT], total)
    return {
        "replies": total,
        **{verdict: counts[verdict] for verdict in VERDICTS},
        "share": round(counts[RIGHT] / total, 6),
        "low": round(low, 6),
        "high": round(high, 6),
    }
