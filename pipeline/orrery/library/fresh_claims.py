"""Fresh yes/no questions and multiple choice, drawn so that measures of what is right even out.

A dataset is balanced as a whole: of many rows those are kept in which each rule of thumb is right as often as
by chance. An item of a stream must not depend on other items, so a choice has a balance of its own: choices
are made of some states, and of these a list is taken, with repetition, in which what the right option
measures more than the others evens out as nearly as can be; one of the list, each as likely, is the item.
Taking one after another so that the sum stays small is herding (Welling, 2009). Where all pull to one side,
there is no item. A yes/no question has a claim of a true and a false one on its state that look alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import mul
from random import Random
from typing import NamedTuple

from orrery.families.drafts import BOOL, Draft, Rejected
from orrery.families.questions.balance import BORNE_OUT, NO, PLACE, RULE, YES
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import (
    CONDITION,
    OPPOSITE,
    OPTIONS,
    TURNS,
    OptionTurn,
    Ranks,
    drawn_of_nearest,
    turn_of,
)
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.exchange import pull_of
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import state_record
from orrery.families.task import Claims
from orrery.library.fresh_problems import ANY, NotMade, Row, Spot, Wanted, decided_state, fresh_problem

CLAIMS = 4  # choices that are made of a state, at most
ENOUGH, MOST = 12, 24  # choices to draw from: at least, and at most
DRAWS = 24  # of states
CHOSEN = 48  # of the choices, with repetition
ONE_SIDED = 1.0  # so far may the mean of those chosen be off, beside that of as many at random
SEEN, NO_MATCH = "what is right would be seen", "no claims match"

TRUE = {CONDITION, *(name.removeprefix(RULE) for name in BORNE_OUT)}  # measures


class PooledQuestion(NamedTuple):
    """A choice that may become an item, and what its right option measures more than the others."""

    draft: Draft
    pull: Mapping[str, int]


def bool_row(wanted: Wanted, spot: Spot, max_states: int) -> Row | NotMade:
    """Return a yes/no question, as often with yes as with no."""
    rng = spot.rng("claims")
    claims = _claims(wanted, spot, max_states, rng)
    if isinstance(claims, NotMade):
        return claims
    claim = of_a_pair(claims, spot.rng_of_item("answer").choice((YES, NO)), rng)
    return claim if isinstance(claim, NotMade) else claim.rows[0]


def mcq_row(wanted: Wanted, spot: Spot, max_states: int) -> Row | NotMade:
    """Return a choice whose options match, one of those of several states that even out."""
    pool, even, rng = list[PooledQuestion](), None, spot.rng("pool")
    for draw in range(DRAWS):
        spot_of_draw = spot._replace(draw=draw)
        claims = _claims(wanted, spot_of_draw, max_states, spot_of_draw.rng("claims"))
        matched = [] if isinstance(claims, NotMade) else [claim for claim in claims if claim.matched]
        if not matched and not draw:
            return claims if isinstance(claims, NotMade) else NotMade(NO_MATCH)
        pool += [PooledQuestion(claim, pull_of_choice(claim)) for claim in matched]
        if len(pool) >= ENOUGH or not any(claim.pull for claim in pool):
            even = evened(pool, rng)
        if even is not None or len(pool) >= MOST:
            break
    return NotMade(SEEN) if even is None else rng.choice(even).draft.rows[0]


def evened(pool: Sequence[PooledQuestion], rng: Random) -> list[PooledQuestion] | None:
    """Return some of a pool, with repetition, whose pulls even out; None where they pull to one side.

    Of so many pulls with random directions the mean has the root of their mean square over the root of their
    number: what is chosen must not be farther off than that.
    """
    names = sorted({name for question in pool for name in question.pull})
    vectors = [[question.pull.get(name, 0) for name in names] for question in pool]
    products = [[sum(map(mul, first, second)) for second in vectors] for first in vectors]
    order = rng.sample(range(len(pool)), len(pool))
    total, chosen = [0] * len(pool), list[int]()
    for _ in range(CHOSEN):
        best = min(order, key=lambda question: 2 * total[question] + products[question][question])
        chosen.append(best)
        total = [old + addition for old, addition in zip(total, products[best], strict=True)]
    off = sum(total[question] for question in chosen) / CHOSEN**2
    at_random = sum(products[question][question] for question in range(len(pool))) / len(pool) ** 2
    return [pool[question] for question in chosen] if off <= ONE_SIDED * at_random else None


def _claims(wanted: Wanted, spot: Spot, max_states: int, rng: Random) -> list[Draft] | NotMade:
    """Return what a table claims of a state that is drawn."""
    problem = fresh_problem(wanted, spot)
    if isinstance(problem, NotMade):
        return problem
    entry, table = wanted.entry, QUESTIONS[spot.table]
    state = decided_state(entry, problem, spot, max_states, ANY)
    if isinstance(state, NotMade):
        return state
    record = state_record(entry.domain, state)
    evidence, context = StateEvidence(record, spot.rng("evidence")), context_of(record, entry.words)
    claims = _claims_of(spot.table)(table.task, evidence, context, _turn(spot), rng)[table.format]
    return NotMade(claims.reason) if isinstance(claims, Rejected) else claims


@lru_cache(maxsize=64)
def _claims_of(name: str) -> Claims:
    """Return what makes the claims of a table: of its format alone, and few choices of one state."""
    table = QUESTIONS[name]
    claims = table.task.claims
    if claims is None:
        raise ValueError(f"{name} has no claims")
    if not isinstance(claims, CandidateClaims):
        return claims
    draws = claims.draws if table.format == BOOL else min(claims.draws, CLAIMS)
    return replace(claims, formats=(table.format,), draws=draws)


def _turn(spot: Spot) -> OptionTurn:
    """Return the turn of a draw: the place of the right option is the same in all, the ranks are not."""
    turn = turn_of(spot.seed, (spot.table, spot.domain), spot.rng_of_item("turn").randrange(TURNS))
    rng = spot.rng("ranks")
    return turn._replace(ranks=Ranks(rng.randrange(OPTIONS), rng.randrange(OPTIONS)))


def pull_of_choice(choice: Draft) -> dict[str, int]:
    """Return how far the right option is above the others, in each measure and rule.

    Its place is left out, which is drawn, and what is part of the truth: the condition that whatever is right
    meets, and what a map bears out.
    """
    pull = pull_of(choice.shifts, choice.leans)
    return {
        name: value
        for name, value in pull.items()
        if not name.startswith(PLACE) and name.removeprefix(RULE).removeprefix(OPPOSITE) not in TRUE
    }


def of_a_pair(claims: Sequence[Draft], answer: str, rng: Random) -> Draft | NotMade:
    """Return one of a true and a false claim on the state that look alike, the one with the answer.

    Where all that looks alike is true, or false, the look is the answer: the dataset does not ask so either.
    """
    sides: dict[str, dict[str, list[Draft]]] = defaultdict(lambda: defaultdict(list))
    for claim in claims:
        sides[claim.shifts[0][0]][claim.stratum].append(claim)
    pairs = [
        (
            sum(mine != theirs for mine, theirs in zip(true_claim.leans, false_claim.leans, strict=True)),
            true_claim,
            false_claim,
        )
        for _, side in sorted(sides.items())
        for true_claim in side[YES]
        for false_claim in side[NO]
    ]
    if not pairs:
        return NotMade("true and false claims look different")
    true_claim, false_claim = drawn_of_nearest(pairs, rng)
    return true_claim if answer == YES else false_claim
