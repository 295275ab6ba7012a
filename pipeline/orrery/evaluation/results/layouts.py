"""The tables of the papers, from runs: a layout is a YAML file in ``templates/tables/layouts``.

Each part of a layout is one table. ``rows`` has the SQL of the row labels by their heads, ``columns`` the
SQL of a column label, and ``figures`` the SQL of the figures by their names. A figure is the mean of an
expression over the rows where it is not null, or the ratio of the sums of two counts. ``from`` is ``last``,
the replies that count, or ``corrected``, for each ``k`` up to the ``turns`` of the run the reply after at
most ``k`` corrections. Both have the columns of ``scores`` and ``name`` of the model, ``accuracy`` (null if
undecided or failed) and ``cluster``. ``mean`` adds the mean of the columns; ``best`` marks the highest value
of columns or rows. Figures are shares unless ``shares`` is false.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from orrery.evaluation.results.runs import CLUSTER, DECIDED, EvaluationRun, warnings_on
from orrery.evaluation.results.statistics import (
    ClusterSums,
    Interval,
    aligned,
    clustered_mean,
    decimal,
    percent,
)
from orrery.language.words import environment, natural
from orrery.model import UsageError
from orrery.scoring.tally import query
from orrery.store.columns import Table
from orrery.yaml_text import read_yaml

FOLDER = "tables"  # of templates
MEAN = ("mean",)
Labels: TypeAlias = tuple[str, ...]
Sums: TypeAlias = Mapping[tuple[Labels, Labels], Sequence[ClusterSums]]

_REPLIES = f"""
    with replies as (
        select *, {CLUSTER} as cluster,
            case when verdict in {DECIDED} then value end as accuracy,
            case when min(run) over of_model = max(run) over of_model then model
                else model || ' (' || run || ')' end as name
        from scores where {{tables}} window of_model as (partition by model)
    ),
    last as (from replies where is_last),
    corrected as (
        from (select *, unnest(range(turns + 1)) as k from replies) where turn <= k
        qualify turn = max(turn) over (partition by run, k, "table", split, id)
    )
