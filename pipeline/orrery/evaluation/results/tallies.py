"""The shares of right replies of a run, overall and by group, with 95 % intervals.

Accuracy is right / (right + wrong + unparsed). A reply that was not got (``failed``) and one that no proof
decided within its budget (``undecided``) are neither right nor wrong: they are left out of it and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orrery.evaluation.results.groups import GROUPS, group_of, in_order
from orrery.evaluation.results.lines import aligned, percent
from orrery.evaluation.results.runs import About, Run
from orrery.evaluation.results.schema import DECIDED, FAILED, UNDECIDED, VERDICTS
from orrery.evaluation.results.statistics import Interval, mean_of_shares
from orrery.grading import RIGHT, UNPARSED
from orrery.scoring.tally import Ratio, wilson
from orrery.store.columns import Row

READ = (
    *("table", "id", "epoch", "domain", "kind", "format", "representation", "difficulty", "plan_length"),
    *("turns", "value", "verdict", "detail", "first_verdict", "input_tokens", "output_tokens", "error"),
)
MOST_REASONS = 5
LONGEST_REASON = 120
NAMED = (UNPARSED, UNDECIDED, FAILED)  # the verdicts that have a column in print


@dataclass
class Share:
    """The replies of one group of rows, counted by verdict."""

    verdicts: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    _by_id: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Count a row of scores."""
        self.verdicts[row["verdict"]] += 1
        self.first[row["first_verdict"]] += 1
        if row["verdict"] in DECIDED:
            counts = self._by_id.setdefault((row["table"], row["id"]), [0, 0])
            counts[0] += row["verdict"] == RIGHT
            counts[1] += 1

    @property
    def replies(self) -> int:
        """The number of replies asked for."""
        return self.verdicts.total()

    @property
    def decided(self) -> int:
        """The number of replies that are right or wrong: those that accuracy is taken over."""
        return sum(self.verdicts[verdict] for verdict in DECIDED)

    @property
    def accuracy(self) -> Interval | None:
        """The share of right replies among those decided; None without any.

        The interval is Wilson's.
        """
        yes, total = self.counted
        return Interval(yes / total, *wilson(yes, total)) if total else None

    @property
    def counted(self) -> tuple[float, float]:
        """How many replies are right and of how many, as far as the interval is concerned.

        Where rows were asked several times, the replies to one are not independent: they count as so many as
        would vary as much (the design effect; Kish, 1965, "Survey sampling").
        """
        if len(self._by_id) == self.decided:
            return self.verdicts[RIGHT], self.decided
        sums = Ratio()
        for right, total in self._by_id.values():
            sums.add(right, total)
        share = self.verdicts[RIGHT] / self.decided
        as_many = share * (1 - share) / sums.variance if sums.variance else float(len(self._by_id))
        as_many = min(as_many, float(self.decided))
        return share * as_many, as_many

    @property
    def first_accuracy(self) -> float | None:
        """The share of right first replies among those decided; None without any."""
        decided = sum(self.first[verdict] for verdict in DECIDED)
        return self.first[RIGHT] / decided if decided else None

    def as_json(self) -> dict[str, Any]:
        """Return the counts and shares under their names, shares from 0 to 1."""
        found = self.accuracy
        return {
            "replies": self.replies,
            **{verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "accuracy": _rounded(found),
            "first_accuracy": None if self.first_accuracy is None else round(self.first_accuracy, 6),
        }


@dataclass(frozen=True)
class Summary:
    """What one run found.

    ``overall`` counts all replies, ``by`` those of each value of each group. ``macro`` is the mean of the
    accuracies of the tables, each counted once; ``without`` names the tables that have none. ``failures`` and
    ``undecided`` count reasons, ``missing`` by table the replies that the run has still to ask for.
    ``corrected`` says whether some rows were asked again after an error was shown.
    """

    name: str
    about: About
    overall: Share
    by: Mapping[str, Mapping[str, Share]]
    macro: Interval | None
    without: tuple[str, ...]
    failures: Mapping[str, int]
    undecided: Mapping[str, int]
    missing: Mapping[str, int]
    corrected: bool
    input_tokens: int | None
    output_tokens: int | None

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON values, what failed or stayed open first."""
        return {
            "run": self.name,
            "model": self.about["model"],
            "finished": self.about["finished"],
            "failures": dict(self.failures),
            "undecided": dict(self.undecided),
            "missing": dict(self.missing),
            "overall": self.overall.as_json(),
            "macro": _rounded(self.macro),
            "without_accuracy": list(self.without),
            "by": {
                group: {value: share.as_json() for value, share in shares.items()}
                for group, shares in self.by.items()
            },
            "corrected": self.corrected,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }

    def lines(self) -> list[str]:
        """Return the summary as text: what failed or stayed open, a line a table, then the other groups."""
        found = [*self._head(), ""]
        rows = []
        for group, shares in self.by.items():
            if group != "table" and shares:
                rows.append([""] * len(self._names()))
            for value, share in shares.items():
                title = value if group == "table" else f"{group.replace('_', ' ')} {value}"
                rows.append([title, *self._cells(share)])
            if group == "table":
                rows.append(["all replies", *self._cells(self.overall)])
                rows.append([f"mean of {self._tables_in_macro}", *self._blank(percent(self.macro))])
        found += aligned(self._names(), rows)
        found += [
            "",
            "Accuracy is the share of right replies in %, with its 95 % interval, among those decided.",
        ]
        return found

    @property
    def _tables_in_macro(self) -> str:
        count = len(self.by["table"]) - len(self.without)
        return f"{count} table{'' if count == 1 else 's'}"

    def _head(self) -> list[str]:
        state = "finished" if self.about["finished"] else "not finished"
        found = [f"run {self.name}: {self.about['model']}, {self.overall.replies} replies, {state}"]
        if self.missing:
            listed = ", ".join(f"{table} {count}" for table, count in self.missing.items())
            found.append(f"not asked yet: {sum(self.missing.values())} ({listed})")
        for what, reasons in ((FAILED, self.failures), (UNDECIDED, self.undecided)):
            if reasons:
                found.append(f"{what}: {sum(reasons.values())}, left out of accuracy")
                found += [f"  {count} x {reason}" for reason, count in list(reasons.items())[:MOST_REASONS]]
                if len(reasons) > MOST_REASONS:
                    found.append(f"  and {len(reasons) - MOST_REASONS} other reasons")
        if self.without:
            found.append(f"no accuracy, for nothing was decided: {', '.join(self.without)}")
        return found

    def _names(self) -> list[str]:
        return ["", "replies", *NAMED, *(["first reply"] if self.corrected else []), "accuracy"]

    def _cells(self, share: Share) -> list[str]:
        """Return the cells of a line: counts of nothing are blank, so that others are seen."""
        counts = [str(share.verdicts[verdict] or "") for verdict in NAMED]
        first = share.first_accuracy
        before = ["-" if first is None else f"{100 * first:.1f}"] if self.corrected else []
        return [str(share.replies), *counts, *before, percent(share.accuracy)]

    def _blank(self, last: str) -> list[str]:
        return [*[""] * (len(self._names()) - 2), last]


def summary(run: Run) -> Summary:
    """Return what a run found."""
    overall, by = Share(), {group: dict[str, Share]() for group in GROUPS}
    failures, undecided = Counter[str](), Counter[str]()
    tokens: dict[str, int | None] = {"input_tokens": None, "output_tokens": None}
    corrected = False
    for row in run.rows(READ):
        overall.add(row)
        corrected = corrected or row["turns"] > 1
        for group in GROUPS:
            if (value := group_of(row, group)) is not None:
                by[group].setdefault(value, Share()).add(row)
        failures.update([_reason(row["error"])] if row["verdict"] == FAILED else [])
        undecided.update([_reason(row["detail"])] if row["verdict"] == UNDECIDED else [])
        for name, count in tokens.items():
            tokens[name] = count if row[name] is None else (count or 0) + row[name]
    return Summary(
        run.name,
        run.about,
        overall,
        {group: {v: shares[v] for v in in_order(group, list(shares))} for group, shares in by.items()},
        mean_of_shares(share.counted for share in by["table"].values()),
        tuple(sorted(table for table, share in by["table"].items() if not share.decided)),
        dict(failures.most_common()),
        dict(undecided.most_common()),
        _missing(run.about, by["table"]),
        corrected,
        **tokens,
    )


def _missing(about: About, there: Mapping[str, Share]) -> dict[str, int]:
    """Return by table how many replies were to be asked for that are not there; of none where unknown."""
    wanted = about.get("rows")
    if not isinstance(wanted, Mapping):
        return {}
    left = {name: count - (there[name].replies if name in there else 0) for name, count in wanted.items()}
    return {name: count for name, count in sorted(left.items()) if count > 0}


def _rounded(found: Interval | None) -> dict[str, float] | None:
    return None if found is None else {name: round(value, 6) for name, value in found._asdict().items()}


def _reason(text: str) -> str:
    """Return the first line of a reason, short enough to be read in a list."""
    line = text.strip().partition("\n")[0]
    return (line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…") or "no reason given"
