"""The command ``orrery``: one subcommand per stage, and tools to inspect the outputs.

Exit codes: 0 done, 1 a bug, 2 usage, 3 data failed a check, 4 a tool is missing, 5 done in part
(fewer questions than promised, or with ``--strict``), 6 a service does not answer, 130 stopped by Ctrl-C,
141 the reader of the output closed the pipe. Data goes to stdout, progress and messages to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from enum import StrEnum
from errno import EPIPE
from importlib import import_module
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from orrery import __version__
from orrery.cli import (
    compare,
    contamination,
    demo_model,
    evaluate,
    export,
    imports,
    paraphrase,
    play,
    reference,
    score,
    seal,
    serve,
    tables,
    user_pddl,
)
from orrery.cli.options import AUTO, HERE, PARTIAL, Address, AsJson, Engine, Jobs, Root, Source, working
from orrery.installation import find_root, tool_missing
from orrery.model import OrreryError, UsageError
from orrery.stages.summary import StageSummary

if TYPE_CHECKING:
    from orrery.config import Settings
    from orrery.stages.over_domains import Step
    from orrery.workers import Workers

STOPPED, PIPE_CLOSED = 130, 141  # the convention of shells


class _Commands(TyperGroup):
    """Report an OrreryError as one line on stderr and exit with its code."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command; libraries end a command whose output nobody reads with the code of a bug."""
        for stream in ("stdout", "stderr"):
            if getattr(sys, stream) is None:  # a shell closed it: >&-
                setattr(sys, stream, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        try:
            return super().main(*arguments, **options)
        except SystemExit as ended:
            cause = ended.__context__
            if isinstance(cause, OSError) and cause.errno == EPIPE:
                raise SystemExit(PIPE_CLOSED) from ended
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except OrreryError as error:
            raise _refused(error) from error
        except ModuleNotFoundError as error:
            if (missing := tool_missing(error)) is None:
                raise
            raise _refused(missing) from error
        except OSError as error:
            # The system refuses a file: a full disk, a missing permission, a file in the place of a folder.
            if error.errno in (None, EPIPE):
                raise
            source = error.filename or "a file"
            typer.echo(f"error: {source}: {error.strerror} (check the path and the disk)", err=True)
            raise typer.Exit(OrreryError.code) from error


def _refused(error: OrreryError) -> typer.Exit:
    """Print an error with its notes; return the exit of the command with its code."""
    for line in (f"error: {error}", *getattr(error, "__notes__", ())):
        typer.echo(line, err=True)
    return typer.Exit(error.code)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.add_typer(export.app, name="export")
app.add_typer(imports.app, name="import")
app.command("contamination")(contamination.contamination)
app.add_typer(score.app, name="score")
app.command("demo-model")(demo_model.demo_model)
app.command("eval")(evaluate.evaluate)
app.command("difficulty")(evaluate.difficulty)
app.command("compare")(compare.compare)
app.command("tables")(compare.tables)
app.command("paraphrase")(paraphrase.paraphrase)
app.command("seal")(seal.seal)
app.command("unseal")(seal.unseal)
app.command("validate-plan")(user_pddl.validate_plan)
app.command("equivalent")(user_pddl.equivalent)
app.command("browse")(serve.browse)
app.command("play")(play.play)
app.add_typer(serve.app, name="serve")
app.command("columns")(reference.columns)
app.command("glossary")(reference.glossary)

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DOMAIN]...",
        help="Names of folders in domains/ (default: the domains of params.yaml whose outputs are not "
        "up to date).",
    ),
]
Name = Annotated[str, typer.Argument(help="The name of a folder in domains/.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 5 if a requested output is missing.")]


class Format(StrEnum):
    """The output formats of ``query``."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"orrery {__version__}")
        raise typer.Exit


@app.callback()
def orrery(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Rebuild planning-language benchmarks and prove every answer."""
    # The work is divided over processes. Results must not depend on the number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Without a background thread of Arrow's allocator, so that a process can be forked.
    os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")


