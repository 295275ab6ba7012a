"""States decided a second, and of how many which set stays undecided, by domain and difficulty.

Run by hand from the repository's root: python benchmarks/solving.py [PROBLEMS [DOMAIN ...]]

A sample is the first problems drawn of each difficulty (3 unless given), tasks taking turns; of each the
initial state, one on a plan, one on a plan unlike it and one on a random walk, as ``orrery solve`` does it.
Seconds are processor time, planner calls included.
"""

import resource
import statistics
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from orrery.analysis.decide import decide
from orrery.analysis.diverse_plans import diverse_plan
from orrery.analysis.states import asked_states
from orrery.catalog import Catalog
from orrery.model import ParameterError, Plan
from orrery.seeds import stream
from orrery.semantics.grounding import Grounder

ROOT = Path(__file__).resolve().parent.parent
STATES = 4
MAX_STATES = 200_000
SECONDS = 5.0
SETS = ("plan", "landmark", "next", "fact", "action")
HEADS = ("domain", "difficulty", "states", "explored", "median ms", "worst s", "states/s", *SETS)
WIDTHS = (14, 11, 7, 6, 10, 8, 9, *[9] * len(SETS))


def drawn(entry, difficulty, count):
    """The first problems of a difficulty, the tasks taking turns."""
    limits = entry.limits(difficulty)
    for number in range(count):
        task = entry.tasks[number % len(entry.tasks)]
        path = ("benchmark", task.name, difficulty, number)
        try:
            parameters = entry.call("draw", task, limits, stream(*path, "parameters"))
        except ParameterError:
            continue
        yield entry.call("build", task, parameters, stream(*path, "problem")).problem


def spent():
    """Processor seconds of this process and of the planners that it ran."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def decided(grounder, problem):
    """Each state of a problem with what is known of it and what it took."""
    start = spent()
    task = grounder.ground(problem)
    found = decide(task, max_states=MAX_STATES, seconds=SECONDS)
    yield found, spent() - start
    rng = stream(0, problem.name)
    start = spent()
    other = diverse_plan(task, found, rng, max_states=MAX_STATES, seconds=SECONDS)
    for asked in asked_states(task, found.plan, other, STATES - 1, rng):
        there = grounder.ground(replace(problem, init=asked.state))
        rest = Plan(asked.rest, "rest") if asked.rest is not None else None
        yield decide(there, plan=rest, max_states=MAX_STATES, seconds=SECONDS), spent() - start
        start = spent()


def measured(entry, difficulty, count):
    """A line of figures."""
    grounder = Grounder(entry.domain)
    seconds, undecided, explored = [], Counter(), 0
    for problem in drawn(entry, difficulty, count):
        for found, took in decided(grounder, problem):
            seconds.append(took)
            explored += found.num_states is not None
            undecided.update(kind for kind in SETS if not found.is_complete(kind))
    if not seconds:
        return (entry.name, difficulty, 0, *[""] * (len(HEADS) - 3))
    return (
        entry.name,
        difficulty,
        len(seconds),
        explored,
        f"{1000 * statistics.median(seconds):.0f}",
        f"{max(seconds):.1f}",
        f"{len(seconds) / sum(seconds):.2f}",
        *(f"{100 * undecided[kind] / len(seconds):.0f} %" for kind in SETS),
    )


def main(arguments):
    """Print the table; the last columns say of how many states a set stayed open."""
    catalog = Catalog(ROOT)
    count = int(arguments[0]) if arguments else 3
    print("".join(head.rjust(width) for head, width in zip(HEADS, WIDTHS, strict=True)))
    for name in arguments[1:] or catalog.names:
        entry = catalog.entry(name)
        for difficulty in entry.description.difficulties or ():
            if entry.description.questions and difficulty in ("easy", "medium", "hard"):
                row = measured(entry, difficulty, count)
                cells = zip(row, WIDTHS, strict=True)
                print("".join(str(cell).rjust(width) for cell, width in cells), flush=True)
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main(sys.argv[1:])
