"""Evidence on a state at low cost: states on random walks, pairs that h2 excludes, near misses."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from orrery.families.questions.state_record import Kept, StateRecord
from orrery.model import Step
from orrery.planning.h2 import PairReachability, pair_reachability
from orrery.planning.task import GroundAction, PlanningTask, applicable, bits, progress, run, union
from orrery.planning.universe import names_of

MOST_PAIRS = 400_000  # limit of facts times actions: h2 takes about ten milliseconds
SCANNED = 12_000  # ground actions tried on walks
WALKED = (6, 40)
LONGEST_WALK = 10

Element = TypeVar("Element")


class StateEvidence:
    """A state with its drawn evidence; every part is computed at its first use."""

    def __init__(self, record: StateRecord, rng: random.Random) -> None:
        """Prepare evidence on ``record``, with random walks drawn from ``rng``."""
        self.record, self.rng = record, rng
        self.once = Kept().once  # results of a kind for all its draws on the state

    @cached_property
    def task(self) -> PlanningTask:
        """The task from the state of the question."""
        return self.record.task

    @cached_property
    def seen(self) -> dict[int, list[GroundAction]]:
        """Reachable states, that of the question first, with their applicable actions."""
        task = self.task
        states = {task.init: self.record.applicable}
        for mask in self._along():
            states[mask] = applicable(task, mask)
        least, most = WALKED
        for mask in self._walks(max(least, min(most, SCANNED // max(1, len(task.actions)))), states):
            states[mask] = self.applicable_in(mask)
        return states

    def applicable_in(self, mask: int) -> list[GroundAction]:
        """Return the actions applicable in a reachable state, cached."""
        return self.once(("applicable", mask), lambda: applicable(self.task, mask))

    def effective_in(self, mask: int) -> list[GroundAction]:
        """Return the actions applicable in a reachable state that change something in it, cached."""
        return self.once(
            ("effective", mask),
            lambda: [action for action in self.applicable_in(mask) if progress(mask, action) != mask],
        )

    def drawn_effective(self, mask: int, rng: random.Random) -> GroundAction | None:
        """Return one of the actions of ``effective_in``, drawn by ``drawn``; None if there are none."""
        by_name = self.once(("by name", mask), lambda: _by_name(self.effective_in(mask)))
        return rng.choice(rng.choice(by_name)) if by_name else None

    def _along(self) -> list[int]:
        """Return states along the plan, at most as many as the walks visit."""
        masks = run(self.task, self.record.plan) if self.record.plan else None
        return sample(self.rng, sorted({*masks} - {self.task.init}), WALKED[0]) if masks else []

    def _walks(self, steps: int, states: dict[int, list[GroundAction]]) -> Iterator[int]:
        """Yield states on random walks that are not in ``states``, which the caller extends."""
        mask = self.task.init
        for number in range(steps):
            if number % LONGEST_WALK == 0 or not states[mask]:
                mask = self.task.init
            if not states[mask]:
                return
            mask = progress(mask, drawn(states[mask], self.rng))
            if mask not in states:
                yield mask

    @cached_property
    def pairs(self) -> PairReachability | None:
        """The results of h2 on pairs of facts; None if the task is too large."""
        task = self.task
        small = len(task.facts) * len(task.actions) <= MOST_PAIRS
        return pair_reachability(task, task.init) if small else None

    def exclude(self, first: GroundAction, second: GroundAction) -> bool:
        """Return whether h2 proves that no reachable state allows both actions."""
        if self.pairs is None:
            return False
        together = self.pairs.together
        excluded = self.once(
            ("excluded", first.positive), lambda: union(~together[fact] for fact in bits(first.positive))
        )
        return bool(second.positive & excluded)

    @cached_property
    def seen_actions(self) -> list[GroundAction]:
        """The actions applicable in some seen state, sorted by step."""
        actions_by_step = {action.step: action for actions in self.seen.values() for action in actions}
        return [actions_by_step[step] for step in sorted(actions_by_step)]

    def misses(self, count: int) -> list[GroundAction]:
        """Return the actions that the delete relaxation reaches of which so many conditions are false."""
        mask = self.task.init
        return [
            action
            for action in self.task.actions
            if (action.positive & ~mask).bit_count() + (action.negative & mask).bit_count() == count
        ]

    @cached_property
    def _fitting(self) -> dict[str, list[list[str]]]:
        """The objects that fit each parameter, by action."""
        domain, problem = self.record.domain, self.record.problem
        kinds = {p.types for action in domain.actions for p in action.parameters}
        names = {types: names_of(domain, problem, types) for types in kinds}
        return {a.name: [names[p.types] for p in a.parameters] for a in domain.actions}

    def changed(self, step: Step, rng: random.Random) -> Step:
        """Return the step with one argument replaced by another object of its type, if there is one."""
        if len(step) == 1:
            return step
        place = rng.randrange(1, len(step))
        return (*step[:place], rng.choice(self._fitting[step[0]][place - 1]), *step[place + 1 :])


def sample(rng: random.Random, elements: Sequence[Element], count: int) -> list[Element]:
    """Return a random sample of ``elements``, at most ``count``."""
    return list(elements) if len(elements) <= count else rng.sample(elements, count)


def drawn(actions: Sequence[GroundAction], rng: random.Random) -> GroundAction:
    """Return a random action: draw a name uniformly, then an action of that name.

    Otherwise, an action with hundreds of instances would nearly always be drawn.
    """
    return rng.choice(rng.choice(_by_name(actions)))


def _by_name(actions: Sequence[GroundAction]) -> list[list[GroundAction]]:
    """Return the actions of each name, sorted by name."""
    by_name: dict[str, list[GroundAction]] = {}
    for action in actions:
        by_name.setdefault(action.step[0], []).append(action)
    return [by_name[name] for name in sorted(by_name)]
