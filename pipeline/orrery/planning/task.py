"""A planning task: a problem grounded to facts and ground actions, with states as bit sets."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orrery.model import Atom, Domain, Problem, State, Step


def bits(mask: int) -> list[int]:
    """Return the indices of the bits that are set, ascending."""
    indices = []
    while mask:
        low = mask & -mask
        indices.append(low.bit_length() - 1)
        mask ^= low
    return indices


def union(masks: Iterable[int]) -> int:
    """Return the facts true in some of the states ``masks``."""
    united = 0
    for mask in masks:
        united |= mask
    return united


class GroundAction(NamedTuple):  # several times as fast as a frozen dataclass
    """A step with its preconditions of both signs and its effects as masks over ``Task.facts``.

    ``delete`` excludes facts that are also added.
    """

    step: Step
    positive: int
    negative: int
    add: int
    delete: int


@dataclass(frozen=True)
class PlanningTask:
    """Facts, ground actions, initial state and goal.

    ``facts``, sorted, are the fluent facts that the delete relaxation reaches, and the facts of the
    goal that are not statically true. Bit ``i`` of a state is 1 if ``facts[i]`` holds.
    ``actions``, sorted by step, are the ground actions that the delete relaxation reaches;
    preconditions true in every state are omitted. ``statics`` hold in every state.
    """

    domain: Domain
    problem: Problem
    facts: tuple[Atom, ...]
    actions: tuple[GroundAction, ...]
    init: int
    goal_positive: int
    goal_negative: int
    statics: State

    @cached_property
    def bit(self) -> dict[Atom, int]:
        """Each fact's one-bit mask."""
        return {fact: 1 << index for index, fact in enumerate(self.facts)}

    @cached_property
    def conditions(self) -> list[tuple[int, int, GroundAction]]:
        """The required facts and the forbidden facts of each action, and the action."""
        return [(action.positive, action.negative, action) for action in self.actions]

    @cached_property
    def action_of(self) -> dict[Step, GroundAction]:
        """Ground actions by step."""
        return {action.step: action for action in self.actions}

    def mask(self, facts: Iterable[Atom]) -> int:
        """Return the bits of ``facts``; static facts are ignored.

        Raises:
            KeyError: a fact that is false in all states of the task.
        """
        bits_set = 0
        for fact in facts:
            if fact not in self.statics:
                bits_set |= self.bit[fact]
        return bits_set

    def facts_of(self, mask: int) -> State:
        """Return the facts whose bits are set."""
        return frozenset([self.facts[index] for index in bits(mask)])

    def state(self, mask: int) -> State:
        """Return the whole state: the facts of ``mask`` and the static ones."""
        return self.facts_of(mask) | self.statics

    def is_goal(self, mask: int) -> bool:
        """Return whether the goal holds in the state ``mask``."""
        return mask & self.goal_positive == self.goal_positive and not mask & self.goal_negative


def is_applicable(mask: int, action: GroundAction) -> bool:
    """Return whether the state contains all required facts and no forbidden fact."""
    return mask & action.positive == action.positive and not mask & action.negative


def applicable(task: PlanningTask, mask: int) -> list[GroundAction]:
    """Return the applicable ground actions, sorted by step."""
    return [
        action
        for needed, forbidden, action in task.conditions
        if mask & needed == needed and not mask & forbidden
    ]


def progress(mask: int, action: GroundAction) -> int:
    """Return the successor state after ``action``."""
    return mask & ~action.delete | action.add


def run(task: PlanningTask, steps: Iterable[Step], init: int | None = None) -> list[int] | None:
    """Return the states from ``init`` (or the task's) on, or None if a step is not applicable."""
    masks = [task.init if init is None else init]
    for step in steps:
        action = task.action_of.get(step)
        if action is None or not is_applicable(masks[-1], action):
            return None
        masks.append(progress(masks[-1], action))
    return masks


def is_plan(task: PlanningTask, steps: Iterable[Step], init: int | None = None) -> bool:
    """Return whether ``steps`` lead from ``init`` (or the task's initial state) to the goal."""
    masks = run(task, steps, init)
    return masks is not None and task.is_goal(masks[-1])


def random_walk(
    task: PlanningTask, length: int, rng: random.Random, *, onward: bool = False
) -> tuple[list[Step], int]:
    """Return the steps of a random walk from the initial state, and the last state.

    Every step changes the state; the walk ends early if no such step is applicable. With ``onward``
    it returns to a visited state only if all successors are visited.
    """
    mask, visited, steps = task.init, {task.init}, list[Step]()
    for _ in range(length):
        moves = [(action, progress(mask, action)) for action in applicable(task, mask)]
        moves = [(action, successor) for action, successor in moves if successor != mask]
        unvisited = [move for move in moves if move[1] not in visited] if onward else []
        if not moves:
            break
        action, mask = rng.choice(unvisited or moves)
        visited.add(mask)
        steps.append(action.step)
    return steps, mask