"""


class TableFigure(NamedTuple):
    """A figure of a table: its interval, the number of clusters, whether it is a share, and the best one."""

    interval: Interval | None
    clusters: int
    is_share: bool = True
    is_best: bool = False

    @property
    def text(self) -> str:
        """The figure and its interval; shares in %."""
        return percent(self.interval) if self.is_share or not self.interval else decimal(self.interval)


@dataclass(frozen=True)
class ReportTable:
    """One table: its title, the heads of the row labels and of the figures, and the lines."""

    title: str
    heads: Labels
    columns: Labels
    lines: Sequence[tuple[Labels, Sequence[TableFigure]]]

    def aligned(self) -> list[str]:
        """Return the table as lines of plain text, with an asterisk at the best figures."""
        heads = [*self.heads, *self.columns]
        cells = [
            [*labels, *(figure.text + "*" * figure.is_best for figure in figures)]
            for labels, figures in self.lines
        ]
        return aligned([heads, *cells], [place >= len(self.heads) for place in range(len(heads))])


@dataclass(frozen=True)
class LayoutReport:
    """The tables of a layout, the paper that they follow, and remarks."""

    name: str
    source: str
    tables: Sequence[ReportTable]
    remarks: Sequence[str]

    def text(self, templates: Path, form: str) -> str:
        """Return the tables in a format, a template in ``templates/tables``."""
        template = environment(templates).get_template(f"{FOLDER}/{form}.j2")
        return template.render(report=self).strip("\n") + "\n"


def report(templates: Path, name: str, runs: Sequence[EvaluationRun]) -> LayoutReport:
    """Return the tables of a layout for some runs.

    Raises:
        UsageError: the layout is unknown, or no run has rows of its tables.
    """
    layout = _layout(templates, name)
    names = layout["tables"]
    scores = {"scores": pa.concat_tables(map(_with_turns, runs))} if runs else {}
    chosen = " or ".join(f"\"table\" glob '{pattern}'" for pattern in names)
    replies = _REPLIES.format(tables=chosen)
    asked = (
        {row["run"] for row in query(f"{replies} select distinct run from replies", scores)} if runs else ()
    )
    if not asked:
        mend = f"run `orrery eval --tables '{','.join(names)}'`"
        raise UsageError(f"layout '{name}'", f"no run has rows of {', '.join(names)}", mend)
    tables = [_table(part, replies, scores) for part in layout["parts"]]
    remarks = warnings_on([run for run in runs if run.name in asked])
    return LayoutReport(name, layout["source"], [table for table in tables if table.lines], remarks)


def _with_turns(run: EvaluationRun) -> Table:
    """Return the scores with ``turns``, the maximum number of corrections that the run was asked with."""
    turns = run.about.get("arguments", {}).get("turns", max(run.scores["turn"].to_pylist(), default=0))
    scores = run.scores.replace_schema_metadata()
    return scores.append_column("turns", pa.array([turns] * scores.num_rows, pa.int32()))


def _layout(templates: Path, name: str) -> Mapping[str, Any]:
    paths = {path.stem: path for path in (templates / FOLDER / "layouts").glob("*.yaml")}
    if name not in paths:
        raise UsageError(f"layout '{name}'", "is unknown", f"layouts: {', '.join(sorted(paths))}")
    layout: Mapping[str, Any] = read_yaml(paths[name])
    return layout


def _table(part: Mapping[str, Any], replies: str, scores: Mapping[str, Any]) -> ReportTable:
    """Return the table of a part of a layout."""
    sums = _sums(part, replies, scores)
    columns, shares = _columns(part, sums), part.get("shares", True)
    cells = {
        place: TableFigure(clustered_mean([of_place], bounded=shares), len(of_place), shares)
        for place, of_place in sums.items()
    }
    lines = sorted({labels for labels, _ in cells}, key=lambda labels: [*map(natural, labels)])
    if part.get("mean"):
        cells |= {(line, MEAN): _mean([sums.get((line, column), ()) for column in columns]) for line in lines}
        columns = [*columns, MEAN]
    by_line = [[cells.get((line, column), TableFigure(None, 0)) for column in columns] for line in lines]
    marked = _marked(by_line, part.get("best"))
    heads = tuple(" ".join(filter(None, column)) for column in columns)
    return ReportTable(part["title"], tuple(part["rows"]), heads, [*zip(lines, marked, strict=True)])


def _sums(part: Mapping[str, Any], replies: str, scores: Mapping[str, Any]) -> Sums:
    """Return the sums of each cluster by row and column of the table, the column label and the figure."""
    labels = ", ".join(f"({sql})::varchar" for sql in part["rows"].values())
    head, source, where = part.get("columns", "''"), part.get("from", "last"), part.get("where", "true")
    sums: dict[tuple[Labels, Labels], list[ClusterSums]] = defaultdict(list)
    for figure, sql in part["figures"].items():
        amount, weight = (f"({term})::double" for term in (sql if isinstance(sql, list) else (sql, "1")))
        statement = f"""
            {replies} select [{labels}] as labels, ({head})::varchar as head, cluster,
                sum({amount}) as amount, sum({weight}) as weight
            from {source} where ({where}) and {amount} is not null and {weight} > 0
            group by all order by all
        """
        for row in query(statement, scores):
            place = (tuple(label or "" for label in row["labels"]), (row["head"] or "", figure))
            sums[place].append(ClusterSums(row["cluster"], row["amount"], row["weight"]))
    return sums


def _columns(part: Mapping[str, Any], sums: Sums) -> list[Labels]:
    """Return the columns: labels sorted with numbers by their value, and under each its figures in order."""
    figures, columns = list(part["figures"]), {column for _, column in sums}
    if "columns" not in part:
        columns = {("", figure) for figure in figures}
    return sorted(columns, key=lambda column: (natural(column[0]), figures.index(column[1])))


def _mean(groups: Sequence[Sequence[ClusterSums]]) -> TableFigure:
    """Return the mean of the columns of a line; empty if a column is."""
    return TableFigure(clustered_mean(groups), len({sums.cluster for group in groups for sums in group}))


def _marked(lines: Sequence[Sequence[TableFigure]], best: str | None) -> list[list[TableFigure]]:
    """Return the cells with the best ones of each column or row marked, if there are several."""
    if best == "columns":
        columns = [_with_best(column) for column in zip(*lines, strict=True)]
        return [list(line) for line in zip(*columns, strict=True)]
    return [_with_best(line) if best else list(line) for line in lines]


def _with_best(cells: Sequence[TableFigure]) -> list[TableFigure]:
    values = [cell.interval.value for cell in cells if cell.interval]
    if len(values) < 2:
        return list(cells)
    best = max(values)
    return [
        cell._replace(is_best=cell.interval is not None and cell.interval.value == best) for cell in cells
    ]
