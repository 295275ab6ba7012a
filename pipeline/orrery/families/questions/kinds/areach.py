"""Action reachability: an action that no state to come will allow.

The claim ``{"actions": [A, ...]}`` says that one reachable state allows each of the actions, one or two. In
many domains every well-formed action can be brought about; there two actions make the question, of which
either can be taken at some time, but whose conditions h2 may exclude from holding together.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from orrery.families import Row
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import ClaimCandidate, Offer, features_of, pattern_of, refined
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.kind import Kind, OpenQuestion
from orrery.families.questions.question_row import NONE, NotAsked, listed, proofs_of, written
from orrery.families.questions.state_record import StateRecord
from orrery.model import Proof, Step
from orrery.pddl.write import write_atom
from orrery.semantics.task import GroundAction
from orrery.semantics.universe import count_steps, ground_steps, names_of
from orrery.store.kinds import LONG, STRING, STRINGS, as_json, column

SHOWN = 50  # actions stored as the answer where all would be thousands
SINGLE, PAIRS = 40, 60  # candidates of one action, and of two


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion | NotAsked:
    """Ask for an unreachable action, where every well-typed ground action is decided.

    ``answer`` holds all unreachable ones, or ``SHOWN`` of them where they are too many to list;
    ``answer_all`` holds these or the reachable ones, whichever are fewer, so that any reply can be graded.
    """
    reachable = record.reachable_actions
    if reachable is None:
        return NotAsked("reachability of actions not fully decided")
    every = count_steps(record.domain, record.problem) if record.num_steps is None else record.num_steps
    number = every - len(reachable)
    never = record.unreachable_actions
    if never is None:
        never = dict.fromkeys(islice(_excluded(record), SHOWN), Proof.DELETE_RELAXATION)
        if len(never) < SHOWN:
            return NotAsked("too few actions that the delete relaxation excludes")
    elif len(never) != number:
        return NotAsked("unreachable actions not complete")
    fewer = _fewer(record, never, reachable, number)
    extra = {**fewer, "num_unreachable": number, "typing": typing_of(record)}
    return OpenQuestion(written(never), proofs={"answer": proofs_of(never)}, extra=extra)


def _fewer(
    record: StateRecord, never: Iterable[Step], reachable: frozenset[Step], number: int
) -> dict[str, object]:
    """Return the unreachable actions or, where fewer, the reachable ones, and which of them it is."""
    if len(reachable) < number:
        return {"answer_all": written(reachable), "answer_all_is": "reachable"}
    if record.unreachable_actions is None:
        never = (step for step in ground_steps(record.domain, record.problem) if step not in reachable)
    return {"answer_all": written(never), "answer_all_is": "unreachable"}


def _excluded(record: StateRecord) -> Iterable[Step]:
    """Return the well-typed ground actions that the delete relaxation never reaches, sorted."""
    known = record.task.action_of
    return (step for step in ground_steps(record.domain, record.problem) if step not in known)


def typing_of(record: StateRecord) -> str:
    """Return JSON: ``actions`` with the types of each argument, ``objects`` with the names of each type."""
    actions = {
        action.name: [list(parameter.types) for parameter in action.parameters]
        for action in record.domain.actions
    }
    types = sorted({name for kinds in actions.values() for kind in kinds for name in kind})
    objects = {name: names_of(record.domain, record.problem, (name,)) for name in types}
    return as_json({"actions": actions, "objects": objects})


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Draw single actions not applicable now, and pairs of reachable actions not both applicable now."""
    single = _reachable(evidence, rng) + _unreachable(evidence, rng)
    return Offer(refined(single + _together(evidence, rng) + _apart(evidence, rng), pattern_of))


def _reachable(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    now = {action.step for action in evidence.record.applicable}
    seen = {action.step for actions in evidence.seen.values() for action in actions}
    later = sorted((evidence.record.reachable_actions or seen) - now)
    return [
        ClaimCandidate((step,), True, features_of(step), "becomes applicable", Proof.WITNESS)
        for step in sample(rng, later, SINGLE)
    ]


def _unreachable(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return unreachable actions: those that the delete relaxation reaches, then some that it does not."""
    known, task = evidence.record.unreachable_actions or {}, evidence.task
    hard = [action.step for action in task.actions if action.step in known]
    found: dict[Step, str] = {step: known[step] for step in sample(rng, hard, SINGLE)}
    for action in sample(rng, task.actions, SINGLE):
        step = evidence.changed(action.step, rng)
        if step not in task.action_of:
            found[step] = Proof.DELETE_RELAXATION
    return [
        ClaimCandidate((step,), False, features_of(step), "never applicable", found[step])
        for step in sorted(found)
    ]


def _together(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs that some seen state allows."""
    found = {}
    states = [actions for actions in list(evidence.seen.values())[1:] if len(actions) > 1]
    now = {action.step for action in evidence.record.applicable}
    for _ in range(PAIRS if states else 0):
        one, other = rng.sample(rng.choice(states), 2)
        if not {one.step, other.step} <= now:
            pair = _pair(one, other, now, True)
            found[pair.atoms] = pair
    return list(found.values())


def _apart(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs of actions seen to be applicable, whose conditions exclude each other."""
    seen = {action.step: action for actions in evidence.seen.values() for action in actions}
    steps, now, found = sorted(seen), {action.step for action in evidence.record.applicable}, {}
    for _ in range(PAIRS if len(steps) > 1 else 0):
        one, other = (seen[step] for step in rng.sample(steps, 2))
        if evidence.exclude(one, other):
            pair = _pair(one, other, now, False)
            found[pair.atoms] = pair
    return list(found.values())


def _pair(one: GroundAction, other: GroundAction, now: set[Step], holds: bool) -> ClaimCandidate:
    """Return a pair of actions; its features hold how many of them are applicable now."""
    atoms = tuple(sorted((one.step, other.step)))
    features = (len(now.intersection(atoms)), *features_of(*atoms))
    form, proof = ("allowed together", Proof.WITNESS) if holds else ("exclude each other", Proof.H2)
    return ClaimCandidate(atoms, holds, features, form, proof)


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """Write a claim as JSON."""
    return {"actions": [write_atom(step) for step in candidate.atoms]}


def _every_reply(row: Row) -> Sequence[str]:
    complete = row.get("answer_all_is") == "unreachable"
    return [listed([step]) for step in row["answer_all" if complete else "answer"]] or [NONE]


_NEVER = "actions that no reachable state allows"
KIND = Kind(
    name="areach",
    subject="actions out of reach",
    group="reachable_action",
    ask=ask,
    answer=column(
        "answer",
        STRINGS,
        f"Well-typed ground {_NEVER}, empty if there are none; 50 where they are more than 2000",
    ),
    columns=(
        column("answer_all", STRINGS, f"The {_NEVER}, or all others, whichever are fewer"),
        column("answer_all_is", STRING, "Which of the two `answer_all` holds: `unreachable` or `reachable`"),
        column("num_unreachable", LONG, f"Number of well-typed ground {_NEVER}"),
        column(
            "typing",
            STRING,
            "JSON: `actions`, the types that each argument of an action accepts; `objects`, the names by "
            "type, subtypes included",
        ),
    ),
    replies=lambda row: [listed([step]) for step in row["answer"]] or [NONE],
    every_reply=_every_reply,
    claims=CandidateClaims(offer, formal, of_actions=True, joint=" or ", draws=3),
    mcq_ending="mc",
)
