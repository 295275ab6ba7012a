"""Replay a dialogue: its actions are executed on sets of facts, and each observation must tell the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from orrery.checks.execution import applicable, ill_typed, lacking, preconditions, successor
from orrery.checks.worlds.observations import ObservationReader, state_each
from orrery.families.worlds.schemas import INSTRUCTION
from orrery.model import Domain, Literal, Problem, Row, State, Step
from orrery.pddl.write import parse_atom, write_atom

ENDING = re.compile(r" The goal is reached after (1 action|\d+ actions)\.$")
MOST_REASONS = 2  # conditions that a refusal names
PLAYER, WORLD = "assistant", "user"


@dataclass(frozen=True)
class Replay:
    """The episode of a dialogue: its actions, the state before each, and how many of them were possible."""

    steps: Sequence[Step]
    states: Sequence[State]
    done: int


def replayed(domain: Domain, problem: Problem, plan: Sequence[str]) -> Replay:
    """Return the episode of the actions in ``plan``; impossible ones leave the state as it is.

    Raises:
        ValueError: an action is no ground action of the problem.
    """
    steps = list(map(parse_atom, plan))
    if faults := ill_typed(domain, problem, steps):
        raise ValueError(faults[0])
    states, done = [problem.init], 0
    for step in steps:
        possible = applicable(domain, states[-1], step)
        states.append(successor(domain, states[-1], step) if possible else states[-1])
        done += possible
    return Replay(steps, states, done)


def faults_of(
    reader: ObservationReader,
    domain: Domain,
    problem: Problem,
    opening: str,
    messages: Sequence[Row],
    replay: Replay,
) -> Iterator[str]:
    """Yield where the messages of a dialogue differ from its episode.

    ``opening`` is the first observation.
    """
    roles = ["system", WORLD, *[PLAYER, WORLD] * len(replay.steps)]
    if [message["role"] for message in messages] != roles:
        yield "the roles do not alternate, or there is not one reply for each action"
        return
    texts = [message["content"] for message in messages]
    if texts[:2] != [INSTRUCTION, opening]:
        yield "does not begin with the instruction and the first observation"
    *before_last, last = texts
    ending = ENDING.search(last)
    counted = "1 action" if replay.done == 1 else f"{replay.done} actions"
    if ending is None or ending[1] != counted or not problem.satisfied(replay.states[-1]):
        yield f"does not end at the goal after {counted}"
    texts = [*before_last, ENDING.sub("", last)]
    said = zip(texts[2::2], texts[3::2], strict=True)
    turns = zip(said, replay.steps, pairwise(replay.states), strict=True)
    for number, turn in enumerate(turns, 1):
        try:
            faults = list(_faults_of_turn(reader, domain, *turn))
        except ValueError as error:
            faults = [str(error)]
        yield from (f"reply {number}: {fault}" for fault in faults)


def _faults_of_turn(
    reader: ObservationReader, domain: Domain, texts: tuple[str, str], step: Step, states: tuple[State, State]
) -> Iterator[str]:
    """Yield where a reply and its observation differ from an action and the states before and after it."""
    (reply, observation), (before, after) = texts, states
    if reader.action(reply) != (step, len(reply)):
        yield f"{reply!r} is not {write_atom(step)}"
    if applicable(domain, before, step):
        told, clauses = reader.effect(observation)
        changed = [
            *(Literal(fact) for fact in after - before),
            *(Literal(fact, False) for fact in before - after),
        ]
        if not state_each(clauses, changed):
            yield f"{observation!r} does not tell what {write_atom(step)} changes"
    else:
        told, clauses = reader.refusal(observation)
        unmet = lacking(preconditions(domain, step), before)
        reasons = [Literal(atom, not positive) for atom, positive in unmet]
        told_enough = len(clauses) == len({*clauses}) == min(len(reasons), MOST_REASONS)
        if not told_enough or any(readings.isdisjoint(reasons) for readings in clauses):
            yield f"{observation!r} does not tell the conditions that fail"
    if told != step:
        yield f"{observation!r} is on another action than {write_atom(step)}"
