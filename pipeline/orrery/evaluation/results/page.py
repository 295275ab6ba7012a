"""The page of all runs: what failed or stayed open, accuracy by group, and the runs compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from orrery.dataset.report import RunLine
from orrery.evaluation.results.comparison import Comparison, Replies, compare, replies_of
from orrery.evaluation.results.lines import as_chance, percent
from orrery.evaluation.results.runs import read_run, run_names
from orrery.evaluation.results.statistics import holm
from orrery.evaluation.results.tallies import summary
from orrery.installation import find_root
from orrery.language.words import environment
from orrery.model import OrreryError, UsageError
from orrery.store.shards import replacing

PAGE = "index.html"
TEMPLATE = "report/evals.html.j2"
# What runs are shown by, in this order, and how it is called.
TITLES = (
    ("table", "Table"),
    ("domain", "Domain"),
    ("kind", "Kind of question or plan task"),
    ("format", "Format"),
    ("plan_length", "Steps of the plan"),
    ("representation", "What the prompt shows"),
    ("difficulty", "Difficulty"),
)


@dataclass(frozen=True)
class Damaged:
    """A run that cannot be read, and why."""

    name: str
    problem: str


def run_lines(evals: Path) -> list[RunLine]:
    """Return a line for every run in ``outputs/evals``, sorted by name."""
    found, damaged = _read(evals)
    lines = [RunLine(each.name, problem=each.problem) for each in damaged]
    for each in found:
        told = summary(each.run)
        model, data = each.run.about["model"], each.run.about["data"]
        lines.append(RunLine(told.name, model, told.overall.replies, told.overall.accuracy, data))
    return sorted(lines, key=lambda line: line.name)


def write_pages(evals: Path, root: Path | None = None) -> Path:
    """Write the page of all runs in ``outputs/evals``, and return its path.

    It is one file that asks for nothing from elsewhere. A run that cannot be read is named at its top.

    Args:
        evals: the folder of the runs.
        root: the folder with the templates; that of the installation unless given.
    """
    found, damaged = _read(evals)
    template = environment((root or find_root()) / "templates").get_template(TEMPLATE)
    text = template.render(
        runs=[summary(each.run) for each in found],
        damaged=damaged,
        pairs=compared(found),
        titles=TITLES,
        percent=percent,
        chance=as_chance,
    )
    with replacing(evals / PAGE) as path:
        path.write_text(text, encoding="utf-8")
    return evals / PAGE


def compared(runs: Sequence[Replies]) -> list[Comparison]:
    """Return the comparisons of all pairs of runs that asked some rows of the same data.

    The p-values of all rows together are corrected for the number of pairs, those by table within a pair.
    """
    found = []
    for first, second in combinations(runs, 2):
        try:
            found.append(compare(first, second))
        except UsageError:
            continue  # they have nothing in common, which the page says
    chances = holm([each.overall.chance for each in found])
    return [
        replace(each, overall=replace(each.overall, corrected=chance))
        for each, chance in zip(found, chances, strict=True)
    ]


def _read(evals: Path) -> tuple[list[Replies], list[Damaged]]:
    """Return the runs that can be read, and the others."""
    found, damaged = [], []
    for name in run_names(evals):
        try:
            found.append(replies_of(read_run(evals / name)))
        except OrreryError as error:
            damaged.append(Damaged(name, f"{error.problem} ({error.mend})" if error.mend else error.problem))
    return found, damaged
