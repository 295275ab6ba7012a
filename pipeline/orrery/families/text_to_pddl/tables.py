"""The texts of many problems at once, by columns: what ``TextRenderer`` makes of each, byte for byte.

A fact is looked up once and is a number from then on. Order and wordings are drawn for each problem from its
own stream, as ever; sorting by what was drawn, putting sentences together to passages and passages to texts
are single operations on the arrays of all problems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.config import RenderSize
from orrery.equivalence.undecided import Undecided
from orrery.families.text_to_pddl.open_objects import Passage, open_objects
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.texts import (
    MIXTURES,
    PLAIN,
    OpenPlaces,
    Row,
    TextRenderer,
    columns,
    mixtures_of,
    text_renderer,
)
from orrery.language.frame import VARIANTS
from orrery.model import Literal, OrreryError
from orrery.pddl.write import PddlParts, taken_apart
from orrery.seeds import stream
from orrery.store.columns import Table, from_arrays, from_columns
from orrery.store.kinds import STRING, STRINGS

Numbers: TypeAlias = NDArray[Any]
HEAD = 4  # numbers drawn for objects, frame and the two passages, before those of the facts
WORD = 4  # bytes of a number that is drawn
SETS_KEPT = 20_000


class _Part(NamedTuple):
    """What is said of initial state or goal in the problems of a table, problem by problem."""

    facts: list[int]
    counts: list[int]
    passages: list[str | None]


class _Rows(NamedTuple):
    """The rows of a table of texts: of which problem, which mixture, what is open and whether it matters."""

    problem: list[int]
    init: list[int]
    goal: list[int]
    opened: list[tuple[str, ...]]
    matters: list[int]


class TableRenderer:
    """The renderer of tables of one domain's problems."""

    def __init__(self, renderer: TextRenderer) -> None:
        """Prepare to render problems as ``renderer`` does."""
        self.renderer = renderer
        self._facts = _Facts(renderer)
        self._frames = [pa.array(pieces, STRING) for pieces in zip(*renderer.frames, strict=True)]
        self._opened = lru_cache(maxsize=SETS_KEPT)(self._opened_of)
        self._partners = lru_cache(maxsize=SETS_KEPT)(self._partners_of)
        self._names_of = lru_cache(maxsize=SETS_KEPT)(self._bits_of)
        # Where static facts are of single objects alone, those of one kind are alike in all of them.
        domain = renderer.entry.domain
        single = all(each.arity == 1 for each in domain.predicates if each.name not in domain.fluents)
        self._exchangeable = single and renderer.entry.exchangeable

    def table(self, rows: Sequence[Row]) -> Table:
        """Return the texts of problems in every mixture that their words allow, as a table of texts.

        Raises OrreryError, with a note that names the problem.
        """
        init, goal = _Part([], [], []), _Part([], [], [])
        objects, drawn, found = list[str](), list[bytes](), _Rows([], [], [], [], [])
        for number, row in enumerate(rows):
            try:
                parts = taken_apart(row["problem_pddl"])
                who = self.renderer.who(parts)
                count = HEAD + len(parts.init) + len(parts.goal)
                drawn.append(stream(self.renderer.seed, "words", row["problem_id"]).randbytes(WORD * count))
                about, _, *turns = np.frombuffer(drawn[-1], "<u4", HEAD).tolist()
                objects.append(self.renderer.objects(who, about % VARIANTS))
                for part, turn, some, into in zip(
                    ("init", "goal"), turns, parts[1:], (init, goal), strict=True
                ):
                    into.facts.extend(map(self._facts.number.__getitem__, some))
                    into.counts.append(len(some))
                    into.passages.append(self.renderer.passage(row, part, who, turn % VARIANTS))
                self._add_rows(found, number, row, parts, who, init, goal)
            except OrreryError as error:
                error.add_note(f"at problem {row['problem_id']}")
                raise
        return self._joined([row["problem_id"] for row in rows], objects, drawn, init, goal, found)

    def _add_rows(
        self,
        found: _Rows,
        number: int,
        row: Row,
        parts: PddlParts,
        who: tuple[str, ...],
        init: _Part,
        goal: _Part,
    ) -> None:
        """Add the rows of the problem that was put in last."""
        abstract = init.passages[-1], goal.passages[-1]
        named: list[list[int]] = []
        known: dict[tuple[str, ...], bool | Undecided] = {}
        for one, other in mixtures_of(row):
            if (one and abstract[0] is None) or (other and abstract[1] is None):
                continue
            opened: tuple[str, ...] = ()
            if one + other and not (row["tied"] or row["strict"]):
                named = named or [self._named(part) for part in (init, goal)]
                objects = self._names_of(who)
                opened = self._opened(who, one, other, named[0][one] & objects, named[1][other] & objects)
            if opened not in known:
                known[opened] = self.matters(row, parts, who, opened)
            matters = known[opened]
            if not isinstance(matters, Undecided):  # what is not proven is not exported
                for column, value in zip(found, (number, one, other, opened, int(matters)), strict=True):
                    column.append(value)  # type: ignore[attr-defined]

    def matters(
        self, row: Row, parts: PddlParts, who: tuple[str, ...], opened: tuple[str, ...]
    ) -> bool | Undecided:
        """Return whether exchanging these objects can change the goal of a problem."""
        if not opened:
            return False
        shown = self._exchangeable and _changes(
            map(self.renderer.literal, parts.goal), self._partners(who, opened)
        )
        return shown or OpenPlaces(self.renderer, row, parts, who).matter(opened)

    def _partners_of(self, who: tuple[str, ...], opened: tuple[str, ...]) -> dict[str, str]:
        """Return for each open object another one of its kind, if there is one."""
        by_kind: dict[Hashable, list[str]] = defaultdict(list)
        for name in opened:
            by_kind[self.renderer.kind_of(who)[name]].append(name)
        return {
            name: other
            for names in by_kind.values()
            if len(names) > 1
            for name, other in zip(names, [*names[1:], names[0]], strict=True)
        }

    def _bits_of(self, who: tuple[str, ...]) -> int:
        return self._facts.bits(self.renderer.kind_of(who))

    def _named(self, part: _Part) -> list[int]:
        """Return the names in the facts of the last problem, and in its passage, as sets of bits."""
        facts = part.facts[len(part.facts) - part.counts[-1] :]
        passage = part.passages[-1]
        return [
            reduce(or_, map(self._facts.names.__getitem__, facts), 0),
            0 if passage is None else self._facts.names_in(passage),
        ]

    def _opened_of(self, who: tuple[str, ...], one: int, other: int, init: int, goal: int) -> tuple[str, ...]:
        """Return the objects that a text leaves open, from the names in its passages."""
        kinds = self.renderer.kind_of(who)
        bit = self._facts.bit
        named = [frozenset([name for name in kinds if names >> bit[name] & 1]) for names in (init, goal)]
        return tuple(open_objects(kinds, Passage(bool(one), named[0]), Passage(bool(other), named[1])))

    def _joined(
        self, names: list[str], objects: list[str], drawn: list[bytes], init: _Part, goal: _Part, rows: _Rows
    ) -> Table:
        """Put the texts together."""
        numbers = np.frombuffer(b"".join(drawn), "<u4")
        counts = np.array([init.counts, goal.counts], np.int64)
        starts = np.concatenate([[0], np.cumsum(HEAD + counts.sum(axis=0))])[:-1]
        said = [
            pa.concat_arrays(
                [self._facts.arranged(part, _slices(numbers, start, some)), pa.array(part.passages, STRING)]
            )
            for part, start, some in (
                (init, starts + HEAD, counts[0]),
                (goal, starts + HEAD + counts[0], counts[1]),
            )
        ]
        frame = pa.array(numbers[starts + 1] % len(self._frames[0]))
        of = np.array(rows.problem, np.int64)
        texts = [
            part.take(pa.array(of + len(names) * np.array(abstract, np.int64)))
            for part, abstract in zip(said, (rows.init, rows.goal), strict=True)
        ]
        here = pa.array(of)
        before, to_init, to_goal, after = (pieces.take(frame).take(here) for pieces in self._frames)
        about = pa.array(objects, STRING).take(here)
        whole = pc.binary_join_element_wise(before, about, to_init, texts[0], to_goal, texts[1], after, "")
        one, other = (pa.array(column, pa.int32()) for column in (rows.init, rows.goal))
        mixtures = [MIXTURES[pair] for pair in zip(rows.init, rows.goal, strict=True)]
        distinct = {opened: number for number, opened in enumerate(dict.fromkeys(rows.opened))}
        opened = pa.array(map(list, distinct), STRINGS).take(
            pa.array([distinct[each] for each in rows.opened], pa.int64())
        )
        zeros = pa.array(np.zeros(len(of), np.int32))
        return from_arrays(
            TEXTS,
            {
                "problem_id": pa.array(names, STRING).take(here),
                "mixture": pa.array(mixtures, STRING),
                "vocabulary": pa.repeat(PLAIN, len(of)),
                "paraphrase": zeros,
                "init_is_abstract": one,
                "goal_is_abstract": other,
                "is_placeholder": pa.array(rows.matters, pa.int32()),
                "open_objects": opened,
                "goal_holds_initially": zeros,
                "natural_language": whole,
                "init_text": texts[0],
                "goal_text": texts[1],
            },
        )


