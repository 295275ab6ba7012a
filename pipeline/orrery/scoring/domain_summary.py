"""Counting the scores of actions and domains: shares, means and ratios with 95 % intervals, by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from orrery.planners.external_parsers import PARSERS
from orrery.scoring.domain_results import COMPONENTS, GROUPS, PARTS, REFERENCES
from orrery.scoring.tally import ShareCount, wilson

SHARES = ("readable", "equal", "executable", *(f"accepted_{p.replace('-', '_')}" for p in PARSERS))
MEANS = (
    *(f"{name}_f1" for name in COMPONENTS),
    "levenshtein_ratio",
    "indel_ratio",
    *(f"reference_{name}" for name in REFERENCES),
)
# Name, what is counted, and of how many.
RATIOS = (
    ("action_accuracy", ("equal_actions",), ("gold_actions",)),
    *((f"{part}_accuracy", (f"correct_{part}",), ("gold_actions",)) for part in PARTS),
    *((f"{part}_distance", (f"distance_{part}",), ("gold_actions",)) for part in PARTS),
    ("solve_rate", ("solved",), ("solvable_problems",)),
    ("undecided_rate", ("undecided",), ("problems",)),
    ("agreement", ("agreeing",), ("problems",)),
    ("exact_plan", ("exact_plans",), ("solvable_problems",)),
    ("good_plan", ("good_plans",), ("good_plans", "bad_plans")),
    ("gold_plan", ("gold_plans",), ("solvable_problems",)),
)
_Z = 1.959963984540054
OVERALL = ("all", "all")


@dataclass
class Sums:
    """What is needed of pairs (amount, of how many) for their ratio and its interval."""

    count: int = 0
    amount: float = 0.0
    whole: float = 0.0
    squares: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def add(self, amount: float, whole: float) -> None:
        """Add the pair of one row."""
        self.count += 1
        self.amount += amount
        self.whole += whole
        for number, product in enumerate((amount * amount, amount * whole, whole * whole)):
            self.squares[number] += product

    @property
    def variance(self) -> float:
        """Of the ratio, rows being the units drawn (linearised; Cochran, 1977, chapter 6)."""
        if self.count < 2:
            return 0.0
        both, mixed, wholes = self.squares
        ratio = self.amount / self.whole
        squares = max(0.0, both - 2 * ratio * mixed + ratio * ratio * wholes)
        return squares * self.count / (self.count - 1) / self.whole**2

    def as_dict(self, *, share: bool) -> dict[str, Any]:
        """The ratio and its interval; of a ``share``, which lies between 0 and 1, by Wilson's formula."""
        if not self.whole:
            return {"value": None, "low": None, "high": None, "of": 0}
        value = min(1.0, self.amount / self.whole) if share else self.amount / self.whole
        low, high = self._share(value) if share else self._amount(value)
        figures = {"value": value, "low": low, "high": high}
        return {name: round(figure, 6) for name, figure in figures.items()} | {"of": round(self.whole)}

    def _share(self, value: float) -> tuple[float, float]:
        """With as many rows as would have this variance if each were right or wrong altogether."""
        rows = value * (1 - value) / self.variance if self.variance > 0 else float(self.count)
        return wilson(value * rows, rows)

    def _amount(self, value: float) -> tuple[float, float]:
        spread = _Z * sqrt(self.variance)
        return max(0.0, value - spread), value + spread


