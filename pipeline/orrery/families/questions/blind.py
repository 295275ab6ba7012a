"""Replies that are correct without the state, and what a correct reply requires.

A question that asks for one of several facts or actions can be answered by a rule that reads nothing: always
the same reply, or any reply of a certain form ("drive some truck between any two places"). ``blind_rules``
tells how often each such rule is correct for a row; the choice of rows keeps all of them rare
(``balance.choose_open``).

``needs_of`` tells what the easiest correct reply requires. Either only None is correct; or the delete
relaxation proves some correct answer unreachable; or the delete relaxation reaches every correct answer, and
only a search of the states (or an equally strong argument) excludes it.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable

from orrery.families.questions.question_row import NEEDS as QUESTION_NEEDS
from orrery.model import Atom, Domain, Problem
from orrery.pddl.write import write_atom
from orrery.planning.execution import types_of_objects
from orrery.store.kinds import REAL, STRING, column

NONE, RELAXATION, SEARCH = "none", "relaxation", "search"
NEEDS = (NONE, RELAXATION, SEARCH)
TOO_MANY = "too many unreachable actions to store"  # nearly every reply would be correct
SOME = "some"  # for kinds that store only whether None is correct
CHANCE = "chance"  # the column with the share of the universe that is correct
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
WHOLE = 1000  # a row counts as a thousand
TWICE = "="  # in a form: the same object as at that position
FIXED = 400  # maximum number of correct replies of a row that are counted over all rows


def needs_of(right: Collection[Atom], relaxed: Collection[Atom]) -> str:
    """Return what the easiest ``right`` answer requires; ``relaxed`` is reached by the relaxation."""
    if not right:
        return NONE
    return SEARCH if all(atom in relaxed for atom in right) else RELAXATION


def chance_of(right: Collection[Atom], universe: Collection[Atom]) -> float:
    """Return the share of the universe that is correct, to six decimal places."""
    return round(len(right) / len(universe), 6) if universe else 0.0


def blind_rules(
    domain: Domain, problem: Problem, universe: Iterable[Atom], right: Collection[Atom]
) -> tuple[tuple[str, int], ...]:
    """Return, by rule, the average part of a row that it gets right, in thousandths.

    A rule is one reply, or a form of replies that are equally good. If more than ``FIXED`` replies are
    correct, a hash selects which ones are counted, the same in every row.
    """
    totals, true = _forms(domain, problem, universe, right)
    rules = {form: WHOLE * true[form] // count for form, count in totals.items() if true[form]}
    replies = sorted(map(write_atom, right), key=lambda text: (zlib.crc32(text.encode()), text))
    return tuple(sorted((rules | dict.fromkeys(replies[:FIXED], WHOLE)).items()))


def _forms(
    domain: Domain, problem: Problem, universe: Iterable[Atom], right: Collection[Atom]
) -> tuple[Counter[str], Counter[str]]:
    """Return the number of replies of each form, in the ``universe`` and among the ``right`` ones."""
    types = {name: "/".join(kinds) for name, kinds in types_of_objects(domain, problem).items()}
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
