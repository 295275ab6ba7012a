"""Problems whose objects have marks for names: those that differ in names alone share all that is said.

Objects are numbered by type and name, since passages list them in this order; where static facts act as
types, kind by kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.language.marks import Fillings, mark, marks, number_of
from orrery.language.names import renamed_json
from orrery.language.words import kind_by_kind, natural
from orrery.model import OBJECT, Domain, OrreryError
from orrery.pddl.write import PddlParts, parse_typed, write_type

Numbers: TypeAlias = NDArray[np.int64]
Row: TypeAlias = Mapping[str, Any]
Who: TypeAlias = str

PARAMETERS = ("init_parameters", "goal_parameters")
KEPT = 20_000
NO_NAME = -1
_DIGIT = re.compile(r"\d")


class Marks(NamedTuple):
    """The objects of a problem: their names by number, and what their kinds are, with marks for names.

    ``who`` has them as ``write_typed`` does, behind these the facts that act as types; ``objects_and_kinds``
    takes it apart. One text, for it is looked up often.
    """

    names: tuple[str, ...]
    who: Who

    def fillings(self) -> Fillings:
        """Return what is written for the marks."""
        return Fillings(self.names)

    def name_of(self, mark: str) -> str:
        """Return the name that a mark stands for."""
        return self.names[number_of(mark)]

    def of_names(self) -> dict[str, str]:
        """Return the mark of each name."""
        return dict(zip(self.names, marks(len(self.names)), strict=False))


class Marker:
    """Gives marks to the objects of one domain's problems."""

    def __init__(self, domain: Domain) -> None:
        """Prepare to give marks to the objects of the domain's problems."""
        fluents, predicates = domain.fluents, domain.predicates
        kinds = [
            predicate.name
            for predicate in predicates
            if predicate.arity == 1 and predicate.name not in fluents
        ]
        self.static_kinds = tuple(f"{kind} " for kind in kinds)  # so begin the facts that act as types
        self._types = bool(domain.types)
        self._who = lru_cache(maxsize=KEPT)(_who)
        self._of_kinds = lru_cache(maxsize=KEPT)(_who_of_kinds)
        self.marks = lru_cache(maxsize=KEPT)(self._marks)

    def _marks(self, objects: str, facts: tuple[str, ...] = ()) -> Marks:
        """Return the marks for objects as ``write_typed`` wrote them; ``facts`` act as types."""
        if (plain := self._plain(objects, facts)) is not None:
            return plain
        typed = parse_typed(objects)
        kinds: dict[str, list[str]] = {}
        for kind, name in [fact.split(" ") for fact in facts]:
            kinds.setdefault(name, []).append(kind)
        order = natural if self._types else kind_by_kind(kinds)
        # No list of names may hold objects of two numberings.
        apart = not (self._types and kinds) and all(len(types) == 1 for _, types in typed)
        ordered = sorted([(types if apart else (), order(name), name, types) for name, types in typed])
        kinds_in_order = tuple([(types, tuple(kinds.get(name, ()))) for _, _, name, types in ordered])
        return Marks(tuple([name for _, _, name, _ in ordered]), self._who(kinds_in_order))

    def _plain(self, objects: str, facts: tuple[str, ...]) -> Marks | None:
        """Return the marks of objects without types, where none is of any kind, or each of one.

        None of other objects. Names without digits stand in the order of their letters, kind by kind.
        """
        if self._types or not objects or " - " in objects:
            return None
        digits, names = _DIGIT.search(objects), sorted(objects.split(" "))
        if not facts:
            ordered = sorted(names, key=natural) if digits else names
            return Marks(tuple(ordered), self._of_kinds(("",) * len(names)))
        kind_facts = [fact.split(" ") for fact in sorted(facts)]
        if sorted([name for _, name in kind_facts]) != names:
            return None
        if digits:
            kind_facts.sort(key=lambda fact: (fact[0], natural(fact[1])))
        kinds, by_kind = zip(*kind_facts, strict=True)
        return Marks(by_kind, self._of_kinds(kinds))

    def of_parts(self, parts: PddlParts) -> tuple[Marks, PddlParts]:
        """Return the marks of a problem, and the problem with them."""
        kinds = tuple([fact for fact in parts.init if fact.startswith(self.static_kinds)])
        marks = self.marks(parts.objects, kinds)
        by_name = marks.of_names()
        init, goal = ([_marked(fact, by_name) for fact in facts] for facts in (parts.init, parts.goal))
        return marks, PddlParts(objects_and_kinds(marks.who)[0], init, goal)

    def of_table(self, objects: Any, init: Any, init_counts: Numbers) -> list[Marks]:
        """Return the marks of problems that are taken apart, given as Arrow arrays."""
        if not self.static_kinds:
            return [self.marks(typed_objects) for typed_objects in objects.to_pylist()]
        is_kind_fact = np.zeros(len(init), bool)
        for kind in self.static_kinds:
            is_kind_fact |= pc.starts_with(init, kind).to_numpy(zero_copy_only=False)
        facts = init.filter(pa.array(is_kind_fact)).to_pylist()
        of = np.repeat(np.arange(len(init_counts)), init_counts)[is_kind_fact]
        ends = np.cumsum(np.bincount(of, minlength=len(init_counts))).tolist()
        return [
            self.marks(typed_objects, tuple(facts[start:end]))
            for typed_objects, start, end in zip(objects.to_pylist(), [0, *ends], ends, strict=False)
        ]


