"""Measure the time to grade a reply, in microseconds, by table, on rows of a build and on long replies.

Run by hand: ``python benchmarks/grading.py [FOLDER ...]`` with folders of Parquet tables ``acp_*`` and
``plan_*`` (default: the folders of ``outputs/questions`` and ``outputs/plans``). Each row is graded with its
gold reply, and with the gold reply after prose. Columns: *first* with empty caches; *next* with the domain
cached, as for consecutive rows of a domain; *again* with everything cached, as for several replies to a row.
Other tests: reachability questions with thousands of stored answers, and ferry plans of up to 18,000 steps in
PDDL and in words. Targets: median 200 us, 99th percentile 2 ms for 100 steps, one second for 18,000 steps.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from orrery import grading
from orrery.families import tables
from orrery.families.plans.words import phrases_of
from orrery.grading import problem
from orrery.language.words import Words
from orrery.pddl.read import read_domain

Row = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
MOST_ROWS = 200  # rows per table
PROSE = "Let us see what holds (and what does not). " * 20
LENGTHS = (10, 100, 1_000, 1_700)  # the longest reply in words is just below MAX_ANSWER
UNREAD = ("context", "question", "context_pddl", "question_pddl", "context_both")
CACHES = tuple(
    function
    for name, module in sorted(sys.modules.items())
    if name.startswith(grading.__name__)
    for function in vars(module).values()
    if hasattr(function, "cache_clear")
)
PROBLEM = """
(define (problem p) (:domain ferry)
  (:objects c0 - car l0 l1 - location)
  (:init (at c0 l0) (at-ferry l0) (empty-ferry) (passage l0 l1) (passage l1 l0))
  (:goal (and (at c0 l0))))
"""


class Reply(NamedTuple):
    """A reply to a row, with its expected verdict (None: any)."""

    row: Row
    text: str
    verdict: str | None


def table_rows(folder: Path) -> Iterator[tuple[str, Row]]:
    """Yield the rows of all tables of questions and plans in a folder, with the table's name."""
    for path in sorted([*folder.glob("acp_*.parquet"), *folder.glob("plan_*.parquet")]):
        if path.stem in tables():
            columns = [name for name in pq.read_schema(path).names if name not in UNREAD]
            rows = pq.read_table(path, columns=columns).to_pylist()
            yield from ((path.stem, row) for row in islice(rows, MOST_ROWS))


def replies(table: str, row: Row, rng: random.Random) -> Iterator[Reply]:
    """Yield the gold reply, the same after prose, and prose without an answer."""
    gold = tables()[table].gold
    assert gold is not None
    text = gold.reply(row, rng)
    yield Reply(row, text, grading.RIGHT)
    yield Reply(row, f"{PROSE}\n\n{text}", grading.RIGHT)
    yield Reply(row, PROSE, None)


def reachability_row(number: int, rng: random.Random) -> Row:
    """Return a row with ``number`` unreachable actions on 60 objects."""
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


def ferry_row() -> Row:
    """Return a row of a ferry problem whose goal already holds."""
    text = (ROOT / "domains" / "ferry" / "domain.pddl").read_text(encoding="utf-8")
    return {
        "group": "plan_generation",
        "domain_pddl": text,
        "problem_pddl": PROBLEM,
        "nl_templates": phrases_of(Words("ferry", ROOT / "templates"), read_domain(text)),
    }


def ferry_plans(length: int) -> Iterator[tuple[str, Reply]]:
    """Yield plans of the given length, in each notation that replies use."""
    row = ferry_row()
    places = [("l0", "l1"), ("l1", "l0")]
    phrases = json.loads(row["nl_templates"])["actions"]["sail"]
    notations: dict[str, Callable[[int], str]] = {
        "PDDL": lambda i: "(sail {} {})".format(*places[i % 2]),
        "numbered": lambda i: "{}. (sail {} {}) ; on".format(i + 1, *places[i % 2]),
        "words": lambda i: f"{i + 1}. {phrases[i % len(phrases)].format(*places[i % 2])}.",
    }
    for notation, step in notations.items():
        text = "\n".join(map(step, range(length)))
        yield f"{length} {notation}, marked", Reply(row, f"[PLAN]\n{text}\n[PLAN END]", grading.RIGHT)
        yield f"{length} {notation}", Reply(row, text, grading.RIGHT)


def seconds(reply: Reply, caches: Iterable[Any]) -> float:
    """Return the time to grade one reply after ``caches`` were cleared."""
    for cached in caches:
        cached.cache_clear()
    start = time.perf_counter()
    score = grading.grade(reply.text, reply.row)
    spent = time.perf_counter() - start
    assert reply.verdict in (None, score.verdict), (reply.row["group"], reply.text[-200:], score)
    return spent


def report(name: str, graded: list[Reply]) -> list[float]:
    """Print a line; return the times with the domain cached, each the best of ROUNDS."""
    times = [
        sorted(min(seconds(reply, caches) for _ in range(ROUNDS)) * 1e6 for reply in graded)
        for caches in (CACHES, (problem.read_problem,), ())
    ]
    cells = "".join(
        f"{statistics.median(column):>10.0f}{column[int(len(column) * 0.99)]:>10.0f}" for column in times
    )
    print(f"{name:28}{len(graded):>8}{cells}", flush=True)
    return times[1]


def main(folders: list[Path]) -> None:
    """Print the table."""
    rng = random.Random(1)
    by_table: dict[str, list[Reply]] = defaultdict(list)
    for folder in folders:
        for table, row in table_rows(folder):
            by_table[table] += replies(table, row, rng)
    heads = "".join(f"{head:>10}{'99 %':>10}" for head in ("first", "next", "again"))
    print(f"{'microseconds':28}{'replies':>8}{heads}")
    spent = sorted(us for table, graded in sorted(by_table.items()) for us in report(table, graded))
    if spent:
        print(f"all: median {statistics.median(spent):.0f}, 99 % {spent[int(len(spent) * 0.99)]:.0f}")
    for number in (1_000, 5_000, 20_000):
        row = reachability_row(number, rng)
        texts = [row["answer_all"][-1], "(do o1 o2 o3 o4)", "(do o1 o2 o3 o99)", "none"]
        report(f"areach with {number}", [Reply(row, f"ANSWER: {text}", None) for text in texts])
    for length in LENGTHS:
        for name, reply in ferry_plans(length):
            report(name, [reply])


if __name__ == "__main__":
    outputs = ROOT / "outputs"
    main(
        [Path(name) for name in sys.argv[1:]]
        or sorted([*(outputs / "questions").glob("*/"), *(outputs / "plans").glob("*/")])
    )