def _run(stage: Callable[..., StageSummary], root: Path, *arguments: Any) -> None:
    """Run a stage and print its summary to stderr. No other stage may run at the same time."""
    from orrery.stages.running import running

    settings = _settings(root)
    with running(settings, stage.__module__.rpartition(".")[2]):
        summary = stage(settings, *arguments)
    _print([summary])


def _run_domains(
    command: str,
    steps: Sequence[Step],
    names: Sequence[str] | None,
    root: Path,
    workers: Workers,
    strict: bool,
) -> None:
    """Run the steps of a stage for the named domains, or for all changed ones, and print their summaries."""
    from orrery.catalog import Catalog
    from orrery.stages.over_domains import run_all, run_some
    from orrery.stages.running import running

    # Workers of a cluster run in other folders. This line also reports a folder that is not a checkout.
    settings = _settings(root.absolute() if workers.executor else root)
    with running(settings, command):
        if names:
            names = [Catalog(root).entry(name).name for name in names]
            summaries = run_some(settings, command, steps, names, workers)
        else:
            summaries = run_all(settings, command, steps, workers)
        is_partial = _print(summaries, brief=not names)
    if is_partial and strict:
        raise typer.Exit(PARTIAL)


def _print(summaries: Iterable[StageSummary], *, brief: bool = False) -> bool:
    """Print summaries to stderr as they arrive; return whether a requested output is missing."""
    partial = False
    for summary in summaries:
        for line in summary.brief() if brief else summary.lines():
            typer.echo(line, err=True)
        partial |= bool(summary.partial)
    return partial


@app.command()
def build(
    force: Annotated[bool, typer.Option("--force", help="Run all stages, including unchanged ones.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the stages that would run and the expected rows.")
    ] = False,
    root: Root = HERE,
) -> None:
    """Build the dataset at the current size with `dvc repro`, and print its rows by table."""
    from orrery.stages import build as stage

    if dry_run:
        if force:
            raise UsageError("orrery build", "--force and --dry-run exclude each other", "give one of them")
        from orrery.stages.expected_rows import expected_rows

        settings = _settings(root)
        if planned := stage.planned(settings):
            tables.show(("stage", "why", "last run"), planned)
        else:
            typer.echo("No stage would run: nothing has changed since the last build.")
        typer.echo(f"\n{expected_rows(settings)}")
        return
    try:
        stage.run(_settings(root), force)
    except KeyboardInterrupt as error:
        typer.echo("stopped; repeat the command to continue", err=True)
        raise typer.Exit(STOPPED) from error


def _add_stage(command: str, modules: Sequence[str], help_text: str) -> None:
    """Add the command of a stage that works domain by domain; ``modules`` contain its steps."""

    @app.command(command, help=help_text)
    def stage(
        domains: Names = None,
        root: Root = HERE,
        jobs: Jobs = 0,
        engine: Engine = AUTO,
        address: Address = None,
        strict: Strict = False,
    ) -> None:
        steps = [import_module(f"orrery.stages.{module}").STEP for module in modules]
        with working(jobs, engine, address) as workers:
            _run_domains(command, steps, domains, root, workers, strict)


for _stage in (
    ("generate", ["generate"], "Generate distinct problems of a domain and their keys."),
    ("render", ["render"], "Write the texts of a domain's problems, explicit and abstract."),
    ("solve", ["solve"], "Find plans, and prove costs, landmarks and unreachable facts and actions."),
    (
        "generate-questions",
        ["generate_questions"],
        "Generate the questions on states, every answer proven.",
    ),
    (
        "generate-plan-tasks",
        ["generate_plan_tasks"],
        "Generate the plan tasks: plans to write, check, repair, reuse and follow, every answer proven.",
    ),
    (
        "generate-worlds",
        ["generate_worlds"],
        "Play the worlds of a domain by their shortest plans, and with a slip that is repaired.",
    ),
    (
        "generate-tasks",
        ["render", "generate_questions", "generate_plan_tasks", "generate_worlds"],
        "Render the texts and generate questions, plan tasks and worlds, in one process for speed.",
    ),
):
    _add_stage(*_stage)


