"""Problems with marks in place of object names: problems that differ only in names share all texts.

Objects are numbered by type and name, because passages list them in this order; if static facts act as types,
they are numbered kind by kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from orrery.language.marks import Fillings, mark, number_of
from orrery.language.names import renamed_json
from orrery.language.words import kind_by_kind, natural
from orrery.model import OBJECT, Domain, Row
from orrery.pddl.write import parse_typed, taken_apart, write_type

Who: TypeAlias = str

KEPT = 20_000
BETWEEN = " | "  # separates facts that are marked together; no name contains it


class Marks(NamedTuple):
    """The objects of a problem: their names by number, and their kinds, with marks for names.

    ``who`` has the objects in the format of ``write_typed``, followed by the facts that act as types;
    ``objects_and_kinds`` splits it. It is one string because it is a frequent key of look-ups.
    """

    names: tuple[str, ...]
    who: Who

    def fillings(self) -> Fillings:
        """Return the replacements of the marks."""
        return Fillings(self.names)

    def name_of(self, mark: str) -> str:
        """Return the name for a mark."""
        return self.names[number_of(mark)]

    def of_names(self) -> dict[str, str]:
        """Return the mark of each name."""
        return {name: mark(number) for number, name in enumerate(self.names)}


class MarkedProblem(NamedTuple):
    """A problem to render: its row in the table of problems, and its content with marks for names.

    ``init`` and ``goal`` are in the format of ``taken_apart``; ``parameters`` has JSON by part.
    """

    row: Row
    marks: Marks
    init: list[str]
    goal: list[str]
    parameters: Mapping[str, str]


class Marker:
    """Assigns marks to the objects of the problems of one domain."""

    def __init__(self, domain: Domain) -> None:
        """Prepare for the problems of a domain."""
        fluents, predicates = domain.fluents, domain.predicates
        kinds = [
            predicate.name
            for predicate in predicates
            if predicate.arity == 1 and predicate.name not in fluents
        ]
        self.static_kinds = tuple(f"{kind} " for kind in kinds)  # prefixes of the facts that act as types
        self._types = bool(domain.types)
        self._who = lru_cache(maxsize=KEPT)(_who)
        self.marks = lru_cache(maxsize=KEPT)(self._marks)

    def _marks(self, objects: str, facts: tuple[str, ...] = ()) -> Marks:
        """Return the marks for objects in the format of ``write_typed``; ``facts`` act as types."""
        typed = parse_typed(objects)
        kinds: dict[str, list[str]] = {}
        for kind, name in [fact.split(" ") for fact in facts]:
            kinds.setdefault(name, []).append(kind)
        order = natural if self._types else kind_by_kind(kinds)
        # A list of names must not mix objects of two numberings.
        apart = not (self._types and kinds) and all(len(types) == 1 for _, types in typed)
        ordered = sorted([(types if apart else (), order(name), name, types) for name, types in typed])
        kinds_in_order = tuple([(types, tuple(kinds.get(name, ()))) for _, _, name, types in ordered])
        return Marks(tuple([name for _, _, name, _ in ordered]), self._who(kinds_in_order))

    def marked(self, row: Row) -> MarkedProblem:
        """Return a problem with marks for names, given its row in the table of problems."""
        objects, init, goal = taken_apart(row["problem_pddl"])
        kinds = tuple([fact for fact in init if fact.startswith(self.static_kinds)])
        marks = self.marks(objects, kinds)
        by_name = marks.of_names()
        parameters = {part: renamed_json(row[f"{part}_parameters"], by_name) for part in ("init", "goal")}
        return MarkedProblem(row, marks, _marked(init, by_name), _marked(goal, by_name), parameters)


def _marked(facts: Sequence[str], marks: Mapping[str, str]) -> list[str]:
    """Return facts with marks for names; the closing parenthesis of a negation comes after a name."""
    words = BETWEEN.join(facts).replace(")", " )").split(" ")
    return " ".join(map(marks.get, words, words)).replace(" )", ")").split(BETWEEN) if facts else []


def _who(kinds: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]) -> Who:
    """Return the list of objects with these types and static kinds, with marks for names."""
    plain = all(types == (OBJECT,) for types, _ in kinds)
    listed = [
        mark(number) if plain else f"{mark(number)} - {write_type(types)}"
        for number, (types, _) in enumerate(kinds)
    ]
    facts = (
        f"{kind} {mark(number)}" for number, (_, static_kinds) in enumerate(kinds) for kind in static_kinds
    )
    return "\n".join((" ".join(listed), *facts))


def objects_and_kinds(who: Who) -> tuple[str, list[str]]:
    """Return the objects and the facts that act as types."""
    objects, *kinds = who.split("\n")
    return objects, kinds