def _changes(goal: Iterable[Literal], partners: Mapping[str, str]) -> bool:
    """Return whether exchanging two objects, each with its partner, shows that it changes the goal.

    It does where a fact of the goal, with these exchanged, is none of it.
    """
    listed = list(goal)
    facts = {atom for atom, positive in listed if positive}
    for atom, positive in listed:
        for name in atom[1:] if positive else ():
            if other := partners.get(name):
                swap = {name: other, other: name}
                if (atom[0], *[swap.get(each, each) for each in atom[1:]]) not in facts:
                    return True
    return False


class _Facts:
    """The facts met so far, by number: their sentences, and the objects that they name."""

    def __init__(self, renderer: TextRenderer) -> None:
        self.number: dict[str, int] = _Numbers(self._add)
        self.names: list[int] = []
        self.bit: dict[str, int] = {}
        self._renderer = renderer
        self._said: list[tuple[str, ...]] = []
        self._arrays: tuple[Numbers, Numbers, Any] | None = None
        self.names_in = lru_cache(maxsize=SETS_KEPT)(self._names_in)

    def _add(self, fact: str) -> int:
        names = self._renderer.literal(fact).atom[1:]
        self.names.append(self.bits(names))
        self._said.append(self._renderer.sentences(fact))
        self._arrays = None
        return len(self._said) - 1

    def _names_in(self, passage: str) -> int:
        return self.bits(self._renderer.words_in(passage))

    def bits(self, words: Iterable[str]) -> int:
        """Return words as a set of bits."""
        return reduce(or_, [1 << self.bit.setdefault(word, len(self.bit)) for word in words], 0)

    def arranged(self, part: _Part, drawn: Numbers) -> Any:
        """Return the facts of each problem in sentences; what is ``drawn`` decides on order and wording."""
        if self._arrays is None:
            counts = np.array([len(each) for each in self._said], np.int64)
            sentences = pa.array(chain.from_iterable(self._said), STRING)
            self._arrays = np.cumsum(counts) - counts, counts, sentences
        first, counts, sentences = self._arrays
        facts = np.array(part.facts, np.int64)
        problem = np.repeat(np.arange(len(part.counts), dtype=np.uint64), part.counts)
        keys = problem << np.uint64(32) | drawn
        order = np.argsort(keys, kind="stable")
        in_order = keys[order]
        for place in np.flatnonzero(in_order[1:] == in_order[:-1]).tolist():
            self._settle(order, keys, facts, place)
        facts, drawn = facts[order], drawn[order]
        chosen = sentences.take(pa.array(first[facts] + drawn % counts[facts]))
        offsets = np.concatenate([[0], np.cumsum(part.counts)]).astype(np.int32)
        return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), chosen), " ")

    def _settle(self, order: Numbers, keys: Numbers, facts: Numbers, place: int) -> None:
        """Put facts for which the same number was drawn in the order of their sentences."""
        equal = np.flatnonzero(keys == keys[order[place]])
        where = np.flatnonzero(np.isin(order, equal))
        order[where] = sorted(equal.tolist(), key=lambda number: self._said[facts[number]])


class _Numbers(dict[str, int]):
    """Numbers by fact; a new fact gets the next one."""

    def __init__(self, add: Any) -> None:
        super().__init__()
        self._add = add

    def __missing__(self, fact: str) -> int:
        number: int = self._add(fact)
        self[fact] = number
        return number


def _slices(numbers: Numbers, starts: Numbers, counts: Numbers) -> Numbers:
    """Return so many of the numbers from each start on."""
    before = np.cumsum(counts) - counts
    found: Numbers = numbers[np.arange(counts.sum()) + np.repeat(starts - before, counts)]
    return found


def texts_table(root: Path, name: str, seed: int, size: RenderSize, rows: Sequence[Row]) -> Table:
    """Return every text that ``size`` asks for of problems, given as rows of the table of problems."""
    if size.paraphrases == 1 and not size.vocabularies:
        return table_renderer(root, name, seed).table(rows)
    renderer = text_renderer(root, name, seed)
    return from_columns(TEXTS, columns([text for row in rows for text in renderer.texts(row, size)]))


@cache
def table_renderer(root: Path, name: str, seed: int) -> TableRenderer:
    """Return the renderer of tables of a domain, cached in each process with the facts it met."""
    return TableRenderer(text_renderer(root, name, seed))
