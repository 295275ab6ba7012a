"""``orrery export``: rows of the dataset as JSON lines, for trainers and for whoever runs models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import ALL, HERE, Root, Split

app = typer.Typer(help="Export rows as JSON lines.", no_args_is_help=True)

Table = Annotated[
    str,
    typer.Option(
        help="The table: text_to_pddl, action_modeling, domain_modeling, acp_<kind>_<format> or plan_<task>."
    ),
]
Style = Annotated[
    str,
    typer.Option(
        "--prompt",
        help="The style of the prompt: zero_shot or two_shot; for domains abstract, concrete or two_shot; "
        "for actions none, sum, map, rel or all, also with _reasoned behind it.",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(help="Only rows that satisfy this SQL condition, for example \"domain = 'gripper'\"."),
]
Limit = Annotated[int | None, typer.Option(min=0, help="Maximum number of rows.")]
Seed = Annotated[int | None, typer.Option(help="Shuffle the rows by this seed (default: keep their order).")]
Out = Annotated[Path | None, typer.Option(help="The file to write (default: stdout).")]


@app.command()
def sft(
    table: Table = "text_to_pddl",
    split: Split = "train",
    prompt: Style = "zero_shot",
    form: Annotated[
        str, typer.Option("--format", help="messages (TRL, axolotl, OpenAI) or prompt-completion (TRL).")
    ] = "messages",
    where: Where = None,
    limit: Limit = None,
    seed: Seed = None,
    out: Out = None,
    root: Root = HERE,
) -> None:
    """Conversations for fine-tuning: the domain, the text, and the right reply."""
    from orrery.config import load
    from orrery.stages import export as stage

    if split in ("test", ALL):
        typer.echo("warning: a model that is trained on the test split cannot be measured by it", err=True)
    request = stage.ExportRequest(
        table, None if split == ALL else split, prompt, form, where, limit, seed, out
    )
    _say(stage.run_sft(load(root), request), table, out)


@app.command()
def prompts(
    table: Table = "text_to_pddl",
    split: Split = "test",
    prompt: Style = "zero_shot",
    form: Annotated[
        str, typer.Option("--format", help="messages (a chat) or prompt (one text).")
    ] = "messages",
    where: Where = None,
    limit: Limit = None,
    seed: Seed = None,
    out: Out = None,
    root: Root = HERE,
) -> None:
    """Prompts with the ids of their rows, to be put to a model; `orrery score` takes its replies by id."""
    from orrery.config import load
    from orrery.stages import export as stage

    request = stage.ExportRequest(
        table, None if split == ALL else split, prompt, form, where, limit, seed, out
    )
    _say(stage.run_prompts(load(root), request), table, out)


def _say(rows: int, table: str, out: Path | None) -> None:
    """Report on stderr what was written; the data itself may be on stdout."""
    typer.echo(f"export: {rows} rows of {table}" + (f" to {out}" if out else ""), err=True)
