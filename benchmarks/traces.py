"""Measure traces: how many a second and core are written and checked, and whether changed ones fail.

Run by hand: ``python benchmarks/traces.py [--changes N] FOLDER ...`` with folders of Parquet tables
``acp_*`` and ``plan_*``, or ``python benchmarks/traces.py --fresh N TABLE ...`` for fresh items of
tables. Columns: rows; the share with a trace; milliseconds of the processor to write one (rows without
one included) and to check one; the share of traces that pass; of each Nth trace, the number of changed
ones and how many of them pass, which should be none. Changes are those of ``tests/traces/mutants.py``: a
line left out, a fact, sign, object or number exchanged, another answer. Targets: 100 % pass, no changed
one does, 1,000 a second and core. A changed line may be true for another reason, and the trace is still
a proof: a step that needs two facts that never hold may be excluded by either.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import orrery  # noqa: E402
from orrery.grading.symbols import problem_of  # noqa: E402
from orrery.grading.traces import check_trace  # noqa: E402
from orrery.traces import NoTrace, trace_of  # noqa: E402
from tests.traces.mutants import mutants  # noqa: E402

Row = dict[str, Any]


@dataclass
class Figures:
    """What is counted and measured of a table."""

    rows: int = 0
    traces: int = 0
    passed: int = 0
    changed: int = 0
    changed_passed: int = 0
    writing: float = 0.0
    checking: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: Figures) -> None:
        for name in ("rows", "traces", "passed", "changed", "changed_passed", "writing", "checking"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons += other.reasons

    def line(self, name: str) -> str:
        traces = max(1, self.traces)
        return (
            f"{name:22}{self.rows:8}{100 * self.traces / max(1, self.rows):7.1f} %"
            f"{1e3 * self.writing / max(1, self.rows):9.2f}{1e3 * self.checking / traces:9.2f}"
            f"{100 * self.passed / traces:9.2f} %{self.changed:9}{self.changed_passed:6}"
        )


def stored(folders: Iterable[Path]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of all tables in some folders, with the name of the table."""
    for folder in folders:
        for path in sorted(folder.rglob("*.parquet")):
            name = path.stem if path.stem.startswith(("acp_", "plan_")) else path.parent.name
            if name.startswith(("acp_", "plan_")):
                yield from ((name, row) for row in pq.read_table(path).to_pylist())


def fresh(names: Iterable[str], number: int) -> Iterator[tuple[str, Row]]:
    """Yield the rows of fresh items of some tables."""
    for name in names:
        for item in islice(orrery.tasks(name, split="train", seed=1), number):
            yield name, dict(item.row)


def measure(row: Row, figures: Figures, rng: random.Random, is_changed: bool) -> None:
    """Write the trace of a row, check it, and check changed ones."""
    figures.rows += 1
    begin = time.process_time()
    try:
        trace = trace_of(row)
    except NoTrace as reason:
        figures.reasons[str(reason)] += 1
        return
    finally:
        figures.writing += time.process_time() - begin
    begin = time.process_time()
    fault = check_trace(trace, row)
    figures.checking += time.process_time() - begin
    figures.traces += 1
    figures.passed += not fault
    if fault:
        print(f"does not pass: {row['id']}: {fault}", file=sys.stderr)
    for kind, changed in mutants(trace, sorted(problem_of(row).objects), rng, 1) if is_changed else ():
        figures.changed += 1
        if not check_trace(changed, row):
            figures.changed_passed += 1
            print(f"passes although changed ({kind}): {row['id']}\n{changed}\n", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--changes", type=int, default=10, metavar="N", help="change each Nth trace (0: none)"
    )
    parser.add_argument("--fresh", type=int, default=0, metavar="N", help="fresh items of each table")
    parser.add_argument("names", nargs="+", help="folders, or tables with --fresh")
    arguments = parser.parse_args()
    rows = fresh(arguments.names, arguments.fresh) if arguments.fresh else stored(map(Path, arguments.names))
    by_table, rng = defaultdict[str, Figures](Figures), random.Random(1)
    for number, (name, row) in enumerate(rows):
        measure(row, by_table[name], rng, bool(arguments.changes) and number % arguments.changes == 0)
    print("table                     rows   traced     write    check    passed  changed  pass")
    total = Figures()
    for name, figures in sorted(by_table.items()):
        print(figures.line(name))
        total.add(figures)
    print(total.line("all"))
    for reason, count in total.reasons.most_common():
        print(f"no trace: {count:6} {reason}")


if __name__ == "__main__":
    main()
