"""``orrery score``: what models wrote, measured by the dataset. A command for each kind of prediction."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="Score model output.", no_args_is_help=True)

Predictions = Annotated[Path, typer.Argument(help="Parquet or JSONL with the columns id and output.")]
Root = Annotated[Path, typer.Option(help="The checkout to work in: the folder that holds params.yaml.")]
Source = Annotated[
    Path | None,
    typer.Option("--root", help="The folder of domains and templates; params.yaml's, or what was installed."),
]
Jobs = Annotated[int, typer.Option(min=0, help="Worker processes; 0 means one a core.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
HERE = Path(".")
EVERY = "all"


@app.command("text-to-pddl")
def text_to_pddl(
    predictions: Predictions,
    dataset: Annotated[
        Path | None, typer.Option(help="The dataset's folder; outputs/dataset unless given.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, validation, test, or all.")] = "test",
    out: Annotated[
        Path | None, typer.Option(help="The scores, .parquet or .jsonl; beside the predictions unless given.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="Limit of one call of the planner.")] = 5.0,
    resume: Annotated[bool, typer.Option(help="Take up a run that was interrupted.")] = True,
    jobs: Jobs = 0,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    """Score problems in PDDL: parseable, solvable, correct; and the same ignoring added types."""
    from orrery.installation import find_root
    from orrery.scoring.pairs import Costs
    from orrery.scoring.solvability import ProofLimits
    from orrery.stages import score as stage

    request = stage.Request(
        predictions=predictions,
        dataset=dataset or (root or HERE) / "outputs" / "dataset",
        split=None if split == EVERY else split,
        out=out or predictions.with_name(f"{predictions.stem}.scores.parquet"),
        jobs=jobs or os.cpu_count() or 1,
        resume=resume,
        costs=Costs(solving=ProofLimits(seconds=seconds)),
    )
    summary = stage.run(find_root(root), request)
    typer.echo(json.dumps(summary, indent=2) if as_json else "\n".join(table(summary)))
    typer.echo(f"scores: {request.out}", err=True)


def table(summary: dict[str, Any]) -> list[str]:
    """The summary as lines of text: shares in percent with their 95 % intervals, a line a group."""
    names = ("parseable", "solvable", "correct", "relaxed_parseable", "relaxed_solvable", "relaxed_correct")
    lines = [
        f"{summary['outputs']} outputs for {summary['rows_with_output']} of {summary['rows']} rows;"
        f" {summary['rows_without_output']} rows without an output are not counted below.",
        "Percent of the outputs that are decided, with 95 % intervals; +n: so many more are undecided.",
        f"{'':34}{'outputs':>8}" + "".join(f"{name.replace('_', ' '):>24}" for name in names),
    ]
    groups = {"all": {"": summary["overall"]}} | summary["by"]
    for group, values in groups.items():
        for value, counts in values.items():
            cells = "".join(f"{_cell(counts[name]):>24}" for name in names if name in counts)
            lines.append(f"{f'{group} {value}'.strip()[:33]:34}{counts.get('outputs', 0):>8}{cells}")
    for what in ("errors", "tolerated", "undecided", "remarks"):
        lines += [f"{what}: {count} {name}" for name, count in summary[what].items()]
    return lines


def _cell(count: dict[str, Any]) -> str:
    """``93.1 (90.2-95.3) +2``."""
    if count["share"] is None:
        return f"- +{count['undecided']}"
    shown = f"{100 * count['share']:.1f} ({100 * count['low']:.1f}-{100 * count['high']:.1f})"
    return shown + (f" +{count['undecided']}" if count["undecided"] else "")
