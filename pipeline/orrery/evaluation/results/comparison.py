"""Compare two runs on the rows that both decided.

Replies to the same rows come in pairs. A row that both runs got right does not show which run is better.
Rows of one problem may depend on each other, so intervals and tests are clustered by problem.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
    PairedCounts,
    aligned,
    as_chance,
    clustered_difference,
    holm,
    percent_of,
    rounded,
    rows_needed,
    sign_test,
    together,
)
from orrery.model import UsageError, suggest
from orrery.scoring.tally import query

DIFFERENCES = (0.01, 0.02, 0.05)
HEADS = (
    "", "rows", "problems", "first", "second", "difference", "first better", "second better", "p", "p (Holm)",
)  # fmt: skip


def lines(compared: Mapping[str, Any]) -> list[str]:
    """Return a comparison as text: omitted rows, all rows, then one line per group."""
    names, overall = compared["runs"], compared["overall"]
    runs = zip(("first", "second"), names, compared["models"], strict=True)
    head = [f"{place}: {name} ({model})" for place, name, model in runs]
    head += [f"warning: {warning}" for warning in compared["warnings"]]
    for name, alone, open_rows in zip(names, compared["only_in"], compared["undecided_in"], strict=True):
        if alone or open_rows:
            head.append(f"left out: {alone} rows that only {name} was asked, {open_rows} that it left open")
    rows = [_cells("all", overall)]
    rows += [_cells(value, figures) for value, figures in compared["groups"].items()]
    return [*head, "", *aligned([HEADS, *rows]), "", *_needed(overall), NOTE]


NOTE = (
    "Accuracy and its difference in %, with the 95 % interval, on rows that both decided. p is of an exact "
    "test of the signs of the differences by problem. Both are clustered by problem. p (Holm) takes into "
    "account how many lines are read."
)


def _needed(compared: Mapping[str, Any]) -> list[str]:
    """Return a line with the numbers of rows that differences need, if they are known."""
    needed = [f"{rows:,}" for rows in compared["rows_needed"].values() if rows is not None]
    points = ", ".join(f"{100 * difference:.0f}" for difference in DIFFERENCES)
    head = f"Rows for a difference of {points} points (80 % power at a level of 5 %)"
    return [f"{head}: {'; '.join(needed)}."] if needed else []


def compare(
    first: EvaluationRun, second: EvaluationRun, by: str = "table", *, other_data: bool = False
) -> dict[str, Any]:
    """Compare two runs on the rows that both decided, overall and by one of ``GROUPS``; return JSON values.

    ``overall`` compares all rows, ``groups`` the rows of each value of the group ``by``. ``only_in`` counts
    the rows of only one run, by run, ``undecided_in`` the common rows that a run did not decide. ``warnings``
    are reasons against the comparison.

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
    return {
        "runs": [first.name, second.name],
        "models": [first.about["model"], second.about["model"]],
        "warnings": warnings_on((first, second)),
        "only_in": [counts["only_first"], counts["only_second"]],
        "undecided_in": [counts["open_in_first"], counts["open_in_second"]],
        "overall": _compared(all_pairs),
        "by": by,
        "groups": corrected({value: groups[value] for value in in_order(by, [*groups])}),
    }


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


def _compared(clusters: Sequence[PairedCounts]) -> dict[str, Any]:
    """Return the accuracies of two runs on the pairs of some clusters.

    ``problems`` counts the clusters. ``difference`` is the first accuracy minus the second, with its 95 %
    interval. ``only_first`` counts rows on which the first run was better. ``p`` is the p-value of the exact
    test, ``p_holm`` that for the number of groups, if there are several. ``rows_needed`` are the rows that
    detect each of the ``DIFFERENCES``, None if unknown.
    """
    pairs = together(clusters)
    rows, better, worse = (int(count) for count in (sum(pairs), pairs.first, pairs.second))
    shares = [round((pairs.both + right) / rows, 6) if rows else 0.0 for right in (better, worse)]
    return {
        "rows": rows,
        "problems": len(clusters),
        **dict(zip(("first", "second"), shares, strict=True)),
        "difference": rounded(clustered_difference(clusters)),
        "only_first": better,
        "only_second": worse,
        "p": sign_test([int(cluster.first - cluster.second) for cluster in clusters]),
        "p_holm": None,
        "rows_needed": {str(difference): rows_needed(clusters, difference) for difference in DIFFERENCES},
    }


def corrected(groups: Mapping[Any, Mapping[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Return figures with p-values corrected for their number, if there are several."""
    chances = holm([figures["p"] for figures in groups.values()]) if len(groups) > 1 else [None] * len(groups)
    pairs = zip(groups.items(), chances, strict=True)
    return {name: {**figures, "p_holm": chance} for (name, figures), chance in pairs}


def _cells(title: str, compared: Mapping[str, Any]) -> list[str]:
    chance = compared["p_holm"]
    return [
        title,
        str(compared["rows"]),
        str(compared["problems"]),
        *(f"{100 * compared[run]:.1f}" for run in ("first", "second")),
        percent_of(compared["difference"], signed=True),
        str(compared["only_first"]),
        str(compared["only_second"]),
        as_chance(compared["p"]),
        "" if chance is None else as_chance(chance),
    ]
