"""The texts of many problems at once, by columns: what ``TextRenderer`` makes of each, byte for byte.

A fact is looked up once and is a number from then on. Order and wordings are drawn for each problem from its
own stream, as ever; sorting by what was drawn, putting sentences together to passages and passages to texts
are single operations on the arrays of all problems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, reduce
from operator import or_
from pathlib import Path
from random import Random
from struct import unpack_from
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.config import RenderSize
from orrery.families.text_to_pddl.marked import PARAMETERS, MarkedFacts, Marks, Who, objects_and_kinds
from orrery.families.text_to_pddl.passages import says_more
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.taken_apart import all_taken_apart
from orrery.families.text_to_pddl.texts import (
    HEAD,
    MIXTURES,
    PLAIN,
    Manner,
    OpenPlaces,
    Row,
    TextRenderer,
    columns,
    form_of_init,
    mixtures_of,
    seed_of_prose,
    style_of,
    text_renderer,
)
from orrery.language.choices import HELD_OUT, ChosenText
from orrery.language.frame import PARTS, TURNS, Frame
from orrery.language.marks import Fillings, filled, is_mark, number_of
from orrery.language.names import renamed_json
from orrery.language.prose import Known, Sorted
from orrery.language.words import WORDINGS_TRIED
from orrery.model import Literal, OrreryError
from orrery.pddl.write import PddlParts
from orrery.seeds import stream
from orrery.store.columns import Table, from_arrays, from_columns
from orrery.store.kinds import STRING, STRINGS

Numbers: TypeAlias = NDArray[Any]
PDDL = "problem_pddl"
NOTHING = ChosenText("", False)  # in the place of a passage that there are no words for
NOT = "not ("
FLAGS = ("tied", "strict", "goal_holds_initially", "explicit_only")
WORD = 4  # bytes of a number that is drawn
SETS_KEPT = 20_000
EXCHANGES_KEPT = 100_000
SENTENCES_KEPT = 500_000
NUMBER_BITS = 32  # of the number of an object, more than any has


class _PartTexts(NamedTuple):
    """What is said of initial state or goal in the problems of a table, problem by problem.

    ``beside`` are the passages beside an explicit goal; none where all are the same.
    """

    facts: Numbers
    counts: Numbers
    passages: list[ChosenText | None]
    beside: Sequence[ChosenText | None] = ()

    def of_each(self) -> list[list[int]]:
        """Return the facts of each problem."""
        facts, ends = self.facts.tolist(), np.cumsum(self.counts).tolist()
        return [facts[end - count : end] for end, count in zip(ends, self.counts.tolist(), strict=True)]


class _Rows(NamedTuple):
    """The rows of a table of texts: of which problem, which mixture, what is open and whether it matters."""

    problem: list[int]
    init: list[int]
    goal: list[int]
    opened: list[tuple[str, ...]]
    matters: list[int]


class _Given(NamedTuple):
    """Problems of a table with marks for names: taken apart, the facts by number, and the other columns."""

    columns: Mapping[str, Sequence[Any]]
    marks: Sequence[Marks]
    init: tuple[Numbers, Numbers]
    goal: tuple[Numbers, Numbers]

    def mixtures(self) -> Iterator[tuple[bool, tuple[tuple[int, int], ...]]]:
        """Yield for each problem whether its task links the goal, and the mixtures to render."""
        mixtures_by_flags: dict[tuple[Any, ...], tuple[bool, tuple[tuple[int, int], ...]]] = {}
        for flags in zip(*(self.columns[name] for name in FLAGS), strict=True):
            if flags not in mixtures_by_flags:
                row = dict(zip(FLAGS, flags, strict=True))
                mixtures_by_flags[flags] = bool(row["tied"] or row["strict"]), mixtures_of(row)
            yield mixtures_by_flags[flags]

    def row(self, number: int) -> Row:
        """Return the row of a problem, with all but its PDDL."""
        return {name: values[number] for name, values in self.columns.items()}


class TableRenderer:
    """The renderer of tables of one domain's problems."""

    def __init__(self, renderer: TextRenderer) -> None:
        """Prepare to render problems as ``renderer`` does."""
        self.renderer = renderer
        self._facts = _Facts(renderer)
        self._opened = lru_cache(maxsize=SETS_KEPT)(self._opened_of)
        self._objects = lru_cache(maxsize=SETS_KEPT)(self._objects_of)
        self._known = lru_cache(maxsize=SETS_KEPT)(self._known_of)
        self._rng, self._listed = Random(0), frozenset(kind.rstrip(" ") for kind in renderer.listed_kinds)
        # Where static facts are of single objects alone, those of one kind are alike in all of them.
        domain = renderer.entry.domain
        single = all(
            predicate.arity == 1 for predicate in domain.predicates if predicate.name not in domain.fluents
        )
        self._exchangeable = single and renderer.entry.exchangeable

    def table(self, rows: Table) -> Table:
        """Return the texts of problems in every mixture that their words allow, as a table of texts.

        ``rows`` are those of the table of problems. Raises OrreryError, with a note that names the problem.
        """
        problems = self._given(rows)
        names = problems.columns["problem_id"]
        counts = HEAD + problems.init[1] + problems.goal[1]
        drawn = [
            stream(self.renderer.seed, "words", name).randbytes(WORD * count)
            for name, count in zip(names, counts.tolist(), strict=True)
        ]
        surroundings, (init_passages, init_passages_beside, goal_passages) = self._said(problems, drawn)
        init, goal = (
            _PartTexts(*problems.init, init_passages, init_passages_beside),
            _PartTexts(*problems.goal, goal_passages),
        )
        text_rows = self._rows(problems, init, goal)
        return self._joined(problems, surroundings, drawn, init, goal, text_rows)

    def _said(self, problems: _Given, drawn: Sequence[bytes]) -> tuple[_About, list[list[ChosenText | None]]]:
        """Return what is said around the facts of each problem, and the passages.

        They are on init, on init beside an explicit goal, where some are others then, and on the goal.
        """
        init, beside, goal = list[ChosenText | None](), list[ChosenText | None](), list[ChosenText | None]()
        surroundings, names = _About([], [], [], []), problems.columns["problem_id"]
        differs_beside = any(map(says_more, problems.columns["init_parameters"]))
        for number, (marks, numbers) in enumerate(zip(problems.marks, drawn, strict=True)):
            listing, frame, init_turn, goal_turn, drawn_manner, turn = unpack_from(f"<{HEAD}I", numbers)
            manner = Manner.of(drawn_manner, names[number])
            held = manner.held
            surroundings.manners.append(manner)
            surroundings.turns.append(turn)
            surroundings.frames.append(self.renderer.frames[held].of(frame))
            try:
                surroundings.objects.append(self.renderer.passages.objects(marks.who, listing % TURNS, held))
                init.append(self._passage(problems, number, "init", init_turn % TURNS, held))
                goal.append(self._passage(problems, number, "goal", goal_turn % TURNS, held))
                if differs_beside:
                    passage = self._passage(
                        problems, number, "init", init_turn % TURNS, held, explicit_goal=True
                    )
                    beside.append(passage)
            except OrreryError as error:
                error.add_note(f"at problem {names[number]}")
                raise
        return surroundings, [init, beside, goal]

    def _given(self, rows: Table) -> _Given:
        """Return what stands in rows of the table of problems."""
        columns = {name: rows[name].to_pylist() for name in rows.column_names if name != PDDL}
        apart = all_taken_apart(rows[PDDL])
        marks = self.renderer.marker.of_table(apart.objects, apart.init, apart.init_counts)
        by_name = [problem_marks.of_names() for problem_marks in marks]
        for name in PARAMETERS:
            columns[name] = list(map(renamed_json, columns[name], by_name))
        init, goal = (
            (self._facts.numbered(facts, counts, marks), counts)
            for facts, counts in ((apart.init, apart.init_counts), (apart.goal, apart.goal_counts))
        )
        return _Given(columns, marks, init, goal)

    def _passage(
        self, problems: _Given, number: int, part: str, turn: int, held: bool, *, explicit_goal: bool = False
    ) -> ChosenText | None:
        """Return the abstract text of initial state or goal, None where the configuration has none."""
        configuration = problems.columns[f"{part}_configuration"][number]
        if not self.renderer.has_passage(part, configuration):
            return None
        parameters, who = problems.columns[f"{part}_parameters"][number], problems.marks[number].who
        return self.renderer.passages.text(
            part, configuration, parameters, who, turn, held, explicit_goal=explicit_goal
        )

    def _rows(self, problems: _Given, init: _PartTexts, goal: _PartTexts) -> _Rows:
        """Return the rows of texts: of every mixture that there are words for, unless it is not decided."""
        text_rows = _Rows([], [], [], [], [])
        explicit = self._facts.named(init), self._facts.named(goal)
        goals = goal.of_each()
        mixtures = problems.mixtures()
        for number, (fixed, pairs) in enumerate(mixtures):
            abstract = init.passages[number], goal.passages[number]
            marks, matters_by_objects = problems.marks[number], dict[tuple[str, ...], bool | None]()
            named: tuple[tuple[int, ...], tuple[int, ...]] | None = None
            for init_is_abstract, goal_is_abstract in pairs:
                if (init_is_abstract and abstract[0] is None) or (goal_is_abstract and abstract[1] is None):
                    continue
                opened: tuple[str, ...] = ()
                if init_is_abstract + goal_is_abstract and not fixed:
                    if named is None:
                        named = (
                            self._named(explicit[0][number], abstract[0], marks, *init.beside[number:][:1]),
                            self._named(explicit[1][number], abstract[1], marks),
                        )
                    of_init = named[0][form_of_init(init_is_abstract, goal_is_abstract)]
                    opened = self._opened(
                        marks.who, init_is_abstract, goal_is_abstract, of_init, named[1][goal_is_abstract]
                    )
                if opened not in matters_by_objects:
                    matters_by_objects[opened] = self.matters(problems, number, goals[number], opened)
                matters = matters_by_objects[opened]
                if matters is not None:  # what is not proven is not exported
                    text_rows.problem.append(number)
                    text_rows.init.append(init_is_abstract)
                    text_rows.goal.append(goal_is_abstract)
                    text_rows.opened.append(opened)
                    text_rows.matters.append(int(matters))
        return text_rows

    def _named(
        self, explicit: int, passage: ChosenText | None, marks: Marks, *beside: ChosenText | None
    ) -> tuple[int, ...]:
        """Return which of the objects each form of a part names, as sets of bits.

        ``beside`` is the passage beside an explicit goal, where it may be another one.
        """
        objects = self._objects(marks.who).all
        abstract, *named_beside = (
            0 if text is None else self._facts.bits(self.renderer.named_in(text.text, marks)) & objects
            for text in (passage, *beside)
        )
        return explicit & objects, abstract, *(named_beside or [abstract])

    def matters(
        self, problems: _Given, number: int, goal: Sequence[int], opened: tuple[str, ...]
    ) -> bool | None:
        """Return whether exchanging these objects can change the goal of a problem; None if undecided.

        Where the generator says that objects are exchangeable, it does where a fact of the goal, with two of
        them exchanged, is none of it. Each object is exchanged with the next of its kind, and the last with
        the first. If no fact leaves the goal, each exchange maps the facts that name an object into those
        that name the next; there are as many, then, of each, so that these exchanges keep the goal, and so
        do all permutations, which they generate.
        """
        if not opened:
            return False
        marks = problems.marks[number]
        if self._exchangeable:
            if self._facts.changes(goal, self._partners(marks.who, opened)):
                return True
            if self._facts.all_positive(goal):
                return False
        try:
            parts = self._parts(problems, number, goal)
            return OpenPlaces(self.renderer, problems.row(number), parts, marks).matter(opened)
        except OrreryError as error:
            error.add_note(f"at problem {problems.columns['problem_id'][number]}")
            raise

    def _parts(self, problems: _Given, number: int, goal: Sequence[int]) -> PddlParts:
        facts, counts = problems.init
        end = int(counts[: number + 1].sum())
        init = facts[end - int(counts[number]) : end].tolist()
        texts = ([self._facts.texts[fact] for fact in facts_of_part] for facts_of_part in (init, goal))
        return PddlParts(objects_and_kinds(problems.marks[number].who)[0], *texts)

    def _partners(self, who: Who, opened: tuple[str, ...]) -> dict[str, str]:
        """Return for each open object another one of its kind, if there is one."""
        by_kind: dict[Hashable, list[str]] = defaultdict(list)
        kinds = self.renderer.kind_of(who)
        for name in opened:
            by_kind[kinds[name]].append(name)
        return {
            name: partner
            for names in by_kind.values()
            if len(names) > 1
            for name, partner in zip(names, [*names[1:], names[0]], strict=True)
        }

    def _objects_of(self, who: Who) -> _Objects:
        """Return the objects of problems as sets of bits."""
        kinds, by_kind = self.renderer.kind_of(who), defaultdict[Hashable, int](int)
        bits = {mark: self._facts.bits([mark]) for mark in kinds}
        for mark, kind in kinds.items():
            by_kind[kind] |= bits[mark]
        return _Objects(tuple(bits.items()), tuple(by_kind.values()), reduce(or_, bits.values(), 0))

    def _opened_of(
        self, who: Who, init_is_abstract: int, goal_is_abstract: int, init: int, goal: int
    ) -> tuple[str, ...]:
        """Return what ``open_objects`` does, from the names in both passages as sets of bits."""
        objects = self._objects(who)
        fixed = init & goal
        abstractly = (init if init_is_abstract else 0) | (goal if goal_is_abstract else 0)
        for members in objects.kinds:
            if members & init & ~goal and members & goal & ~init:
                fixed |= members & abstractly
        return tuple([mark for mark, bit in objects.bits if not bit & fixed])

    def _one_by_one(
        self,
        name: str,
        part: _PartTexts,
        surroundings: _About,
        problems: _Given,
        drawn: Numbers,
        places: Sequence[int],
    ) -> list[ChosenText]:
        """Return explicit initial states or goals of the problems at some places, made one by one."""
        facts, ends, texts_of_problems = part.of_each(), np.cumsum(part.counts).tolist(), []
        at_once = name == "init" and self.renderer.complete.predicates
        for place in places:
            manner, turn, who = (
                surroundings.manners[place],
                surroundings.turns[place],
                problems.marks[place].who,
            )
            between = surroundings.frames[place].between[PARTS.index(name)]
            prose = None
            if manner.prose and not at_once:
                prose = self._prose(name, facts[place], who, manner, turn, between)
            if prose is None:
                numbers = drawn[ends[place] - len(facts[place]) : ends[place]].tolist()
                texts = [self._facts.texts[fact] for fact in facts[place]]
                prose = self.renderer.explicit(name, texts, numbers, who, turn, manner, between)
            texts_of_problems.append(prose)
        return texts_of_problems

    def _prose(
        self, name: str, facts: Sequence[int], who: Who, manner: Manner, turn: int, between: str
    ) -> ChosenText | None:
        """Return what ``TextRenderer.prose`` does, None where facts are not told in the order of marks."""
        objects = self._known(who)
        sorted_facts = self._facts.told(facts, self._listed if name == "init" else ())
        if objects is None or sorted_facts is None:
            return None
        self._rng.seed(seed_of_prose(name, turn))
        prose = self.renderer.writer.prose_of_sorted(
            sorted_facts, objects, self._rng, held=manner.held, shuffled=manner.shuffled
        )
        return ChosenText(between.join(prose.sentences), prose.held_out)

    def _known_of(self, who: Who) -> Known | None:
        """Return what objects there are, if facts are told in the order of their marks."""
        objects = Known.of(self.renderer.names(who))
        in_order = [name for name in sorted(objects.place, key=objects.place.__getitem__) if is_mark(name)]
        return objects if in_order == sorted(in_order, key=number_of) else None

    def _told(
        self,
        name: str,
        part: _PartTexts,
        surroundings: _About,
        problems: _Given,
        drawn: Numbers,
        between: Any,
    ) -> tuple[list[str], NDArray[np.bool_]]:
        """Return the explicit initial states or goals of problems, and whether each has held-out wordings."""
        held = np.array([manner.held for manner in surroundings.manners], bool)
        alone = np.array([manner.prose for manner in surroundings.manners], bool)
        if name == "init" and self.renderer.complete.predicates:
            alone[:] = True  # relations that are told at once make a difference from problem to problem
        left_out = self.renderer.listed_kinds if name == "init" else ()
        explicit, is_held_out = self._facts.arranged(part, drawn, held, between, left_out, alone)
        prose = self._one_by_one(name, part, surroundings, problems, drawn, np.flatnonzero(alone).tolist())
        texts = pa.array([text.text for text in prose], STRING)
        is_held_out[alone] = [text.held_out for text in prose]
        return pc.replace_with_mask(explicit, pa.array(alone), texts).to_pylist(), is_held_out

    def _joined(
        self,
        problems: _Given,
        surroundings: _About,
        drawn: list[bytes],
        init: _PartTexts,
        goal: _PartTexts,
        rows: _Rows,
    ) -> Table:
        """Put the texts together."""
        names = list(problems.columns["problem_id"])
        numbers = np.frombuffer(b"".join(drawn), "<u4")
        counts = np.stack([init.counts, goal.counts])
        starts = np.concatenate([[0], np.cumsum(HEAD + counts.sum(axis=0))])[:-1] + HEAD
        frames = _Frames(surroundings.frames)
        texts_of_parts, held_out_of_parts = [], []
        fillings = [marks.fillings() for marks in problems.marks]
        for place, (part, begins) in enumerate(((init, starts), (goal, starts + counts[0]))):
            drawn_for_part = _slices(numbers, begins, part.counts)
            between = frames.between[place + 1].take(pa.array(frames.number))
            explicit, is_held_out = self._told(
                PARTS[place + 1], part, surroundings, problems, drawn_for_part, between
            )
            passages = [passage or NOTHING for passage in (*part.passages, *part.beside)]
            fillings_of_passages = fillings * (len(passages) // max(len(fillings), 1))
            texts_of_parts.append(
                pa.concat_arrays(
                    [
                        _filled(explicit, fillings),
                        _filled([passage.text for passage in passages], fillings_of_passages),
                    ]
                )
            )
            held_out_of_parts.append(
                np.concatenate([is_held_out, np.array([p.held_out for p in passages], bool)])
            )
        of = np.array(rows.problem, np.int64)
        forms = list(map(form_of_init, rows.init, rows.goal)) if init.beside else rows.init
        places = [of + len(names) * np.array(form, np.int64) for form in (forms, rows.goal)]
        texts = [part.take(pa.array(place)) for part, place in zip(texts_of_parts, places, strict=True)]
        problem_of_row = pa.array(of)
        objects = _filled([passage.text for passage in surroundings.objects], fillings).take(problem_of_row)
        frame = frames.number[of]
        natural_language = frames.around(frame, [objects, *texts])
        held_out = frames.held_out[frame] | np.array([o.held_out for o in surroundings.objects], bool)[of]
        for of_part, rows_of_part in zip(held_out_of_parts, places, strict=True):
            held_out |= of_part[rows_of_part]
        init_is_abstract, goal_is_abstract = (
            pa.array(column, pa.int32()) for column in (rows.init, rows.goal)
        )
        manners = map(surroundings.manners.__getitem__, rows.problem)
        styles = list(map(style_of, manners, rows.init, rows.goal))
        mixtures = [MIXTURES[pair] for pair in zip(rows.init, rows.goal, strict=True)]
        zeros = pa.array(np.zeros(len(of), np.int32))
        return from_arrays(
            TEXTS,
            {
                "problem_id": pa.array(names, STRING).take(problem_of_row),
                "mixture": pa.array(mixtures, STRING),
                "vocabulary": pa.repeat(PLAIN, len(of)),
                "paraphrase": zeros,
                "init_is_abstract": init_is_abstract,
                "goal_is_abstract": goal_is_abstract,
                "is_placeholder": pa.array(rows.matters, pa.int32()),
                "open_objects": _open_objects(problems, rows),
                "goal_holds_initially": zeros,
                "natural_language": natural_language,
                "init_text": texts[0],
                "goal_text": texts[1],
                "style": pa.array(styles, STRING),
                "register": frames.registers.take(pa.array(frame)),
                "held_out_language": pa.array(held_out.astype(np.int32)),
            },
        )


class _Objects(NamedTuple):
    """The objects of problems: the bit of each, and sets of bits, those of each kind and of all."""

    bits: tuple[tuple[str, int], ...]
    kinds: tuple[int, ...]
    all: int


class _About(NamedTuple):
    """What is said around the facts of problems.

    For each: how it is told, the turn of that, the frame, and the list of objects.
    """

    manners: list[Manner]
    turns: list[int]
    frames: list[Frame]
    objects: list[ChosenText]


class _Frames:
    """The frames of problems as arrays: of each problem the ``number`` of its own, and what these are."""

    def __init__(self, of_each: Sequence[Frame]) -> None:
        numbers: dict[Frame, int] = {}
        self.number = np.array(
            [numbers.setdefault(frame_of_problem, len(numbers)) for frame_of_problem in of_each], np.int64
        )
        frames = list(numbers)
        self._pieces = [pa.array([frame.pieces[place] for frame in frames], STRING) for place in range(4)]
        self._order = np.array([frame.order for frame in frames], np.int64).reshape(-1, len(PARTS))
        self.between = [
            pa.array([frame.between[place] for frame in frames], STRING) for place in range(len(PARTS))
        ]
        self.registers = pa.array([frame.register for frame in frames], STRING)
        self.held_out = np.array([frame.held_out for frame in frames], bool)

    def around(self, frames: Numbers, parts: Sequence[Any]) -> Any:
        """Return the whole texts of frames around parts: objects, initial states and goals."""
        everything, rows = pa.concat_arrays(parts), np.arange(len(frames))
        before, first, second, after = (pieces.take(pa.array(frames)) for pieces in self._pieces)
        first_part, second_part, third_part = (
            everything.take(pa.array(self._order[frames, place] * len(frames) + rows)) for place in range(3)
        )
        return pc.binary_join_element_wise(
            before, first_part, first, second_part, second, third_part, after, ""
        )


class _Facts:
    """The facts met so far, by number: their sentences, and the objects that they name."""

    def __init__(self, renderer: TextRenderer) -> None:
        self.number: dict[str, int] = _Numbers(self._add)
        self.texts: list[str] = []
        self.bit: dict[str, int] = {}
        self._renderer = renderer
        self._told: list[tuple[str, tuple[str, ...]]] = []
        self._places: list[int] = []
        self._untold: set[int] = set()
        self._names: list[int] = []
        self._counts: list[int] = []
        self._said: dict[int, str] = {}
        self._marked = MarkedFacts(self.number.__getitem__)
        self._exchanged = lru_cache(maxsize=EXCHANGES_KEPT)(self._exchanged_of)

    def _add(self, fact: str) -> int:
        literal = self._renderer.literal(fact)
        self._counts.append(self._renderer.words.variants("fact", literal.atom[0]))
        self._names.append(self.bits(literal.atom[1:]))
        self._told.append((literal.atom[0], literal.atom[1:]))
        if literal.positive and all(map(is_mark, literal.atom[1:])):
            self._places.append(_in_one(map(number_of, literal.atom[1:])))
        else:
            self._places.append(0)
            self._untold.add(len(self.texts))
        self.texts.append(fact)
        return len(self.texts) - 1

    def told(self, facts: Sequence[int], left_out: Collection[str]) -> Sorted | None:
        """Return facts as they are told in prose, those of some predicates left out.

        None where one is denied or names what has no mark.
        """
        if not self._untold.isdisjoint(facts):
            return None
        by_predicate: dict[str, list[tuple[str, ...]]] = {}
        for fact in sorted(facts, key=self._places.__getitem__):
            predicate, arguments = self._told[fact]
            if predicate not in left_out:
                by_predicate.setdefault(predicate, []).append(arguments)
        return Sorted(by_predicate)

    def literal(self, number: int) -> Literal:
        """Return a fact as a literal."""
        return self._renderer.literal(self.texts[number])

    def changes(self, goal: Sequence[int], partners: Mapping[str, str]) -> bool:
        """Return whether a fact of the goal, an object and its partner exchanged, is none of it."""
        facts = frozenset(goal)
        for fact in goal:
            (_, *names), positive = self.literal(fact)
            for name in names if positive else ():
                partner = partners.get(name)
                if partner and self._exchanged(fact, name, partner) not in facts:
                    return True
        return False

    def _exchanged_of(self, fact: int, first: str, second: str) -> int:
        """Return the fact in which two objects are exchanged."""
        (name, *names), _ = self.literal(fact)
        swap = {first: second, second: first}
        return self.number[" ".join([name, *[swap.get(argument, argument) for argument in names]])]

    def all_positive(self, facts: Sequence[int]) -> bool:
        """Return whether there is no negation among facts."""
        return not any(self.texts[fact].startswith(NOT) for fact in facts)

    def numbered(self, facts: Any, counts: Numbers, marks: Sequence[Marks]) -> Numbers:
        """Return the numbers of facts, given as an Arrow array, with marks for names."""
        return self._marked.numbered(facts, counts, marks)

    def where(self, holds: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return for each fact whether something holds of it."""
        return np.array([holds(fact) for fact in self.texts], bool)

    def named(self, part: _PartTexts) -> list[int]:
        """Return the names in the facts of each problem, as sets of bits."""
        names = self._names.__getitem__
        return [reduce(or_, map(names, facts), 0) for facts in part.of_each()]

    def bits(self, words: Iterable[str]) -> int:
        """Return words as a set of bits."""
        return reduce(or_, [1 << self.bit.setdefault(word, len(self.bit)) for word in words], 0)

    def arranged(
        self,
        part: _PartTexts,
        drawn: Numbers,
        held: NDArray[np.bool_],
        between: Any,
        left_out: tuple[str, ...] = (),
        without: NDArray[np.bool_] | None = None,
    ) -> tuple[Any, NDArray[np.bool_]]:
        """Return the facts of each problem in sentences, and where one is held out.

        What is ``drawn`` decides on order and wording. ``held`` says for each problem whether wordings may be
        chosen that are held out, ``between`` what its sentences are joined by. Facts that begin like one of
        ``left_out`` are not said, nor are those of problems ``without`` any.
        """
        facts, of_each = part.facts, part.counts
        problem = np.repeat(np.arange(len(part.counts), dtype=np.uint64), part.counts)
        if left_out or without is not None:
            is_told = ~self.where(lambda fact: fact.startswith(left_out))[facts]
            is_told &= True if without is None else ~np.repeat(without, part.counts)
            facts, drawn, problem = facts[is_told], drawn[is_told], problem[is_told]
            of_each = np.bincount(problem.astype(np.int64), minlength=len(part.counts))
        keys = problem << np.uint64(32) | drawn
        order = np.argsort(keys, kind="stable")
        in_order = keys[order]
        for place in np.flatnonzero(in_order[1:] == in_order[:-1]).tolist():
            self._settle(order, keys, facts, place)
        facts, drawn, of = facts[order], drawn[order].astype(np.int64), problem[order].astype(np.int64)
        digits, apart = _digits(drawn, np.array(self._counts, np.int64)[facts], held[of])
        sentence_codes, which = np.unique(facts * WORDINGS_TRIED + digits, return_inverse=True)
        chosen = pa.array(map(self._sentence, sentence_codes.tolist()), STRING).take(pa.array(which))
        offsets = np.concatenate([[0], np.cumsum(of_each)]).astype(np.int32)
        texts = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), chosen), between)
        return texts, np.bincount(of, weights=apart, minlength=len(part.counts)) > 0

    def _sentence(self, code: int) -> str:
        """Return a fact in a wording, by the numbers of both."""
        sentence = self._said.get(code)
        if sentence is None:
            if len(self._said) >= SENTENCES_KEPT:
                self._said = {}
            number, variant = divmod(code, WORDINGS_TRIED)
            sentence = self._said[code] = self._renderer.words.stated(self.literal(number), variant)
        return sentence

    def _settle(self, order: Numbers, keys: Numbers, facts: Numbers, place: int) -> None:
        """Put facts for which the same number was drawn in the order of their sentences."""
        equal = np.flatnonzero(keys == keys[order[place]])
        places = np.flatnonzero(np.isin(order, equal))
        sentences = self._renderer.sentences
        order[places] = sorted(equal.tolist(), key=lambda number: sentences(self.texts[int(facts[number])]))


class _Numbers(dict[str, int]):
    """Numbers by fact; a new fact gets the next one."""

    def __init__(self, add: Any) -> None:
        super().__init__()
        self._add = add

    def __missing__(self, fact: str) -> int:
        number: int = self._add(fact)
        self[fact] = number
        return number


def _in_one(numbers: Iterable[int]) -> int:
    """Return one number for some, in the order of these."""
    return reduce(lambda before, number: before << NUMBER_BITS | number, numbers, 0)


def _digits(drawn: Numbers, counts: Numbers, held: NDArray[np.bool_]) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return what ``Turn.digit`` gives for each number, and whether that is held out."""
    first = counts - counts // HELD_OUT
    chooses = held & (first < counts)
    apart = chooses & (drawn % 2 == 1)
    numbers = np.where(chooses, drawn // 2, drawn)
    digits = np.where(apart, first + numbers % np.maximum(counts - first, 1), numbers % first)
    return digits, apart


def _open_objects(problems: _Given, rows: _Rows) -> Any:
    """Return the names of the open objects of each row, sorted, as an Arrow array."""
    marked = list(zip(rows.problem, rows.opened, strict=True))
    names = {
        (problem, opened): sorted(map(problems.marks[problem].name_of, opened))
        for problem, opened in {*marked}
    }
    return pa.array([names[problem_and_objects] for problem_and_objects in marked], STRINGS)


def _filled(texts: Iterable[str], fillings: Iterable[Fillings]) -> Any:
    """Return the texts of problems with names for marks, as an Arrow array."""
    return pa.array(list(map(filled, texts, fillings)), STRING)


def _slices(numbers: Numbers, starts: Numbers, counts: Numbers) -> Numbers:
    """Return so many of the numbers from each start on."""
    before = np.cumsum(counts) - counts
    slices: Numbers = numbers[np.arange(counts.sum()) + np.repeat(starts - before, counts)]
    return slices


def texts_table(root: Path, name: str, seed: int, size: RenderSize, rows: Table) -> Table:
    """Return every text that ``size`` asks for of problems, given as rows of the table of problems."""
    if size.paraphrases == 1 and not size.vocabularies:
        return table_renderer(root, name, seed).table(rows)
    renderer, listed = text_renderer(root, name, seed), rows.to_pylist()
    return from_columns(TEXTS, columns([text for row in listed for text in renderer.texts(row, size)]))


@cache
def table_renderer(root: Path, name: str, seed: int) -> TableRenderer:
    """Return the renderer of tables of a domain, cached in each process with the facts it met."""
    return TableRenderer(text_renderer(root, name, seed))
