"""Charts of tables of runs for a paper: Vega-Lite, converted to SVG, and the figures as CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from orrery.dataset.charts import VEGA_LITE
from orrery.evaluation.results.layouts import FOLDER, LayoutReport, ReportTable
from orrery.language.words import environment
from orrery.model import UsageError
from orrery.store.files import replacing


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
        chart = template.render(table=table, values=_points(table))
        texts[folder / f"{table.chart}.svg"] = vegalite_to_svg(chart, vl_version=VEGA_LITE)
        texts[folder / f"{table.chart}.csv"] = replace(report, tables=[table]).text(templates, "csv")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        with replacing(file) as path:
            path.write_text(text, "utf-8")
    return list(texts)


def _points(table: ReportTable) -> list[dict[str, Any]]:
    """Return the figures of a table with their intervals, row and column."""
    return [
        {"row": ", ".join(labels), "column": column, **figure.interval._asdict()}
        for labels, figures in table.lines
        for column, figure in zip(table.columns, figures, strict=True)
        if figure.interval
    ]
