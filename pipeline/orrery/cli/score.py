"""``orrery score``: score predictions of a model. There is one command for each kind of prediction."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from orrery.cli.options import (
    ALL,
    AUTO,
    HERE,
    Address,
    AsJson,
    Dataset,
    Engine,
    Jobs,
    Root,
    Rule,
    RunName,
    ScoringRule,
    Source,
    Split,
    working,
)
from orrery.cli.tables import show
from orrery.model import UsageError, suggest

Predictions = Annotated[
    Path, typer.Argument(help="A Parquet or JSONL file with the columns id and output (or reply).")
]
Out = Annotated[
    Path | None,
    typer.Option(help="The file of the scores, .parquet or .jsonl (default: next to the predictions)."),
]
Resume = Annotated[bool, typer.Option(help="Resume an interrupted run.")]
REPLIES = "replies"
BEFORE_OWN = 4  # common parameters first: predictions, dataset, split, out; then those of the scorer


class _Kinds(TyperGroup):
    """One command for each scorer of a table. A scorer is loaded when its command is called.

    Any other first argument without a file behind it is that of ``replies``: a run, or a file of replies.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with, else ``replies``.

        Raises:
            UsageError: a file follows, but there is no such command.
        """
        is_command = args[0] in self.list_commands(ctx)
        if not is_command and len(args) > 1 and not args[1].startswith("-"):
            raise UsageError(
                f"predictions of {args[0]}", "are not scored", suggest(args[0], "there are", _kinds())
            )
        return super().resolve_command(ctx, args if is_command else [REPLIES, *args])

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        from orrery.scoring.scorers import names

        return sorted([*names(), *self.commands])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name, if there is one."""
        from orrery.scoring.scorers import names

        if cmd_name in self.commands or cmd_name not in names():
            return super().get_command(ctx, cmd_name)
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(_command(cmd_name))
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=_Kinds,
    help="Score model output: a run or a file of replies to any tables (replies), or to one kind of table.",
    no_args_is_help=True,
)


def _command(name: str) -> Callable[..., None]:
    """Return the command of a scorer: ``_score`` with the additional options of the scorer."""
    from orrery.installation import find_root
    from orrery.scoring.scorers import scorer_of

    scorer = scorer_of(name)
    hints = get_type_hints(scorer)
    options_of_scorer = {
        option.name: inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option.default,
            annotation=Annotated[
                hints[option.name], typer.Option(help=option.metadata["help"], **option.metadata["limits"])
            ],
        )
        for option in fields(scorer)
        if "help" in option.metadata
    }

    def command(**arguments: Any) -> None:
        options = {option: arguments.pop(option) for option in options_of_scorer}
        _score(scorer(root=find_root(arguments["root"]), **options), **arguments)

    _, *common = inspect.signature(_score, eval_str=True).parameters.values()
    parameters = [*common[:BEFORE_OWN], *options_of_scorer.values(), *common[BEFORE_OWN:]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in parameters}
    command.__doc__ = inspect.getdoc(scorer)
    return command


