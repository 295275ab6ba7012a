"""Claims and choices of a window that are drawn such that no measure tells the answer on average.

In most tables nearly all right options differ from the wrong ones in one direction: parts of a plan that can
be removed are later, for example. The few that differ in the other direction get larger probabilities here.
What a claim tells is measured as the adversary measures it, so that nothing is left for a linear classifier
to learn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from orrery.families import table_of
from orrery.families.attack import ReplyOption
from orrery.families.drafts import MCQ, Draft, Shifts
from orrery.families.questions.balance import ROW, WHOLE, YES
from orrery.families.questions.exchange import leans_of
from orrery.families.questions.schemas import QUESTIONS
from orrery.library.fresh_claims import state_claims
from orrery.library.fresh_problems import Spot, Wanted

TELLING = 0.005  # maximum expected bias of a measure per row, in multiples of its deviation
ANSWER = "answer"  # with the number of a state, the lean that makes both answers equally likely there


def measured_claims(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the claims or choices on a random state, with what the adversary measures of them.

    Their leans are those of ``leans_of_choice``, or the measures of a claim, in thousandths. Options of a
    choice match.
    """
    attack, is_choice = table_of(spot.table).attack, QUESTIONS[spot.table].format == MCQ
    assert attack is not None
    measured = []
    for draft in state_claims(wanted, spot, max_states):
        if draft.matched:
            options = attack.target(draft.rows[0]).options
            leans = leans_of_choice(options) if is_choice else _measures(options[0], draft.shifts)
            measured.append(draft._replace(leans=leans))
    return measured


def leans_of_choice(options: Sequence[ReplyOption]) -> Shifts:
    """Return the difference between the right option and the mean, by measure, by mark and by position.

    Differences of measures are in twelfths of the deviation among the options, the others in twelfths.
    """
    ordered = sorted(options, key=lambda option: not option.right)
    measures = {name: [option.measures[name] for option in ordered] for name in ordered[0].measures}
    marks = [(*option.marks, f"option {options.index(option)}") for option in ordered]
    shares = {
        name: WHOLE * (name in marks[0]) - round(WHOLE * sum(name in own for own in marks) / len(marks))
        for name in sorted({name for own in marks for name in own})
    }
    return (*leans_of(measures), *shares.items())


def _measures(claim: ReplyOption, features: Shifts) -> Shifts:
    """Return the measures, the marks and the features of a claim."""
    marks = dict.fromkeys((*claim.marks, *(name for name, _ in features)), 1)
    return tuple((name, round(ROW * value)) for name, value in {**claim.measures, **marks}.items())


def leans_of_claims(claims: Sequence[tuple[int, Draft]]) -> list[dict[str, float]]:
    """Return the difference between the measures of each claim and their mean; negated for false claims.

    Each claim has the number of its state. A lean of each state makes its true and false claims equally
    likely, so that the rest of the question tells nothing.
    """
    totals = Counter[str]()
    for _, draft in claims:
        totals.update(dict(draft.leans))
    leans = []
    for state, draft in claims:
        measures, sign = dict(draft.leans), 1 if draft.stratum == YES else -1
        lean = {name: sign * (measures.get(name, 0) - total / len(claims)) for name, total in totals.items()}
        leans.append({**lean, f"{ANSWER} {state}": sign})
    return leans


def calibrated(
    leans: Sequence[Mapping[str, float]], states: Sequence[int], rng: random.Random, telling: float = TELLING
) -> list[int]:
    """Return the places of random rows, at most one of a state, that no measure tells on average.

    Each row has a probability, which a linear program determines: as many rows as possible are expected, and
    for each expected row, the bias of a measure is at most ``telling``, in multiples of its deviation among
    all rows. (Weights that give known totals: calibration, Deville and Särndal, 1992.)

    Args:
        leans: the leans of each row, by measure.
        states: the number of the state of each row.
        rng: draws the rows.
        telling: the maximum expected bias.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, vstack

    if not leans:
        return []
    names = sorted({name for choice in leans for name, value in choice.items() if value})
    vectors = np.array([[choice.get(name, 0) for name in names] for choice in leans], float)
    limits = telling * np.sqrt((vectors**2).mean(axis=0))
    numbers, of_state = np.unique(states, return_inverse=True)
    shares = csr_array((np.ones(len(leans)), (of_state, np.arange(len(leans)))))
    rows = vstack([shares, csr_array((vectors - limits).T), csr_array((-vectors - limits).T)])
    most = np.concatenate([np.ones(len(numbers)), np.zeros(2 * len(names))])
    probabilities = linprog(-np.ones(len(leans)), A_ub=rows, b_ub=most).x.round(6)
    chosen = list[int]()
    for number in range(len(numbers)):
        places = np.flatnonzero(of_state == number)
        first = int(np.searchsorted(probabilities[places].cumsum(), rng.random(), side="right"))
        chosen += places[first : first + 1].tolist()
    return chosen
