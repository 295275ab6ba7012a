"""Local sight: the facts of a state that an agent sees from the place where it is.

A fact is visible if each of its arguments that is a place is the place of an acting agent, and each argument
that is located somewhere is located there, directly or in containers. Facts without such arguments are always
visible, for example what the agent carries. ``sight`` in ``domain.yaml`` says which predicates place agents
and objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from orrery.config import Sight
from orrery.model import OBJECT, Atom
from orrery.planning.exhaustive import row_of
from orrery.planning.exhaustive_kernel import Flags, Words
from orrery.planning.task import PlanningTask

ALWAYS = 0
"""The mask of a condition that holds in every state."""


class Placement(NamedTuple):
    """A fact that locates an object in a place or container; ``condition`` must hold so that it is seen."""

    fact: int
    condition: int
    name: str
    container: str


@dataclass(frozen=True, eq=False)
class LocalSight:
    """What the agents of a planning task see. Masks are over the facts of the task."""

    task: PlanningTask
    sight: Sight

    # ---- the places and the objects that can be located

    @cached_property
    def _agents(self) -> Mapping[str, int]:
        """By place, the mask of the facts that place an agent there; ``ALWAYS`` if a static fact does."""
        masks: dict[str, int] = {}
        for fact in self._facts_of(self.sight.agent):
            masks[self._place_of(fact)] = masks.get(self._place_of(fact), 0) | self._mask(fact)
        masks.update({self._place_of(fact): ALWAYS for fact in self._static_facts(self.sight.agent)})
        return masks

    def _place_of(self, fact: Atom) -> str:
        return fact[self.sight.agent[fact[0]]]

    def _static_facts(self, names: Iterable[str]) -> list[Atom]:
        return sorted(fact for fact in self.task.statics if fact[0] in names)

    def _facts_of(self, names: Iterable[str]) -> list[Atom]:
        return [fact for fact in self.task.facts if fact[0] in names]

    def _mask(self, fact: Atom) -> int:
        return self.task.bit.get(fact, ALWAYS)

    @cached_property
    def _placements(self) -> tuple[Placement, ...]:
        """The facts that locate objects; a condition that never holds has the mask -1."""
        located, placements = self.sight.located, list[Placement]()
        for fact in (*self._static_facts(located), *self._facts_of(located)):
            name, container = (fact[number] for number in located[fact[0]])
            condition, required = ALWAYS, self.sight.seen_if.get(fact[0])
            if required is not None:
                condition = self._required((required, container))
            placements.append(Placement(self._mask(fact), condition, name, container))
        return tuple(placements)

    def _required(self, fact: Atom) -> int:
        return ALWAYS if fact in self.task.statics else self.task.bit.get(fact, -1)

    @cached_property
    def places(self) -> frozenset[str]:
        """The objects that are places.

        They have the type of a place of an agent, or an agent or another object can be there.
        """
        domain, problem = self.task.domain, self.task.problem
        typed = set[str]()
        for name, number in self.sight.agent.items():
            types = domain.predicate_named[name].parameters[number - 1].types
            if OBJECT not in types:
                objects = (*domain.constants, *problem.objects)
                typed |= {thing.name for thing in objects if domain.fits(thing.types, types)}
        containers = {placement.container for placement in self._placements}
        return frozenset(typed | self._agents.keys() | containers - self._locatable)

    @cached_property
    def _locatable(self) -> frozenset[str]:
        return frozenset(placement.name for placement in self._placements)

    @cached_property
    def _adjacent(self) -> Mapping[str, frozenset[str]]:
        """By place, the places from which one sees the ``nearby`` facts about it; itself is one of them."""
        near = {place: {place} for place in self.places}
        for fact in self._static_facts(self.sight.adjacent):
            first, second = (fact[number] for number in self.sight.adjacent[fact[0]])
            near.setdefault(first, {first}).add(second)
            near.setdefault(second, {second}).add(first)
        return {place: frozenset(seen_from) for place, seen_from in near.items()}

    @cached_property
    def _mentioned(self) -> Mapping[tuple[str, bool], int]:
        """The facts about a place or a located object, by its name and by whether they are ``nearby`` facts.

        Facts that place agents are left out, because they are always visible.
        """
        masks: dict[tuple[str, bool], int] = {}
        for fact in self.task.facts:
            if fact[0] not in self.sight.agent:
                for name in {*fact[1:]} & (self.places | self._locatable):
                    key = name, fact[0] in self.sight.nearby
                    masks[key] = masks.get(key, 0) | self.task.bit[fact]
        return masks

    # ---- what is visible

    def visible(self, states: Words) -> Words:
        """Return the visible facts of each state (N by W words)."""
        words, hidden = states.shape[1], np.zeros_like(states)
        agent_at = {place: _has_any(states, mask) for place, mask in self._agents.items()}
        nowhere = np.zeros(len(states), np.bool_)
        at_agent = {place: agent_at.get(place, nowhere) for place in self.places}
        in_sight = self._objects_in_sight(states, at_agent)
        for (name, is_nearby), mask in self._mentioned.items():
            if name in in_sight:
                seen = in_sight[name]
            elif is_nearby:
                near = [agent_at[place] for place in self._adjacent[name] if place in agent_at]
                seen = np.logical_or.reduce([nowhere, *near])
            else:
                seen = at_agent[name]
            hidden[~seen] |= row_of(mask, words)
        return states & ~hidden

    def _objects_in_sight(self, states: Words, at_agent: Mapping[str, Flags]) -> dict[str, Flags]:
        """Return for each object that can be located in which states it is not elsewhere.

        An object that is nowhere, because it is carried, is in sight.
        """
        holding = [_has_any(states, placement.fact) for placement in self._placements]
        visible = [
            holds & _has_any(states, placement.condition)
            for holds, placement in zip(holding, self._placements, strict=True)
        ]
        in_sight = {name: np.ones(len(states), np.bool_) for name in self._locatable - self.places}
        for holds, placement in zip(holding, self._placements, strict=True):
            if placement.name in in_sight:
                in_sight[placement.name] = in_sight[placement.name] & ~holds
        for _ in in_sight:  # a chain of containers is at most as long as there are objects
            before = {name: flags.sum() for name, flags in in_sight.items()}
            for holds, (_, _, name, container) in zip(visible, self._placements, strict=True):
                if name in in_sight:
                    inside = at_agent[container] if container in at_agent else in_sight[container]
                    in_sight[name] = in_sight[name] | holds & inside
            if all(flags.sum() == before[name] for name, flags in in_sight.items()):
                break
        return in_sight

    @cached_property
    def agent_facts(self) -> int:
        """The mask of the facts that place agents."""
        return sum(self.task.bit[fact] for fact in self._facts_of(self.sight.agent))

    def is_known(self, fact: Atom, seen: int) -> bool:
        """Return whether the value of a fact follows from the visible facts of a state and the static ones.

        Then the fact holds if and only if it is visible or static.
        """
        name = fact[0]
        if name not in self.task.domain.fluents or name in self.sight.agent:
            return True
        object_at, container_at = self.sight.located.get(name, (0, 0))
        if container_at and (required := self.sight.seen_if.get(name)):
            condition = self._required((required, fact[container_at]))
            if condition < 0 or condition & ~seen:
                return False
        near = name in self.sight.nearby
        arguments = enumerate(fact[1:], 1)
        # Where an object is follows from what is seen of the place.
        return all(self._in_view(argument, near, seen) for at, argument in arguments if at != object_at)

    def _in_view(self, name: str, near: bool, seen: int) -> bool:
        """Return whether it follows from the visible facts that an object is not elsewhere."""
        if name in self.places:
            return any(
                self._agent_is_at(place, seen) for place in (self._adjacent[name] if near else (name,))
            )
        if name not in self._locatable:
            return True
        if any(self._mentioned.get((name, is_nearby), 0) & seen for is_nearby in (False, True)):
            return True
        static = (placement for placement in self._placements if placement.fact == ALWAYS)
        return any(
            placement.condition >= 0
            and not placement.condition & ~seen
            and self._in_view(placement.container, False, seen)
            for placement in static
            if placement.name == name
        )

    def _agent_is_at(self, place: str, seen: int) -> bool:
        mask = self._agents.get(place)
        return mask is not None and (mask == ALWAYS or bool(mask & seen))


def _has_any(states: Words, mask: int) -> Flags:
    """Return which states have a fact of a mask; all for ``ALWAYS``, none for a negative mask."""
    if mask <= 0:
        return np.full(len(states), mask == ALWAYS)
    flags: Flags = np.logical_or.reduce(states & row_of(mask, states.shape[1]) != 0, axis=1)
    return flags