def _score(
    scorer: Any,
    *,
    predictions: Predictions,
    dataset: Dataset = None,
    split: Split = "test",
    out: Out = None,
    resume: Resume = True,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    from orrery.stages import score as stage
    from orrery.store.kinds import table_name

    scores = table_name(scorer.schema())
    folder = dataset or (root or HERE) / "outputs" / "dataset"
    out = out or predictions.with_name(f"{predictions.stem}.{scores}.parquet")
    part = None if split == ALL else split
    with working(jobs, engine, address) as workers:
        summary = stage.run(scorer, predictions, folder, part, out, workers=workers, resume=resume)
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
    else:
        _print(summary, scorer.measures)
    typer.echo(f"{scores}: {out}", err=True)


def _print(summary: Mapping[str, Any], measures: Any) -> None:
    """Print the summary: one line per group, the figures over all rows, and the counts by name."""
    shown, unbounded = (
        measures.shown,
        {name for name, measure in measures.ratios.items() if not measure.bounded},
    )
    names = ("", "outputs", *(name.replace("_", " ") for name in shown))
    groups = []
    for group, values in ({"all": {"": summary["overall"]}} | summary["by"]).items():
        for value, figures in values.items():
            by_name = _by_name(figures)
            groups.append(
                (f"{group} {value}".strip(), figures["outputs"], *(_cell(by_name[name]) for name in shown))
            )
    further = [
        (name.replace("_", " "), _cell(figure, unbounded=name in unbounded))
        for name, figure in _by_name(summary["overall"]).items()
        if name not in shown and _value(figure) is not None
    ]
    typer.echo(
        f"{summary['outputs']} outputs for {summary['rows_with_output']} of {summary['rows']} rows;"
        f" {summary['rows_without_output']} rows without an output are not counted below."
    )
    if problems := summary.get("problems"):
        typer.echo(f"problems: {problems['held']} of {problems['of']}")
    note = "Percent of what is decided, with 95 % intervals; +n: so many more are undecided."
    typer.echo(f"{note} {measures.note}".rstrip())
    show(names, groups)
    if further:
        show(("", ""), further)
    for counted in measures.printed:
        for name, count in summary[counted].items():
            typer.echo(f"{counted}: {count} {name}")


def _by_name(figures: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the shares, means and ratios of a group; for all rows also the consistency of twin groups."""
    sections = ("shares", "means", "ratios", "alike")
    return {name: figure for section in sections for name, figure in figures.get(section, {}).items()}


def _value(figure: Mapping[str, Any]) -> float | None:
    value: float | None = figure["share"] if "share" in figure else figure["value"]
    return value


def _cell(figure: Mapping[str, Any], *, unbounded: bool = False) -> str:
    """Return ``93.1 (90.2-95.3) +2`` for a share, the plain number for ``unbounded`` values."""
    value, open_ones = _value(figure), figure.get("undecided", 0)
    scale, digits = (1, 2) if unbounded else (100, 1)
    shown = "-"
    if value is not None:
        low, high = (f"{scale * figure[end]:.{digits}f}" for end in ("low", "high"))
        shown = f"{scale * value:.{digits}f} ({low}-{high})"
    return shown + (f" +{open_ones}" if open_ones else "")


@app.command(REPLIES)
def replies(
    source: Annotated[
        str, typer.Argument(metavar="RUN|FILE", help="A run in outputs/evals, its folder, or a file.")
    ],
    dataset: Dataset = None,
    split: Annotated[
        str, typer.Option(help="The split of a file's rows: train, validation or test.")
    ] = "test",
    style: Annotated[str | None, typer.Option(help="The style of the prompts that a file answers.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model (default: that of the file).")] = None,
    run: RunName = None,
    rule: Rule = ScoringRule.OURS,
    out: Annotated[Path | None, typer.Option(help="The folder of all runs (default: outputs/evals).")] = None,
    as_json: AsJson = False,
    root: Source = None,
) -> None:
    """Score a run of `orrery eval` again, or a file of replies to rows of any tables as a run.

    `orrery score RUN` and `orrery score FILE` are the same. No request is sent.
    """
    from orrery.cli.evaluate import print_run
    from orrery.evaluation.results.runs import ABOUT_FILE
    from orrery.installation import find_root
    from orrery.library.choice import RowSelection
    from orrery.stages import score_run

    evals, home = out or (root or HERE) / "outputs" / "evals", find_root(root).absolute()
    folder = str(dataset or (root or HERE) / "outputs" / "dataset")
    published = rule is ScoringRule.PUBLISHED
    named = next((path for path in (Path(source), evals / source) if (path / ABOUT_FILE).is_file()), None)
    if named is not None:
        evals = named.parent
        scored = score_run.score_again(named, folder, home, _tell, published=published)
    elif Path(source).is_file():
        choice = RowSelection(folder, split, style=style)
        name = model or Path(source).stem
        request = (Path(source), choice, name, evals, run, home, _tell)
        scored = score_run.score_file(*request, published=published)
    else:
        mend = suggest(source, "give a run, a file of replies, or a kind of table", _kinds())
        raise UsageError(f"'{source}'", "is neither a run nor a file", mend)
    print_run(scored, evals, home, as_json)


def _kinds() -> list[str]:
    from orrery.scoring.scorers import names

    return names()


def _tell(line: str) -> None:
    typer.echo(f"score: {line}", err=True)


@app.command()
def baselines(
    dataset: Dataset = None, split: Split = "test", as_json: AsJson = False, root: Root = HERE
) -> None:
    """Score replies without skill: one reply per table or domain, None, and unplanned plans."""
    from orrery.dataset.adversary import baselines as measure

    folder = dataset or root / "outputs" / "dataset"
    figures = [figure for figure in measure(folder, None if split == ALL else split) if not figure.domain]
    if as_json:
        names = ("table", "rule", "rows", "score", "chance")
        typer.echo(json.dumps([{name: getattr(f, name) for name in names} for f in figures], indent=2))
        return
    show(
        ("table", "rule", "rows", "score", "chance"),
        [(f.table, f.rule, f.rows, f"{f.score:.3f}", f"{f.chance:.3f}") for f in figures],
    )
