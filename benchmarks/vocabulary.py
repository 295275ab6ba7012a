"""Milliseconds of processor time for one row in other words, by domain: medians over its tasks.

Run by hand: ``python benchmarks/vocabulary.py``. A row is renamed (objects drawn anew), rendered (objects,
init, goal; explicit) and written as PDDL. Target: 0.3 ms in all. The second of two rounds counts, so that
templates are compiled and clauses remembered, as in a stage.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from orrery.catalog import Catalog, Entry
from orrery.language.renamed_domain import NAMES, Vocabulary, vocabulary_of
from orrery.language.words import explicit, names_by_type
from orrery.model import ParameterError, Problem, literals
from orrery.pddl.write import write_problem
from orrery.seeds import stream

CATALOG = Catalog(Path(__file__).resolve().parent.parent)
EACH = 2  # problems of each task and difficulty


def problems(entry: Entry) -> Iterator[Problem]:
    """Problems of every task and difficulty, as the generator draws them."""
    for task in entry.tasks:
        for level, limits in sorted((entry.description.difficulties or {}).items()):
            for number in range(EACH):
                rng = stream(1, entry.name, task.name, level, number)
                try:
                    parameters = entry.call("draw", task, limits, rng)
                except ParameterError:  # the limits of this difficulty do not suit the task
                    continue
                yield entry.call("build", task, parameters, rng).problem


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


def row(made: Vocabulary, problem: Problem) -> tuple[float, float]:
    """The times to rename a problem, and to render and write it."""
    rng = stream(2, problem.name)
    renamed = made.of(problem).problem(problem)

    def render() -> None:
        made.words.objects(names_by_type(renamed, made.domain), 1)
        explicit(literals(renamed.init), made.words, rng)
        explicit(renamed.goal, made.words, rng)
        write_problem(renamed)

    return timed(lambda: made.of(problem).problem(problem)), timed(render)


def main() -> None:
    """Print a line for each domain and vocabulary."""
    print(f"{'domain':16}{'vocabulary':14}{'problems':>9}{'facts':>7}{'rename':>9}{'render':>9}{'in all':>9}")
    for name in CATALOG.names:
        some = list(problems(CATALOG.entry(name)))
        facts = statistics.median(len(problem.init) + len(problem.goal) for problem in some)
        for vocabulary in NAMES:
            made = vocabulary_of(CATALOG.entry(name).domain, vocabulary, CATALOG.templates, 1)
            for _ in range(2):
                times = [row(made, problem) for problem in some]
            parts = [statistics.median(column) for column in zip(*times, strict=True)]
            cells = "".join(f"{each:9.3f}" for each in (*parts, statistics.median(map(sum, times))))
            print(f"{name:16}{vocabulary:14}{len(some):9}{facts:7.0f}{cells}")


if __name__ == "__main__":
    main()
