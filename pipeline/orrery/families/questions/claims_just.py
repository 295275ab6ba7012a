"""Claims that an action, or two consecutive ones, can be left out of a plan.

Plans are lengthened by harmless steps and by detours first: what can be left out and what cannot then
look alike. A look tells also whether the plan ends there, since what comes last is easily superfluous. Where
an action or a pair occurs several times, it is asked about only if all occurrences agree.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Offer, look_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.item import NotAsked
from orrery.families.questions.sequences import (
    actions_of_plan,
    continued,
    detoured,
    familiar,
    lengthened,
    masks_along,
    reaches_goal,
)
from orrery.model import Atom
from orrery.pddl.write import write_atom
from orrery.semantics.task import GroundAction, PlanningTask

CLAIMS = "just"
WRONG = 3
SHORT, LEAST = 5, 3  # a plan with fewer steps than ``SHORT`` gets ``LEAST`` insertions or more
INSERTED = (1, 3)
DETOURS, ONWARDS, FAMILIAR, EARLY = 0.5, 0.3, 0.5, 0.5  # how often a plan is lengthened so
ATTEMPTS = 3


def offer(evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
    """The actions and pairs of a lengthened plan, if possible one where true and false ones look alike."""
    plan = actions_of_plan(evidence)
    if isinstance(plan, str):
        return NotAsked(plan)
    best: tuple[int, Offer] | None = None
    for _ in range(ATTEMPTS):
        longer = _longer(evidence, plan, rng)
        candidates = _candidates(evidence.task, longer)
        matches = _matches(candidates)
        if best is None or matches > best[0]:
            best = matches, Offer(candidates, tuple(action.step for action in longer))
        if matches >= WRONG:
            break
    return best[1] if best else NotAsked("no plan is known")


def _longer(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> list[GroundAction]:
    """The plan with steps inserted early or anywhere, and perhaps some behind its end."""
    if rng.random() < DETOURS:
        plan = detoured(evidence, plan, rng)
    inserted, early = rng.randint(*INSERTED) + (LEAST if len(plan) < SHORT else 0), rng.random() < EARLY
    if rng.random() < ONWARDS:
        plan = continued(evidence, plan, rng)
    if rng.random() < FAMILIAR:
        plan, inserted = familiar(evidence, plan, rng, early=early), inserted - 1
    return lengthened(evidence, plan, inserted, rng, early=early)


def _matches(candidates: list[ClaimCandidate]) -> int:
    """How many false claims there are of a look that a true one has, too; at most for one look."""
    wrong = Counter(candidate.look for candidate in candidates if not candidate.holds)
    return max((wrong[candidate.look] for candidate in candidates if candidate.holds), default=0)


def _candidates(task: PlanningTask, plan: list[GroundAction]) -> list[ClaimCandidate]:
    masks, occurrences = masks_along(task.init, plan), defaultdict(list)
    for length in (1, 2):
        for at in range(len(plan) - length + 1):
            atoms = tuple(action.step for action in plan[at : at + length])
            occurrences[atoms].append((at, reaches_goal(task, masks[at], plan[at + length :])))
    return [
        _candidate(plan, atoms, tuple(at for at, _ in found), found[0][1])
        for atoms, found in sorted(occurrences.items())
        if len({holds for _, holds in found}) == 1
    ]


def _candidate(
    plan: list[GroundAction], atoms: tuple[Atom, ...], at: tuple[int, ...], holds: bool
) -> ClaimCandidate:
    """A part of the plan; its look tells whether the plan ends with it."""
    form = f"{'superfluous' if holds else 'needed'} {'action' if len(atoms) == 1 else 'pair'}"
    ends = at[-1] + len(atoms) == len(plan)
    late = 3 * at[-1] // len(plan)
    return ClaimCandidate(atoms, holds, (ends, *look_of(*atoms)), form, at=at, late=late)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {
        "kind": CLAIMS,
        "plan": [write_atom(step) for step in offered.steps],
        "remove": [write_atom(step) for step in candidate.atoms],
        "at": list(candidate.at),
    }
