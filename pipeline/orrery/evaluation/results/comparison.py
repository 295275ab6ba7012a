"""Compare two runs on the rows that both decided.

Replies to the same rows come in pairs. A row that both runs got right does not show which run is better.
Rows of one problem may depend on each other, so intervals and tests are clustered by problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orrery.evaluation.results.runs import (
    ABILITY,
    CLUSTER,
    DECIDED,
    GROUPS,
    EvaluationRun,
    in_order,
    warnings_on,
)
from orrery.evaluation.results.statistics import (
    Interval,
    PairedCounts,
    aligned,
    as_chance,
    clustered_difference,
    holm,
    percent,
    rows_needed,
    sign_test,
    together,
)
from orrery.model import UsageError, suggest
from orrery.scoring.tally import query


@dataclass(frozen=True)
class ComparedAccuracy:
    """The accuracies of two runs on the same rows.

    ``problems`` counts the clusters of rows. ``difference`` is the first accuracy minus the second, with its
    95 % interval. ``only_first`` counts rows on which the first run was better, ``only_second`` rows on which
    the second run was better. ``chance`` is the p-value of the exact test. ``needed`` are the rows that
    detect each of the ``DIFFERENCES``, None if unknown. ``corrected`` is the p-value corrected for the number
    of groups, if there are several.
    """

    rows: int
    problems: int
    first: float
    second: float
    difference: Interval
    only_first: int
    only_second: int
    chance: float
    needed: tuple[int | None, ...]
    corrected: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        difference = {name: round(value, 6) for name, value in self.difference._asdict().items()}
        return {
            "rows": self.rows,
            "problems": self.problems,
            "first": round(self.first, 6),
            "second": round(self.second, 6),
            "difference": difference,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "p": self.chance,
            "p_holm": self.corrected,
            "rows_needed": dict(zip(map(str, DIFFERENCES), self.needed, strict=True)),
        }


DIFFERENCES = (0.01, 0.02, 0.05)
UNKNOWN = (None,) * len(DIFFERENCES)
NO_ROWS = ComparedAccuracy(0, 0, 0.0, 0.0, Interval(0.0, -1.0, 1.0), 0, 0, 1.0, UNKNOWN)


@dataclass(frozen=True)
class Comparison:
    """The comparison of two runs.

    ``overall`` compares all rows, ``groups`` the rows of each value of the group ``by``. ``alone`` counts the
    rows of only one run, by run. ``open_ones`` counts the common rows that a run did not decide, by run.
    ``warnings`` are reasons against the comparison.
    """

    names: tuple[str, str]
    models: tuple[str, str]
    by: str
    overall: ComparedAccuracy
    groups: Mapping[str, ComparedAccuracy]
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
        """Return the comparison as text: omitted rows, all rows, then one line per group."""
        runs = zip(("first", "second"), self.names, self.models, strict=True)
        lines = [f"{place}: {name} ({model})" for place, name, model in runs]
        lines += [f"warning: {warning}" for warning in self.warnings]
        for name, alone, open_rows in zip(self.names, self.alone, self.open_ones, strict=True):
            if alone or open_rows:
                lines.append(
                    f"left out: {alone} rows that only {name} was asked, {open_rows} that it left open"
                )
        heads = (
            "",
            "rows",
            "problems",
            "first",
            "second",
            "difference",
            "first better",
            "second better",
            "p",
            "p (Holm)",
        )
        rows = [_cells("all", self.overall)]
        rows += [_cells(value, compared) for value, compared in self.groups.items()]
        return [*lines, "", *aligned([heads, *rows]), "", *_needed(self.overall), NOTE]


NOTE = (
    "Accuracy and its difference in %, with the 95 % interval, on rows that both decided. p is of an exact "
    "test of the signs of the differences by problem. Both are clustered by problem. p (Holm) takes into "
    "account how many lines are read."
)


def _needed(compared: ComparedAccuracy) -> list[str]:
    """Return a line with the numbers of rows that differences need, if they are known."""
    needed = [f"{rows:,}" for rows in compared.needed if rows is not None]
    points = ", ".join(f"{100 * difference:.0f}" for difference in DIFFERENCES)
    head = f"Rows for a difference of {points} points (80 % power at a level of 5 %)"
    return [f"{head}: {'; '.join(needed)}."] if needed else []


def compare(
    first: EvaluationRun, second: EvaluationRun, by: str = "table", *, other_data: bool = False
) -> Comparison:
    """Compare two runs on the rows that both decided, overall and by one of ``GROUPS``.

    Args:
        first: one run.
        second: the other run.
        by: the group, for example ``table`` or ``domain``.
        other_data: compare rows with the same id even if the runs used different versions of the data.

    Raises:
        UsageError: the group is unknown, a run is adaptive, the runs share no rows, or they used different
            data.
    """
    if by not in GROUPS:
        raise UsageError(f"group '{by}'", "is unknown", suggest(by, "groups", GROUPS))
    for run in (first, second):
        if ABILITY in run.about:
            problem = "is adaptive: its replies decided which rows it was asked"
            raise UsageError(f"run '{run.name}'", problem, "compare abilities, which run.json states")
    tables = {"first_scores": first.scores, "second_scores": second.scores}
    names = f"runs '{first.name}' and '{second.name}'"
    (counts,) = query(f"{_ROWS} {_SHARED}", tables)
    if not counts["shared"]:
        raise UsageError(names, "share no rows", "use the same tables, split and limit, or the same seed")
    if first.about["data"] != second.about["data"] and not other_data:
        problem = f"used different data: {first.about['data']} and {second.about['data']}"
        raise UsageError(names, problem, "repeat one of them, or compare ids with --other-data")
    clusters: dict[str | None, list[PairedCounts]] = defaultdict(list)
    for row in query(f"{_ROWS} {_paired(by)}", tables):
        clusters[row["value"]].append(PairedCounts(*(row[name] for name in PairedCounts._fields)))
    all_pairs = clusters.pop(None, ())
    groups = {value: _compared(of_group) for value, of_group in clusters.items() if value}
    return Comparison(
        (first.name, second.name),
        (first.about["model"], second.about["model"]),
        by,
        _compared(all_pairs) if all_pairs else NO_ROWS,
        _corrected({value: groups[value] for value in in_order(by, [*groups])}),
        (counts["only_first"], counts["only_second"]),
        (counts["open_in_first"], counts["open_in_second"]),
        tuple(warnings_on((first, second))),
    )


def _rows_of(scores: str) -> str:
    """Return the SQL for the rows of a table of scores: whether they are decided, and their groups."""
    groups = ", ".join(f"{sql} as {name}_" for name, sql in GROUPS.items())
    decided = f"verdict in {DECIDED} as decided"
    columns = f'"table", split, id, {decided}, value, {CLUSTER} as cluster'
    return f"select {columns}, {groups} from {scores} where is_last"


_ROWS = f"with a as ({_rows_of('first_scores')}), b as ({_rows_of('second_scores')})"
_SHARED = """
    select count(*) filter (a.id is not null and b.id is not null) as shared,
        count(*) filter (b.id is null) as only_first, count(*) filter (a.id is null) as only_second,
        count(*) filter (not a.decided and b.id is not null) as open_in_first,
        count(*) filter (not b.decided and a.id is not null) as open_in_second
    from a full join b using ("table", split, id)
