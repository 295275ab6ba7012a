"""Wrong actions of applicability: each fails what it is said to fail, and others than one condition tell."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from orrery.families.questions.claims import unmeasured
from orrery.families.questions.distractors import Ranks, by_features, options
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import app
from orrery.families.questions.near_misses import NearMisses, watched
from orrery.families.questions.state_record import StateRecord
from orrery.model import EQUAL
from orrery.planning import execution
from tests.every_domain import drawn, entry
from tests.families.questions.asked_rows import every_domain_with_questions
from tests.universe import applicable_steps, walk

STATES, DRAWS = 12, 4
ALL_FAIL_ONE = {"swap"}  # its only action has conditions of one predicate
ALONE = 0.6  # a condition that alone tells the right option from all others would be right in every row


def states(name, count=STATES):
    """Some states on random walks from the initial states of easy problems."""
    rng, tasks, records_made = random.Random(name), entry(name).tasks, []
    for number in range(count):
        generated = drawn(name, tasks[number % len(tasks)], "easy", 300 + number)
        if generated is None:
            continue
        domain, problem = entry(name).domain, generated.problem
        _, (*_, state) = walk(domain, problem, rng, rng.randrange(6))
        records_made.append(StateRecord(domain, replace(problem, init=state), f"{name}/{number}"))
    return records_made


def unmet(record, step):
    """The conditions of an action that do not hold, by substitution."""
    action = record.domain.action_named[step[0]]
    values = dict(zip((precondition.name for precondition in action.parameters), step[1:], strict=True))
    atoms = [
        (precondition, tuple(values.get(name, name) for name in precondition.atom))
        for precondition in action.preconditions
    ]
    true = [
        (precondition, a[1] == a[2] if a[0] == EQUAL else a in record.problem.init)
        for precondition, a in atoms
    ]
    return [precondition for precondition, holds in true if holds != precondition.positive]


@every_domain_with_questions
def test_a_near_miss_fails_one_condition_and_each_that_can_fail_alone_is_failed(name):
    for record in states(name, 3):
        state, failed = NearMisses(record.domain, record.problem), Counter()
        for action in record.domain.actions:
            for step in state.draw(action, random.Random(1)):
                assert not execution.mistyped(record.domain, record.problem, step)
                (missed,) = unmet(record, step)
                assert state.unmet(step) == {missed.atom[0]}
                failed[action.name, missed] += 1
        misses = [action.step for action in StateEvidence(record, random.Random(1)).misses(1)]
        sampled = random.Random(2).sample(misses, min(40, len(misses)))
        wanted = Counter((step[0], *unmet(record, step)) for step in sampled)
        often = [key for key, count in wanted.items() if count >= len(sampled) // 4]
        assert all(failed[key] for key in often)


@pytest.mark.slow
@every_domain_with_questions
def test_the_condition_looked_at_first_does_not_tell_the_right_option(name):
    """A rule that picks an option starting where the actor is was right in 19 of 20 rows once."""
    first, rng, hits = watched(entry(name).domain), random.Random(7), []
    if not first:
        assert name in ALL_FAIL_ONE
        return
    for record in states(name):
        if not record.applicable:
            continue
        offered = app.offer(StateEvidence(record, rng), rng)
        true = set(applicable_steps(record.domain, record.problem, record.problem.init))
        assert all(claim.holds == (claim.atoms[0] in true) for claim in offered.candidates)
        assert len({claim.atoms for claim in offered.candidates}) == len(offered.candidates)
        grouped, unmeasured_offer = by_features(offered.candidates), replace(offered, measure=unmeasured)
        far_misses = [
            claim for yes, no in grouped.values() if yes for claim in no if first not in claim.unmet
        ]
        for _ in range(DRAWS if len(far_misses) >= 2 else 0):  # else nothing else tells them apart
            chosen = options(grouped, Ranks(1, 1), unmeasured_offer, lambda claim: len(str(claim.atoms)), rng)
            if chosen:
                met = [all(claim.atom[0] != first for claim in unmet(record, c.atoms[0])) for c in chosen]
                assert met[0]
                hits.append(1 / sum(met))
    assert hits or name in ALL_FAIL_ONE
    assert sum(hits) <= ALONE * len(hits)
