"""``orrery paraphrase``: accept rows of text_to_pddl in other words, from a file or from a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.options import (
    HERE,
    PARTIAL,
    AsJson,
    BaseUrl,
    DatasetOrHub,
    Difficulty,
    Domain,
    MaxConnections,
    MaxRetries,
    MaxTokens,
    RunName,
    Source,
    Temperature,
    Timeout,
    resumable,
)
from orrery.model import UsageError

File = Annotated[
    Path | None,
    typer.Argument(help="A Parquet or JSONL file of paraphrases, with the columns id and natural_language."),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        help="The model that writes paraphrases, if there is no file, and recovers problems; named as for"
        " `orrery eval`."
    ),
]
Count = Annotated[int, typer.Option(min=1, help="Number of paraphrases of each row.")]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Maximum number of rows to paraphrase (default: all).")
]
Fresh = Annotated[
    int | None, typer.Option(help="Paraphrase fresh rows of this seed instead; needs no dataset.")
]
Split = Annotated[
    str | None,
    typer.Option(help="train, validation or test (default: train; for a file: any)."),
]
Out = Annotated[Path | None, typer.Option(help="The folder of all runs (default: outputs/paraphrases).")]


def paraphrase(
    file: File = None,
    model: ModelName = None,
    count: Count = 1,
    dataset: DatasetOrHub = None,
    fresh: Fresh = None,
    split: Split = None,
    domain: Domain = None,
    difficulty: Difficulty = None,
    limit: Limit = None,
    base_url: BaseUrl = None,
    max_connections: MaxConnections = 20,
    max_retries: MaxRetries = 5,
    timeout: Timeout = 600,
    max_tokens: MaxTokens = None,
    temperature: Temperature = None,
    run: RunName = None,
    out: Out = None,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    """Accept paraphrases of text_to_pddl, each only if the exact problem of its row is recovered from it.

    A paraphrase is accepted if the reader of our own wordings recovers the problem, or if the model does so
    from the paraphrase and the domain alone. Accepted paraphrases are written to
    outputs/paraphrases/<run>/paraphrases.parquet, the others with the reason to rejects.parquet. Replies are
    stored as they arrive, and the same command continues an interrupted run.
    """
    from orrery.evaluation.asker import Asker
    from orrery.evaluation.results.runs import run_folder
    from orrery.installation import find_root
    from orrery.library.choice import RowSelection
    from orrery.stages import paraphrase as stage
    from orrery.stages.evaluate import model_arguments

    asker = (
        Asker(model, base_url, max_connections, max_retries, timeout, max_tokens, temperature)
        if model
        else None
    )
    stored = dataset or str((root or HERE) / "outputs" / "dataset")
    home = find_root(root).absolute()
    asking = model_arguments(asker) if asker else None
    if file is not None:
        _check(fresh=fresh, domain=domain, difficulty=difficulty, limit=limit)
        planned = stage.plan_of_file(file, stored, split, asking, home)
    elif asking is not None:
        choice = RowSelection(stored, split or stage.SPLIT, fresh, domain, difficulty, limit=limit)
        planned = stage.plan_of_model(choice, count, asking, home)
    else:
        raise UsageError(
            "paraphrase", "no source of paraphrases was given", "name a file, or a model with --model"
        )
    runs = out or (root or HERE) / "outputs" / "paraphrases"
    folder = run_folder(runs, run or planned.name)
    with resumable(_tell):
        result = stage.run(planned, asker, home, folder, _tell)
    _print(result, as_json)
    if not result.complete:
        _tell(result.stopped or "some requests have no reply; repeat the command to send them again")
        raise typer.Exit(PARTIAL)


def _check(**options: Any) -> None:
    """Refuse options that choose rows, because the file names the rows."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(
                f"--{name}",
                "cannot be combined with a file, because the file names the rows",
                "leave the option out",
            )


def _tell(line: str) -> None:
    typer.echo(f"paraphrase: {line}", err=True)


def _print(result: Any, as_json: bool) -> None:
    """Print the counts of a run, and the paths of its tables."""
    from orrery.stages.paraphrase import ACCEPTED_FILE, REJECTS_FILE

    if as_json:
        typer.echo(json.dumps(result.as_json(), indent=2))
    else:
        by = ", ".join(f"{count:,} by the {name}" for name, count in sorted(result.accepted.items()))
        typer.echo(f"accepted: {sum(result.accepted.values()):,}{f' ({by})' if by else ''}")
        typer.echo(f"rejected: {sum(result.rejected.values()):,}")
        for reason, count in sorted(result.rejected.items(), key=lambda pair: (-pair[1], pair[0])):
            typer.echo(f"  {count:,}: {reason}")
        if result.unanswered:
            typer.echo(f"without a reply: {result.unanswered:,}")
    _tell(f"{result.folder / ACCEPTED_FILE}")
    _tell(f"{result.folder / REJECTS_FILE}")
