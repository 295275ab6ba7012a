"""Action reachability: an action that no state to come will allow.

What counts are the actions of the universe (``semantics.possible``): well typed, and allowed by what never
changes.

The claim ``{"actions": [A, ...]}`` says that one reachable state allows each of the actions, one or two. In
many domains every well-formed action can be brought about; there two actions make the question, of which
either can be taken at some time, but whose conditions h2 may exclude from holding together.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from orrery.families.questions import blind
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Offer,
    detailed,
    features_of,
    look_of,
    measured_by,
    pattern_of,
)
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.kind import Kind, OpenQuestion
from orrery.families.questions.question_row import NEEDS, NONE, NotAsked, listed, proofs_of, written
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import EQUAL, Action, Domain, Proof, Step
from orrery.pddl.write import write_atom
from orrery.semantics.task import GroundAction
from orrery.semantics.universe import names_of
from orrery.store.kinds import LONG, STRING, STRINGS, as_json, column

SINGLE, PAIRS = 40, 100  # candidates of one action, and of two of either sort at most
TRIES = 600  # so often two are drawn


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion | NotAsked:
    """Ask for an unreachable action, where all are decided.

    ``answer`` holds all unreachable ones; ``answer_all`` holds these or the reachable ones of the universe,
    whichever are fewer, and ``typing`` what tells the universe from other actions.
    """
    reachable, never = record.reachable_actions, record.unreachable_actions
    if reachable is None:
        return NotAsked("reachability of actions not fully decided")
    if never is None:
        return NotAsked(blind.TOO_MANY)
    universe = record.possible_actions
    if never.keys() | reachable != universe or not reachable.isdisjoint(never):
        return NotAsked("unreachable actions not complete")
    fewer = (reachable, "reachable") if len(reachable) < len(never) else (never, "unreachable")
    needs = blind.needs_of(never, record.task.action_of)
    extra = {
        "answer_all": written(fewer[0]),
        "answer_all_is": fewer[1],
        "num_unreachable": len(never),
        "typing": typing_of(record),
        NEEDS: needs,
        blind.CHANCE: blind.chance_of(never, universe),
    }
    rules = blind.blind_rules(record.domain, record.problem, sorted(universe), never)
    return OpenQuestion(written(never), (), {"answer": proofs_of(never)}, extra, rules, needs)


def typing_of(record: StateRecord) -> str:
    """Return JSON that tells the actions of the universe from others.

    ``actions`` has the types of each argument, ``objects`` the names of each type, ``conditions`` by action
    the static preconditions and (in)equalities: whether it must hold, its predicate, and each argument as a
    name or as the number of a parameter, from 1; ``statics`` has by predicate the facts that hold.
    """
    domain = record.domain
    actions = {
        action.name: [list(parameter.types) for parameter in action.parameters] for action in domain.actions
    }
    types = sorted({name for kinds in actions.values() for kind in kinds for name in kind})
    objects = {name: names_of(domain, record.problem, (name,)) for name in types}
    conditions = {action.name: _static_conditions(domain, action) for action in domain.actions}
    wanted = {each[1] for some in conditions.values() for each in some}
    statics: dict[str, list[list[str]]] = {name: [] for name in sorted(map(str, wanted - {EQUAL}))}
    for name, *arguments in sorted(record.problem.init):
        if name in statics:
            statics[name].append(arguments)
    found = {"actions": actions, "objects": objects, "conditions": conditions, "statics": statics}
    return as_json(found)


def _static_conditions(domain: Domain, action: Action) -> list[list[bool | str | int]]:
    """Return the preconditions of an action that no action changes."""
    number = {parameter.name: place for place, parameter in enumerate(action.parameters, 1)}
    return [
        [literal.positive, literal.atom[0], *(number.get(name, name) for name in literal.atom[1:])]
        for literal in sorted(action.preconditions)
        if literal.atom[0] not in domain.fluents
    ]


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Draw single actions not applicable now, and pairs of reachable actions not both applicable now."""
    single = _reachable(evidence, rng) + _unreachable(evidence, rng)
    apart = _apart(evidence, rng)
    found = detailed(single + _together(evidence, apart, rng) + apart, look_of(evidence))
    return Offer(found, measure=measured_by(measures_of(evidence.record).of))


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
        if step not in task.action_of and step in evidence.record.possible_actions:
            found[step] = Proof.DELETE_RELAXATION
    return [
        ClaimCandidate((step,), False, features_of(step), "never applicable", found[step])
        for step in sorted(found)
    ]


def _together(
    evidence: StateEvidence, apart: list[ClaimCandidate], rng: random.Random
) -> list[ClaimCandidate]:
    """Return pairs that some seen state allows, and that look like a pair that excludes each other."""
    found = dict[tuple[Step, ...], ClaimCandidate]()
    states = [actions for actions in list(evidence.seen.values())[1:] if len(actions) > 1]
    now = {action.step for action in evidence.record.applicable}
    wanted = {(each.features, pattern_of(each)) for each in apart}
    known: dict[tuple[Step, Step], ClaimCandidate | None] = {}
    for _ in range(TRIES if states and apart else 0):
        one, other = rng.sample(rng.choice(states), 2)
        steps = one.step, other.step
        if steps not in known:
            pair = None if now.issuperset(steps) else _pair(one, other, now, True)
            known[steps] = pair if pair and (pair.features, pattern_of(pair)) in wanted else None
        if pair := known[steps]:
            found[pair.atoms] = pair
        if len(found) == PAIRS:
            break
    return list(found.values())


def _apart(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs of actions seen to be applicable, whose conditions exclude each other."""
    seen = {action.step: action for actions in evidence.seen.values() for action in actions}
    steps, now, found = sorted(seen), {action.step for action in evidence.record.applicable}, {}
    actions = [seen[step] for step in steps]
    for _ in range(TRIES if len(steps) > 1 else 0):
        one, other = rng.sample(actions, 2)
        if evidence.exclude(one, other):
            pair = _pair(one, other, now, False)
            found[pair.atoms] = pair
        if len(found) == PAIRS:
            break
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


_NEVER = "actions that no reachable state allows"
KIND = Kind(
    name="areach",
    subject="actions out of reach",
    group="reachable_action",
    ask=ask,
    answer=column(
        "answer",
        STRINGS,
        f"Ground {_NEVER} though types, static facts and inequalities do, empty if there are none",
    ),
    columns=(
        column("answer_all", STRINGS, f"These {_NEVER}, or all others of that universe, whichever are fewer"),
        column("answer_all_is", STRING, "Which of the two `answer_all` holds: `unreachable` or `reachable`"),
        column("num_unreachable", LONG, f"Number of these {_NEVER}"),
        column(
            "typing",
            STRING,
            "JSON: `actions`, the types that each argument of an action accepts; `objects`, the names by "
            "type, subtypes included; `conditions`, by action the static preconditions and (in)equalities: "
            "true or false, predicate, and each argument as a name or the number of a parameter from 1; "
            "`statics`, by predicate the facts that hold. No action counts but what they admit",
        ),
        *blind.COLUMNS,
    ),
    replies=lambda row: [listed([step]) for step in row["answer"]] or [NONE],
    claims=CandidateClaims(offer, formal, of_actions=True, numbered=True, draws=3, matched_only=True),
    mcq_ending="mc",
)
