"""Reachability: a fact that is true in no reachable state.

Only the facts of the universe (``planning.possible``) count: facts of predicates that some action adds, with
a repeated object only if some action could add the fact.

The claim ``{"facts": [F, ...]}`` states that one reachable state contains all of the facts, one or two. A
state on a plan or walk proves true claims. False claims have a fact that is proven unreachable, or a pair
that h2 excludes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, partial

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
from orrery.families.questions.question_row import NEEDS, NONE, listed, proofs_of
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Proof
from orrery.pddl.write import write_atom
from orrery.planning.task import PlanningTask, bits, union
from orrery.store.kinds import STRINGS, column

SINGLE, PAIRS = 40, 100  # number of candidates of one fact, and of two that exclude each other
TRIES, MOST_TOGETHER = 600, 100  # number of pairs drawn from states that contain both, and number kept
PUBLISHED_MOST = 50  # the limit of the published sets
ALL = "answer_all"  # the column without a limit


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for an unreachable fact, if every fact is decided."""
    right = record.unreachable_facts
    if right is None:
        raise Rejected("reachability not fully decided")
    universe = sorted(record.possible_facts)
    if not right.keys() <= record.possible_facts:
        raise Rejected("facts are called unreachable that no action adds")
    never = [" ".join(fact) for fact in sorted(right)]
    needs = blind.needs_of(right, record.task.bit)
    extra = {ALL: never, NEEDS: needs, blind.CHANCE: blind.chance_of(right, universe)}
    rules = blind.blind_rules(record.domain, record.problem, universe, right)
    return OpenQuestion(never[:PUBLISHED_MOST], (), {ALL: proofs_of(right)}, extra, rules, needs)


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of single false facts, and of pairs of facts that are not both true now."""
    pairs = evidence.once(_FactPairs, partial(_FactPairs, evidence))
    apart = _mutex_facts(pairs, rng)
    single = detailed(_single(pairs, rng), pairs.look)
    names = [(candidate.atoms[0][0], candidate.atoms[1][0]) for candidate in apart]
    return Offer(
        single + alike(_held(pairs, names, rng), apart, MOST_TOGETHER) + apart, measure=pairs.measure
    )


class _FactPairs:
    """Data shared by the draws on a state: reachable and unreachable facts, and pairs of facts."""

    def __init__(self, evidence: StateEvidence) -> None:
        self._task, self._evidence, self.facts = evidence.task, evidence, evidence.task.facts
        self.look, self.measure = look_of(evidence), measured_by(measures_of(evidence.record).of)
        self.now = frozenset(bits(evidence.task.init))
        self.never = evidence.record.unreachable_facts or {}
        self.later = sorted(self._reached() - evidence.task.facts_of(evidence.task.init))
        self.possible = bits(evidence.pairs.facts) if evidence.pairs else []
        self.mates = cache(self._mates)

    def _reached(self) -> frozenset[Atom]:
        """Return facts that are true at some time."""
        task, record = self._task, self._evidence.record
        if record.unreachable_facts is None:
            return task.facts_of(union(self._evidence.seen))
        return record.possible_facts.intersection(task.facts) - self.never.keys()  # all are decided

    @cached_property
    def states(self) -> list[dict[str, list[int]]]:
        """The facts of the seen states, as numbers, by name."""
        return [_by_name(self._task, mask) for mask in self._evidence.seen]

    def _mates(self, fact: int) -> list[int]:
        """Return the facts that h2 proves mutex with one."""
        pairs = self._evidence.pairs
        return bits(pairs.facts & ~pairs.together[fact]) if pairs else []

    def of(self, first: int, second: int, holds: bool) -> ClaimCandidate:
        """Return the claim of a pair of facts, by their numbers."""
        low, high = sorted((first, second))
        now = (low in self.now) + (high in self.now)
        form, proof = ("held together", Proof.WITNESS) if holds else ("mutex", Proof.H2)
        return pair_of((self.facts[low], self.facts[high]), now, holds, form, proof, self.look)


def _single(pairs: _FactPairs, rng: random.Random) -> list[ClaimCandidate]:
    return [
        ClaimCandidate((fact,), True, features_of(fact), "reached", Proof.WITNESS)
        for fact in sample(rng, pairs.later, SINGLE)
    ] + [
        ClaimCandidate((fact,), False, features_of(fact), "never reached", pairs.never[fact])
        for fact in sample(rng, sorted(pairs.never), SINGLE)
    ]


def _held(
    pairs: _FactPairs, names: Sequence[tuple[str, str]], rng: random.Random
) -> Iterator[ClaimCandidate]:
    """Yield pairs of facts of some names that a seen state contains, but not the state of the question."""
    for _ in range(TRIES if names else 0):
        state = rng.choice(pairs.states)
        first, second = rng.choice(names)
        if first in state and second in state:
            fact, mate = rng.choice(state[first]), rng.choice(state[second])
            if fact != mate and not pairs.now.issuperset((fact, mate)):
                yield pairs.of(fact, mate, True)


def _by_name(task: PlanningTask, mask: int) -> dict[str, list[int]]:
    by_name: dict[str, list[int]] = {}
    for fact in bits(mask):
        by_name.setdefault(task.facts[fact][0], []).append(fact)
    return by_name


def _mutex_facts(pairs: _FactPairs, rng: random.Random) -> list[ClaimCandidate]:
    """Return pairs of reachable facts that h2 proves mutex, half of them with a common object if possible."""
    facts = pairs.facts

    def excluding() -> Iterator[ClaimCandidate]:
        for number in range(PAIRS if pairs.possible else 0):
            fact = rng.choice(pairs.possible)
            if mates := sample(rng, pairs.mates(fact), 1 + number % 2 * 2):
                objects = {*facts[fact]}
                mate = max(mates, key=lambda mate: len(objects.intersection(facts[mate])))
                yield pairs.of(fact, mate, False)

    return different(excluding(), PAIRS)


TASK = question_task(
    name="reach",
    subject="facts out of reach",
    group="reachable_atom",
    ask=ask,
    answer=column(
        "answer",
        STRINGS,
        "Facts that hold in no reachable state, without parentheses; at most 50, empty if there are none",
    ),
    columns=(
        column(ALL, STRINGS, "All facts, of those that actions could add, that hold in no reachable state"),
        *blind.COLUMNS,
    ),
    ungraded=blind.NAMES,
    replies=lambda row: [listed([fact]) for fact in row["answer"]] or [NONE],
    every_reply=lambda row: [listed([fact]) for fact in row.get(ALL, row["answer"])] or [NONE],
    tells_goal=False,
    claims=CandidateClaims(
        offer, lambda claim, _: {"facts": [*map(write_atom, claim.atoms)]}, draws=4, looks=(whole,)
    ),
    mcq_ending="mc",
)
