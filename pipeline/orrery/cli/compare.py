"""``orrery compare``: test whether one run is better than another; ``orrery tables``: tables of runs."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import HERE, AsJson, Source

RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A run in outputs/evals, or the path of its folder.")
]
Root = Annotated[Path, typer.Option(help="The folder that contains outputs.")]
OtherData = Annotated[
    bool, typer.Option("--other-data", help="Compare rows by id even if the versions of the data differ.")
]


class TableFormat(StrEnum):
    """The output formats of ``tables``."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    HTML = "html"


class By(StrEnum):
    """The column to group rows by."""

    TABLE = "table"
    DOMAIN = "domain"
    KIND = "kind"
    FORMAT = "format"
    PLAN_LENGTH = "plan_length"
    OBJECTS = "objects"
    REPRESENTATION = "representation"
    DIFFICULTY = "difficulty"
    MECHANICS = "mechanics"
    EXPLICITNESS = "explicitness"


def compare(
    first: RunName,
    second: RunName,
    by: Annotated[By, typer.Option(help="The column to group rows by.")] = By.TABLE,
    other_data: OtherData = False,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Compare two runs of `orrery eval` on the rows that both decided, clustered by problem."""
    from orrery.evaluation.results import comparison
    from orrery.evaluation.results.runs import EVALS, read_run
    from orrery.model import UsageError

    folders = [_folder(root / "outputs" / EVALS, name) for name in (first, second)]
    if folders[0].resolve() == folders[1].resolve():
        raise UsageError(f"run '{first}'", "cannot be compared with itself", "name another run")
    runs = [read_run(folder, on_disk=True) for folder in folders]
    compared = comparison.compare(runs[0], runs[1], str(by), other_data=other_data)
    for warning in compared["warnings"] if as_json else ():
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(json.dumps(compared, indent=1) if as_json else "\n".join(comparison.lines(compared)))


def tables(
    layout: Annotated[
        str, typer.Option(help="The layout: acpbench, acpbench-hard, planetarium, text2world, ...")
    ],
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", help="A run in outputs/evals, or the path of its folder (default: all runs)."),
    ] = None,
    form: Annotated[TableFormat, typer.Option("--format", help="Output format.")] = TableFormat.TEXT,
    charts: Annotated[
        Path | None, typer.Option(help="Also write the charts of the layout to this folder, as SVG and CSV.")
    ] = None,
    root: Source = None,
) -> None:
    """Print tables of runs of `orrery eval` in the layout of a paper, with 95 % intervals."""
    from orrery.evaluation.results.layouts import report
    from orrery.evaluation.results.page import readable_runs
    from orrery.evaluation.results.runs import EVALS, read_run
    from orrery.installation import find_root

    evals, templates = (root or HERE) / "outputs" / EVALS, find_root(root) / "templates"
    chosen = [read_run(_folder(evals, name), on_disk=True) for name in runs or ()]
    if not runs:
        chosen, damaged = readable_runs(evals, on_disk=True)
        for line in damaged:
            typer.echo(f"left out: run {line.name}: {line.problem}", err=True)
    printed = report(templates, layout, chosen)
    if charts:
        from orrery.evaluation.results.layouts import write_charts

        for path in write_charts(printed, templates, charts):
            typer.echo(f"chart: {path}", err=True)
    for remark in printed.remarks if form is TableFormat.CSV else ():
        typer.echo(f"warning: {remark}", err=True)
    typer.echo(printed.text(templates, form), nl=False)


def _folder(evals: Path, name: str) -> Path:
    """Return the folder of a run; a name with a slash is a path."""
    return Path(name) if "/" in name else evals / name