@dataclass
class GroupFigures:
    """All figures of one group of rows."""

    outputs: int = 0
    shares: dict[str, ShareCount] = field(default_factory=lambda: {name: ShareCount() for name in SHARES})
    means: dict[str, Sums] = field(default_factory=lambda: {name: Sums() for name in MEANS})
    ratios: dict[str, Sums] = field(default_factory=lambda: {name: Sums() for name, *_ in RATIOS})

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row."""
        self.outputs += 1
        for name, count in self.shares.items():
            count.add(row[name])
        for name, sums in self.means.items():
            if row[name] is not None:
                sums.add(row[name], 1.0)
        for name, amounts, wholes in RATIOS:
            self.ratios[name].add(_sum(row, amounts), _sum(row, wholes))

    def as_dict(self) -> dict[str, Any]:
        """Everything by name; shares by ``scoring.tally``."""
        return {
            "outputs": self.outputs,
            "shares": {name: count.as_dict() for name, count in self.shares.items()},
            "means": {name: sums.as_dict(share=True) for name, sums in self.means.items()},
            "ratios": {n: sums.as_dict(share=not n.endswith("_distance")) for n, sums in self.ratios.items()},
        }


def _sum(row: Mapping[str, Any], names: Sequence[str]) -> float:
    return float(sum(row[name] for name in names))


@dataclass
class ScoreSummary:
    """The scores of one file, counted as they come."""

    groups: dict[tuple[str, str], GroupFigures] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    ids: set[str] = field(default_factory=set)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of scores; none is left out, whatever could not be read of it."""
        for group in (OVERALL, *((name, row[name]) for name in GROUPS)):
            self.groups.setdefault(group, GroupFigures()).add(row)
        self.ids.add(row["id"])
        self.errors.update([row["error"]] if row["error"] else [])
        self.findings.update(_heads(row["findings"], 0))
        self.outcomes.update(_heads(row["verdicts"], 1))

    def as_dict(self, rows: int) -> dict[str, Any]:
        """The summary, where the dataset has ``rows`` rows; sorted."""
        by: dict[str, dict[str, Any]] = {}
        for (name, value), figures in sorted(self.groups.items()):
            by.setdefault(name, {})[value] = figures.as_dict()
        overall = by.pop("all", {}).get("all", GroupFigures().as_dict())
        return {
            "outputs": overall["outputs"],
            "rows": rows,
            "rows_with_output": len(self.ids),
            "rows_without_output": rows - len(self.ids),
            "overall": overall,
            "by": by,
            "errors": dict(sorted(self.errors.items())),
            "findings": dict(sorted(self.findings.items())),
            "outcomes": dict(sorted(self.outcomes.items())),
        }


def _heads(lines: Iterable[str], place: int) -> list[str]:
    """One part of each of ``lines``, whose parts are set apart by a colon and a space."""
    return [line.split(": ")[place] for line in lines]


def as_text(summary: Mapping[str, Any]) -> list[str]:
    """The summary as lines: percent with 95 % intervals, distances in conditions an action."""
    lines = [
        f"{summary['outputs']} outputs for {summary['rows_with_output']} of {summary['rows']} rows;"
        f" {summary['rows_without_output']} rows without an output are not counted below.",
        "Percent with 95 % intervals; +n: so many more are undecided. Distances: a gold action.",
    ]
    for name, count in summary["overall"]["shares"].items():
        if count["yes"] + count["no"]:
            lines.append(f"{name:28}{_percent(count['share'], count)}" + _open(count["undecided"]))
    for name, figures in summary["overall"]["means"].items():
        lines.append(f"{name:28}{_percent(figures['value'], figures)}")
    for name, figures in summary["overall"]["ratios"].items():
        shown = _number(figures) if name.endswith("_distance") else _percent(figures["value"], figures)
        lines.append(f"{name:28}{shown}")
    for group, values in summary["by"].items():
        lines += [_group(group, value, figures) for value, figures in values.items()]
    for what in ("errors", "findings", "outcomes"):
        lines += [f"{what}: {count} {name}" for name, count in summary[what].items()]
    return lines


def _group(group: str, value: str, figures: Mapping[str, Any]) -> str:
    """One line on a group: its outputs, and the figures that papers lead with."""
    equal, accuracy = figures["shares"]["equal"], figures["ratios"]["action_accuracy"]
    solved, effects = figures["ratios"]["solve_rate"], figures["means"]["effects_f1"]
    cells = {"equal": (equal, "share"), "actions": (accuracy, "value"), "effects F1": (effects, "value")}
    cells["solved"] = (solved, "value")
    shown = [f"{name} {_percent(found[key], found)}" for name, (found, key) in cells.items()]
    return "   ".join([f"{f'{group} {value}'[:27]:28}{figures['outputs']:>6} outputs", *shown])


def _percent(value: float | None, figures: Mapping[str, Any]) -> str:
    if value is None:
        return "-"
    return f"{100 * value:.1f} ({100 * figures['low']:.1f}-{100 * figures['high']:.1f})"


def _number(figures: Mapping[str, Any]) -> str:
    if figures["value"] is None:
        return "-"
    return f"{figures['value']:.2f} ({figures['low']:.2f}-{figures['high']:.2f})"


def _open(undecided: int) -> str:
    return f" +{undecided}" if undecided else ""
