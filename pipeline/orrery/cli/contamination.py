"""``orrery contamination``: the overlap of texts with others."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer


def contamination(
    one: Annotated[
        str, typer.Argument(metavar="A", help="Texts: a file, a folder, or FILE:COLUMN of a table.")
    ],
    other: Annotated[
        str, typer.Argument(metavar="B", help="Where to search for them: texts with the same names.")
    ],
    probe: Annotated[
        int,
        typer.Option(
            min=0, help="Take B as completions of A's texts that saw so many tokens of each (published: 20)."
        ),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Share of A's 10-grams found in B with up to 4 mismatches, PDDL keywords and variables excluded."""
    from orrery.stages import contamination as stage

    figures = stage.run(one, other, probe)
    typer.echo(json.dumps(figures, indent=2) if as_json else "\n".join(_lines(figures)))


def _lines(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines, a text a line and the overall one last."""
    lines = [_line(row["text"], row) for row in figures["texts"]]
    return [*(lines if len(lines) > 1 else []), _line("overall", figures["overall"])]


def _line(name: str, row: dict[str, Any]) -> str:
    share = "too short" if row["share"] is None else f"{row['share']:.4f}"
    counts = f"{row['found']} of {row['grams']} 10-grams, {row['covered']} of {row['tokens']} tokens"
    return f"{name}: {share} ({counts})"
