"""``orrery eval``: send prompts to a model and score its replies."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.options import (
    ALL,
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
    Rule,
    RunName,
    ScoringRule,
    Source,
    TablePatterns,
    Temperature,
    Timeout,
    resumable,
)
from orrery.cli.tables import show
from orrery.model import UsageError

ModelName = Annotated[
    str,
    typer.Option(
        help="The model, as Inspect names it: openai/NAME, anthropic/NAME, openai-api/SERVICE/NAME for a"
        " server of your own. Keys come from the environment (OPENAI_API_KEY, <SERVICE>_API_KEY)."
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Maximum number of rows per table (default: all).")]
Fresh = Annotated[int | None, typer.Option(help="Ask fresh tasks of this seed instead; needs no dataset.")]
Split = Annotated[str, typer.Option(help="The split: train, validation or test.")]
Style = Annotated[str | None, typer.Option(help="The style of the prompts, for example zero_shot.")]
Representation = Annotated[
    str | None, typer.Option(help="Representation in the prompts: words, pddl or both.")
]
Shots = Annotated[int | None, typer.Option(help="Number of worked examples in the prompts: 0 or 2.")]
Adaptive = Annotated[
    bool,
    typer.Option(
        "--adaptive",
        help="Ask the rows with the most information on the ability of the model, and stop early.",
    ),
]
StandardError = Annotated[
    float | None,
    typer.Option(min=0.01, max=1, help="With --adaptive: stop at this standard error (default: 0.3)."),
]
MaxRows = Annotated[
    int | None, typer.Option(min=1, help="With --adaptive: maximum number of rows (default: 100).")
]
Turns = Annotated[
    int,
    typer.Option(
        min=0, help="Maximum number of error-correction rounds per row (EC_k); 0 disables feedback."
    ),
]
Out = Annotated[Path | None, typer.Option(help="The folder of all runs (default: outputs/evals).")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the planned requests, and send none.")]


def evaluate(
    model: ModelName,
    tables: TablePatterns = ALL,
    limit: Limit = None,
    dataset: DatasetOrHub = None,
    fresh: Fresh = None,
    split: Split = "test",
    style: Style = None,
    representation: Representation = None,
    shots: Shots = None,
    domain: Domain = None,
    difficulty: Difficulty = None,
    turns: Turns = 0,
    adaptive: Adaptive = False,
    standard_error: StandardError = None,
    max_rows: MaxRows = None,
    base_url: BaseUrl = None,
    max_connections: MaxConnections = 20,
    max_retries: MaxRetries = 5,
    timeout: Timeout = 600,
    max_tokens: MaxTokens = None,
    temperature: Temperature = None,
    run: RunName = None,
    rule: Rule = ScoringRule.OURS,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    """Send prompts of tables to a model, score the replies, and print the shares of right replies.

    Replies are stored as they arrive. The same command continues an interrupted run and sends no prompt
    twice. The scores are written to outputs/evals/<run>/scores.parquet.
    """
    from orrery.evaluation.asker import Asker
    from orrery.evaluation.results.runs import run_folder
    from orrery.installation import find_root
    from orrery.library.choice import RowSelection
    from orrery.stages import evaluate as stage

    if fresh is not None and dataset is not None:
        raise UsageError(
            "--fresh",
            "cannot be combined with --dataset: fresh tasks are in no dataset",
            "give only one of the two",
        )
    stored = dataset or str((root or HERE) / "outputs" / "dataset")
    choice = RowSelection(stored, split, fresh, domain, difficulty, style, representation, shots, limit)
    asker = Asker(model, base_url, max_connections, max_retries, timeout, max_tokens, temperature)
    home = find_root(root).absolute()
    arguments = stage.model_arguments(asker) | _adaptive_arguments(adaptive, standard_error, max_rows)
    planned = stage.plan(choice, tables, turns, arguments, home, _tell)
    published = rule is ScoringRule.PUBLISHED
    if published:
        stage.check_published_rule(planned, _tell)
    if dry_run:
        if adaptive:
            _tell(f"adaptive: at most {arguments['max_rows']:,} of these rows")
        _print_plan(planned, as_json)
        return
    evals = out or (root or HERE) / "outputs" / "evals"
    folder = run_folder(evals, run or planned.name)
    with resumable(_tell):
        result = stage.run(planned, asker, folder, _tell, published=published)
    print_run(result.run, evals, home, as_json)
    if not result.complete:
        _tell(result.stopped or "some rows have no reply; repeat the command to request them again")
        raise typer.Exit(PARTIAL)


def _adaptive_arguments(
    adaptive: bool, standard_error: float | None, max_rows: int | None
) -> dict[str, float]:
    """Return the arguments of an adaptive run; empty for other runs."""
    from orrery.evaluation.adaptive import MAX_ROWS, STANDARD_ERROR

    if adaptive:
        return {"standard_error": standard_error or STANDARD_ERROR, "max_rows": max_rows or MAX_ROWS}
    if standard_error is not None or max_rows is not None:
        mend = "add --adaptive, or remove them"
        raise UsageError("--standard-error and --max-rows", "are options of adaptive runs", mend)
    return {}


def difficulty(
    tables: TablePatterns = ALL,
    limit: Limit = None,
    dataset: DatasetOrHub = None,
    split: Split = "test",
    out: Out = None,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    """Print the difficulty of each row, in logits, with its standard error; hard rows come first.

    Difficulties are predicted from the structure of the rows, and corrected by the replies of earlier runs.
    """
    from orrery.evaluation.difficulty import difficulties
    from orrery.installation import find_root
    from orrery.library.choice import RowSelection
    from orrery.stages.evaluate import plan

    home, outputs = find_root(root).absolute(), (root or HERE) / "outputs"
    choice = RowSelection(dataset or str(outputs / "dataset"), split, limit=limit)
    tell = partial(_tell, command="difficulty")
    request = plan(choice, tables, 0, {}, home, tell)
    result = difficulties(request.tables, request.arguments["data"], out or outputs / "evals", tell)
    tell(result.basis)
    rows = sorted(result.rows.items(), key=lambda pair: (-pair[1].value, pair[0]))
    lines = [(*key, round(row.value, 3), round(row.error, 3)) for key, row in rows]
    names = ("table", "id", "item_difficulty", "standard_error")
    if as_json:
        typer.echo(json.dumps([dict(zip(names, line, strict=True)) for line in lines], indent=1))
    else:
        show(names, lines)


def _tell(line: str, command: str = "eval") -> None:
    typer.echo(f"{command}: {line}", err=True)


def _print_plan(planned: Any, as_json: bool) -> None:
    """Print the planned requests."""
    from orrery.stages.evaluate import tokens_of

    tokens = {table.name: tokens_of(table) for table in planned.tables}
    if as_json:
        about = {"arguments": dict(planned.arguments), "rows": planned.rows, "tokens": tokens}
        typer.echo(json.dumps(about, indent=2))
        return
    lines = [(name, count, tokens[name]) for name, count in planned.rows.items()]
    show(("table", "rows", "tokens"), [*lines, ("all", sum(planned.rows.values()), planned.tokens)])


def print_run(run: Any, evals: Path, root: Path, as_json: bool) -> None:
    """Print the summary of a run and the path of its scores, and write the page of all runs."""
    from orrery.evaluation.results.page import write_pages
    from orrery.evaluation.results.runs import SCORES_FILE
    from orrery.evaluation.results.tallies import summary, text

    figures = summary(run)
    shown = json.dumps(figures, indent=2) + "\n" if as_json else text(figures, root / "templates")
    typer.echo(shown, nl=False)
    typer.echo(f"scores: {evals / run.name / SCORES_FILE}", err=True)
    typer.echo(f"all runs: {write_pages(evals, root)}", err=True)
