"""Plan tasks: rows per second by task, and whether twice the rows take twice the time.

Run by hand: ``python benchmarks/plans.py [DOMAIN] [STATES]``. Problems are drawn and solved first; only the
making of rows is timed, in this process, on so many states and on twice as many.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from orrery.catalog import Entry, entry_of
from orrery.families.plans.source import Source, neutral_name
from orrery.families.plans.space import space_of
from orrery.families.plans.task import Draft
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions.state_record import StateRecord
from orrery.model import ParameterError
from orrery.seeds import stream
from orrery.semantics.grounding import Grounder

ROOT = Path(__file__).resolve().parent.parent
MOST_STATES = 20_000


def sources(entry: Entry, count: int) -> list[Source]:
    """Return so many easy problems of a domain with a shortest plan each."""
    found, number, grounder = list[Source](), 0, Grounder(entry.domain)
    level = next(iter(entry.description.difficulties or {"": {}}))
    while len(found) < count:
        number += 1
        task = entry.tasks[number % len(entry.tasks)]
        try:
            generated = entry.make(task, level, stream(0, "benchmark", entry.name, number))
        except ParameterError:
            continue
        planning = grounder.ground(generated.problem)
        space = space_of(planning, MOST_STATES)
        if space is None:
            continue
        distances = space.distances(space.satisfying(planning.goal_positive, planning.goal_negative))
        if distances[0] < 2:
            continue
        plan = tuple(space.shortest(0, distances, stream(0, number)))
        record = StateRecord(
            entry.domain,
            generated.problem,
            f"{entry.name}/train/{number:06d}",
            solvable=True,
            h_star=len(plan),
            plan=plan,
            plan_optimal=True,
        )
        no_passage = neutral_name(generated.problem)  # its parameters are not at hand
        row = {"split": "train", "task": task.name, "goal_configuration": no_passage}
        found.append(Source(entry, record, row, entry.words, "plain", 0, MOST_STATES))
    return found


def timed(some: list[Source]) -> tuple[Counter[str], Counter[str]]:
    """Return rows and seconds by task."""
    rows, seconds = Counter[str](), Counter[str]()
    for source in some:
        start = time.process_time()
        _ = source.distances
        seconds["(states)"] += time.process_time() - start
        for name, task in plan_tasks().items():
            start = time.process_time()
            made = list(task.make(source, stream(0, source.name, name)))
            seconds[name] += time.process_time() - start
            rows[name] += sum(len(each.rows) for each in made if isinstance(each, Draft))
    return rows, seconds


def main(domain: str, count: int) -> None:
    """Print a line a task, then the ratio of the times of twice as many states and of the first half."""
    entry = entry_of(ROOT, domain)
    every = sources(entry, 3 * count + 1)
    timed(every[:1])  # loads the compiled loops
    rows, seconds = timed(every[1 : count + 1])
    more_rows, more_seconds = timed(every[count + 1 :])
    print(f"{'task':16}{'rows':>8}{'seconds':>10}{'rows/s':>10}")
    for name, spent in seconds.items():
        rate = f"{rows[name] / spent:10.0f}" if rows[name] else ""
        print(f"{name:16}{rows[name]:8}{spent:10.2f}{rate}")
    total, more = sum(seconds.values()), sum(more_seconds.values())
    print(f"{'all':16}{sum(rows.values()):8}{total:10.2f}{sum(rows.values()) / total:10.0f}")
    ratio = (more / sum(more_rows.values())) / (total / sum(rows.values()))
    print(f"\n{sum(more_rows.values())} rows take {ratio:.2f} times the time a row")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "blocksworld", int(sys.argv[2]) if len(sys.argv) > 2 else 30)
