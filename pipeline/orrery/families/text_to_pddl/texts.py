"""The texts of problems: every mixture of explicit and abstract, in any number of wordings.

Problems are not read for it: the facts of the text that ``write_problem`` wrote are looked up among
finished sentences. What random numbers decide (order, wordings) is drawn once a problem and shared by
its mixtures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from orrery.catalog import Entry, entry_of
from orrery.config import RenderSize
from orrery.equivalence.graph import Undecided
from orrery.equivalence.open_goal import OpenGoal
from orrery.families.text_to_pddl.marked import (
    Marker,
    Marks,
    Who,
    objects_and_kinds,
    with_marked_parameters,
)
from orrery.families.text_to_pddl.open_objects import NamedObjects, open_objects, words_of
from orrery.families.text_to_pddl.passages import Passages
from orrery.language.choices import ChosenText, Turn, is_held_out, may_be_held_out
from orrery.language.complete import CompleteRelations
from orrery.language.frame import PARTS, TURNS, Frame, explicit_text, frames
from orrery.language.marks import filled, marks_in, without_marks
from orrery.language.prose import ProseWriter
from orrery.language.renamed_domain import vocabulary_of
from orrery.language.words import PHRASES_KEPT, arranged, names_by_type, numbers
from orrery.model import OrreryError, Problem
from orrery.pddl.read import read_problem
from orrery.pddl.write import PddlParts, parse_literal, parse_typed, taken_apart
from orrery.seeds import stream

PLAIN = "plain"
MIXTURES: Mapping[tuple[int, int], str] = MappingProxyType(
    {
        (0, 0): "explicit-explicit",
        (0, 1): "explicit-abstract",
        (1, 0): "abstract-explicit",
        (1, 1): "abstract-abstract",
    }
)
KEPT = 20_000
HEAD = 6  # numbers drawn for objects, frame, passages, manner and telling, before those of the facts
SENTENCES, PROSE, SUMMARY = "sentences", "prose", "summary"
SPARE = 4  # draws of a paraphrase that says nothing in other words
EXPLICIT, ABSTRACT, BESIDE_EXPLICIT = range(3)  # the forms of a part; the last is an abstract initial state

Row = Mapping[str, Any]


class Text(NamedTuple):
    """A row of the table of texts; the names are those of its columns."""

    problem_id: str
    mixture: str
    vocabulary: str
    paraphrase: int
    init_is_abstract: int
    goal_is_abstract: int
    is_placeholder: int
    open_objects: list[str]
    goal_holds_initially: int
    natural_language: str
    init_text: str
    goal_text: str
    style: str
    register: str
    held_out_language: int


class Given(NamedTuple):
    """A problem to render: its row in the table of problems, and it with marks for names.

    ``row`` has marks in the parameters; its PDDL is the whole problem as it is.
    """

    row: Row
    marks: Marks
    parts: PddlParts


class Manner(NamedTuple):
    """How the texts of a problem are told, as a number of 32 bits draws it."""

    prose: bool
    held: bool
    shuffled: bool

    @classmethod
    def of(cls, number: int, problem_id: str) -> Manner:
        """Return the manner; wordings that are held out may occur in every second problem of test splits."""
        held = may_be_held_out(problem_id) and number // 2 % 2 == 1
        return cls(number % 2 == 1, held, number // 4 % 2 == 1)


def behind(sentences: Sequence[ChosenText], text: ChosenText, between: str) -> ChosenText:
    """Return a text with sentences before it."""
    if not sentences:
        return text
    texts = [sentence.text for sentence in (*sentences, text) if sentence.text]
    return ChosenText(between.join(texts), text.held_out or any(sentence.held_out for sentence in sentences))


def form_of_init(init_is_abstract: int, goal_is_abstract: int) -> int:
    """Return which form the initial state has in a mixture."""
    return BESIDE_EXPLICIT if init_is_abstract and not goal_is_abstract else init_is_abstract


def seed_of_prose(part: str, turn: int) -> int:
    """Return what the draws of a part that is told in prose begin with; another one for the goal."""
    return 2 * turn + (part == "init")


def style_of(manner: Manner, init_is_abstract: int, goal_is_abstract: int) -> str:
    """Return the style of a text."""
    if init_is_abstract and goal_is_abstract:
        return SUMMARY
    return PROSE if manner.prose else SENTENCES


class TextRenderer:
    """The renderer of problems of one domain."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to render texts of a domain; ``seed`` is the root seed of the build."""
        self.entry, self.seed, self.words = entry, seed, entry.words
        self.frames = tuple(frames(entry.root / "templates", held) for held in (False, True))
        self.sentences = lru_cache(maxsize=PHRASES_KEPT)(self._sentences_of)
        self.marker = Marker(entry.domain)
        self.has_passage = lru_cache(maxsize=None)(self.words.has_passage)
        self.literal = lru_cache(maxsize=PHRASES_KEPT)(parse_literal)
        self.closure_rule = entry.closure_rule
        self.names_in = lru_cache(maxsize=KEPT)(names_in)
        self._kind_of = lru_cache(maxsize=KEPT)(self._kind_of_each)
        self.names = lru_cache(maxsize=KEPT)(self._names_of)
        self.passages = Passages(self.words, lambda who: self.names(who))
        self.writer = ProseWriter(self.words, entry.domain)
        self.complete = CompleteRelations(self.words, entry.domain)
        self.listed_kinds = tuple(f"{kind} " for kind in self.words.kinds_listed(entry.domain))

    def texts(self, row: Row, size: RenderSize) -> list[Text]:
        """Return every text that ``size`` asks for of a problem, given as a row of the table of problems.

        Raises OrreryError, with a note that names the problem.
        """
        try:
            problem = self.given(row)
            texts = self._mixtures(problem)
            for number in range(1, size.paraphrases):
                texts += self._in_other_words(problem, number, texts)
            for name, share in sorted(size.vocabularies.items()):
                if stream(self.seed, "vocabularies", name, row["problem_id"]).random() < share:
                    texts.append(self._obfuscated(row, name))
        except OrreryError as error:
            error.add_note(f"at problem {row['problem_id']}")
            raise
        return texts

    def given(self, row: Row) -> Given:
        """Return a problem to render, from its row in the table of problems."""
        marks, parts = self.marker.of_parts(taken_apart(row["problem_pddl"]))
        return Given(with_marked_parameters(row, marks), marks, parts)

    def _mixtures(self, problem: Given, paraphrase: int = 0, attempt: int = 0) -> list[Text]:
        """Return the texts of all mixtures, which share objects, frame, initial state and goal."""
        row, marks, parts = problem
        name, who, fillings = row["problem_id"], marks.who, marks.fillings()
        path = (name, paraphrase, attempt) if paraphrase else (name,)
        middle = HEAD + len(parts.init)
        drawn = numbers(stream(self.seed, "words", *path), middle + len(parts.goal))
        manner = Manner.of(drawn[4], name)
        objects = self.passages.objects(who, drawn[0] % TURNS, manner.held)
        frame = self.frames[manner.held].of(drawn[1])
        facts = {"init": (parts.init, drawn[HEAD:middle]), "goal": (parts.goal, drawn[middle:])}
        renderings = {
            part: self._renderings_of(row, part, who, (drawn[place], drawn[5]), facts[part], frame, manner)
            for place, part in ((2, "init"), (3, "goal"))
        }
        texts = []
        places = OpenPlaces(self, row, parts, marks)
        for init_is_abstract, goal_is_abstract in mixtures_of(row):
            form = form_of_init(init_is_abstract, goal_is_abstract)
            if form in renderings["init"] and goal_is_abstract in renderings["goal"]:
                init, goal = renderings["init"][form], renderings["goal"][goal_is_abstract]
                opened = places.opened((init_is_abstract, init.text), (goal_is_abstract, goal.text))
                matters = places.matter(opened)
                if matters is None:
                    continue  # what is not proven is not exported
                held_out = frame.held_out or objects.held_out or init.held_out or goal.held_out
                open_names = sorted(filled(text, fillings) for text in opened)
                of_row = (
                    name,
                    MIXTURES[init_is_abstract, goal_is_abstract],
                    PLAIN,
                    paraphrase,
                    init_is_abstract,
                    goal_is_abstract,
                    int(matters),
                    open_names,
                    0,
                )
                listed, first, last = (filled(text.text, fillings) for text in (objects, init, goal))
                whole, style = (
                    frame.around(listed, first, last),
                    style_of(manner, init_is_abstract, goal_is_abstract),
                )
                texts.append(Text(*of_row, whole, first, last, style, frame.register, int(held_out)))
        return texts

    def _renderings_of(
        self, row: Row, part: str, who: Who, turns: tuple[int, int],
        facts: tuple[list[str], Sequence[int]], frame: Frame, manner: Manner,
    ) -> dict[int, ChosenText]:  # fmt: skip
        """Return the explicit text of initial state or goal under 0, the abstract one, if any, under 1.

        Under 2, the abstract one beside an explicit goal.
        """
        between = frame.between[PARTS.index(part)]
        texts = {0: self.explicit(part, *facts, who, turns[1], manner, between)}
        for form in (ABSTRACT, BESIDE_EXPLICIT):
            explicit_goal = form == BESIDE_EXPLICIT
            passage = self.passage(row, part, who, turns[0] % TURNS, manner.held, explicit_goal=explicit_goal)
            if passage is not None:
                texts[form] = passage
        return texts

    def explicit(
        self, part: str, facts: Sequence[str], drawn: Sequence[int], who: Who, turn: int,
        manner: Manner, between: str,
    ) -> ChosenText:  # fmt: skip
        """Return the explicit text of initial state or goal."""
        left_out, at_once = self.told_otherwise(part, facts, who, turn, manner.held)
        if manner.prose:
            text = self.prose(part, facts, who, turn, manner, between, left_out)
        else:
            sentences = [
                (self.sentences(fact), number)
                for fact, number in zip(facts, drawn, strict=True)
                if not fact.startswith(left_out)
            ]
            listed = arranged(
                (sentence for sentence, _ in sentences), (number for _, number in sentences), manner.held
            )
            held_out = any(is_held_out(number, len(sentence), manner.held) for sentence, number in sentences)
            text = ChosenText(between.join(listed), held_out)
        return behind(at_once, text, between)

    def told_otherwise(
        self, part: str, facts: Sequence[str], who: Who, turn: int, held: bool
    ) -> tuple[tuple[str, ...], list[ChosenText]]:
        """Return how facts begin that are not told on their own, and sentences that tell many at once.

        The list of objects tells kinds; a relation between all objects takes one sentence.
        """
        if part == "goal":
            return (), []
        beginnings, sentences = list(self.listed_kinds), []
        for predicate in self.complete.predicates:
            begin = f"{predicate} "
            size = self.complete.size(predicate, self.names(who))
            if size and sum(fact.startswith(begin) for fact in facts) == size:
                choice = Turn(turn, held)
                beginnings.append(begin)
                sentences.append(ChosenText(self.complete.sentence(predicate, choice), choice.held_out))
        return tuple(beginnings), sentences

    def prose(
        self, part: str, facts: Sequence[str], who: Who, turn: int, manner: Manner, between: str,
        left_out: tuple[str, ...],
    ) -> ChosenText:  # fmt: skip
        """Return the facts of initial state or goal as a person tells them, but those that are left out."""
        literals = [self.literal(fact) for fact in facts if not fact.startswith(left_out)]
        rng = Random(seed_of_prose(part, turn))
        text = self.writer.prose(literals, self.names(who), rng, held=manner.held, shuffled=manner.shuffled)
        return ChosenText(between.join(text.sentences), text.held_out)

    def passage(
        self, row: Row, part: str, who: Who, turn: int, held: bool = False, *, explicit_goal: bool = False
    ) -> ChosenText | None:
        """Return the abstract text of initial state or goal, None where the configuration has none."""
        configuration, parameters = row[f"{part}_configuration"], row[f"{part}_parameters"]
        if not self.has_passage(part, configuration):
            return None
        return self.passages.text(
            part, configuration, parameters, who, turn, held, explicit_goal=explicit_goal
        )

    def _sentences_of(self, fact: str) -> tuple[str, ...]:
        """Return the sentences that state a fact, given as ``taken_apart`` gives it."""
        return self.words.sentences(parse_literal(fact))

    def _names_of(self, who: Who) -> dict[str, list[str]]:
        objects, kinds = objects_and_kinds(who)
        facts = frozenset(self.literal(fact).atom for fact in kinds)
        problem = Problem("", self.entry.name, parse_typed(objects), facts, frozenset())
        return names_by_type(problem, self.entry.domain)

    def _in_other_words(self, problem: Given, number: int, earlier: list[Text]) -> Iterator[Text]:
        """Yield the ``number``-th paraphrase of each mixture, unless its text was rendered already."""
        earlier_texts = {text.natural_language for text in earlier}
        mixtures = {text.mixture for text in earlier}
        for attempt in range(SPARE if mixtures else 0):
            for text in self._mixtures(problem, number, attempt):
                if text.mixture in mixtures and text.natural_language not in earlier_texts:
                    mixtures.remove(text.mixture)
                    yield text

    def _obfuscated(self, row: Row, name: str) -> Text:
        """Return the explicit text of the problem in the words of the vocabulary ``name``."""
        domain, templates = self.entry.domain, self.entry.root / "templates"
        vocabulary = vocabulary_of(domain, name, templates, self.seed)
        plain = read_problem(row["problem_pddl"], domain, row["problem_id"])
        problem = vocabulary.of(plain).problem(plain)
        rng = stream(self.seed, "words", row["problem_id"], name)
        english = explicit_text(problem, vocabulary.domain, vocabulary.words, templates, rng)
        described = english.text, english.init, english.goal, SENTENCES, english.register, 0
        return Text(row["problem_id"], MIXTURES[0, 0], name, 0, 0, 0, 0, [], 0, *described)

    def named_in(self, text: str, marks: Marks) -> frozenset[str]:
        """Return the marks of the objects that a passage names; its words may name some, too."""
        named, words_besides = self.names_in(text)
        if any(name in words_besides for name in marks.names):  # perhaps inside a word
            words = words_of(words_besides)
            named |= {mark for name, mark in marks.of_names().items() if name in words}
        return named

    def kind_of(self, who: Who) -> Mapping[str, Hashable]:
        """Return the kind of each object: its types, and the static facts that act as types."""
        return self._kind_of(who)

    def _kind_of_each(self, who: Who) -> dict[str, Hashable]:
        objects, kinds = objects_and_kinds(who)
        by_name: dict[str, list[str]] = defaultdict(list)
        for fact in kinds:
            kind, name = self.literal(fact).atom
            by_name[name].append(kind)
        kind_of: dict[str, Hashable] = {}
        for name, types in parse_typed(objects):
            kind_of[name] = types, tuple(sorted(by_name.get(name, ())))
        return kind_of


