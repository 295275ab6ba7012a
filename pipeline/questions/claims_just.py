"""Claims that an action, or two consecutive ones, can be left out of a plan.

Plans are lengthened by harmless steps and by detours first: what can be left out and what cannot then
look alike. Where an action or a pair occurs several times, it is asked about only if all occurrences agree.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from pipeline.model import Atom
from pipeline.pddl.write import write_atom
from pipeline.questions.claims import Candidate, Offer, look_of
from pipeline.questions.evidence import Evidence
from pipeline.questions.item import NotAsked
from pipeline.questions.sequences import actions_of_plan, detoured, lengthened, masks_along, reaches_goal
from pipeline.semantics.task import GroundAction, Task

CLAIMS = "just"
WRONG = 3
INSERTIONS = (1, 3)
ATTEMPTS = 4  # the last of them with steps behind the end, where hardly any do harm


def offer(evidence: Evidence, rng: random.Random) -> Offer | NotAsked:
    """The actions and pairs of a lengthened plan, if possible one where true and false ones look alike."""
    plan = actions_of_plan(evidence)
    if isinstance(plan, str):
        return NotAsked(plan)
    for attempt in range(ATTEMPTS):
        longer = detoured(evidence, plan, rng) if rng.random() < 0.5 else plan
        longer = lengthened(evidence, longer, rng.randint(*INSERTIONS), rng, at_end=attempt == ATTEMPTS - 1)
        candidates = _candidates(evidence.task, longer)
        if _matched(candidates):
            break
    return Offer(candidates, tuple(action.step for action in longer))


def _matched(candidates: list[Candidate]) -> bool:
    """Whether some look is that of a true claim and of as many false ones as a choice takes."""
    wrong = Counter(candidate.look for candidate in candidates if not candidate.holds)
    return any(wrong[candidate.look] >= WRONG for candidate in candidates if candidate.holds)


def _candidates(task: Task, plan: list[GroundAction]) -> list[Candidate]:
    masks, occurrences = masks_along(task.init, plan), defaultdict(list)
    for length in (1, 2):
        for at in range(len(plan) - length + 1):
            atoms = tuple(action.step for action in plan[at : at + length])
            occurrences[atoms].append((at, reaches_goal(task, masks[at], plan[at + length :])))
    return [
        _candidate(atoms, tuple(at for at, _ in found), found[0][1])
        for atoms, found in sorted(occurrences.items())
        if len({holds for _, holds in found}) == 1
    ]


def _candidate(atoms: tuple[Atom, ...], at: tuple[int, ...], holds: bool) -> Candidate:
    form = f"{'superfluous' if holds else 'needed'} {'action' if len(atoms) == 1 else 'pair'}"
    return Candidate(atoms, holds, look_of(*atoms), form, at=at)


def formal(candidate: Candidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {
        "kind": CLAIMS,
        "plan": [write_atom(step) for step in offered.steps],
        "remove": [write_atom(step) for step in candidate.atoms],
        "at": list(candidate.at),
    }
