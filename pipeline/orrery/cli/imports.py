"""``orrery import``: read published sets into our schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.options import AUTO, HERE, Address, AsJson, Engine, Jobs, Root, Source, working
from orrery.cli.tables import show
from orrery.model import OrreryError, UsageError
from orrery.stages.summary import StageSummary

app = typer.Typer(
    help="Import published sets in the schemas of Orrery: outputs/imports.", no_args_is_help=True
)
MARK = "repairs.parquet"  # a file that only an import writes
Out = Annotated[Path | None, typer.Option(help="The folder to write (default: outputs/imports/<set>).")]


@app.command()
def proc2pddl(
    folder: Annotated[Path, typer.Argument(help="The published folder: pddl_data/<id>/domain.pddl ...")],
    out: Out = None,
    with_articles: Annotated[
        bool,
        typer.Option(
            "--with-articles", help="Include text of articles; rows with such text are never published."
        ),
    ] = False,
    root: Root = HERE,
) -> None:
    """Import Proc2PDDL as repaired rows of action_modeling. Undecided problems are logged."""
    from orrery.stages import imports as stage

    target = _target(out, root, "proc2pddl")
    _say(stage.import_proc2pddl(folder, target, with_articles=with_articles), target)


@app.command()
def text2world(
    file: Annotated[Path, typer.Argument(help="The published JSON list of domains.")],
    out: Out = None,
    root: Root = HERE,
) -> None:
    """Import Text2World as rows of domain_modeling, for local comparison only, because it has no licence."""
    from orrery.stages import imports as stage

    target = _target(out, root, "text2world")
    _say(stage.import_text2world(file, target), target)


@app.command()
def planetarium(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The published folder: data/train-00000-of-00001.parquet, size/..., placeholder/..."
        ),
    ],
    out: Out = None,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
    seconds: Annotated[float, typer.Option(min=0, help="Time limit of a planner call in seconds.")] = 5.0,
    root: Source = None,
) -> None:
    """Import Planetarium: decide whether each problem has a plan and is as its row states.

    A row that several files have is imported once. The same command continues an interrupted import.
    """
    from orrery.installation import find_root
    from orrery.stages import import_planetarium as stage

    target = _target(out, root or HERE, "planetarium")
    with working(jobs, engine, address) as workers:
        _say(stage.run(folder, target, find_root(root).absolute(), workers=workers, seconds=seconds), target)


@app.command()
def acpbench(
    folder: Annotated[
        Path,
        typer.Argument(help="The published folder: app/dev.gen.json, val/test.mcq.json.gz ... or Parquet."),
    ],
    out: Out = None,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
    max_states: Annotated[int, typer.Option(min=1, help="Maximum number of states of a search.")] = 500_000,
    calls: Annotated[int, typer.Option(min=0, help="Maximum number of planner calls per row.")] = 20,
    seconds: Annotated[float, typer.Option(min=1, help="Time limit of a planner call in seconds.")] = 10.0,
    root: Root = HERE,
) -> None:
    """Import ACPBench and ACPBench Hard: decide every open answer again, and state wrong or missing elements.

    Results are stored as they are computed. The same command continues an interrupted import.
    """
    from orrery.planning.decide import ProofBudget
    from orrery.stages import import_acpbench as stage

    target = _target(out, root, stage.NAME)
    effort = ProofBudget(states=max_states, calls=calls, seconds=seconds)
    with working(jobs, engine, address) as workers:
        _say(stage.run(folder, target, workers=workers, effort=effort), target)


@app.command()
def planbench(
    folder: Annotated[
        Path, typer.Argument(help="The published folder: prompts/<domain>/task_*.json, configs, instances.")
    ],
    out: Out = None,
    jobs: Jobs = 0,
    engine: Engine = AUTO,
    address: Address = None,
    max_states: Annotated[int, typer.Option(min=1, help="Maximum number of states of a search.")] = 100_000,
    as_json: AsJson = False,
    root: Root = HERE,
) -> None:
    """Import PlanBench: decide whether the answer of each row is right, and whether its question is trivial.

    Results are stored as they are computed. The same command continues an interrupted import.
    """
    from orrery.stages import import_planbench as stage

    target = _target(out, root, stage.NAME)
    with working(jobs, engine, address) as workers:
        summary, counts = stage.run(folder, target, workers=workers, max_states=max_states)
    if as_json:
        typer.echo(json.dumps(counts, indent=2))
    else:
        names = list(counts[0])
        rules = (", ".join(f"{rule} {n}" for rule, n in count["rules"].items()) for count in counts)
        lines = (count | {"rules": text} for count, text in zip(counts, rules, strict=True))
        show(names, [[line[name] for name in names] for line in lines])
    _say(summary, target)


def _target(out: Path | None, root: Path, name: str) -> Path:
    """Return the output folder. A folder is replaced only if an import wrote it."""
    from orrery.store.files import TEMPORARY

    target = out or root / "outputs" / "imports" / name
    if target.exists() and not target.is_dir():
        raise UsageError(str(target), "is a file, not a folder", "name a folder")
    present = [path for path in target.iterdir() if TEMPORARY not in path.name] if target.is_dir() else []
    if present and not (target / MARK).is_file():
        raise OrreryError(str(target), "is a folder with other files", "name a new or empty folder")
    return target


def _say(summary: StageSummary, target: Path) -> None:
    for line in (*summary.lines(), f"written: {target}"):
        typer.echo(line, err=True)
