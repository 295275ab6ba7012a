"""Comparison of actions, and evaluation of a domain without planners and other readers.

Budgets: 0.1 ms in the mean for a comparison of two actions read before; 5 ms for a domain (the published
evaluation, with tarski: 120 ms). Run with ``python benchmarks/modelling.py``; set ORRERY_CASES for the
published pairs of actions, otherwise mutants of our own actions are compared.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from orrery.pddl.tolerant import read_adl  # noqa: E402
from orrery.scoring.domains.action_equality import equal_actions  # noqa: E402
from orrery.scoring.domains.alignment import align  # noqa: E402
from orrery.scoring.domains.evaluation import evaluate  # noqa: E402
from tests.scoring.domains.brute_force import disguised, mutated  # noqa: E402
from tests.scoring.domains.test_cases import action  # noqa: E402


def pairs() -> list[tuple[object, object]]:
    if folder := os.environ.get("ORRERY_CASES"):
        lines = Path(folder, "action_equivalence.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        return [(action(row["action_a"]), action(row["action_b"])) for row in rows]
    rng = random.Random(0)
    domains = [read_adl(path.read_text()) for path in sorted(ROOT.glob("domains/*/domain.pddl"))]
    actions = [each for domain in domains for each in domain.actions] * 10
    return [(mutated(rng, disguised(rng, each)), each) for each in actions]


def milliseconds(work: Callable[[], object], times: int) -> float:
    """Processor time of one call, the median of several rounds."""
    rounds = []
    for _ in range(7):
        start = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - start) / times * 1000)
    return statistics.median(rounds)


def main() -> None:
    found = pairs()

    def compare_all() -> None:
        for one, other in found:
            equal_actions(one, other)

    def align_all() -> None:
        for one, other in found:
            align(one, other, typed=True)

    print(
        f"comparing {len(found)} pairs: mean {milliseconds(compare_all, 1) / len(found):.4f} ms (budget 0.1)"
    )
    print(f"best bijection and distances: mean {milliseconds(align_all, 1) / len(found):.4f} ms")
    for path in sorted(ROOT.glob("domains/*/domain.pddl")):
        text = path.read_text()
        worse = text.replace("(and (", "(and (not (p ?x)) (", 2).replace("?x", "?u")
        right, wrong = (domain_milliseconds(each, text) for each in (text, worse))
        print(f"{path.parent.name:14} right {right:.2f} ms, wrong {wrong:.2f} ms (budget 5, published 120)")


def domain_milliseconds(predicted: str, gold: str) -> float:
    row = {"gold_domain": gold, "problems": []}
    return milliseconds(lambda: evaluate(predicted, row), 5)


if __name__ == "__main__":
    main()
