"""The tables of the papers, from runs: a layout is a YAML file in ``templates/tables/layouts``.

Each part of a layout is one table. ``rows`` has the SQL of the row labels by their heads, ``columns`` the
SQL of a column label, and ``figures`` the SQL of the figures by their names. A figure is the mean of an
expression over the rows where it is not null, or the ratio of the sums of two counts. ``from`` is ``last``,
the replies that count, or ``corrected``, for each ``k`` up to the ``turns`` of the run the reply after at
most ``k`` corrections. Both have the columns of ``scores`` and ``name`` of the model, ``accuracy`` (null if
undecided or failed) and ``cluster``. ``mean`` adds the mean of the columns; ``best`` marks the highest value
of columns or rows. Figures are shares unless ``shares`` is false. ``chart`` is the file name of the chart of
the table, with one line per row. ``columns`` may also be ``group:`` and one of ``GROUPS``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pyarrow import Table
from pyarrow.dataset import dataset

from orrery.dataset.charts import VEGA_LITE
from orrery.dataset.selection import literal
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
    ClusterSums,
    Interval,
    aligned,
    clustered_mean,
    decimal,
    percent,
)
from orrery.language.words import environment, natural
from orrery.model import UsageError, suggest
from orrery.scoring.tally import Query, database, query
from orrery.store.files import write_text
from orrery.yaml_text import read_yaml

FOLDER = "tables"  # of templates
MEAN = ("mean",)
Labels: TypeAlias = tuple[str, ...]
Sums: TypeAlias = Mapping[tuple[Labels, Labels], Sequence[ClusterSums]]

_ACCURACY = f"case when verdict in {DECIDED} then value end as accuracy"
_SOURCES = {
    "last": "from {replies} where is_last",
    "corrected": """from (select *, unnest(range({turns} + 1)) as k from {replies}) where turn <= k
            qualify turn = max(turn) over (partition by run, k, "table", split, id)""",
}
_SHOWN = 'run, "table", id, turn, verdict, detail'  # of the rows of a figure


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
    """One table: its title, the heads of the row labels and of the figures, the lines, and their replies.

    The replies of a figure are those of the ``statement``, in SQL over ``scores``, with the conditions of its
    line (``lines``) and of its column (``columns``).
    """

    title: str
    heads: Labels
    columns: Labels
    lines: Sequence[tuple[Labels, Sequence[TableFigure]]]
    replies: Mapping[str, Any]
    chart: str = ""

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
    """Return the tables of a layout for some runs. Adaptive runs are left out, with a remark.

    Raises:
        UsageError: the layout is unknown, two runs have one name, or no run has figures of its tables.
    """
    layout = _layout(templates, name)
    for run, count in Counter(run.name for run in runs).items():
        if count > 1:
            raise UsageError(f"run '{run}'", f"is named {count} times", "name it once, or rename a folder")
    with _database(runs) as rows_of:
        of_layout = _report(name, layout, runs, rows_of)
    if of_layout is None:
        names = layout["tables"]
        mend = f"run `orrery eval --tables '{','.join(names)}'`"
        runs_are = "no run that is not adaptive" if len(_complete(runs)) < len(runs) else "no run"
        raise UsageError(f"layout '{name}'", f"{runs_are} has decided replies of {', '.join(names)}", mend)
    return of_layout


def reports(templates: Path, runs: Sequence[EvaluationRun]) -> list[LayoutReport]:
    """Return the tables of all layouts that have figures of the runs."""
    with _database(runs) as rows_of:
        of_layouts = [
            _report(name, _layout(templates, name), runs, rows_of) for name in sorted(_paths(templates))
        ]
    return [of_layout for of_layout in of_layouts if of_layout]


def _database(runs: Sequence[EvaluationRun]) -> AbstractContextManager[Query]:
    """Return queries of ``scores``: those of all runs with ``turns``, as many corrections as they allow."""
    complete = _complete(runs)
    if not complete:
        return database({})
    turns = " ".join(f"when {literal(run.name)} then {_turns(run)}" for run in complete)
    replies = dataset(
        [dataset(run.scores) if isinstance(run.scores, Table) else run.scores for run in complete]
    )
    views = {"scores": f"select *, case run {turns} end as turns from replies"}
    return database({"replies": replies}, views)


def _turns(run: EvaluationRun) -> int:
    """Return the maximum number of corrections that the run was asked with."""
    turns: int | None = run.about.get("arguments", {}).get("turns")
    if turns is None:  # a run by other means than `orrery eval`
        [row] = query("select coalesce(max(turn), 0) as turns from scores", {"scores": run.scores})
        turns = int(row["turns"])
    return turns


def _complete(runs: Sequence[EvaluationRun]) -> list[EvaluationRun]:
    """Return the runs that are not adaptive, whose accuracies can be compared."""
    return [run for run in runs if ABILITY not in run.about]


def _report(
    name: str, layout: Mapping[str, Any], runs: Sequence[EvaluationRun], rows_of: Query
) -> LayoutReport | None:
    """Return the tables of a layout; None if no run has figures of its tables."""
    if not _complete(runs):
        return None
    chosen = " or ".join(f"\"table\" glob '{pattern}'" for pattern in layout["tables"])
    models = {
        row["run"]: row["model"] for row in rows_of(f"select distinct run, model from scores where {chosen}")
    }
    if not models:
        return None
    replies = Replies(chosen, _runs_by_name(models), rows_of)
    tables = [_table(part, replies) for part in layout["parts"]]
    remarks = warnings_on([run for run in runs if run.name in replies.run_by_name.values()])
    remarks += [
        f"left out: {run.name} is adaptive"
        for run in runs
        if ABILITY in run.about and query(f"from scores where {chosen} limit 1", {"scores": run.scores})
    ]
    with_lines = [table for table in tables if table.lines]
    return LayoutReport(name, layout["source"], with_lines, remarks) if with_lines else None


def _runs_by_name(models: Mapping[str, str]) -> dict[str, str]:
    """Return the runs by the names of their models; the name of the run is added if a model has several.

    It is added to all if a model is named like another with its run.
    """
    numbers, named = Counter(models.values()), {run: f"{model} ({run})" for run, model in models.items()}
    mixed = {run: model if numbers[model] == 1 else named[run] for run, model in models.items()}
    names = mixed if len({*mixed.values()}) == len(mixed) else named
    return {names[run]: run for run in sorted(names)}


@dataclass(frozen=True)
class Replies:
    """The replies of the tables of a layout: the condition on tables, runs by name of the model, queries."""

    tables: str
    run_by_name: Mapping[str, str]
    rows_of: Query

    @property
    def name(self) -> str:
        """The SQL of the name of a row's model."""
        names = (f"when {literal(run)} then {literal(name)}" for name, run in self.run_by_name.items())
        return f"case run {' '.join(names)} end"

    def sources(self, used: str, named: str = "", turns: str = "turns") -> str:
        """Return the SQL of the sources that a term uses; ``named`` are additional columns."""
        replies = f"(select *, {_ACCURACY}{named} from scores where {self.tables})"
        sources = [
            f"{name} as ({sql.format(replies=replies, turns=turns)})"
            for name, sql in _SOURCES.items()
            if name in used
        ]
        return f"with {', '.join(sources)}"

    def condition(self, sql: str, label: str) -> str:
        """Return the condition that a row has a label; a name is that of a run."""
        if sql == "name":
            return f"run = {literal(self.run_by_name[label])}"
        return f"({sql}) = {literal(label)}" if label else f"coalesce(({sql})::varchar, '') = ''"


