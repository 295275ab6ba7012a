"""The shares of right replies of a run, overall and by group, with 95 % intervals.

Accuracy is right / (right + wrong + unparsed). A missing reply (``failed``) and a reply that is undecided
within the budget (``undecided``) are neither right nor wrong. They are excluded from accuracy, and counted.
Intervals are clustered by problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from orrery.evaluation.results.runs import (
    ABILITY,
    CLUSTER,
    DECIDED,
    FAILED,
    GROUPS,
    UNDECIDED,
    VERDICTS,
    About,
    EvaluationRun,
    in_order,
)
from orrery.evaluation.results.statistics import (
    ClusterSums,
    aligned,
    clustered_mean,
    percent_of,
    rounded,
)
from orrery.grading import RIGHT, UNPARSED
from orrery.language.words import environment
from orrery.scoring.tally import by_group, database

LONGEST_REASON = 120
NAMED = (UNPARSED, UNDECIDED, FAILED)  # the verdicts with a printed column
_COUNTS = {
    **{verdict: f"count(*) filter (is_last and verdict = '{verdict}')" for verdict in VERDICTS},
    "right_by_cluster": f"histogram({CLUSTER}) filter (is_last and verdict = '{RIGHT}')",
    "decided_by_cluster": f"histogram({CLUSTER}) filter (is_last and verdict in {DECIDED})",
    "first_right": f"count(*) filter (turn = 0 and verdict = '{RIGHT}')",
    "first_decided": f"count(*) filter (turn = 0 and verdict in {DECIDED})",
    "published_rule": "avg(published_rule_value) filter (is_last)",
}
_REASONS = f"""
    select verdict, reason, count(*) as replies from (
        select verdict, case verdict when '{FAILED}' then failure else detail end as reason,
            row_number() over () as place
        from scores where is_last and verdict in ('{FAILED}', '{UNDECIDED}')
    ) group by verdict, reason order by min(place)
"""
_TOTALS = f"""
    select sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
        coalesce(bool_or(turn > 0 and verdict <> '{FAILED}'), false) as corrected
    from scores
"""


def text(summarised: Mapping[str, Any], templates: Path) -> str:
    """Return a summary as text: failed and undecided replies, then a line per table and group."""
    by, overall = summarised["by"], summarised["overall"]
    first = ["first_accuracy"] if summarised["corrected"] else []
    columns = [*first, *(["published_rule"] if "published_rule" in overall else [])]

    def cells(share: Mapping[str, Any]) -> list[str]:
        """Return the cells of a line. Zero counts are blank, so that other counts stand out."""
        counts = [str(share[verdict] or "") for verdict in NAMED]
        shares = [_share(share.get(column)) for column in columns]
        return [str(share["replies"]), *counts, *shares, percent_of(share["accuracy"])]

    titles = {"first_accuracy": "first reply", "published_rule": "published rule"}
    names = ["", "replies", *NAMED, *map(titles.__getitem__, columns), "accuracy"]
    averaged = len(by["table"]) - len(summarised["without_accuracy"])
    rows = [[name, *cells(share)] for name, share in by["table"].items()]
    rows.append(["all replies", *cells(overall)])
    mean = f"mean of {averaged} table{'s' * (averaged != 1)}"
    rows.append([mean, *[""] * (len(names) - 2), percent_of(summarised["macro"])])
    for group, shares in by.items():
        if group != "table" and shares:
            title = group.replace("_", " ")
            rows.append([""] * len(names))
            rows += [[f"{title} {value}", *cells(share)] for value, share in shares.items()]
    template = environment(templates).get_template("report/evals.txt.j2")
    return template.render(run=summarised, table=aligned([names, *rows]))


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def summary(run: EvaluationRun) -> dict[str, Any]:
    """Return the figures of a run as JSON values; shares are from 0 to 1.

    ``overall`` counts all replies, ``by`` those of each value of each group: by verdict, with the accuracies
    (None without any). ``macro`` is the unweighted mean of the accuracies of the tables; ``without_accuracy``
    names the tables without one. ``failures`` and ``undecided`` count reasons. ``missing`` is the number of
    rows without a request yet, by table. ``corrected`` is whether the model got feedback on some rows.
    """
    overall, by = by_group(run.scores, GROUPS, _COUNTS)
    counts = {
        group: {value: _counted(figures[value]) for value in in_order(group, [*figures])}
        for group, figures in by.items()
    }
    with database({"scores": run.scores}) as rows_of:
        reasons, (totals,) = rows_of(_REASONS), rows_of(_TOTALS)
    by_table, about = counts["table"], run.about
    of_tables = [sums for figures in by["table"].values() if (sums := _cluster_sums(figures))]
    return {
        "run": run.name,
        **{name: about[name] for name in ("model", "data", "finished", ABILITY) if name in about},
        "failures": _by_frequency(reasons, FAILED),
        "undecided": _by_frequency(reasons, UNDECIDED),
        "missing": _missing(about, by_table),
        "overall": _counted(overall),
        "macro": rounded(clustered_mean(of_tables)),
        "without_accuracy": [name for name, table in by_table.items() if table["accuracy"] is None],
        "by": counts,
        **totals,
    }


def _counted(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the replies of a group of rows, counted by verdict, and their accuracies.

    ``published_rule`` is the mean score by the published rules, if replies were scored by them.
    """
    verdicts = {verdict: figures[verdict] for verdict in VERDICTS}
    first, decided, rule = (figures[name] for name in ("first_right", "first_decided", "published_rule"))
    return {
        "replies": sum(verdicts.values()),
        **verdicts,
        "accuracy": rounded(clustered_mean([_cluster_sums(figures)])),
        "first_accuracy": round(first / decided, 6) if decided else None,
        **({} if rule is None else {"published_rule": round(rule, 6)}),
    }


def _cluster_sums(figures: Mapping[str, Any]) -> list[ClusterSums]:
    """Return the right and the decided replies of each cluster."""
    right = dict(figures["right_by_cluster"] or ())
    return [
        ClusterSums(cluster, right.get(cluster, 0), decided)
        for cluster, decided in figures["decided_by_cluster"] or ()
    ]


def _by_frequency(reasons: Iterable[Mapping[str, Any]], verdict: str) -> dict[str, int]:
    """Return the replies with a verdict by reason, most frequent first."""
    counts: dict[str, int] = {}
    for row in reasons:
        if row["verdict"] == verdict:
            line = _reason(row["reason"])
            counts[line] = counts.get(line, 0) + row["replies"]
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def _missing(about: About, by_table: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return the number of rows without a request yet, by table; empty if the run does not state its rows."""
    planned = about.get("rows")
    if not isinstance(planned, Mapping):
        return {}
    missing = {name: count - by_table.get(name, {"replies": 0})["replies"] for name, count in planned.items()}
    return {name: count for name, count in sorted(missing.items()) if count > 0}


def _reason(text: str) -> str:
    """Return the first line of a reason, shortened for lists."""
    line = text.strip().partition("\n")[0]
    return (line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…") or "no reason given"
