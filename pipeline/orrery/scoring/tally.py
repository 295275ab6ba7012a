"""Counting scores: shares with confidence intervals, overall and by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

MEASURES = ("parseable", "solvable", "correct")
VIEWS = ("", "relaxed_")
GROUPS = ("domain", "mixture", "size", "is_placeholder", "vocabulary", "init", "goal")
OVERALL = ("all", "all")
_Z = 1.959963984540054  # the normal distribution holds 95 % within so many deviations


def wilson(yes: float, total: float) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927), from 0 to 1; the whole range where there is nothing."""
    if not total:
        return 0.0, 1.0
    share, square = yes / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    spread = _Z / (1 + square / total) * sqrt(share * (1 - share) / total + square / (4 * total * total))
    # Rounding must not put the share itself outside.
    return max(0.0, min(share, middle - spread)), min(1.0, max(share, middle + spread))


@dataclass
class ShareCount:
    """Answers to one question."""

    yes: int = 0
    no: int = 0
    undecided: int = 0

    def add(self, answer: bool | None) -> None:
        """Count one answer."""
        if answer is None:
            self.undecided += 1
        elif answer:
            self.yes += 1
        else:
            self.no += 1

    def as_dict(self) -> dict[str, Any]:
        """The counts, the share among what is decided, and its interval (six digits)."""
        low, high = wilson(self.yes, self.yes + self.no)
        decided = self.yes + self.no
        return {
            "yes": self.yes,
            "no": self.no,
            "undecided": self.undecided,
            "share": round(self.yes / decided, 6) if decided else None,
            "low": round(low, 6),
            "high": round(high, 6),
        }


@dataclass
class Tally:
    """The scores of one file, counted as they come."""

    counts: dict[tuple[str, str], dict[str, ShareCount]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    tolerated: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    outputs: int = 0
    ids: int = 0
    _some: Counter[bool | None] = field(default_factory=Counter)
    _last: tuple[str, bool | None] = ("", None)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of the table of scores; rows of one id must follow each other."""
        self.outputs += 1
        for group in (OVERALL, *((name, str(row[name])) for name in GROUPS)):
            counts = self.counts.setdefault(group, {f"{v}{m}": ShareCount() for v in VIEWS for m in MEASURES})
            for name, count in counts.items():
                count.add(row[name])
        self.tolerated.update(row["tolerated"])
        for counter, name in ((self.errors, "error"), (self.reasons, "reason"), (self.remarks, "remark")):
            if row[name]:
                counter[row[name]] += 1
        for name, reason in (("solvable", "solvable_reason"), ("correct", "reason")):
            if row[name] is None:
                self.undecided[f"{name}: {row[reason]}"] += 1
        self._by_id(row["id"], row["correct"])

    def _by_id(self, name: str, correct: bool | None) -> None:
        """Count an id once, and whether some output for it is correct: open where one may be and none is."""
        if self.ids and self._last[0] == name:
            before = self._last[1]
            self._some[before] -= 1
            correct = True if correct or before else None if None in (correct, before) else False
        else:
            self.ids += 1
        self._some[correct] += 1
        self._last = (name, correct)

    def as_dict(self, rows: int) -> dict[str, Any]:
        """The summary, where the dataset has ``rows`` rows; sorted, so that equal scores give equal bytes."""
        by: dict[str, dict[str, Any]] = {}
        order = {name: number for number, name in enumerate((OVERALL[0], *GROUPS))}
        for (name, value), counts in sorted(
            self.counts.items(), key=lambda item: (order[item[0][0]], item[0])
        ):
            entry = {"outputs": sum(vars(counts["parseable"]).values())}
            by.setdefault(name, {})[value] = entry | {m: count.as_dict() for m, count in counts.items()}
        some = ShareCount(self._some[True], self._some[False], self._some[None])
        return {
            "outputs": self.outputs,
            "rows": rows,
            "rows_with_output": self.ids,
            "rows_without_output": rows - self.ids,
            "overall": by.pop("all", {}).get("all", {}),
            "some_output_correct": some.as_dict(),
            "by": by,
            **{
                name: dict(sorted(getattr(self, name).items()))
                for name in ("errors", "tolerated", "reasons", "undecided", "remarks")
            },
        }
