"""Replies that are right without a look at the state, and what a right reply needs instead.

A question that asks for one of several facts or actions can be answered by a rule that reads nothing: always
the same reply, or any reply of a certain form ("drive some truck between any two places"). ``blind_rules``
says how often each such rule is right in a row, so that the choice of rows keeps all of them low
(``balance.choose_open``).

``needs_of`` says what the easiest right reply takes: nothing is right but None; some right answer stays out
of reach even if nothing that is true ever became false (the delete relaxation shows it); or every right
answer is reached by the delete relaxation, and only a search of the states (or an argument as strong)
excludes it.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable

from orrery.families.questions.question_row import NEEDS as QUESTION_NEEDS
from orrery.model import Atom, Domain, Problem
from orrery.pddl.write import write_atom
from orrery.store.kinds import REAL, STRING, column

NONE, RELAXATION, SEARCH = "none", "relaxation", "search"
NEEDS = (NONE, RELAXATION, SEARCH)
TOO_MANY = "too many unreachable actions to store"  # nearly any reply would be right
SOME = "some"  # of kinds that tell no more than whether None is right
CHANCE = "chance"  # the column with the share of the universe that is right
COLUMNS = (
    column(
        QUESTION_NEEDS,
        STRING,
        "What the easiest right reply takes: `none` (None is right), `relaxation` (something stays out of "
        "reach even if nothing true became false) or `search` (all that is out of reach needs more)",
    ),
    column(CHANCE, REAL, "Share of what may be replied, None aside, that is right"),
)
NAMES = tuple(field.name for field in COLUMNS)
WHOLE = 1000  # a row is counted in thousandths
TWICE = "="  # in a form: the same object as in that place
FIXED = 400  # right replies of a row that are followed through all rows


def needs_of(right: Collection[Atom], relaxed: Collection[Atom]) -> str:
    """Return what the easiest ``right`` answer needs; ``relaxed`` is what the relaxation reaches."""
    if not right:
        return NONE
    return SEARCH if all(atom in relaxed for atom in right) else RELAXATION


def chance_of(right: Collection[Atom], universe: Collection[Atom]) -> float:
    """Return the share of the universe that is right, to six places."""
    return round(len(right) / len(universe), 6) if universe else 0.0


def blind_rules(
    domain: Domain, problem: Problem, universe: Iterable[Atom], right: Collection[Atom]
) -> tuple[tuple[str, int], ...]:
    """Return by rule how much of a row it gets right on average, in thousandths.

    A rule is a form of replies, any of which is as good, or one reply. Of more than ``FIXED`` right replies
    those are followed that a hash says, in every row the same.
    """
    totals, true = _forms(domain, problem, universe, right)
    rules = {form: WHOLE * true[form] // count for form, count in totals.items() if true[form]}
    replies = sorted(map(write_atom, right), key=lambda text: (zlib.crc32(text.encode()), text))
    return tuple(sorted((rules | dict.fromkeys(replies[:FIXED], WHOLE)).items()))


def _forms(
    domain: Domain, problem: Problem, universe: Iterable[Atom], right: Collection[Atom]
) -> tuple[Counter[str], Counter[str]]:
    """Return how many of the ``universe``, and of the ``right`` ones, have each form."""
    types = {typed.name: "/".join(typed.types) for typed in (*domain.constants, *problem.objects)}
    totals: Counter[str] = Counter()
    true: Counter[str] = Counter()
    for atom in universe:
        form = _form(atom, types)
        totals[form] += 1
        true[form] += atom in right
    return totals, true


def _form(atom: Atom, types: dict[str, str]) -> str:
    """Return the name of an atom, the types of its objects, and which of them are equal."""
    first = [atom.index(name, 1) for name in atom[1:]]
    places = enumerate(zip(atom[1:], first, strict=True), start=1)
    parts = [types[name] if at == place else f"{TWICE}{at}" for place, (name, at) in places]
    return " ".join((atom[0], *parts))
