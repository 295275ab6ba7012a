"""Claims on a sequence of actions: a plan, applicable without reaching the goal, inapplicable, or foreign.

All four are made from one plan and have its length.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.item import NotAsked
from orrery.families.questions.sequences import (
    TRIALS,
    actions_of_plan,
    end_of,
    lengthened,
    masks_along,
)
from orrery.model import Domain, Step
from orrery.pddl.write import write_atom
from orrery.semantics.progression import is_applicable, progress
from orrery.semantics.task import GroundAction

CLAIMS = "val"
SAYS = ("plan", "applicable", "inapplicable", "invalid")
# What is true of a sequence that is no plan, in turn: a foreign action is seen at a glance.
NO_PLANS = (
    "applicable",
    "inapplicable",
    "applicable",
    "inapplicable",
    "applicable",
    "invalid",
    "inapplicable",
)
# Actions as other domains have them: a name, the number of its arguments, a phrase. None may be taken for
# another word for what a domain of ours does: no hoisting, which is lifting, and no shipping.
FOREIGN: tuple[tuple[str, int, str], ...] = (
    ("bury", 2, "bury {0} under {1}"),
    ("calibrate", 2, "calibrate {0} on {1}"),
    ("fly", 2, "fly from {0} to {1}"),
    ("glue", 2, "glue {0} to {1}"),
    ("ignite", 1, "set {0} on fire"),
    ("melt", 1, "melt {0}"),
    ("paint", 2, "paint {0} with {1}"),
    ("repair", 1, "repair {0}"),
    ("sell", 2, "sell {0} at {1}"),
    ("tow", 2, "tow {0} away from {1}"),
    ("wash", 1, "wash {0}"),
    ("weigh", 1, "weigh {0}"),
)


class Sequence(NamedTuple):
    """Steps of which ``says`` is true; ``phrase`` words the step at ``foreign``, where there is one."""

    steps: tuple[Step, ...]
    says: str
    form: str
    foreign: int = -1
    phrase: str = ""


def sequence(evidence: StateEvidence, says: str, rng: random.Random) -> Sequence | NotAsked:
    """A sequence of which ``says`` is true, of as many steps as a plan of the state."""
    plan = actions_of_plan(evidence)
    if isinstance(plan, str):
        return NotAsked(plan)
    plan = lengthened(evidence, plan, rng.randint(0, 1), rng)
    if says == "plan":
        return Sequence(_steps(plan), says, "plan")
    if says == "invalid":
        return _invalid(evidence, plan, rng)
    found = _applicable(evidence, plan, rng) if says == "applicable" else _inapplicable(evidence, plan, rng)
    return found or NotAsked(f"no sequence found that is {says}")


def _steps(actions: list[GroundAction]) -> tuple[Step, ...]:
    return tuple(action.step for action in actions)


def _applicable(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> Sequence | None:
    """One step replaced by another, or the last few by a walk; the last keeps its name if that can be."""
    task, masks = evidence.task, masks_along(evidence.task.init, plan)
    spare: Sequence | None = None
    for trial in range(TRIALS):
        late = trial % 4 if trial >= TRIALS // 2 else None
        place = rng.randrange(max(1, len(plan) - 1)) if late is None else max(0, len(plan) - 1 - late)
        changed = plan[:place]
        mask = masks[place]
        for action in plan[place:]:
            choices = evidence.applicable_in(mask)
            if len(changed) == place or not is_applicable(mask, action):
                choices = [other for other in choices if other is not action]
                if not choices:
                    break
                alike = [other for other in choices if other.step[0] == action.step[0]]
                action = rng.choice(alike or choices)
            changed.append(action)
            mask = progress(mask, action)
        if len(changed) == len(plan) and not task.is_goal(mask):
            spare = Sequence(_steps(changed), "applicable", "a step exchanged, the goal missed")
            if changed[-1].step[0] == plan[-1].step[0]:
                return spare
    return spare


def _inapplicable(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> Sequence | None:
    """One step replaced by one whose conditions do not hold there, or two steps exchanged."""
    task, masks = evidence.task, masks_along(evidence.task.init, plan)
    same: dict[str, list[GroundAction]] = {}
    for action in task.actions:
        same.setdefault(action.step[0], []).append(action)
    for trial in range(TRIALS):
        place = rng.randrange(max(1, len(plan) - 1))  # the last step's name does not tell
        if trial % 4 == 0 and place:
            changed = [*plan[: place - 1], plan[place], plan[place - 1], *plan[place + 1 :]]
            form = "two steps exchanged"
        else:
            other = rng.choice(same[plan[place].step[0]] if trial % 4 < 3 else task.actions)
            if is_applicable(masks[place], other):
                continue
            changed, form = [*plan[:place], other, *plan[place + 1 :]], "a step that is not applicable there"
        if end_of(task.init, changed) is None:
            return Sequence(_steps(changed), "inapplicable", form)
    return None


def _invalid(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> Sequence | NotAsked:
    """One step replaced by an action that the domain does not have, on objects of the problem."""
    choices = [each for each in FOREIGN if not _known(evidence.item.domain, each[0])]
    names = sorted(typed.name for typed in (*evidence.item.domain.constants, *evidence.item.problem.objects))
    if not choices or len(names) < 2:
        return NotAsked("no foreign action to name")
    place = rng.randrange(max(1, len(plan) - 1))
    name, arity, phrase = rng.choice(choices)
    used = list(dict.fromkeys(plan[place].step[1:]))[:arity]
    used += rng.sample([other for other in names if other not in used], arity - len(used))
    steps = [*_steps(plan[:place]), (name, *used), *_steps(plan[place + 1 :])]
    return Sequence(tuple(steps), "invalid", "a foreign action", place, phrase.format(*used))


def _known(domain: Domain, verb: str) -> bool:
    """Whether an action of the domain has ``verb`` in its name."""
    return any(verb in action.name for action in domain.actions)


def formal(found: Sequence, says: str) -> Mapping[str, Any]:
    """The JSON of the claim that ``says`` is true of a sequence."""
    return {"kind": CLAIMS, "sequence": [write_atom(step) for step in found.steps], "says": says}
