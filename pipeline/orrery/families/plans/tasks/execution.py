"""Ask for the state after a sequence of actions: the facts that actions can change."""

from __future__ import annotations

import random

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import SHOWN_STEPS, plan_row, plan_task
from orrery.families.plans.source import Source
from orrery.model import Row, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import random_walk, run
from orrery.store.kinds import INT, STRINGS, column

FEWEST, MOST, ROWS = 2, 12, 3


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield walks whose steps each change something; their lengths are spread evenly."""
    drawn = set[tuple[Step, ...]]()
    for number in range(ROWS):
        if source.is_long:
            steps, mask = _begun_plan(source, rng)
        else:
            steps, mask = random_walk(source.task, rng.randint(FEWEST, MOST), rng, onward=True)
        if len(steps) < FEWEST:
            yield Rejected("one_step")
            continue
        if mask == source.task.init or tuple(steps) in drawn:
            yield Rejected("nothing_changes" if mask == source.task.init else "as_before")
            continue
        drawn.add(tuple(steps))
        # Facts that no action adds or deletes are static, even if they are not in the task's universe.
        answer = sorted(fact for fact in source.task.state(mask) if fact[0] in source.record.domain.fluents)
        columns = {
            "given_actions": [write_atom(step) for step in steps],
            "num_steps": len(steps),
            "answer": [write_atom(fact) for fact in answer],
        }
        row = plan_row(source, "execution", rng, (steps,), columns, h_star=source.h_star, suffix=str(number))
        yield Draft((row,), f"{len(steps):02d}")


def _begun_plan(source: Source, rng: random.Random) -> tuple[list[Step], int]:
    """Return three quarters of the plan or more, but not all of it, and the state after these steps."""
    plan = source.plan or ()
    steps = plan[: rng.randint(3 * len(plan) // 4, max(0, len(plan) - 1))]
    states = run(source.task, steps)
    assert states is not None
    return list(steps), states[-1]


def _gold(row: Row) -> str:
    return f"ANSWER: {' '.join(row['answer'])}"


TASK = plan_task(
    name="execution",
    subject="The state after a sequence of actions is wanted: the facts that actions can change",
    draw=_draw,
    columns=(
        SHOWN_STEPS,
        column("num_steps", INT, "Number of actions shown"),
        column("answer", STRINGS, "The changeable facts that hold afterwards, sorted"),
    ),
    gold=_gold,
    gold_columns=("answer",),
)
