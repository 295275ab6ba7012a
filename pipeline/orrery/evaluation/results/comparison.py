"""Two runs compared on the rows that both decided.

The same rows were asked, so the replies come in pairs, and a row that both got right says nothing of which
run is better. A pair is a row; one that was asked several times counts once, with the share of its replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from orrery.evaluation.results.groups import GROUPS, group_of, in_order
from orrery.evaluation.results.lines import aligned, as_chance, percent
from orrery.evaluation.results.runs import Run
from orrery.evaluation.results.schema import DECIDED
from orrery.evaluation.results.statistics import (
    Interval,
    Pairs,
    holm,
    mean_difference,
    paired_difference,
    sign_test,
)
from orrery.model import UsageError
from orrery.store.columns import Row

READ = (
    *("table", "split", "id", "epoch", "value", "verdict"),
    *("domain", "kind", "format", "representation", "difficulty", "plan_length"),
)


Key: TypeAlias = tuple[str, str, str]  # table, split and id of a row


class Pair(NamedTuple):
    """A row that both runs decided: the shares of its replies that are right, and its properties in both."""

    first: float
    second: float
    once: bool
    row: Row
    other: Row


@dataclass(frozen=True)
class Compared:
    """Two runs on the same rows.

    ``first`` and ``second`` are their accuracies on these rows, ``difference`` the first minus the second,
    with its 95 % interval. ``only_first`` counts rows on which the first run was better, ``only_second`` the
    others that are not alike. ``chance`` is the p-value of the exact test, ``corrected`` the one that takes
    into account how many groups are compared.
    """

    rows: int
    first: float
    second: float
    difference: Interval
    only_first: int
    only_second: int
    chance: float
    corrected: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the figures under their names."""
        difference = {name: round(value, 6) for name, value in self.difference._asdict().items()}
        return {
            "rows": self.rows,
            "first": round(self.first, 6),
            "second": round(self.second, 6),
            "difference": difference,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "p": self.chance,
            "p_holm": self.corrected,
        }


@dataclass(frozen=True)
class Comparison:
    """What is known of two runs beside each other.

    ``overall`` compares all rows, ``groups`` those of each value of the group ``by``. ``alone`` counts rows
    that only one of the two was asked, ``open_ones`` rows of both that one did not decide. ``warnings`` say
    what speaks against the comparison.
    """

    names: tuple[str, str]
    models: tuple[str, str]
    by: str
    overall: Compared
    groups: Mapping[str, Compared]
    alone: tuple[int, int]
    open_ones: tuple[int, int]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "runs": list(self.names),
            "models": list(self.models),
            "warnings": list(self.warnings),
            "only_in": list(self.alone),
            "undecided_in": list(self.open_ones),
            "overall": self.overall.as_json(),
            "by": self.by,
            "groups": {value: compared.as_json() for value, compared in self.groups.items()},
        }

    def lines(self) -> list[str]:
        """Return the comparison as text: what was left out, all rows, then a line a group."""
        found = [
            f"{place}: {name} ({model})"
            for place, name, model in zip(("first", "second"), self.names, self.models, strict=True)
        ]
        found += [f"warning: {warning}" for warning in self.warnings]
        for name, alone, open_ones in zip(self.names, self.alone, self.open_ones, strict=True):
            if alone or open_ones:
                found.append(
                    f"left out: {alone} rows that only {name} was asked, {open_ones} that it left open"
                )
        names = [
            "",
            "rows",
            "first",
            "second",
            "difference",
            "first better",
            "second better",
            "p",
            "p (Holm)",
        ]
        rows = [_cells("all", self.overall)]
        rows += [_cells(value, compared) for value, compared in self.groups.items()]
        return [*found, "", *aligned(names, rows), "", NOTE]


NOTE = (
    "Accuracy and its difference in %, with the 95 % interval, on rows that both decided. p is of the exact "
    "test on rows that only one got right; p (Holm) takes into account how many lines are read."
)


@dataclass(frozen=True)
class Replies:
    """A run with its replies by row, and of each row by epoch: made once for many comparisons."""

    run: Run
    by_row: Mapping[Key, Mapping[int, Row]]


def replies_of(run: Run) -> Replies:
    """Return a run, ready to be compared."""
    found: dict[Key, dict[int, Row]] = {}
    for row in run.rows(READ):
        found.setdefault((row["table"], row["split"], row["id"]), {})[row["epoch"]] = row
    return Replies(run, found)


