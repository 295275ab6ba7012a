"""``orrery score actions`` and ``orrery score domains``: PDDL that models wrote from texts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.score import HERE, AsJson, Jobs, Predictions, Root

EVERY = "all"
Dataset = Annotated[
    Path | None,
    typer.Option(help="The dataset's folder, or that of an imported set; outputs/dataset unless given."),
]
Split = Annotated[str, typer.Option(help="train, validation, test, or all.")]
Out = Annotated[
    Path | None, typer.Option(help="The scores, .parquet or .jsonl; beside the predictions unless given.")
]
Seconds = Annotated[float, typer.Option(min=0.0, help="Limit of one call of a planner.")]
Parsers = Annotated[bool, typer.Option(help="Ask other readers of PDDL whether they accept the domain.")]
Problems = Annotated[bool, typer.Option(help="Solve the gold problems with the predicted domain.")]
Resume = Annotated[bool, typer.Option(help="Take up a run that was interrupted.")]


def register(app: typer.Typer) -> None:
    """Add the two commands to ``orrery score``."""
    app.command("actions")(actions)
    app.command("domains")(domains)


def actions(
    predictions: Predictions,
    dataset: Dataset = None,
    split: Split = "test",
    out: Out = None,
    seconds: Seconds = 10.0,
    parsers: Parsers = True,
    problems: Problems = True,
    resume: Resume = True,
    jobs: Jobs = 0,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Score actions written for the header of a domain (table action_modeling)."""
    _score(
        "action_modeling",
        predictions,
        dataset,
        split,
        out,
        seconds,
        parsers,
        problems,
        resume,
        jobs,
        as_json,
        root,
    )


def domains(
    predictions: Predictions,
    dataset: Dataset = None,
    split: Split = "test",
    out: Out = None,
    seconds: Seconds = 10.0,
    parsers: Parsers = True,
    problems: Problems = True,
    resume: Resume = True,
    jobs: Jobs = 0,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Score whole domains written from a description (table domain_modeling)."""
    _score(
        "domain_modeling",
        predictions,
        dataset,
        split,
        out,
        seconds,
        parsers,
        problems,
        resume,
        jobs,
        as_json,
        root,
    )


def _score(
    table: str,
    predictions: Path,
    dataset: Path | None,
    split: str,
    out: Path | None,
    seconds: float,
    parsers: bool,
    problems: bool,
    resume: bool,
    jobs: int,
    as_json: bool,
    root: Path,
) -> None:
    from orrery.planners.adl_domain import SearchLimits
    from orrery.planners.external_parsers import PARSERS
    from orrery.scoring.domain_evaluation import Effort
    from orrery.scoring.domain_summary import as_text
    from orrery.stages import score_modelling as stage

    request = stage.Request(
        predictions=predictions,
        table=table,
        dataset=dataset or root / "outputs" / "dataset",
        split=None if split == EVERY else split,
        out=out or predictions.with_name(f"{predictions.stem}.scores.parquet"),
        jobs=jobs or os.cpu_count() or 1,
        resume=resume,
        effort=Effort(PARSERS if parsers else (), problems, SearchLimits(seconds=seconds)),
    )
    summary = stage.run(request)
    typer.echo(json.dumps(summary, indent=2) if as_json else "\n".join(as_text(summary)))
    typer.echo(f"scores: {request.out}", err=True)