@app.command()
def describe_domains(root: Root = HERE) -> None:
    """Write the rows of actions and domains in PDDL with their English descriptions."""
    from orrery.stages import describe_domains as stage

    _run(stage.run, root)


@app.command()
def compose(
    number: Annotated[int, typer.Option(min=0, help="The number of the composition that --show prints.")] = 0,
    show: Annotated[bool, typer.Option("--show", help="Print one composition; write nothing.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the files of mechanics and themes.")
    ] = False,
    root: Root = HERE,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
) -> None:
    """Draw domains from mechanics and themes, with problems and texts: outputs/composed."""
    from orrery.composition.compose import check as check_files
    from orrery.stages import compose as stage

    if check:
        _settings(root)
        check_files(root)
    elif show:
        typer.echo(stage.show(root, _settings(root).seed, number))
    else:
        with working(jobs, engine, address) as workers:
            _run(stage.run, root, workers)


@app.command()
def corpus(
    folder: Annotated[
        list[Path] | None, typer.Option("--folder", help="An additional folder of *.pddl files.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="Another benchmark: a file, folder or FILE:COLUMN; overlapping domains are omitted.",
        ),
    ] = None,
    synthesise: Annotated[
        int | None,
        typer.Option(min=0, help="Number of training domains to synthesise by editing domains of Orrery."),
    ] = None,
    root: Root = HERE,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
) -> None:
    """Collect and filter domains of installed packages and of your folders: outputs/corpus."""
    from orrery.stages import corpus as stage

    with working(jobs, engine, address) as workers:
        _run(stage.run, root, workers, folder or (), against or (), synthesise)


@app.command()
def assemble(root: Root = HERE, jobs: Jobs = 0, engine: Engine = AUTO, address: Address = None) -> None:
    """Assemble all tables as Parquet shards with a dataset card: outputs/dataset."""
    from orrery.stages import assemble as stage

    with working(jobs, engine, address) as workers:
        _run(stage.run, root, workers)


@app.command()
def validate(root: Root = HERE, jobs: Jobs = 0, engine: Engine = AUTO, address: Address = None) -> None:
    """Check every row by an independent method; exit with code 3 if a check fails."""
    from orrery.stages import validate as stage

    with working(jobs, engine, address) as workers:
        _run(stage.run, root, workers)


@app.command()
def publish(
    to: Annotated[
        str | None, typer.Option(help="Publish to this folder or store, for example s3://bucket/folder.")
    ] = None,
    hub: Annotated[str | None, typer.Option(help="Publish to this Hub dataset: owner/name.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Make a new Hub dataset private.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be uploaded to the Hub, and upload nothing.")
    ] = False,
    root: Root = HERE,
) -> None:
    """Publish the validated dataset to a folder, to a store such as S3, or to the Hugging Face Hub."""
    from orrery.stages import publish as stage

    if (to is None) == (hub is None):
        raise UsageError("orrery publish", "needs exactly one of --to FOLDER and --hub OWNER/NAME")
    if dry_run and hub is None:
        raise UsageError("orrery publish --dry-run", "works only with a Hub dataset", "add --hub OWNER/NAME")
    _run(stage.run, root, to, hub, private, dry_run)


@app.command()
def query(
    sql: Annotated[str, typer.Argument(help="SQL over the views TABLE, TABLE_SPLIT, questions and scores.")],
    dataset: Annotated[
        str | None,
        typer.Option(
            help="The folder of the dataset or of an imported set, or an address in a store "
            "(default: outputs/dataset)."
        ),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="A Parquet, CSV or JSON Lines file to add as a view, named as the file or by NAME=FILE.",
        ),
    ] = None,
    root: Root = HERE,
    form: Annotated[Format, typer.Option("--format", help="Output format of the rows.")] = Format.TABLE,
    json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
) -> None:
    """Query the dataset, and the scores of `orrery eval`, with DuckDB."""
    from orrery.evaluation.results.runs import EVALS
    from orrery.stages import query as stage

    outputs, style = root / "outputs", "json" if json else str(form)
    answer = stage.run(dataset or outputs / "dataset", outputs / EVALS, sql, files or ())
    if style == Format.TABLE and tables.on_terminal():
        columns = map(tables.values, answer.columns)
        tables.show(answer.column_names, zip(*columns, strict=True))
    else:
        typer.echo(tables.formatted(answer, style), nl=False)


