"""The state after a sequence of actions is wanted: the facts that actions can change."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.plans.row import plan_row
from orrery.families.plans.source import Source
from orrery.families.plans.task import Draft, Made, PlanTask, Rejected
from orrery.families.plans.walks import walk
from orrery.model import Step
from orrery.pddl.write import write_atom

FEWEST, MOST, ROWS = 2, 12, 3


def _make(source: Source, rng: random.Random) -> Made:
    """Draw walks of steps that each change something; lengths are spread evenly."""
    seen = set[tuple[Step, ...]]()
    for number in range(ROWS):
        length = rng.randint(FEWEST, MOST)
        steps, mask = walk(source.task, length, rng, onward=True)
        if len(steps) < FEWEST:
            yield Rejected("one_step")
            continue
        if mask == source.task.init or tuple(steps) in seen:
            yield Rejected("nothing_changes" if mask == source.task.init else "as_before")
            continue
        seen.add(tuple(steps))
        # Facts that no action adds or deletes are static whatever the task's universe leaves out.
        answer = sorted(fact for fact in source.task.state(mask) if fact[0] in source.record.domain.fluents)
        own = {
            "shown": [write_atom(step) for step in steps],
            "num_steps": len(steps),
            "answer": [write_atom(fact) for fact in answer],
        }
        row = plan_row(source, "execution", rng, (steps,), own, h_star=source.h_star, suffix=str(number))
        yield Draft((row,), f"{len(steps):02d}")


def _gold(row: Mapping[str, Any]) -> str:
    return f"ANSWER: {' '.join(row['answer'])}"


TASK = PlanTask("execution", _make, _gold, ("answer",))