class OpenPlaces:
    """The objects that the texts of a problem leave open; the problem is read only where there are some."""

    def __init__(self, renderer: TextRenderer, row: Row, parts: PddlParts, marks: Marks) -> None:
        """Look at the texts of a problem, given with marks for names."""
        self.renderer, self.row, self.parts, self.marks = renderer, row, parts, marks
        self.kinds = renderer.kind_of(marks.who)
        self._stated: dict[int, frozenset[str]] = {}
        self._matter: dict[tuple[str, ...], bool | None] = {}

    def opened(self, init: tuple[int, str], goal: tuple[int, str]) -> list[str]:
        """Return the objects that a text leaves open, from each part's text and whether it is abstract."""
        if self.row["tied"] or self.row["strict"] or not init[0] + goal[0]:
            return []
        facts = self.parts.init, self.parts.goal
        passages = (
            NamedObjects(
                bool(abstract),
                self.renderer.named_in(text, self.marks) if abstract else self._named(number, facts[number]),
            )
            for number, (abstract, text) in enumerate((init, goal))
        )
        return open_objects(self.kinds, *passages)

    def matter(self, opened: Sequence[str]) -> bool | None:
        """Return whether exchanging these objects can change the goal; None if that is undecided."""
        names = tuple(opened)
        if names not in self._matter:
            try:
                self._matter[names] = bool(names) and self._goal.changes(names)
            except Undecided:
                self._matter[names] = None
        return self._matter[names]

    @cached_property
    def _goal(self) -> OpenGoal:
        return OpenGoal(self.renderer.entry.domain, self._problem, self.renderer.closure_rule)

    @cached_property
    def _problem(self) -> Problem:
        """The problem, put together from facts that were read before: a quarter of the time of reading it."""
        literal = self.renderer.literal
        init = frozenset([literal(fact).atom for fact in self.parts.init])
        goal = frozenset(map(literal, self.parts.goal))
        objects = parse_typed(self.parts.objects)
        return Problem(self.row["problem_id"], self.renderer.entry.name, objects, init, goal)

    def _named(self, number: int, facts: list[str]) -> frozenset[str]:
        """Return the objects in the facts of an explicit part."""
        if number not in self._stated:
            atoms = [self.renderer.literal(fact).atom for fact in facts]
            self._stated[number] = frozenset(chain.from_iterable([atom[1:] for atom in atoms]))
        return self._stated[number]


def names_in(text: str) -> tuple[frozenset[str], str]:
    """Return the marks in a text, and what it says besides, in small letters."""
    return frozenset(marks_in(text)), without_marks(text).lower()


def mixtures_of(row: Row) -> tuple[tuple[int, int], ...]:
    """Return the mixtures to render, as whether init and goal are abstract.

    Tied and strict tasks have no mixed ones: init or goal alone does not say which objects the other means.
    Where the goal holds at the start for some choice of its objects, a text that leaves them open asks for
    nothing; where it differs from that of another problem in its objects alone, it says nothing new.
    """
    if row["tied"] or row["strict"]:
        return ((0, 0), (1, 1))
    return ((0, 0),) if row["goal_holds_initially"] or row["explicit_only"] else tuple(MIXTURES)


@cache
def text_renderer(root: Path, name: str, seed: int) -> TextRenderer:
    """Return the renderer of a domain, cached in each process with the sentences it made."""
    return TextRenderer(entry_of(root, name), seed)


def columns(texts: Sequence[Text]) -> dict[str, Sequence[Any]]:
    """Return the texts by column."""
    return dict(
        zip(Text._fields, zip(*texts, strict=True) if texts else [()] * len(Text._fields), strict=True)
    )
