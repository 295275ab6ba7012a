"""Measure the rows of text to PDDL per second of processor time: draw, build, write, render, save.

Run by hand: ``python benchmarks/text_to_pddl.py [DIVISOR [DOMAIN ...]]``. The benchmark generates the
published size, or a fraction of it, in a temporary folder with one process, and prints the processor time by
part. The compiled loops are loaded beforehand, once per process; that time is printed too. Three parts are
timed separately, because the published generator does not compute them: keys, whether a goal initially holds,
and whether open objects matter to it. Duplicate problems that are drawn count in the time.
Reference, as stated in the specification: 145,918 rows in 70 s of processor time, which is 2,100 per second.
A second table gives milliseconds for one row in another vocabulary: renamed, rendered and written (target:
0.3 ms in all). The second of two rounds counts, so that templates are compiled, as in a stage.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from orrery.catalog import Catalog, Entry
from orrery.config import CountsOfDomain, Settings, choose
from orrery.equivalence.open_goal import OpenGoal
from orrery.families.text_to_pddl import texts
from orrery.language.prose import ProseWriter
from orrery.language.renamed_domain import NAMES, Vocabulary, vocabulary_of
from orrery.language.words import Words, explicit, names_by_type
from orrery.model import ParameterError, Problem, literals
from orrery.pddl.write import write_problem
from orrery.problems import candidates
from orrery.seeds import stream
from orrery.stages import generate, render
from orrery.store.shards import read

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = 2_100
CATALOG = Catalog(ROOT)
PROBLEMS_A_TASK = 2  # problems per difficulty to time vocabularies
DOMAINS = ("blocksworld", "gripper", "floor-tile")
KEYS = ("keys", "open objects matter")
OTHER_GENERATE, OTHER_RENDER = "parameters, problems, PDDL, rows", "texts put together"


@dataclass
class Clock:
    """Processor seconds by part. Time of a nested part counts only for the nested part."""

    seconds: dict[str, float] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)
    since: float = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time of the block for a part, and not for the enclosing part."""
        self._settle()
        self.inside.append(name)
        try:
            yield
        finally:
            self._settle()
            self.inside.pop()

    def _settle(self) -> None:
        now = time.process_time()
        if self.inside:
            self.seconds[self.inside[-1]] = self.seconds.get(self.inside[-1], 0.0) + now - self.since
        self.since = now

    def around(self, owner: Any, function: str, name: str | Callable[..., str]) -> None:
        """Count the time of a function for a part."""
        called = getattr(owner, function)

        def timed(*arguments: Any, **more: Any) -> Any:
            with self.part(name if isinstance(name, str) else name(*arguments)):
                return called(*arguments, **more)

        setattr(owner, function, timed)


def watch(clock: Clock) -> None:
    """Wrap all parts of the work with the clock, which itself takes a few percent of the time."""
    clock.around(candidates, "problem_keys", KEYS[0])
    clock.around(texts, "parse_problem", "problem read")
    clock.around(texts, "exchange_changes", KEYS[1])
    clock.around(OpenGoal, "changes", KEYS[1])
    clock.around(Words, "passage", "passages, objects (Jinja)")
    clock.around(Words, "objects", "passages, objects (Jinja)")
    clock.around(ProseWriter, "prose", "prose")
    clock.around(pq.ParquetWriter, "write_table", "Parquet")


def main(divisor: int, domains: list[str]) -> None:
    """Generate the published rows of every domain; print a line for each, their sum, and the parts."""
    watch(clock := Clock())
    with tempfile.TemporaryDirectory() as folder:
        for name in ("domains", "generators", "templates"):
            shutil.copytree(ROOT / name, Path(folder) / name)
        shutil.copy(ROOT / "params.yaml", folder)
        settings = smaller(choose(Path(folder), "published"), divisor)
        print("rows a processor-second of generate + render + write; propositions: mean of init and goal")
        print(f"{'':12}{'rows':>8}{'propositions':>14}{'generate':>10}{'render':>8}{'keys':>8}"
              f"{'without keys':>24}{'with keys':>21}")  # fmt: skip
        found, parts = [], []
        for name in domains:
            clock.seconds = {}
            found.append(measured(settings, name, clock))
            parts.append(clock.seconds)
    for name, (rows, size, made, rendered, keyed) in zip(
        (*domains, "all"), (*found, total(found)), strict=True
    ):
        speeds = [rows / (made + rendered), rows / (made + rendered + keyed)]
        shown = "".join(f"{speed:9.0f} rows/s, {speed / REFERENCE:4.1f} x" for speed in speeds)
        print(f"{name:12}{rows:8.0f}{size:14.1f}{made:9.2f}s{rendered:7.2f}s{keyed:7.2f}s{shown}")
    print(f"x: times the {REFERENCE} rows/s of the published generator, as stated (nothing solved or keyed)")
    print(f"\n{'seconds by part':36}" + "".join(f"{name:>14}" for name in domains))
    for part in sorted({part for each in parts for part in each}, key=lambda part: -parts[0].get(part, 0.0)):
        print(f"{part:36}" + "".join(f"{each.get(part, 0.0):13.2f}s" for each in parts))


