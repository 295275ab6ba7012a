"""The page of all runs: failed and undecided replies, tables of the papers, accuracy by group, comparisons.

A figure shows the command that prints its replies.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

from orrery.dataset.report import RunLine
from orrery.dataset.selection import literal
from orrery.evaluation.results.comparison import compare, corrected
from orrery.evaluation.results.layouts import reports
from orrery.evaluation.results.runs import ABILITY, DECIDED, GROUPS, EvaluationRun, read_run, run_names
from orrery.evaluation.results.statistics import as_chance, percent_of
from orrery.evaluation.results.tallies import summary
from orrery.language.words import environment
from orrery.model import OrreryError, UsageError
from orrery.store.files import write_text

PAGE = "index.html"
MOST_COMPARED = 4  # runs; of more, the pairs are too many to read
TEMPLATE = "report/evals.html.j2"
# The groups of the page in order, with their titles.
TITLES = (
    ("table", "Table"),
    ("domain", "Domain"),
    ("kind", "Kind of question or plan task"),
    ("format", "Format"),
    ("plan_length", "Steps of the plan"),
    ("objects", "Objects of the problem"),
    ("representation", "What the prompt shows"),
    ("difficulty", "Difficulty"),
    ("mechanics", "Mechanics of composed domains: seen in train, or unseen"),
    ("explicitness", "Explicitness of procedures on composed domains"),
)


def run_lines(evals: Path) -> list[RunLine]:
    """Return a line for every run in ``outputs/evals``, sorted by name."""
    runs, lines = readable_runs(evals)
    for run in runs:
        overall = summary(run)["overall"]
        model, data = run.about["model"], run.about["data"]
        accuracy = None if ABILITY in run.about else overall["accuracy"]
        lines.append(RunLine(run.name, model, overall["replies"], accuracy, data))
    return sorted(lines, key=lambda line: line.name)


def write_pages(evals: Path, root: Path) -> Path:
    """Write the page of all runs in ``outputs/evals``, and return its path.

    It is one file that loads nothing from other servers. Unreadable runs are listed at its top. Pairs of runs
    are compared if there are at most ``MOST_COMPARED``.

    Args:
        evals: the folder of the runs.
        root: the folder with the templates.
    """
    runs, damaged = readable_runs(evals)
    templates = root / "templates"
    text = (
        environment(templates)
        .get_template(TEMPLATE)
        .render(
            runs=[summary(run) for run in runs],
            damaged=damaged,
            reports=reports(templates, runs),
            pairs=compare_all(runs) if len(runs) <= MOST_COMPARED else None,
            titles=TITLES,
            groups=GROUPS,
            decided=DECIDED,
            literal=literal,
            percent_of=percent_of,
            chance=as_chance,
        )
    )
    write_text(evals / PAGE, text)
    return evals / PAGE


def compare_all(runs: Sequence[EvaluationRun]) -> list[dict[str, Any]]:
    """Return the comparisons of all pairs of runs with common rows of the same data.

    The p-values over all rows are corrected for the number of pairs, if there are several; those by table are
    corrected within a pair.
    """
    comparisons = {}
    for first, second in combinations(runs, 2):
        with suppress(UsageError):  # the runs share no rows, which the page says, or one is adaptive
            comparisons[first.name, second.name] = compare(first, second)
    overall = corrected({pair: comparison["overall"] for pair, comparison in comparisons.items()})
    return [{**comparison, "overall": overall[pair]} for pair, comparison in comparisons.items()]


def readable_runs(evals: Path, *, on_disk: bool = False) -> tuple[list[EvaluationRun], list[RunLine]]:
    """Return the readable runs, as ``read_run`` does, and a line for each unreadable one."""
    runs, damaged = [], []
    for name in run_names(evals):
        try:
            runs.append(read_run(evals / name, on_disk=on_disk))
        except OrreryError as error:
            problem = f"{error.problem} ({error.mend})" if error.mend else error.problem
            damaged.append(RunLine(name, problem=problem))
    return runs, damaged
