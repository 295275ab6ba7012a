"""``orrery score questions`` and ``orrery score baselines``: replies to the questions, with skill or none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.score import EVERY, HERE, AsJson, Jobs, Root

Replies = Annotated[Path, typer.Argument(help="Parquet or JSONL with the columns id and reply (or output).")]
Dataset = Annotated[Path | None, typer.Option(help="The dataset's folder; outputs/dataset unless given.")]
Split = Annotated[str, typer.Option(help="train, validation, test, or all.")]
Out = Annotated[
    Path | None, typer.Option(help="The grades, .parquet or .jsonl; beside the replies unless given.")
]
Resume = Annotated[bool, typer.Option(help="Take up a run that was interrupted.")]


def register(app: typer.Typer) -> None:
    """Add the two commands to ``orrery score``."""
    app.command("questions")(questions)
    app.command("baselines")(baselines)


def questions(
    replies: Replies,
    dataset: Dataset = None,
    split: Split = "test",
    out: Out = None,
    resume: Resume = True,
    jobs: Jobs = 0,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Grade replies to questions of all kinds and formats (tables acp_...)."""
    from orrery.stages import score_questions as stage

    request = stage.Request(
        predictions=replies,
        dataset=dataset or root / "outputs" / "dataset",
        split=None if split == EVERY else split,
        out=out or replies.with_name(f"{replies.stem}.grades.parquet"),
        jobs=jobs or os.cpu_count() or 1,
        resume=resume,
    )
    summary = stage.run(request)
    typer.echo(json.dumps(summary, indent=2) if as_json else "\n".join(table(summary)))
    typer.echo(f"grades: {request.out}", err=True)


def table(summary: dict[str, Any]) -> list[str]:
    """The summary as lines of text: counts by verdict, the share of right ones with its 95 % interval."""
    lines = [
        f"{summary['replies']} replies to {summary['rows_with_reply']} of {summary['rows']} questions;"
        f" {summary['rows_without_reply']} questions without a reply are not counted below.",
        f"{'':34}{'replies':>8}{'right':>8}{'wrong':>8}{'unparsed':>9}   right, percent (95 % interval)",
    ]
    for group, values in ({"all": {"": summary["overall"]}} | summary["by"]).items():
        for value, counts in values.items():
            numbers = "".join(f"{counts[name]:>8}" for name in ("replies", "right", "wrong"))
            share = f"{100 * counts['share']:.1f} ({100 * counts['low']:.1f}-{100 * counts['high']:.1f})"
            lines.append(f"{f'{group} {value}'.strip()[:33]:34}{numbers}{counts['unparsed']:>9}   {share}")
    lines += [f"mean of {name}: {value}" for name, value in summary["parts"].items()]
    return lines + [f"unparsed: {count} {detail}" for detail, count in summary["unparsed"].items()]


def baselines(
    dataset: Dataset = None, split: Split = "test", as_json: AsJson = False, root: Root = HERE
) -> None:
    """What replies without skill score: a random applicable action, None, the best single reply."""
    from orrery.dataset import baselines as measure

    folder = dataset or root / "outputs" / "dataset"
    found = measure.baselines(folder, None if split == EVERY else split)
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in found], indent=2))
        return
    typer.echo(f"{'rule':26}{'kind':8}{'format':8}{'domain':16}{'rows':>8}{'score':>8}")
    for each in found:
        where = f"{each.rule:26}{each.kind:8}{each.format:8}{each.domain:16}"
        typer.echo(f"{where}{each.rows:>8}{each.score:>8.3f}")
