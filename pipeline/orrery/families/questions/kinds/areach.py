"""Action reachability: an action that is applicable in no reachable state.

Only the actions of the universe (``planning.possible``) count: well-typed, and allowed by static facts.

The claim ``{"actions": [A, ...]}`` states that one reachable state allows each of the actions, one or two. In
many domains every well-typed action is reachable; there, a question has two reachable actions, and h2 may
prove that their conditions cannot hold together.
"""

from __future__ import annotations

import random
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions import blind
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Offer,
    alike,
    detailed,
    different,
    features_of,
    look_of,
    measured_by,
    pair_of,
    whole,
)
from orrery.families.questions.evidence import StateEvidence, sample
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import NEEDS, NONE, listed, proofs_of, written
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import EQUAL, Action, Domain, Proof, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import GroundAction
from orrery.planning.universe import names_of
from orrery.store.kinds import LONG, STRING, STRINGS, as_json, column

SINGLE, PAIRS = 40, 100  # maximum number of candidates of one action, and of two, of either truth value
TRIES = 600  # number of draws of pairs


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for an unreachable action, if all actions are decided.

    ``answer`` has all unreachable actions. ``answer_all`` has these or the reachable ones of the universe,
    whichever are fewer, and ``typing`` defines the universe.
    """
    reachable, never = record.reachable_actions, record.unreachable_actions
    if reachable is None:
        raise Rejected("reachability of actions not fully decided")
    if never is None:
        raise Rejected(blind.TOO_MANY)
    universe = record.possible_actions
    if never.keys() | reachable != universe or not reachable.isdisjoint(never):
        raise Rejected("unreachable actions not complete")
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
    """Return JSON that defines the actions of the universe.

    ``actions`` has the types of each argument, ``objects`` the names of each type. ``conditions`` has by
    action the static preconditions and (in)equalities: sign, predicate, and each argument as a name or as the
    number of a parameter, from 1. ``statics`` has by predicate the true facts.
    """
    domain = record.domain
    actions = {
        action.name: [list(parameter.types) for parameter in action.parameters] for action in domain.actions
    }
    types = sorted({name for kinds in actions.values() for kind in kinds for name in kind})
    objects = {name: names_of(domain, record.problem, (name,)) for name in types}
    conditions = {action.name: _static_conditions(domain, action) for action in domain.actions}
    predicates = {
        condition[1] for conditions_of_action in conditions.values() for condition in conditions_of_action
    }
    statics: dict[str, list[list[str]]] = {name: [] for name in sorted(map(str, predicates - {EQUAL}))}
    for name, *arguments in sorted(record.problem.init):
        if name in statics:
            statics[name].append(arguments)
    typing = {"actions": actions, "objects": objects, "conditions": conditions, "statics": statics}
    return as_json(typing)


def _static_conditions(domain: Domain, action: Action) -> list[list[bool | str | int]]:
    """Return the preconditions of an action that no action changes."""
    number = {parameter.name: place for place, parameter in enumerate(action.parameters, 1)}
    return [
        [literal.positive, literal.atom[0], *(number.get(name, name) for name in literal.atom[1:])]
        for literal in sorted(action.preconditions)
        if literal.atom[0] not in domain.fluents
    ]


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of single actions not applicable now, and of pairs not both applicable now."""
    pairs = evidence.once(_ActionPairs, partial(_ActionPairs, evidence))
    single = detailed(
        [
            ClaimCandidate((step,), True, features_of(step), "becomes applicable", Proof.WITNESS)
            for step in sample(rng, pairs.later, SINGLE)
        ]
        + _unreachable(evidence, rng),
        pairs.look,
    )
    apart = _exclusive_actions(evidence, pairs, rng)
    return Offer(single + _together(pairs, apart, rng) + apart, measure=pairs.measure)


class _ActionPairs:
    """Data shared by the draws on a state: the seen actions, and the visible properties of pairs."""

    def __init__(self, evidence: StateEvidence) -> None:
        self.look, self.measure = look_of(evidence), measured_by(measures_of(evidence.record).of)
        self.actions = evidence.seen_actions
        self.states = [actions for actions in list(evidence.seen.values())[1:] if len(actions) > 1]
        self._now = frozenset(action.step for action in evidence.record.applicable)
        steps = {action.step for action in self.actions}
        self.later = sorted((evidence.record.reachable_actions or steps) - self._now)

    def of(self, first: GroundAction, second: GroundAction, holds: bool) -> ClaimCandidate | None:
        """Return the claim of a pair, with the number of actions applicable now; None if both are."""
        atoms = (min(first.step, second.step), max(first.step, second.step))
        now = len(self._now.intersection(atoms))
        form, proof = ("allowed together", Proof.WITNESS) if holds else ("exclude each other", Proof.H2)
        return None if holds and now == len(atoms) else pair_of(atoms, now, holds, form, proof, self.look)


def _unreachable(evidence: StateEvidence, rng: random.Random) -> list[ClaimCandidate]:
    """Return unreachable actions: those that the delete relaxation reaches, then some that it does not."""
    proofs, task = evidence.record.unreachable_actions or {}, evidence.task
    hard = [action.step for action in task.actions if action.step in proofs]
    unreachable: dict[Step, str] = {step: proofs[step] for step in sample(rng, hard, SINGLE)}
    for action in sample(rng, task.actions, SINGLE):
        step = evidence.changed(action.step, rng)
        if step not in task.action_of and step in evidence.record.possible_actions:
            unreachable[step] = Proof.DELETE_RELAXATION
    return [
        ClaimCandidate((step,), False, features_of(step), "never applicable", unreachable[step])
        for step in sorted(unreachable)
    ]


def _together(pairs: _ActionPairs, apart: list[ClaimCandidate], rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs that some seen state allows, and that look like a mutually exclusive pair."""
    drawn = (rng.sample(rng.choice(pairs.states), 2) for _ in range(TRIES if pairs.states else 0))
    made = (pairs.of(first, second, True) for first, second in drawn)
    return alike(filter(None, made), apart, PAIRS)


def _exclusive_actions(
    evidence: StateEvidence, pairs: _ActionPairs, rng: random.Random
) -> list[ClaimCandidate]:
    """Return pairs of actions, each applicable in a seen state, whose conditions exclude each other."""
    actions = pairs.actions
    drawn = (rng.sample(actions, 2) for _ in range(TRIES if len(actions) > 1 else 0))
    excluding = (pairs.of(first, second, False) for first, second in drawn if evidence.exclude(first, second))
    return different(filter(None, excluding), PAIRS)


_NEVER = "actions that no reachable state allows"
TASK = question_task(
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
    ungraded=("num_unreachable", *blind.NAMES),
    replies=lambda row: [listed([step]) for step in row["answer"]] or [NONE],
    tells_goal=False,
    claims=CandidateClaims(
        offer,
        lambda claim, _: {"actions": [*map(write_atom, claim.atoms)]},
        of_actions=True,
        numbered=True,
        draws=3,
        looks=(whole,),
    ),
    mcq_ending="mc",
)
