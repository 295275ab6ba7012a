"""Choices of a window that are drawn such that no measure of the options tells the right one on average.

In most tables nearly all right options differ from the wrong ones in one direction: parts of a plan that can
be removed are later, for example. The few choices that differ in the other direction get larger probabilities
here. What a choice tells is measured as the adversary measures it, so that nothing is left for a linear
classifier to learn.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from orrery.families import table_of
from orrery.families.attack import ReplyOption
from orrery.families.drafts import Draft, Shifts
from orrery.families.questions.balance import WHOLE
from orrery.families.questions.exchange import leans_of
from orrery.library.fresh_claims import state_claims
from orrery.library.fresh_problems import Spot, Wanted

TELLING = 0.02  # maximum expected bias of a measure per choice, in multiples of its deviation


def measured_choices(wanted: Wanted, spot: Spot, max_states: int) -> list[Draft]:
    """Return the choices on a random state whose options match, with what the adversary measures of them."""
    attack = table_of(spot.table).attack
    assert attack is not None
    return [
        draft._replace(leans=leans_of_choice(attack.target(draft.rows[0]).options))
        for draft in state_claims(wanted, spot, max_states)
        if draft.matched
    ]


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


def calibrated(
    leans: Sequence[Mapping[str, int]], states: Sequence[int], rng: random.Random, telling: float = TELLING
) -> list[int]:
    """Return the places of random choices, at most one of a state, that no measure tells on average.

    Each choice has a probability, which a linear program determines: as many choices as possible are
    expected, and for each expected choice, the bias of a measure is at most ``telling``, in multiples of its
    deviation among all choices. (Weights that give known totals: calibration, Deville and Särndal, 1992.)

    Args:
        leans: the leans of each choice.
        states: the number of the state of each choice.
        rng: draws the choices.
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
