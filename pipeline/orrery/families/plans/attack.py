"""What the adversary is told of the tasks in which half of the rows have one reply by design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.families.attack import WRITE, Attack, Target
from orrery.families.plans.rows import PROMPTS
from orrery.families.plans.task import PlanTask

HALVED = ("solvability", "verification")  # "there is none", and "valid", are right in half of the rows
HALF = 0.5


def attack_of(task: PlanTask) -> Attack | None:
    """Return how rows of a task are attacked; None where its texts and gold replies say all."""
    if task.name not in HALVED:
        return None
    read = PROMPTS["words"]

    def target(row: Mapping[str, Any]) -> Target:
        text, gold = "\n".join(row[name] for name in read), frozenset([task.gold(row)])
        return Target(row["id"], row["domain"], row["problem_id"], WRITE, text, gold, HALF, fixed=HALF)

    return Attack(tuple(dict.fromkeys(("id", "problem_id", "domain", *read, *task.gold_columns))), target)