@app.command()
def show(
    row: Annotated[
        str, typer.Argument(metavar="ID", help="Id of a row or problem, for example gripper/test/000017.")
    ],
    root: Root = HERE,
    picture: Annotated[Path | None, typer.Option(help="Also write the picture to this SVG file.")] = None,
    strip: Annotated[
        Path | None, typer.Option(help="Also write the states of its plan, side by side, to this SVG file.")
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(help="Also write these states as an animated SVG file.")
    ] = None,
    first: Annotated[int, typer.Option(min=0, help="Maximum number of steps to draw.")] = 24,
    json: Annotated[bool, typer.Option("--json", help="Print the row as JSON.")] = False,
) -> None:
    """Show a row: its text, PDDL, picture and proofs; for a question also its claims."""
    from orrery.stages import show as stage

    typer.echo(
        stage.run(
            _settings(root), row, picture=picture, strip=strip, animation=animate, first=first, as_json=json
        )
    )


@app.command("new-domain")
def new_domain(
    name: Annotated[str, typer.Argument(help="Name of the new domain.")],
    pddl: Annotated[Path, typer.Option(help="The PDDL file of the domain.")],
    root: Root = HERE,
) -> None:
    """Write the skeleton of a new domain: its PDDL, generator and words, and its name in params.yaml."""
    from orrery.stages import new_domain as stage

    for line in stage.run(_settings(root), name, pddl):
        typer.echo(line)


@app.command()
def size(
    name: Annotated[
        str | None, typer.Argument(help="A size of params.yaml (default: the current size).")
    ] = None,
    root: Root = HERE,
) -> None:
    """Set the size for the next `dvc repro`, or print the current size."""
    from orrery.config import choose

    typer.echo((choose(root, name) if name else _settings(root)).size_name)


@app.command()
def sample(
    domain: Name,
    seed: Annotated[
        int, typer.Option(help="Seed of the random draw; the same seed gives the same problem.")
    ] = 0,
    task: Annotated[str | None, typer.Option(help="A task of the domain (default: any).")] = None,
    difficulty: Annotated[
        str | None, typer.Option(help="A difficulty of domain.yaml (default: the first).")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Also write the picture to this SVG file.")] = None,
    json: AsJson = False,
    root: Source = None,
) -> None:
    """Sample one problem of a domain: print its explicit and abstract text and PDDL; write its picture."""
    from orrery.stages import sample as stage
    from orrery.store.files import write_text

    with redirect_stdout(sys.stderr):  # output of generators
        drawn = stage.sample(find_root(root), domain, seed=seed, task=task, difficulty=difficulty)
    if picture:
        write_text(picture, drawn.picture)
    text = "\n\n".join(filter(None, (drawn.natural_language, drawn.abstract, drawn.problem_pddl)))
    fields = {name: value for name, value in drawn._asdict().items() if name != "picture"}
    typer.echo(dumps(fields, indent=2) if json else text)


@app.command()
def doctor(
    name: Annotated[str, typer.Argument(help="check only this domain")] = "",
    json: AsJson = False,
    root: Source = None,
) -> None:
    """Report the state of extras and planners, and check that domains and settings fit together."""
    from orrery.stages import doctor as stage

    report = stage.run(find_root(root), name, "" if json else "doctor")
    if json:
        typer.echo(report.as_json())
    else:
        tables.show(("", "", "", ""), report.rows())
    raise typer.Exit(report.code)


def _settings(root: Path) -> Settings:
    from orrery.config import load

    return load(root)
