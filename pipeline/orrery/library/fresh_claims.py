"""Fresh yes/no and multiple-choice questions, balanced such that surface features do not reveal the answer.

A dataset is balanced as a whole, by selecting rows. An item of a stream must not depend on other items, so
each multiple-choice item is balanced on its own. Questions are made from several states. Then a list of these
questions is chosen, with repetition, such that the features of the right options average out. The item is
drawn uniformly from this list. The list is built by herding (Welling, 2009): each next question keeps the
running sum small. If all questions lean to one side, there is no item. A yes/no question uses a true or a
false claim on its state with equal features.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np

from orrery.families.drafts import BOOL, Draft, Rejected
from orrery.families.questions.balance import BORNE_OUT, NO, PLACE, RULE, YES
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import coarse, plain
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
from orrery.library.fresh_problems import ANY, Spot, Wanted, decided_state, fresh_problem
from orrery.model import Row

CLAIMS = 4  # maximum number of questions per state
LOOSELY_MATCHED = frozenset({"acp_just_mcq"})  # options share fewer features, see ``_claims_of``
SETS = 8  # choices from each offer in a window
ENOUGH, MOST = 12, 24  # minimum and maximum number of questions in the pool
DRAWS = 24  # maximum number of states
CHOSEN = 48  # length of the list, with repetition
ONE_SIDED = 1.0  # maximum deviation of the mean, relative to that of a random list
TOLD = "what is right would be seen"  # the reason for no item of a state, or of a window
TRUE = {CONDITION, *(name.removeprefix(RULE) for name in BORNE_OUT)}  # features that are part of the truth


class PooledQuestion(NamedTuple):
    """A multiple-choice question for the pool, and the excess of its right option in each feature."""

    draft: Draft
    pull: Mapping[str, int]


def bool_row(wanted: Wanted, spot: Spot, max_states: int) -> Row:
    """Return a yes/no question; both answers are equally likely."""
    rng = spot.rng("claims")
    claims = _claims(wanted, spot, max_states, rng)
    return of_a_pair(claims, spot.rng_of_item("answer").choice((YES, NO)), rng).rows[0]


def mcq_row(wanted: Wanted, spot: Spot, max_states: int) -> Row:
    """Return a multiple-choice question with matching options, from a balanced list over several states."""
    pool, even, rng = list[PooledQuestion](), None, spot.rng("pool")
    for draw in range(DRAWS):
        spot_of_draw = spot._replace(draw=draw)
        try:
            claims = _claims(wanted, spot_of_draw, max_states, spot_of_draw.rng("claims"))
        except Rejected:
            if not draw:
                raise
            claims = []
        matched = [claim for claim in claims if claim.matched]
        if not matched and not draw:
            raise Rejected("no claims match")
        pool += [PooledQuestion(claim, pull_of_choice(claim)) for claim in matched]
        if len(pool) >= ENOUGH or not any(claim.pull for claim in pool):
            even = evened(pool, rng)
        if even is not None or len(pool) >= MOST:
            break
    if even is None:
        raise Rejected(TOLD)
    return rng.choice(even).draft.rows[0]


def evened(pool: Sequence[PooledQuestion], rng: Random) -> list[PooledQuestion] | None:
    """Return a list from the pool, with repetition, whose feature excesses average out; None if they do not.

    For random directions, the mean has the length of the root mean square divided by the root of the number
    of questions. The mean of the list must not be longer.
    """
    names = sorted({name for question in pool for name in question.pull})
    vectors = np.array([[question.pull.get(name, 0) for name in names] for question in pool], np.int64)
    order = rng.sample(range(len(pool)), len(pool))
    chosen, total, norms = list[int](), np.zeros(len(names), np.int64), (vectors**2).sum(axis=1)
    for _ in range(CHOSEN):
        chosen.append(order[int((norms + 2 * vectors @ total)[order].argmin())])
        total += vectors[chosen[-1]]
    off = (vectors[chosen].sum(axis=0) ** 2).sum() / CHOSEN**2
    at_random = (vectors**2).sum() / len(pool) ** 2
    return [pool[question] for question in chosen] if off <= ONE_SIDED * at_random else None


def state_claims(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the claims of a table on a random state; the option order and the ranks vary with the draw."""
    turn = turn_of(spot.seed, (spot.table, spot.domain, str(spot.number), str(spot.attempt)), spot.draw)
    return _claims(wanted, spot, max_states, spot.rng("claims"), turn)


def _claims(
    wanted: Wanted, spot: Spot, max_states: int, rng: Random, turn: OptionTurn | None = None
) -> list[Draft]:
    """Return the claims of a table on a random state."""
    entry, table = wanted.entry, QUESTIONS[spot.table]
    state = decided_state(wanted, fresh_problem(wanted, spot), spot, max_states, ANY)
    record = state_record(entry.domain, state)
    evidence, context = StateEvidence(record, spot.rng("evidence")), context_of(record, entry.words)
    claims = _claims_of(spot.table, in_window=turn is not None)(
        table.task, evidence, context, turn or _turn(spot), rng
    )[table.format]
    if isinstance(claims, Rejected):
        raise claims
    return claims


@lru_cache(maxsize=64)
def _claims_of(name: str, *, in_window: bool) -> Claims:
    """Return the function that makes the claims of a table, in its format and few per state.

    The choices of a window are drawn from many. Parts of a plan that can be removed share all their features
    with hardly any necessary ones. In windows their options match loosely, by names and number of objects, or
    by the number only: two steps that undo each other name the same objects and can always be removed, so
    they match no necessary pair.
    """
    table = QUESTIONS[name]
    claims = table.task.claims
    if claims is None:
        raise ValueError(f"{name} has no claims")
    if not isinstance(claims, CandidateClaims):
        return claims
    if table.format == BOOL:
        return replace(claims, formats=(BOOL,), offer=claims.fresh or claims.offer)
    few = replace(claims, formats=(table.format,), draws=min(claims.draws, CLAIMS))
    if not in_window:
        return few
    if name in LOOSELY_MATCHED:
        return replace(few, sets=SETS, looks=(plain, coarse), loose=True)
    return replace(few, sets=SETS, spread=True)


def _turn(spot: Spot) -> OptionTurn:
    """Return the option order of a draw.

    The position of the right option is fixed per item; the ranks vary.
    """
    turn = turn_of(spot.seed, (spot.table, spot.domain), spot.rng_of_item("turn").randrange(TURNS))
    rng = spot.rng("ranks")
    return turn._replace(ranks=Ranks(rng.randrange(OPTIONS), rng.randrange(OPTIONS)))


def pull_of_choice(choice: Draft) -> dict[str, int]:
    """Return the excess of the right option over the others, for each feature and rule.

    Two groups are omitted: the position, which is drawn, and features that are part of the truth (conditions
    that every right option satisfies).
    """
    pull = pull_of(choice.shifts, choice.leans)
    return {
        name: value
        for name, value in pull.items()
        if not name.startswith(PLACE) and name.removeprefix(RULE).removeprefix(OPPOSITE) not in TRUE
    }


def of_a_pair(claims: Sequence[Draft], answer: str, rng: Random) -> Draft:
    """Return the claim with the given answer from a pair of a true and a false claim with equal features.

    If all claims with equal features are true, or all are false, the features reveal the answer. Such claims
    are not used, as in the dataset.
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
        raise Rejected("true and false claims look different")
    true_claim, false_claim = drawn_of_nearest(pairs, rng)
    return true_claim if answer == YES else false_claim
