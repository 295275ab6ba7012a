"""Microseconds to grade a reply about plans, by task, on rows of a build, and by length on plans made up.

Run by hand: ``python benchmarks/plan_grading.py [FOLDER ...]`` with folders of Parquet tables ``plan_*``
(``outputs/plans/*`` unless given). Rows are graded with the stored answer and with prose that ends in it:
`first` with nothing remembered of the row's PDDL and wordings, `next` with those of the domain only, as when
rows follow each other, `again` as when several replies come for a row. The plans made up sail a ferry to and
fro, in PDDL and in words. Targets: median 200 us, 99th percentile 2 ms for 100 steps, a second for 100,000.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from orrery import grading
from orrery.families.plans.words import phrases_of
from orrery.grading.plans import pddl
from orrery.language.words import Words
from orrery.pddl.read import read_domain

Row = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
PROSE = "Let us see what holds (and what does not). " * 20
LENGTHS = (10, 100, 1_000, 10_000, 100_000)
CACHES = tuple(
    each
    for name, module in sorted(sys.modules.items())
    if name.startswith(grading.__name__)
    for each in vars(module).values()
    if hasattr(each, "cache_clear")
)
UNUSED = ("context", "question", "context_pddl", "question_pddl", "context_both")
PROBLEM = """
(define (problem p) (:domain ferry)
  (:objects c0 - car l0 l1 - location)
  (:init (at c0 l0) (at-ferry l0) (empty-ferry) (not-eq l0 l1) (not-eq l1 l0))
  (:goal (and (at c0 l0))))
"""


class Reply(NamedTuple):
    """A reply to a row, with the verdict that it should get."""

    row: Row
    text: str
    verdict: str


def rows_of(folder: Path) -> Iterator[tuple[str, Row]]:
    """The rows of all tables of plans in a folder, with the table's name."""
    for path in sorted(folder.glob("plan_*.parquet")):
        columns = [name for name in pq.read_schema(path).names if name not in UNUSED]
        yield from ((path.stem, row) for row in pq.read_table(path, columns=columns).to_pylist())


def gold(row: Row) -> str:
    """The stored answer as a reply."""
    if "valid" in row:
        where = f"step {row['fails_at']}" if row["fails_at"] else "end"
        return "ANSWER: valid" if row["valid"] else f"ANSWER: invalid, {where}, {', '.join(row['missing'])}"
    if "answer" in row:
        answer = row["answer"]
        return f"ANSWER: {answer if isinstance(answer, int) else ' '.join(answer)}"
    if row.get("solvable") is False:
        return "ANSWER: none"
    return "\n".join(["[PLAN]", *row["plan"], "[PLAN END]"])


def replies(row: Row) -> Iterator[Reply]:
    """A right reply, and the same after prose."""
    yield Reply(row, gold(row), grading.RIGHT)
    yield Reply(row, f"{PROSE}\n\n{gold(row)}", grading.RIGHT)


def ferry() -> Row:
    """A row with a ferry that has nothing to do."""
    folder = ROOT / "domains" / "ferry"
    text = (folder / "domain.pddl").read_text(encoding="utf-8")
    return {
        "group": "plan_generation",
        "domain_pddl": text,
        "problem_pddl": PROBLEM,
        "phrases": phrases_of(Words("ferry", ROOT / "templates"), read_domain(text)),
    }


def made_up(length: int) -> Iterator[tuple[str, Reply]]:
    """Plans of a length, in the ways in which replies write them."""
    row = ferry()
    names = [("l0", "l1"), ("l1", "l0")]
    phrases = json.loads(row["phrases"])["actions"]["sail"]
    ways: dict[str, Callable[[int], str]] = {
        "PDDL": lambda i: "(sail {} {})".format(*names[i % 2]),
        "numbered": lambda i: "{}. (sail {} {}) ; on".format(i + 1, *names[i % 2]),
        "words": lambda i: f"{i + 1}. {phrases[i % len(phrases)].format(*names[i % 2])}.",
    }
    for way, step in ways.items():
        text = "\n".join(map(step, range(length)))
        yield f"{length} {way}, marked", Reply(row, f"[PLAN]\n{text}\n[PLAN END]", grading.RIGHT)
        yield f"{length} {way}", Reply(row, text, grading.RIGHT)


def seconds(reply: Reply, forget: Iterable[Any]) -> float:
    """The time to grade one reply, once what is to be forgotten of rows before it is."""
    for cached in forget:
        cached.cache_clear()
    begin = time.perf_counter()
    score = grading.grade(reply.text, reply.row)
    took = time.perf_counter() - begin
    assert reply.verdict == score.verdict, (reply.row["group"], reply.text[-200:], score)
    return took


def report(name: str, asked: list[Reply]) -> list[float]:
    """Print a line; the times of rows that follow each other, each the best of ROUNDS."""
    times = [
        sorted(min(seconds(reply, forget) for _ in range(ROUNDS)) * 1e6 for reply in asked)
        for forget in (CACHES, (pddl.read_problem,), ())
    ]
    cells = "".join(f"{statistics.median(each):>10.0f}{each[int(len(each) * 0.99)]:>10.0f}" for each in times)
    print(f"{name:28}{len(asked):>8}{cells}", flush=True)
    return times[1]


def main(folders: list[Path]) -> None:
    """Print the table."""
    by_table: dict[str, list[Reply]] = defaultdict(list)
    for folder in folders:
        for table, row in rows_of(folder):
            by_table[table] += replies(row)
    heads = "".join(f"{head:>10}{'99 %':>10}" for head in ("first", "next", "again"))
    print(f"{'microseconds':28}{'replies':>8}{heads}")
    every = [took for table, asked in sorted(by_table.items()) for took in report(table, asked)]
    if every:
        print(f"all: median {statistics.median(every):.0f}, 99 % {sorted(every)[int(len(every) * 0.99)]:.0f}")
    for length in LENGTHS:
        for name, reply in made_up(length):
            report(name, [reply])


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted((ROOT / "outputs" / "plans").glob("*/")))