def compare(first: Replies, second: Replies, by: str = "table", *, other_data: bool = False) -> Comparison:
    """Return two runs compared on the rows that both decided, overall and by one of ``GROUPS``.

    Args:
        first: the replies of one run.
        second: the replies of the other run.
        by: the group, such as ``table`` or ``domain``.
        other_data: compare rows of the same id even if the runs asked different versions of the data.

    Raises:
        UsageError: there is no such group, the runs share no rows, or they asked different data.
    """
    if by not in GROUPS:
        raise UsageError(f"group '{by}'", "is unknown", f"groups: {', '.join(GROUPS)}")
    one, other, mine, theirs = first.run, second.run, first.by_row, second.by_row
    where, warnings = f"runs '{one.name}' and '{other.name}'", []
    shared = [key for key in mine if key in theirs]
    if not shared:
        raise UsageError(where, "share no rows", "ask the same tables, split and limit, or the same seed")
    if one.about["data"] != other.about["data"]:
        if not other_data:
            said = f"asked different data: {one.about['data']} and {other.about['data']}"
            raise UsageError(where, said, "ask one of them again, or compare ids with --other-data")
        warnings.append("the runs asked different versions of the data: a row may differ under the same id")
    warnings += [f"{run.name} is not finished" for run in (one, other) if not run.about["finished"]]
    pairs = [pair for key in shared if (pair := _pair(mine[key], theirs[key]))]
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        if (value := _group(pair, by)) is not None:
            groups.setdefault(value, []).append(pair)
    found = {value: _compared(groups[value]) for value in in_order(by, list(groups))}
    return Comparison(
        (one.name, other.name),
        (one.about["model"], other.about["model"]),
        by,
        _compared(pairs),
        _corrected(found),
        (len(mine) - len(shared), len(theirs) - len(shared)),
        (_open(mine, shared), _open(theirs, shared)),
        tuple(warnings),
    )


def _decided(epochs: Mapping[int, Row]) -> list[Row]:
    return [row for row in epochs.values() if row["verdict"] in DECIDED]


def _open(rows: Mapping[Key, Mapping[int, Row]], keys: Iterable[Key]) -> int:
    """Return how many rows have no reply that was decided."""
    return sum(not _decided(rows[key]) for key in keys)


def _pair(first: Mapping[int, Row], second: Mapping[int, Row]) -> Pair | None:
    """Return what both runs said to a row; None where one of them did not decide it."""
    mine, theirs = _decided(first), _decided(second)
    if not mine or not theirs:
        return None
    shares = [sum(row["value"] for row in rows) / len(rows) for rows in (mine, theirs)]
    return Pair(shares[0], shares[1], len(mine) == len(theirs) == 1, mine[0], theirs[0])


def _group(pair: Pair, by: str) -> str | None:
    """Return what a pair belongs to: what both runs say of it, side by side where they do not agree."""
    mine, theirs = group_of(pair.row, by), group_of(pair.other, by)
    return mine if mine == theirs else f"{mine or 'none'} / {theirs or 'none'}"


def _compared(pairs: list[Pair]) -> Compared:
    """Return the figures of some pairs."""
    count = len(pairs)
    first, second = (sum(pair.first for pair in pairs), sum(pair.second for pair in pairs))
    better, worse = sum(p.first > p.second for p in pairs), sum(p.first < p.second for p in pairs)
    if all(pair.once for pair in pairs):
        both = sum(pair.first == pair.second == 1 for pair in pairs)
        difference = paired_difference(Pairs(both, better, worse, count - both - better - worse))
    else:
        difference = mean_difference([pair.first - pair.second for pair in pairs])
    shares = (first / count, second / count) if count else (0.0, 0.0)
    return Compared(count, *shares, difference, better, worse, sign_test(better, worse))


def _corrected(groups: Mapping[str, Compared]) -> dict[str, Compared]:
    """Return the groups with the p-values that take into account how many there are."""
    chances = holm([compared.chance for compared in groups.values()])
    return {
        value: replace(compared, corrected=chance)
        for (value, compared), chance in zip(groups.items(), chances, strict=True)
    }


def _cells(title: str, compared: Compared) -> list[str]:
    return [
        title,
        str(compared.rows),
        f"{100 * compared.first:.1f}",
        f"{100 * compared.second:.1f}",
        percent(compared.difference, signed=True),
        str(compared.only_first),
        str(compared.only_second),
        as_chance(compared.chance),
        "" if compared.corrected is None else as_chance(compared.corrected),
    ]
