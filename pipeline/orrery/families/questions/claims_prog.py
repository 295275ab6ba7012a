"""Claims on the state after an action: one fact, or two of which a false claim gets one wrong at least.

A fact's look tells whether it holds before the action, so that neither copying the present state nor
betting on change helps.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from orrery.families.questions.claims import ClaimCandidate, Look, Offer, look_of
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.item import NotAsked
from orrery.model import Atom
from orrery.pddl.write import write_atom
from orrery.semantics.progression import progress
from orrery.semantics.task import GroundAction, PlanningTask

CLAIMS = "prog"
NEAR, FAR, CONJUNCTIONS = 30, 12, 60
LEAST = 3  # wrong options that a look is to have
STAYS = 0.5  # how often nothing that the action brings about is among the claims, as it is easily told
FORMS = {
    (True, True): "untouched",
    (True, False): "ended",
    (False, True): "brought about",
    (False, False): "false before and after",
}
CHANGED = ("ended", "brought about")


def offer(evidence: StateEvidence, rng: random.Random) -> Offer | NotAsked:
    """Facts and conjunctions of two facts after one applicable action that changes something."""
    task = evidence.task
    changing = [a for a in evidence.item.applicable if progress(task.init, a) != task.init]
    if not changing:
        return NotAsked("no applicable action")
    action = rng.choice(changing)
    single = [_single(task, fact, action) for fact in _facts(task, action, rng)]
    if rng.random() < STAYS:
        single = [each for each in single if each.form != FORMS[False, True]]
    near = _near(single, frozenset(action.step[1:]))
    return Offer(near + _conjunctions(near, single, rng), (action.step,))


def _facts(task: PlanningTask, action: GroundAction, rng: random.Random) -> list[Atom]:
    """Facts that name an object of the action, all that it changes among them, and some others."""
    after = progress(task.init, action)
    touched = sorted(task.facts_of(after ^ task.init))
    objects = set(action.step[1:])
    others = [fact for fact in task.facts if fact not in touched]
    near = [fact for fact in others if not objects.isdisjoint(fact[1:])]
    far = [fact for fact in others if objects.isdisjoint(fact[1:])]
    return touched + sample(rng, near, NEAR) + sample(rng, far, FAR)


def _single(task: PlanningTask, fact: Atom, action: GroundAction) -> ClaimCandidate:
    bit, after = task.bit[fact], progress(task.init, action)
    before, holds = bool(task.init & bit), bool(after & bit)
    return ClaimCandidate((fact,), holds, (before, *look_of(fact)), FORMS[before, holds])


def _near(single: list[ClaimCandidate], objects: frozenset[str]) -> list[ClaimCandidate]:
    """What changes, and of what stays, for each look, the facts that name most ``objects`` of the action.

    What changes names them anyway: beside facts on other things it would be too easily told.
    """

    def named(candidate: ClaimCandidate) -> int:
        return len(objects.intersection(candidate.atoms[0][1:]))

    found = []
    for some in _by_look(single).values():
        stays = sorted((named(each) for each in some if each.form not in CHANGED), reverse=True)
        least = min(stays[:LEAST], default=0)
        found += [each for each in some if each.form in CHANGED or named(each) >= least]
    return found


def _by_look(single: list[ClaimCandidate]) -> dict[tuple[Look, bool], list[ClaimCandidate]]:
    found: dict[tuple[Look, bool], list[ClaimCandidate]] = defaultdict(list)
    for candidate in single:
        found[candidate.look, candidate.holds].append(candidate)
    return found


def _conjunctions(
    near: list[ClaimCandidate], single: list[ClaimCandidate], rng: random.Random
) -> list[ClaimCandidate]:
    """Pairs of facts, as many true ones as false: one of ``near`` that may be wrong, and a true one."""
    by_look, true = _by_look(near), _by_look(single)
    looks = sorted({look for look, _ in by_look}, key=repr)
    whole = [look for look in looks if by_look.get((look, True))]
    broken = [look for look in whole if by_look.get((look, False))]
    found = {}
    for number in range(CONJUNCTIONS if broken else 0):
        first, second = rng.choice(broken), rng.choice(whole)
        wrong = rng.choice(by_look[first, number % 2 == 0])
        pair = _both(wrong, rng.choice(true[second, True]))
        if pair is not None:
            found[pair.atoms] = pair
    return list(found.values())


def _both(one: ClaimCandidate, other: ClaimCandidate) -> ClaimCandidate | None:
    if one.atoms == other.atoms:
        return None
    one, other = sorted((one, other), key=lambda candidate: candidate.atoms)
    atoms = one.atoms + other.atoms
    look = (*sorted((one.look, other.look), key=repr), look_of(*atoms)[-1])
    return ClaimCandidate(atoms, one.holds and other.holds, look, f"{one.form}; {other.form}")


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """The JSON of the claim."""
    return {
        "kind": CLAIMS,
        "action": write_atom(offered.steps[0]),
        "facts": [write_atom(fact) for fact in candidate.atoms],
    }