"""


def _paired(by: str) -> str:
    """Return the SQL for the counts of pairs by cluster, for all pairs (without value) and by group.

    The value of a pair is the common group value of both runs, or both values.
    """
    return f"""
        select value, cluster, grouping(value) as all_pairs, count(*) filter (a = 1 and b = 1) as both,
            count(*) filter (a > b) as first, count(*) filter (a < b) as second,
            count(*) filter (a = 0 and b = 0) as neither
        from (
            select a.cluster, a.value as a, b.value as b,
                case when a.{by}_ is not distinct from b.{by}_ then a.{by}_
                else coalesce(a.{by}_, 'none') || ' / ' || coalesce(b.{by}_, 'none') end as value
            from a join b using ("table", split, id) where a.decided and b.decided
        ) group by grouping sets ((cluster), (value, cluster)) having all_pairs = 1 or value is not null
        order by all
    """


def _compared(clusters: Sequence[PairedCounts]) -> ComparedAccuracy:
    """Return the figures of the pairs of some clusters."""
    pairs = together(clusters)
    rows, better, worse = (int(count) for count in (sum(pairs), pairs.first, pairs.second))
    return ComparedAccuracy(
        rows,
        len(clusters),
        (pairs.both + better) / rows,
        (pairs.both + worse) / rows,
        clustered_difference(clusters),
        better,
        worse,
        sign_test([int(cluster.first - cluster.second) for cluster in clusters]),
        tuple(rows_needed(clusters, difference) for difference in DIFFERENCES),
    )


def _corrected(groups: Mapping[str, ComparedAccuracy]) -> dict[str, ComparedAccuracy]:
    """Return the groups with p-values corrected for the number of groups, if there are several."""
    if len(groups) < 2:
        return dict(groups)
    chances = holm([compared.chance for compared in groups.values()])
    return {
        value: replace(compared, corrected=chance)
        for (value, compared), chance in zip(groups.items(), chances, strict=True)
    }


def _cells(title: str, compared: ComparedAccuracy) -> list[str]:
    return [
        title,
        str(compared.rows),
        str(compared.problems),
        f"{100 * compared.first:.1f}",
        f"{100 * compared.second:.1f}",
        percent(compared.difference, signed=True),
        str(compared.only_first),
        str(compared.only_second),
        as_chance(compared.chance),
        "" if compared.corrected is None else as_chance(compared.corrected),
    ]
