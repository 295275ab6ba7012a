"""Episodes of an expert as dialogues: a shortest plan, and one with a slip and its repair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from orrery.families.drafts import Rejected
from orrery.families.worlds.schemas import IMPOSSIBLE, INSTRUCTION, UNHELPFUL
from orrery.model import Row, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import GroundAction, applicable, progress
from orrery.worlds.episode import World

TRIED = 8  # slips at one place whose words are tried


class Dialogue(NamedTuple):
    """The messages of an episode, and its actions."""

    messages: list[Row]
    steps: list[Step]


class Slip(NamedTuple):
    """A dialogue with a slip: of which kind, and in which reply, counted from 1."""

    dialogue: Dialogue
    kind: str
    place: int


def played(world: World, steps: Iterable[Step]) -> Dialogue:
    """Return the dialogue of an episode with these actions, each in words.

    Raises:
        Rejected: the words of an action are read as another one, or the episode ends before the last action.
    """
    turn = world.reset()
    messages = [_message("system", INSTRUCTION), _message("user", turn.observation)]
    said = list(steps)
    for step in said:
        phrase = world.problem.texts.action(step)
        turn = world.step(phrase)
        if turn.info["action"] != write_atom(step):
            raise Rejected("the words of an action are read as another one")
        messages += [_message("assistant", phrase), _message("user", turn.observation)]
    return Dialogue(messages, said)


def expert(world: World) -> Dialogue:
    """Return the dialogue of a shortest plan.

    Raises:
        Rejected: the problem has no plan, or its words are ambiguous.
    """
    return played(world, [action.step for action in _shortest_plan(world, world.problem.task.init)])


def slip(world: World, rng: Random) -> Slip:
    """Return a dialogue that follows a shortest plan with one slip, and then goes a shortest way on.

    Kind, place and action of the slip are drawn. A kind without an action in this world gives way to the
    other one.

    Raises:
        Rejected: no state on the plan has such an action.
    """
    task = world.problem.task
    plan = _shortest_plan(world, task.init)
    states = list(accumulate(plan, progress, initial=task.init))
    kinds, places = [IMPOSSIBLE, UNHELPFUL], list(range(len(plan)))
    rng.shuffle(kinds)
    rng.shuffle(places)
    for kind in kinds:
        for place in places:
            actions = _slips(world, states[place], place, kind)
            for action in rng.sample(actions, min(TRIED, len(actions))):
                after = states[place] if kind == IMPOSSIBLE else progress(states[place], action)
                steps = [one.step for one in (*plan[:place], action, *_shortest_plan(world, after))]
                try:
                    return Slip(played(world, steps), kind, place + 1)
                except Rejected:
                    continue
    raise Rejected("no state on the plan has an impossible or unhelpful action")


def _slips(world: World, state: int, place: int, kind: str) -> Sequence[GroundAction]:
    """Return the actions that may be the slip of a kind in a state after ``place`` actions."""
    task, oracle = world.problem.task, world.problem.oracle
    possible = applicable(task, state)
    if kind == IMPOSSIBLE:
        known = {action.step for action in possible}
        return [action for action in task.actions if action.step not in known]
    cost = oracle.cost_to_go(state)
    costs = [(action, oracle.cost_to_go(progress(state, action))) for action in possible]
    most = world.max_steps - place - 1
    return [action for action, after in costs if cost is not None and after and cost <= after <= most]


def _shortest_plan(world: World, state: int) -> list[GroundAction]:
    """Return a shortest plan from a state.

    Raises:
        Rejected: there is none.
    """
    plan = world.problem.oracle.shortest_plan(state)
    if plan is None:
        raise Rejected("no plan")
    return plan


def _message(role: str, content: str) -> Row:
    return {"role": role, "content": content}
