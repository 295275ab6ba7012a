"""Microseconds to grade a reply, by kind and format, on rows of a build.

Run by hand: ``python benchmarks/grading.py [FOLDER ...]`` with folders of Parquet tables ``acp_*``
(``outputs/questions/*`` unless given). Each row is graded with a right reply, a wrong one and prose that
ends in the answer; `first` with nothing remembered of the row's PDDL, as when replies come one a row, `again`
as when several come for a row. Then actions with thousands of stored answers, made up. Targets: median
100 us, 99th percentile 1 ms.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from orrery.publishing.replies import reply_of
from orrery.scoring.question_gold import USED

from orrery import grading

Row = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
PROSE = "Let us see what holds (and what does not). " * 20
CACHES = tuple(
    each
    for name, module in sorted(sys.modules.items())
    if name.startswith(grading.__name__)
    for each in vars(module).values()
    if hasattr(each, "cache_clear")
)


class Reply(NamedTuple):
    """A reply to a row, with the verdict that it should get (None: any)."""

    row: Row
    text: str
    verdict: str | None


def rows_of(folder: Path) -> Iterator[tuple[str, Row]]:
    """The rows of all tables of questions in a folder, with the table's name."""
    for path in sorted(folder.glob("acp_*.parquet")):
        columns = [name for name in USED if name in pq.read_schema(path).names]
        yield from ((path.stem, row) for row in pq.read_table(path, columns=columns).to_pylist())


def replies(table: str, row: Row, rng: random.Random) -> Iterator[Reply]:
    """A right reply, the same after prose, and two that are wrong or cannot be read."""
    right = reply_of(table)[1](row, rng)
    yield Reply(row, right, grading.RIGHT)
    yield Reply(row, f"{PROSE}\n\n{right.replace('ANSWER: ', '**Answer:** ').lower()}", grading.RIGHT)
    wrong = {"no": "ANSWER: yes", "yes": "ANSWER: no"}.get(str(row["answer"]), "ANSWER: None")
    yield Reply(row, wrong, None)
    yield Reply(row, PROSE, grading.UNPARSED)


def many(number: int, rng: random.Random) -> Row:
    """A row with ``number`` unreachable actions on 60 objects."""
    names = [f"o{i}" for i in range(60)]
    actions = sorted({f"(do {' '.join(rng.choices(names, k=4))})" for _ in range(number)})
    return {
        "group": "reachable_action_gen",
        "answer": actions[:50],
        "answer_all": actions,
        "answer_all_is": "unreachable",
        "typing": json.dumps({"actions": {"do": [["object"]] * 4}, "objects": {"object": names}}),
        "PDDL_domain": "(define (domain d) (:action do :parameters (?a ?b ?c ?d) :effect (p)))",
        "PDDL_problem": f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init))",
    }


def seconds(reply: Reply, forget: bool) -> float:
    """The time to grade one reply; ``forget`` what is remembered of PDDL read before."""
    for cached in CACHES if forget else ():
        cached.cache_clear()
    begin = time.perf_counter()
    score = grading.grade(reply.text, reply.row)
    took = time.perf_counter() - begin
    assert reply.verdict in (None, score.verdict), (reply.row["group"], reply.text[-200:], score)
    return took


def report(name: str, asked: Iterable[Reply]) -> list[float]:
    """Print a line; the times of the first reading, each the best of ROUNDS."""
    asked = list(asked)
    cold, warm = (
        sorted(min(seconds(reply, forget) for _ in range(ROUNDS)) * 1e6 for reply in asked)
        for forget in (True, False)
    )
    cells = "".join(
        f"{statistics.median(times):>9.0f}{times[int(len(times) * 0.99)]:>9.0f}" for times in (cold, warm)
    )
    print(f"{name:24}{len(asked):>8}{cells}{cold[-1]:>9.0f}")
    return cold


def main(folders: list[Path]) -> None:
    """Print the table."""
    rng = random.Random(1)
    by_table: dict[str, list[Reply]] = defaultdict(list)
    for folder in folders:
        for table, row in rows_of(folder):
            by_table[table] += replies(table, row, rng)
    print(f"{'microseconds':24}{'replies':>8}{'first':>9}{'99 %':>9}{'again':>9}{'99 %':>9}{'longest':>9}")
    every = [took for table, asked in sorted(by_table.items()) for took in report(table, asked)]
    if every:
        print(f"all: median {statistics.median(every):.0f}, 99 % {sorted(every)[int(len(every) * 0.99)]:.0f}")
    for number in (1_000, 5_000, 20_000):
        row = many(number, rng)
        texts = [row["answer_all"][-1], "(do o1 o2 o3 o4)", "(do o1 o2 o3 o99)", "none"]
        report(f"areach with {number}", [Reply(row, f"ANSWER: {text}", None) for text in texts])


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted((ROOT / "outputs" / "questions").glob("*/")))
