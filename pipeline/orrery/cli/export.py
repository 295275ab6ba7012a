"""``orrery export``: write rows of the dataset as JSON lines, for training or for running models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import ALL, HERE, Dataset, Root, Split

app = typer.Typer(help="Export rows as JSON lines.", no_args_is_help=True)

Table = Annotated[
    str,
    typer.Option(
        help="The table: text_to_pddl, action_modeling, domain_modeling, acp_<kind>_<format> or plan_<task>; "
        "for sft also world, whose lines are its dialogues."
    ),
]
Style = Annotated[
    str,
    typer.Option(
        "--prompt",
        help="The style of the prompt: zero_shot, reasoned or two_shot; for domains abstract, concrete, both "
        "also with the suffix _reasoned, or two_shot; for actions none, sum, map, rel or all, also with it.",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(help="Only rows that satisfy this SQL condition, for example \"domain = 'gripper'\"."),
]
Limit = Annotated[int | None, typer.Option(min=0, help="Maximum number of rows.")]
Seed = Annotated[int | None, typer.Option(help="Shuffle the rows by this seed (default: keep their order).")]
Additions = Annotated[
    str | None,
    typer.Option(
        "--with",
        help="sft: `traces` for replies that derive the answer line by line; rows without a short derivation "
        "are left out. For tables of questions and plan tasks.",
    ),
]
Out = Annotated[Path | None, typer.Option(help="The file to write (default: stdout).")]


def _add(name: str, usual_split: str, forms: str, help_text: str) -> None:
    """Add the command of a kind of lines; ``forms`` is the help text of its formats."""

    @app.command(name, help=help_text)
    def export(
        table: Table = "text_to_pddl",
        split: Split = usual_split,
        prompt: Style = "zero_shot",
        form: str = typer.Option("messages", "--format", help=forms),
        additions: Additions = None,
        where: Where = None,
        limit: Limit = None,
        seed: Seed = None,
        out: Out = None,
        dataset: Dataset = None,
        root: Root = HERE,
    ) -> None:
        from orrery.config import load
        from orrery.stages import export as stage

        if name == "sft" and split in ("test", ALL):
            typer.echo("warning: a model trained on the test split cannot be measured by it", err=True)
        chosen, settings = None if split == ALL else split, load(root)
        rows = stage.run(
            settings, dataset or settings.outputs / "dataset", name, table, chosen,
            style=prompt, form=form, additions=additions, where=where, limit=limit, shuffle=seed, out=out,
        )  # fmt: skip
        # Stdout may contain the data itself.
        typer.echo(f"export: {rows} rows of {table}" + (f" to {out}" if out else ""), err=True)


_add(
    "sft",
    "train",
    "messages (TRL, axolotl, OpenAI) or prompt-completion (TRL).",
    "Conversations for supervised fine-tuning: the prompt and the right reply.",
)
_add(
    "prompts",
    "test",
    "messages (a chat) or prompt (one text).",
    "Prompts for a model, with the ids of their rows; `orrery score` joins its replies by id.",
)