def _paths(templates: Path) -> dict[str, Path]:
    return {path.stem: path for path in (templates / FOLDER / "layouts").glob("*.yaml")}


def _layout(templates: Path, name: str) -> Mapping[str, Any]:
    paths = _paths(templates)
    if name not in paths:
        raise UsageError(f"layout '{name}'", "is unknown", suggest(name, "layouts", sorted(paths)))
    layout: Mapping[str, Any] = read_yaml(paths[name])
    return {**layout, "parts": [_with_group(part) for part in layout["parts"]]}


def _with_group(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of a layout with the SQL of the group of its columns, whose rows have a value."""
    if not isinstance(columns := part.get("columns"), Mapping):
        return part
    sql = GROUPS[columns["group"]]
    return {
        **part,
        **columns,
        "columns": sql,
        "where": f"({part.get('where', 'true')}) and ({sql}) is not null",
    }


def _table(part: Mapping[str, Any], replies: Replies) -> ReportTable:
    """Return the table of a part of a layout."""
    sums = _sums(part, replies)
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
    of_figures = _figure_rows(part, replies, lines, columns)
    return ReportTable(
        part["title"],
        tuple(part["rows"]),
        heads,
        [*zip(lines, marked, strict=True)],
        of_figures,
        part.get("chart", ""),
    )


def _figure_rows(
    part: Mapping[str, Any], replies: Replies, lines: Sequence[Labels], columns: Sequence[Labels]
) -> dict[str, Any]:
    source, where = part.get("from", "last"), part.get("where", "true")
    [row] = replies.rows_of("select max(turns) as turns from scores")
    sources = replies.sources(source, turns=str(row["turns"]))
    return {
        "statement": f"{sources} select {_SHOWN} from {source} where ({where})",
        "lines": [" and ".join(map(replies.condition, part["rows"].values(), labels)) for labels in lines],
        "columns": [_column_rows(part, replies, column) for column in columns],
    }


def _column_rows(part: Mapping[str, Any], replies: Replies, column: Labels) -> str:
    """Return the condition on the rows of a column: of a label and figure; of a mean all labels."""
    label, figure = ("", next(iter(part["figures"]))) if column == MEAN else column
    amount, weight = _terms(part["figures"][figure])
    has_label = "columns" in part and column != MEAN
    conditions = [replies.condition(part["columns"], label)] if has_label else []
    conditions += [f"({amount}) is not null", *([f"({weight}) > 0"] if weight != "1" else [])]
    return " and ".join(conditions)


def _terms(figure: str | Sequence[str]) -> tuple[str, str]:
    """Return the SQL of the amount and of the weight of a figure."""
    return (figure, "1") if isinstance(figure, str) else (figure[0], figure[1])


def _sums(part: Mapping[str, Any], replies: Replies) -> Sums:
    """Return the sums of each cluster by row and column of the table, the column label and the figure."""
    labels = ", ".join(f"({sql})::varchar" for sql in part["rows"].values())
    head, source, where = part.get("columns", "''"), part.get("from", "last"), part.get("where", "true")
    sources = replies.sources(source, f", {CLUSTER} as cluster, {replies.name} as name")
    sums: dict[tuple[Labels, Labels], list[ClusterSums]] = defaultdict(list)
    for figure, sql in part["figures"].items():
        amount, weight = (f"({term})::double" for term in _terms(sql))
        statement = f"""
            {sources} select [{labels}] as labels, ({head})::varchar as head, cluster,
                sum({amount}) as amount, sum({weight}) as weight
            from {source} where ({where}) and {amount} is not null and {weight} > 0
            group by all order by all
        """
        for row in replies.rows_of(statement):
            place = (tuple(label or "" for label in row["labels"]), (row["head"] or "", figure))
            sums[place].append(ClusterSums(row["cluster"], row["amount"], row["weight"]))
    return sums


def _columns(part: Mapping[str, Any], sums: Sums) -> list[Labels]:
    """Return the columns: labels in the order of their group, and under each its figures in order."""
    figures, columns = list(part["figures"]), {column for _, column in sums}
    if "columns" not in part:
        columns = {("", figure) for figure in figures}
    labels = in_order(part.get("group", ""), {label for label, _ in columns})
    return sorted(columns, key=lambda column: (labels.index(column[0]), figures.index(column[1])))


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


def write_charts(report: LayoutReport, templates: Path, folder: Path) -> list[Path]:
    """Write an SVG and a CSV file for each table of a report that has a chart; return their paths.

    A chart has a point per figure with its 95 % interval, and a line per row of the table.

    Raises:
        UsageError: no table of the layout has a chart.
    """
    from vl_convert import vegalite_to_svg

    tables = [table for table in report.tables if table.chart]
    if not tables:
        raise UsageError(f"layout '{report.name}'", "has no charts of these runs", "use --layout breakdowns")
    template = environment(templates).get_template(f"{FOLDER}/chart.json.j2")
    texts: dict[Path, str] = {}
    for table in tables:
        chart = template.render(
            table=table,
            values=[
                {"row": ", ".join(labels), "column": column, **figure.interval._asdict()}
                for labels, figures in table.lines
                for column, figure in zip(table.columns, figures, strict=True)
                if figure.interval
            ],
        )
        texts[folder / f"{table.chart}.svg"] = vegalite_to_svg(chart, vl_version=VEGA_LITE)
        texts[folder / f"{table.chart}.csv"] = replace(report, tables=[table]).text(templates, "csv")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        write_text(file, text)
    return list(texts)