class MarkedFacts:
    """Facts of many problems, with marks for names, as numbers: equal ones have equal numbers."""

    def __init__(self, number: Callable[[str], int]) -> None:
        """Prepare to number facts; ``number`` gives that of a fact with marks."""
        self._number = number
        self._words_by_number: list[str] = []
        self._numbers_of_words: dict[str, int] = {}
        self._known: dict[tuple[int, ...], int] = {}

    def numbered(self, facts: Any, counts: Numbers, marks: Sequence[Marks]) -> Numbers:
        """Return the numbers of facts, an Arrow array in which those of each problem stand together.

        Raises OrreryError where one cannot be numbered, with a note that names it.
        """
        if not len(facts):
            return np.zeros(0, np.int64)
        # What closes a negation stands behind a name, which shall be a word of its own.
        split = pc.split_pattern(pc.replace_substring(facts, ")", " )"), " ")
        lengths = pc.list_value_length(split).to_numpy().astype(np.int64)
        encoded = split.flatten().dictionary_encode()
        of = np.repeat(np.repeat(np.arange(len(counts)), counts), lengths)
        words = self._words(encoded.dictionary.to_pylist(), marks, of, encoded.indices.to_numpy())
        table = _rows_of(lengths, words)
        first, which = _distinct(table)
        of_each = []
        for place, row in zip(first.tolist(), table[first].tolist(), strict=True):
            try:
                of_each.append(self._of(tuple([word for word in row if word >= 0])))
            except OrreryError as error:
                error.add_note(f"at fact ({facts[place].as_py()})")
                raise
        return np.array(of_each, np.int64)[which]

    def _words(
        self, dictionary: Sequence[str], marks: Sequence[Marks], of: Numbers, places: Numbers
    ) -> Numbers:
        """Return what words of problems are: even numbers are marks, odd ones other words.

        ``of`` is the problem of each, ``places`` its place in the dictionary.
        """
        code = {word: number for number, word in enumerate(dictionary)}
        code_of_word = np.array([2 * self._word(word) + 1 for word in dictionary], np.int64)
        counts = np.array([len(problem_marks.names) for problem_marks in marks])
        names = chain.from_iterable([problem_marks.names for problem_marks in marks])
        codes = np.array([code.get(name, NO_NAME) for name in names], np.int64)
        problem = np.repeat(np.arange(len(marks)), counts)
        number_in_problem = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
        is_in_facts = codes != NO_NAME
        number = np.full((len(marks), len(dictionary)), NO_NAME, np.int32)  # of the object that a word names
        number[problem[is_in_facts], codes[is_in_facts]] = number_in_problem[is_in_facts]
        object_number = number[of, places]
        words: Numbers = np.where(
            object_number != NO_NAME, 2 * object_number.astype(np.int64), code_of_word[places]
        )
        return words

    def _word(self, word: str) -> int:
        if word not in self._numbers_of_words:
            self._numbers_of_words[word] = len(self._words_by_number)
            self._words_by_number.append(word)
        return self._numbers_of_words[word]

    def _of(self, row: tuple[int, ...]) -> int:
        """Return the number of a fact, of which the words are given."""
        number = self._known.get(row)
        if number is None:
            words_by_number = self._words_by_number
            words = [words_by_number[code // 2] if code % 2 else mark(code // 2) for code in row]
            number = self._known[row] = self._number(" ".join(words).replace(" )", ")"))
        return number


def with_marked_parameters(row: Row, marks: Marks) -> dict[str, Any]:
    """Return a row of the table of problems with marks for names in its parameters."""
    by_name = marks.of_names()
    return {**row, **{name: renamed_json(row[name], by_name) for name in PARAMETERS}}


def _marked(fact: str, marks: Mapping[str, str]) -> str:
    words = fact.replace(")", " )").split(" ")
    return " ".join([marks.get(word, word) for word in words]).replace(" )", ")")


def _who(kinds: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]) -> Who:
    """Return how objects of these types and static kinds are listed, with marks for names."""
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


def _who_of_kinds(kinds: tuple[str, ...]) -> Who:
    """Return what ``_who`` does, of objects without types that have these kinds, "" for none."""
    return _who(tuple([((OBJECT,), (kind,) if kind else ()) for kind in kinds]))


def _rows_of(lengths: Numbers, values: Numbers) -> Numbers:
    """Return values as a table with a row for each of the lengths, filled up with -1."""
    table = np.full((len(lengths), int(lengths.max())), -1, np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = values
    return table


def _distinct(table: Numbers) -> tuple[Numbers, Numbers]:
    """Return where the distinct rows of a table are met first, and which of them each row is."""
    which = np.zeros(len(table), np.int64)
    for column in table.T:  # numbers of before and values are small, so that no product is too large
        encoded = pa.array(which * (int(column.max()) + 2) + column + 1).dictionary_encode()
        which = encoded.indices.to_numpy().astype(np.int64)
    first = np.zeros(int(which.max()) + 1, np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]
    return first, which
