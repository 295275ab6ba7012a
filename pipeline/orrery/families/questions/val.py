"""Validation: the first action of a sequence that cannot be carried out when its turn comes.

The sequence is a valid plan in which one action gave way to another, drawn among those that the delete
relaxation reaches, so that what fails is a fact that actions change and not a static one. Places are
equally likely, and the replacement may be of any name, so that neither betrays the answer.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from orrery.families.questions.context import context_of, say
from orrery.families.questions.item import NotAsked, QuestionRow, StateRecord
from orrery.language.words import Words
from orrery.pddl.write import write_atom
from orrery.semantics.progression import is_applicable
from orrery.semantics.task import GroundAction, PlanningTask

KIND = "val"
GROUP = "validation_gen"
FEWEST, MOST = 2, 100  # actions of a sequence; where there is one alone, nothing is asked
TRIES = 12  # draws from a pool of replacements before the next pool


def make(item: StateRecord, words: Words, rng: random.Random) -> QuestionRow | NotAsked:
    """The question for the index of the first inapplicable action; asked where a plan is known."""
    if item.aimless or item.plan is None:
        return NotAsked(item.aimless or "no plan is known")
    if not FEWEST <= len(item.plan) <= MOST:
        return NotAsked(f"plan with {f'over {MOST}' if len(item.plan) > MOST else f'under {FEWEST}'} actions")
    sequence = list(map(write_atom, item.plan))
    for position in rng.sample(range(len(sequence)), len(sequence)):
        other = _replacement(item.task, item.way[position], item.plan[position][0], item.plan, rng)
        if other is not None:
            sequence[position] = write_atom(other.step)
            texts = say(context_of(item, words), KIND, rng, " ".join(sequence))
            return QuestionRow(item, KIND, GROUP, texts, position, extra={"sequence": sequence})
    return NotAsked("no action to break the plan with")


def _replacement(
    task: PlanningTask, mask: int, name: str, plan: Sequence[tuple[str, ...]], rng: random.Random
) -> GroundAction | None:
    """An action inapplicable in the state ``mask``: of the plan, of the same name or any, in random order."""
    pools = [[task.action_of[step] for step in plan], _of_name(task, name), task.actions]
    for pool in [*rng.sample(pools, len(pools)), None]:
        if pool is None:  # draws found none, so all are looked at
            pool = [action for action in task.actions if not is_applicable(mask, action)]
        for _ in range(min(TRIES, len(pool))):
            action = rng.choice(pool)
            if not is_applicable(mask, action):
                return action
    return None


def _of_name(task: PlanningTask, name: str) -> Sequence[GroundAction]:
    """The ground actions of one name, which stand together."""
    low = bisect_left(task.actions, name, key=lambda action: action.step[0])
    return task.actions[low : bisect_right(task.actions, name, key=lambda action: action.step[0])]
