"""The shares of right replies of a run, overall and by group, with 95 % intervals.

Accuracy is right / (right + wrong + unparsed). A missing reply (``failed``) and a reply that is undecided
within the budget (``undecided``) are neither right nor wrong. They are excluded from accuracy, and counted.
Intervals are clustered by problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

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
from orrery.evaluation.results.statistics import ClusterSums, Interval, aligned, clustered_mean, percent
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


class VerdictCounts(NamedTuple):
    """The replies of one group of rows, counted by verdict, and their accuracies (None without any).

    ``decided`` is the denominator of ``accuracy``: the replies that are right, wrong or unparsed.
    ``first_accuracy`` is that of first replies. ``published_rule`` is the mean score by the published rules.
    """

    replies: int
    verdicts: Mapping[str, int]
    decided: int
    accuracy: Interval | None
    first_accuracy: float | None
    published_rule: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the counts and shares by name; shares are from 0 to 1."""
        return {
            "replies": self.replies,
            **self.verdicts,
            "accuracy": _rounded(self.accuracy),
            "first_accuracy": None if self.first_accuracy is None else round(self.first_accuracy, 6),
            **({} if self.published_rule is None else {"published_rule": round(self.published_rule, 6)}),
        }


@dataclass(frozen=True)
class Summary:
    """The figures of one run.

    ``overall`` counts all replies, ``by`` those of each value of each group. ``macro`` is the unweighted mean
    of the accuracies of the tables; ``without`` names the tables without an accuracy. ``failures`` and
    ``undecided`` count reasons. ``missing`` is the number of rows without a request yet, by table.
    ``corrected`` is whether the model got feedback on some rows.
    """

    name: str
    about: About
    overall: VerdictCounts
    by: Mapping[str, Mapping[str, VerdictCounts]]
    macro: Interval | None
    without: tuple[str, ...]
    failures: Mapping[str, int]
    undecided: Mapping[str, int]
    missing: Mapping[str, int]
    input_tokens: int | None
    output_tokens: int | None
    corrected: bool

    def as_json(self) -> dict[str, Any]:
        """Return the summary as JSON values; failed and undecided replies come first."""
        return {
            "run": self.name,
            "model": self.about["model"],
            "finished": self.about["finished"],
            **({ABILITY: self.about[ABILITY]} if ABILITY in self.about else {}),
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

    def text(self, templates: Path) -> str:
        """Return the summary as text: failed and undecided replies, then a line per table and group."""
        first = ["first reply"] if self.corrected else []
        published = ["published rule"] if self._has_published_rule else []
        names = ["", "replies", *NAMED, *first, *published, "accuracy"]
        blank = [""] * (len(names) - 2)
        averaged = len(self.by["table"]) - len(self.without)
        rows = [[name, *self._cells(share)] for name, share in self.by["table"].items()]
        rows.append(["all replies", *self._cells(self.overall)])
        rows.append([f"mean of {averaged} table{'s' * (averaged != 1)}", *blank, percent(self.macro)])
        for group, shares in self.by.items():
            if group != "table" and shares:
                title = group.replace("_", " ")
                rows.append([""] * len(names))
                rows += [[f"{title} {value}", *self._cells(share)] for value, share in shares.items()]
        template = environment(templates).get_template("report/evals.txt.j2")
        return template.render(run=self, table=aligned([names, *rows]))

    def _cells(self, share: VerdictCounts) -> list[str]:
        """Return the cells of a line. Zero counts are blank, so that other counts stand out."""
        counts = [str(share.verdicts[verdict] or "") for verdict in NAMED]
        before = [_share(share.first_accuracy)] if self.corrected else []
        before += [_share(share.published_rule)] if self._has_published_rule else []
        return [str(share.replies), *counts, *before, percent(share.accuracy)]

    @property
    def _has_published_rule(self) -> bool:
        return self.overall.published_rule is not None


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def summary(run: EvaluationRun) -> Summary:
    """Return the accuracies, failures and undecided replies of a run."""
    overall, by = by_group(run.scores, GROUPS, _COUNTS)
    counts = {
        group: {value: _counted(figures[value]) for value in in_order(group, [*figures])}
        for group, figures in by.items()
    }
    with database({"scores": run.scores}) as rows_of:
        reasons, (totals,) = rows_of(_REASONS), rows_of(_TOTALS)
    by_table = counts["table"]
    of_tables = [sums for figures in by["table"].values() if (sums := _cluster_sums(figures))]
    return Summary(
        run.name,
        run.about,
        _counted(overall),
        counts,
        clustered_mean(of_tables),
        tuple(name for name, table in by_table.items() if not table.decided),
        _by_frequency(reasons, FAILED),
        _by_frequency(reasons, UNDECIDED),
        _missing(run.about, by_table),
        **totals,
    )


def _counted(figures: Mapping[str, Any]) -> VerdictCounts:
    verdicts = {verdict: figures[verdict] for verdict in VERDICTS}
    decided = sum(verdicts[verdict] for verdict in DECIDED)
    first, first_decided = figures["first_right"], figures["first_decided"]
    return VerdictCounts(
        sum(verdicts.values()),
        verdicts,
        decided,
        clustered_mean([_cluster_sums(figures)]),
        first / first_decided if first_decided else None,
        figures["published_rule"],
    )


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


def _missing(about: About, by_table: Mapping[str, VerdictCounts]) -> dict[str, int]:
    """Return the number of rows without a request yet, by table; empty if the run does not state its rows."""
    planned = about.get("rows")
    if not isinstance(planned, Mapping):
        return {}
    missing = {
        name: count - (by_table[name].replies if name in by_table else 0) for name, count in planned.items()
    }
    return {name: count for name, count in sorted(missing.items()) if count > 0}


def _rounded(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {name: round(value, 6) for name, value in interval._asdict().items()}


def _reason(text: str) -> str:
    """Return the first line of a reason, shortened for lists."""
    line = text.strip().partition("\n")[0]
    return (line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…") or "no reason given"
