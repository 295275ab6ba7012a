"""``orrery contamination``: how much of texts stands in others."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def contamination(
    one: Annotated[
        str, typer.Argument(metavar="A", help="Texts: a file, a folder, or FILE:COLUMN of a table.")
    ],
    other: Annotated[str, typer.Argument(metavar="B", help="Where to look for them, named alike.")],
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
    typer.echo(json.dumps(figures, indent=2) if as_json else "\n".join(stage.as_text(figures)))