def smaller(settings: Settings, divisor: int) -> Settings:
    """Return the settings with every number of problems divided."""
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
    """Return rows, their mean size in propositions, and seconds of generate, render and keys."""
    keyed, seconds = [], []
    for stage, rest in ((generate, OTHER_GENERATE), (render, OTHER_RENDER)):
        before = sum(clock.seconds.get(part, 0.0) for part in KEYS)
        start = time.process_time()
        with clock.part(rest):
            stage.run(settings, name)
        seconds.append(time.process_time() - start)
        keyed.append(sum(clock.seconds.get(part, 0.0) for part in KEYS) - before)
    problems = read(settings.outputs / "problems" / name / "problems.parquet").to_pylist()
    sizes = [row["init_num_propositions"] + row["goal_num_propositions"] for row in problems]
    rows = read(settings.outputs / "texts" / name / "texts.parquet", columns=["problem_id"]).num_rows
    made, rendered = (taken - keys for taken, keys in zip(seconds, keyed, strict=True))
    return rows, sum(sizes) / len(sizes), made, rendered, sum(keyed)


def total(found: list[tuple[float, ...]]) -> tuple[float, ...]:
    """Return the sums; the size is the mean over rows."""
    rows = sum(line[0] for line in found)
    size = sum(line[0] * line[1] for line in found) / rows
    return (rows, size, *(sum(line[i] for line in found) for i in (2, 3, 4)))


def drawn_problems(entry: Entry) -> Iterator[Problem]:
    """Yield problems of every task and difficulty, as the generator draws them."""
    for task in entry.tasks:
        for level, limits in sorted((entry.description.difficulties or {}).items()):
            for number in range(PROBLEMS_A_TASK):
                rng = stream(1, entry.name, task.name, level, number)
                try:
                    parameters = entry.call("draw", task, limits, rng)
                except ParameterError:  # no parameters within the limits of this difficulty fit the task
                    continue
                yield entry.call("build", task, parameters, rng).problem


def timed(work: Callable[[], object]) -> float:
    """Return milliseconds of processor time."""
    before = time.process_time()
    work()
    return 1000 * (time.process_time() - before)


def row_times(vocabulary: Vocabulary, problem: Problem) -> tuple[float, float]:
    """Return the times to rename a problem, and to render and write it."""
    rng = stream(2, problem.name)
    renamed = vocabulary.of(problem).problem(problem)

    def render() -> None:
        vocabulary.words.objects(names_by_type(renamed, vocabulary.domain), 1)
        explicit(literals(renamed.init), vocabulary.words, rng)
        explicit(renamed.goal, vocabulary.words, rng)
        write_problem(renamed)

    return timed(lambda: vocabulary.of(problem).problem(problem)), timed(render)


def time_vocabularies(names: list[str]) -> None:
    """Print a line for each domain and vocabulary."""
    print(
        f"\n{'domain':16}{'vocabulary':14}{'problems':>9}{'facts':>7}{'rename':>9}{'render':>9}{'in all':>9}"
    )
    for name in names:
        problems = list(drawn_problems(CATALOG.entry(name)))
        facts = statistics.median(len(problem.init) + len(problem.goal) for problem in problems)
        for kind in NAMES:
            vocabulary = vocabulary_of(CATALOG.entry(name).domain, kind, CATALOG.templates, 1)
            for _ in range(2):
                times = [row_times(vocabulary, problem) for problem in problems]
            parts = [statistics.median(column) for column in zip(*times, strict=True)]
            cells = "".join(f"{cell:9.3f}" for cell in (*parts, statistics.median(map(sum, times))))
            print(f"{name:16}{kind:14}{len(problems):9}{facts:7.0f}{cells}")


if __name__ == "__main__":
    names = sys.argv[2:] or list(DOMAINS)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, names)
    time_vocabularies(names)
