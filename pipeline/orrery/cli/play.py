"""``orrery play``: act in a world in the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import Source

PICTURE = Path("world.svg")

Domain = Annotated[
    str,
    typer.Argument(help="The name of a domain, composed/NUMBER, or the path of a PDDL domain."),
]
ProblemFile = Annotated[
    Path | None, typer.Argument(metavar="[PROBLEM]", help="The PDDL problem, for a PDDL domain.")
]


def play(
    domain: Domain,
    problem: ProblemFile = None,
    seed: Annotated[int, typer.Option(help="The number of the problem.")] = 0,
    difficulty: Annotated[
        str | None, typer.Option(help="A difficulty of domain.yaml (default: the first).")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Only problems of this split: train, validation or test.")
    ] = None,
    sight: Annotated[
        str, typer.Option(help="full, or local: only what is at the place of the agent is told.")
    ] = "full",
    picture: Annotated[Path, typer.Option(help='The file that "map" writes.')] = PICTURE,
    transcript: Annotated[Path | None, typer.Option(help="Also write the episode to this JSON file.")] = None,
    root: Source = None,
) -> None:
    """Act in a world: read what holds, give actions, reach the goal.

    Every line of the standard input is a reply. "help" lists the commands.
    """
    from orrery.library.worlds import world, world_of_pddl
    from orrery.stages import play as stage
    from orrery.store.files import write_text

    if problem is not None:
        posed = world_of_pddl(Path(domain), problem, sight=sight)
        typer.echo("This domain has no words, so the world speaks PDDL.", err=True)
    else:
        posed = world(domain, seed, difficulty, split=split, root=root, sight=sight)
    stage.play(posed, _lines(), typer.echo, picture)
    if transcript is not None:
        write_text(transcript, json.dumps(posed.transcript(), indent=1) + "\n")


def _lines() -> Iterator[str]:
    """Yield the lines of the standard input, with a prompt, until it ends."""
    while True:
        try:
            yield input("> ")
        except EOFError:
            return
