"""Make sequences of steps from a plan: longer plans, and sequences with a known fault.

All functions work on bit sets, from the state of the question on; every sequence is executed before it is
returned.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from orrery.families.drafts import Rejected
from orrery.families.questions.evidence import StateEvidence
from orrery.model import Step
from orrery.planning.task import GroundAction, PlanningTask, is_applicable, progress

LONGEST = 60  # maximum number of steps of a plan; longer ones are not used
TRIALS = 16
ONWARDS = 5  # maximum number of steps after the end of a plan
# Lengths of the sequences, drawn uniformly from this list; the published sets have median 15.5.
USUAL = (9, 12, 13, 14, 14, 15, 16, 17, 18, 21, 25)
STRETCHES, WALK = 48, 4  # attempts at walks that lengthen a plan, and steps of a walk

Actions = Sequence[GroundAction]


def actions_of_plan(evidence: StateEvidence) -> list[GroundAction]:
    """Return the plan of the state as ground actions.

    Raises:
        Rejected: the state has no plan, or none that gives a question.
    """
    evidence.record.refuse_without_plan()
    plan = evidence.record.effective_plan
    if len(plan) > LONGEST:
        raise Rejected(f"plan of more than {LONGEST} steps")
    return list(plan)


def masks_along(mask: int, actions: Actions) -> list[int]:
    """Return ``mask`` and the states after each of ``actions``, up to the first inapplicable one."""
    masks = [mask]
    for action in actions:
        if not is_applicable(masks[-1], action):
            break
        masks.append(progress(masks[-1], action))
    return masks


def is_applicable_in_turn(mask: int, actions: Actions) -> bool:
    """Return whether ``actions`` are applicable in sequence from ``mask`` on."""
    return len(masks_along(mask, actions)) > len(actions)


def has_idle_step(mask: int, actions: Actions) -> bool:
    """Return whether some step before the first inapplicable one changes nothing.

    Such a step would be recognized as superfluous without the rest of the plan.
    """
    return any(before == after for before, after in pairwise(masks_along(mask, actions)))


def leads(task: PlanningTask, mask: int, actions: Actions) -> bool:
    """Return whether ``actions`` are a plan from ``mask``."""
    masks = masks_along(mask, actions)
    return len(masks) > len(actions) and task.is_goal(masks[-1])


def _leads_well(task: PlanningTask, mask: int, actions: Actions) -> bool:
    """Return whether ``actions`` are a plan from ``mask`` in which each step changes something."""
    return leads(task, mask, actions) and not has_idle_step(mask, actions)


def lengthened(
    evidence: StateEvidence, plan: list[GroundAction], most: int, rng: random.Random, *, early: bool = False
) -> list[GroundAction]:
    """Return a plan with up to ``most`` harmless insertions of one or two actions before its end.

    If ``early``, they are in its first half.
    """
    task, done = evidence.task, 0
    for _ in range(TRIALS):
        if done == most:
            break
        place = rng.randrange((len(plan) + 1) // 2 if early else len(plan))
        before = masks_along(task.init, plan[:place])[-1]
        added = _wander(evidence, before, rng)
        remainder = [*added, *plan[place:]]
        if added and _leads_well(task, before, remainder):
            plan, done = [*plan[:place], *remainder], done + 1
    return plan


def stretched(
    evidence: StateEvidence,
    plan: list[GroundAction],
    fewest: int,
    rng: random.Random,
    *,
    unlike: bool = False,
) -> list[GroundAction]:
    """Return a plan of at least ``fewest`` steps, by insertion of walks after which the rest remains valid.

    The plan is shorter if a limited number of attempts inserts too few steps. If ``unlike``, no two
    consecutive steps of a walk are on the same objects.
    """
    masks = masks_along(evidence.task.init, plan)
    for _ in range(STRETCHES):
        if len(plan) >= fewest:
            break
        place = rng.randrange(len(plan))
        added = _walked(evidence, masks[place], plan[place:], rng)
        if added and not (unlike and _has_alike([*added, *plan[place : place + 1]])):
            plan = [*plan[:place], *added, *plan[place:]]
            masks = masks_along(evidence.task.init, plan)
    return plan


def alike(first: Step, second: Step) -> bool:
    """Return whether two steps are on the same objects."""
    return {*first[1:]} == {*second[1:]}


def _has_alike(actions: Actions) -> bool:
    return any(alike(first.step, second.step) for first, second in pairwise(actions))


def _walked(
    evidence: StateEvidence, mask: int, untried: list[GroundAction], rng: random.Random
) -> list[GroundAction]:
    """Return steps of a random walk, each with an effect, after which ``untried`` reaches the goal."""
    walk: list[GroundAction] = []
    for _ in range(WALK):
        action = evidence.drawn_effective(mask, rng)
        if action is None:
            break
        walk.append(action)
        mask = progress(mask, action)
        if _leads_well(evidence.task, mask, untried):
            return walk
    return []


def familiar(
    evidence: StateEvidence, plan: list[GroundAction], rng: random.Random, *, early: bool = False
) -> list[GroundAction]:
    """Return a plan with one or two more harmless actions, in an order of names as elsewhere in it."""
    task, masks = evidence.task, masks_along(evidence.task.init, plan)
    names = [action.step[0] for action in plan]
    combinations = {*pairwise(names), *((name,) for name in names)}
    for _ in range(TRIALS):
        place = rng.randrange((len(plan) + 1) // 2 if early else len(plan))
        added: list[GroundAction] = []
        mask = masks[place]
        for _ in range(2):
            choices = [a for a in evidence.effective_in(mask) if (*_names(added), a.step[0]) in combinations]
            if not choices:
                break
            added.append(rng.choice(choices))
            mask = progress(mask, added[-1])
            if _leads_well(task, mask, plan[place:]):
                return [*plan[:place], *added, *plan[place:]]
    return plan


def _names(actions: Actions) -> tuple[str, ...]:
    return tuple(action.step[0] for action in actions)


def continued(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> list[GroundAction]:
    """Return a plan with more steps after which the goal holds; if possible, the last one is as in the plan.

    Therefore, the last step is not always necessary for the goal, although it seems to be.
    """
    task, end = evidence.task, masks_along(evidence.task.init, plan)[-1]
    last, longer = plan[-1].step[0], plan
    for _ in range(TRIALS):
        mask, added = end, []
        for _ in range(ONWARDS):
            if not (choices := evidence.effective_in(mask)):
                break
            name = rng.choice(sorted({action.step[0] for action in choices}))
            added.append(rng.choice([action for action in choices if action.step[0] == name]))
            mask = progress(mask, added[-1])
            if task.is_goal(mask) and (added[-1].step[0] == last or (longer is plan and len(added) < 3)):
                longer = [*plan, *added]
                if name == last:
                    return longer
    return longer


def _wander(evidence: StateEvidence, mask: int, rng: random.Random) -> list[GroundAction]:
    """Return one or two random actions from ``mask`` on; fewer if none is applicable."""
    walk: list[GroundAction] = []
    for _ in range(rng.choice((1, 2, 2))):
        if choices := evidence.effective_in(mask):
            walk.append(rng.choice(choices))
            mask = progress(mask, walk[-1])
    return walk


def detoured(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> list[GroundAction]:
    """Return a plan with one step replaced by two with the same result, if a few attempts find them."""
    task = evidence.task
    for _ in range(TRIALS // 4):
        place = rng.randrange(len(plan))
        masks = masks_along(task.init, plan[: place + 1])
        if not (choices := evidence.effective_in(masks[place])):
            continue
        first = rng.choice(choices)
        middle = progress(masks[place], first)
        for second in evidence.effective_in(middle):
            if progress(middle, second) == masks[-1] and middle not in masks:
                return [*plan[:place], first, second, *plan[place + 1 :]]
    return plan
