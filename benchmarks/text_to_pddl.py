"""Rows of text to PDDL a processor-second: draw, build, write, render in every mixture, write the tables.

Run by hand: ``python benchmarks/text_to_pddl.py [DIVISOR]``. Makes the published size, or a part of it, in a
temporary folder, on one process. Keys, whether a goal holds at the start, and whether open objects matter to
it are timed apart: the published generator decides on none of these. Draws of problems that turn out to be
there already count.
Reference, as stated in the specification: 145,918 rows in 70 s of processor time, which is 2,100 a second.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orrery.config import CountsOfDomain, Settings, choose
from orrery.equivalence.open_goal import OpenGoal
from orrery.families.problems import candidates
from orrery.stages import generate, render
from orrery.store.shards import read

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = 2_100
DOMAINS = ("blocksworld", "gripper", "floor-tile")
TIMED_APART = ("keys", "goal_holds_permuted")


@dataclass
class Clock:
    """Processor seconds spent inside functions that are to be counted apart."""

    seconds: float = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time added to this clock."""

        def timed(*arguments: Any, **more: Any) -> Any:
            start = time.process_time()
            try:
                return function(*arguments, **more)
            finally:
                self.seconds += time.process_time() - start

        return timed


def main(divisor: int) -> None:
    """Make every domain of the published rows and print a line for each, then their sum."""
    clock = Clock()
    for name in TIMED_APART:
        setattr(candidates, name, clock.around(getattr(candidates, name)))
    OpenGoal.changes = clock.around(OpenGoal.changes)  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("domains", "generators", "templates"):
            shutil.copytree(ROOT / name, Path(folder) / name)
        shutil.copy(ROOT / "params.yaml", folder)
        settings = smaller(choose(Path(folder), "published"), divisor)
        print("rows a processor-second of generate + render + write; propositions: mean of init and goal")
        print(f"{'domain':12}{'rows':>8}{'propositions':>14}{'generate':>10}{'render':>8}{'keys':>8}{'rows/s':>9}"
              f"{'x reference':>13}")  # fmt: skip
        found = [measured(settings, name, clock) for name in DOMAINS]
    for name, line in zip((*DOMAINS, "all"), (*found, total(found)), strict=True):
        rows, size, made, rendered, keyed = line
        speed = rows / (made + rendered)
        print(f"{name:12}{rows:8.0f}{size:14.1f}{made:9.2f}s{rendered:7.2f}s{keyed:7.2f}s{speed:9.0f}"
              f"{speed / REFERENCE:13.2f}")  # fmt: skip
    print(
        f"reference: {REFERENCE} rows/s, the published generator (stated; nothing solved, keyed or checked)"
    )


def smaller(settings: Settings, divisor: int) -> Settings:
    """The settings with every number of problems divided."""
    parts = {
        name: CountsOfDomain(
            **{
                part: None if counts is None else {level: n // divisor for level, n in counts.items()}
                for part, counts in (("problems", own.problems), ("test", own.test))
            }
        )
        for name, own in settings.size.by_domain.items()
    }
    return replace(settings, size=settings.size.model_copy(update={"by_domain": parts}))


def measured(settings: Settings, name: str, clock: Clock) -> tuple[float, ...]:
    """Rows, their mean size in propositions, and seconds of generate, render and keys."""
    clock.seconds, start = 0.0, time.process_time()
    generate.run(settings, name, 1)
    made, keyed = time.process_time() - start, clock.seconds
    start = time.process_time()
    render.run(settings, name, 1)
    rendered = time.process_time() - start
    problems = read(settings.outputs / "problems" / name / "problems.parquet").to_pylist()
    sizes = [row["init_num_propositions"] + row["goal_num_propositions"] for row in problems]
    rows = read(settings.outputs / "texts" / name / "texts.parquet", columns=["problem_id"]).num_rows
    return rows, sum(sizes) / len(sizes), made - keyed, rendered, keyed


def total(found: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The sums; the size is the mean over rows."""
    rows = sum(line[0] for line in found)
    size = sum(line[0] * line[1] for line in found) / rows
    return (rows, size, *(sum(line[i] for line in found) for i in (2, 3, 4)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
