"""The texts of problems: every combination of explicit and abstract parts, in any number of wordings.

Random choices (order, wordings) are drawn once per problem and shared by its mixtures.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import compress
from pathlib import Path
from random import Random
from typing import NamedTuple

from orrery.catalog import ENTRIES_KEPT, Entry, entry_of
from orrery.config import RenderSize
from orrery.equivalence.graph import Undecided
from orrery.equivalence.open_goal import OpenGoal
from orrery.families.text_to_pddl.open_objects import (
    NamedObjects,
    exchange_changes,
    open_objects,
    words_of,
)
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.language.choices import ChosenSentences, ChosenText, Turn, may_be_held_out
from orrery.language.frame import PARTS, TURNS, explicit_text, frame_of
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.renamed_domain import vocabulary_of
from orrery.language.shapes import CompleteRelations
from orrery.language.words import PHRASES_KEPT, arranged, kind_by_kind, names_by_type, natural, numbers
from orrery.model import WITH_EXPLICIT_GOAL, Literal, OrreryError, Problem, Row, literals, parameters_beside
from orrery.pddl.write import parse_problem
from orrery.seeds import stream
from orrery.store.columns import Table, from_columns

PLAIN = "plain"
MIXTURES = {
    (0, 0): "explicit-explicit",
    (0, 1): "explicit-abstract",
    (1, 0): "abstract-explicit",
    (1, 1): "abstract-abstract",
}
HEAD = 6  # numbers drawn for objects, frame, passages, manner and telling, before those of the facts
SENTENCES, PROSE, SUMMARY = "sentences", "prose", "summary"
MARKED = 2  # letters of a name in the length of a sentence, besides those of its number
SPARE = 4  # limit of draws for a paraphrase with a different text
EXPLICIT, ABSTRACT, BESIDE_EXPLICIT = range(3)  # forms of a part
SPREAD = 0x9E3779B97F4A7C15F39CC0605CEDC835  # 2^128 divided by the golden ratio (Knuth, TAOCP 3, 6.4)


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
    unseen_templates: int


class Manner(NamedTuple):
    """The style of a problem's texts, as a 32-bit number determines it."""

    prose: bool
    held: bool
    shuffled: bool

    @classmethod
    def of(cls, number: int, problem_id: str) -> Manner:
        """Return the style; in test splits, held-out wordings may occur in every second problem."""
        held = may_be_held_out(problem_id) and number // 2 % 2 == 1
        return cls(number % 2 == 1, held, number // 4 % 2 == 1)


class DescribedProblem(NamedTuple):
    """A problem, and its objects: their names by type, as in prose, and in groups of one kind.

    A kind is a type with the static facts that act as types.
    """

    problem: Problem
    names: Mapping[str, Sequence[str]]
    order: ObjectOrder
    kinds: Sequence[frozenset[str]]


class PartText(NamedTuple):
    """Initial state or goal in words, and the names that occur there."""

    text: str
    held_out: bool
    named: frozenset[str]


class TextRenderer:
    """Renders problems of one domain."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to render texts of a domain; ``seed`` is the root seed of the build."""
        self.entry, self.seed, self.words = entry, seed, entry.words
        self.sentences = lru_cache(maxsize=PHRASES_KEPT)(self.words.sentences)
        self.writer = ProseWriter(self.words, entry.domain)
        self.complete = CompleteRelations(self.words, entry.domain)
        self.listed_kinds = self.words.kinds_listed(entry.domain)
        statics = [p for p in entry.domain.predicates if p.name not in entry.domain.fluents]
        self.static_kinds = frozenset(p.name for p in statics if p.arity == 1)  # facts that act as types
        # If static facts have one object each, objects of one kind have the same static facts.
        self.exchangeable = all(p.arity == 1 for p in statics) and entry.exchangeable

    def texts(self, row: Row, size: RenderSize) -> list[Text]:
        """Return every text that ``size`` requires for a problem, given as a row of the table of problems.

        Raises:
            OrreryError: with a note that names the problem.
        """
        try:
            described = self.described(parse_problem(row["problem_pddl"]))
            texts = list(_Mixtures(self, row, described).texts())
            for number in range(1, size.paraphrases):
                texts += self._in_other_words(row, described, number, texts)
            for name, share in sorted(size.vocabularies.items()):
                if stream(self.seed, "vocabularies", name, row["problem_id"]).random() < share:
                    texts.append(self._obfuscated(row["problem_id"], described.problem, name))
        except OrreryError as error:
            error.add_note(f"at problem {row['problem_id']}")
            raise
        return texts

    def described(self, problem: Problem) -> DescribedProblem:
        """Return a problem with its objects by type and by kind."""
        domain, objects = self.entry.domain, problem.objects
        names = names_by_type(problem, domain)
        static_kinds: dict[str, tuple[str, ...]] = {}
        for kind, name in sorted(fact for fact in problem.init if fact[0] in self.static_kinds):
            static_kinds[name] = (*static_kinds.get(name, ()), kind)
        by_kind: dict[Hashable, list[str]] = defaultdict(list)
        for name, types in objects:
            by_kind[types, static_kinds.get(name)].append(name)
        by_name = natural if domain.types else kind_by_kind(static_kinds)
        apart = not (domain.types and static_kinds) and all(len(typed.types) == 1 for typed in objects)
        numbered = sorted(objects, key=lambda typed: (apart and typed.types, by_name(typed.name), typed.name))
        # Problems that differ only in names are told in the same sentences: a name counts like its number.
        letters = {typed.name: MARKED + len(str(number)) for number, typed in enumerate(numbered)}
        order = ObjectOrder.of(names)._replace(letters=letters)
        return DescribedProblem(problem, names, order, [*map(frozenset, by_kind.values())])

    def _in_other_words(
        self, row: Row, described: DescribedProblem, number: int, earlier: list[Text]
    ) -> Iterator[Text]:
        """Yield paraphrase ``number`` of each mixture, except texts that were rendered already."""
        earlier_texts = {text.natural_language for text in earlier}
        mixtures = {text.mixture for text in earlier}
        for attempt in range(SPARE if mixtures else 0):
            for text in _Mixtures(self, row, described, number, attempt).texts():
                if text.mixture in mixtures and text.natural_language not in earlier_texts:
                    mixtures.remove(text.mixture)
                    yield text

    def _obfuscated(self, problem_id: str, plain: Problem, name: str) -> Text:
        """Return the explicit text of the problem in the words of the vocabulary ``name``."""
        domain, templates = self.entry.domain, self.entry.root / "templates"
        vocabulary = vocabulary_of(domain, name, templates, self.seed)
        problem = vocabulary.of(plain).problem(plain)
        rng = stream(self.seed, "words", problem_id, name)
        english = explicit_text(problem, vocabulary.domain, vocabulary.words, templates, rng)
        described = english.text, english.init, english.goal, SENTENCES, english.register, 0
        return Text(problem_id, MIXTURES[0, 0], name, 0, 0, 0, 0, [], 0, *described)


class _Mixtures:
    """The mixtures of one problem, which share objects, frame, initial state and goal."""

    def __init__(
        self, renderer: TextRenderer, row: Row, described: DescribedProblem, paraphrase: int = 0,
        attempt: int = 0,
    ) -> None:  # fmt: skip
        """Draw the style of the problem's texts."""
        self.renderer, self.row, self.described, self.paraphrase = renderer, row, described, paraphrase
        self.problem = described.problem
        name, init, goal = row["problem_id"], sorted(literals(self.problem.init)), sorted(self.problem.goal)
        path = (name, paraphrase, attempt) if paraphrase else (name,)
        middle = HEAD + len(init)
        drawn = numbers(stream(renderer.seed, "words", *path), middle + len(goal))
        self.listing, frame, *turns, manner, self.prose_turn = drawn[:HEAD]
        self.turns = dict(zip(("init", "goal"), turns, strict=True))
        self.manner = Manner.of(manner, name)
        self.frame = frame_of(renderer.entry.root / "templates", frame, self.manner.held)
        self.facts = {"init": (init, drawn[HEAD:middle]), "goal": (goal, drawn[middle:])}
        self._parts: dict[tuple[str, int], PartText | None] = {}
        self._matter: dict[tuple[str, ...], bool | None] = {}

    def texts(self) -> Iterator[Text]:
        """Yield the texts of the mixtures for which words exist.

        A text is omitted if it is undecided whether its open objects matter: unproven results are not
        exported.
        """
        turn = self._turn(self.listing)
        objects = self.renderer.words.objects(self.described.names, turn)
        for init_is_abstract, goal_is_abstract in mixtures_of(self.row):
            init = self.part("init", self._form_of_init(init_is_abstract, goal_is_abstract))
            goal = self.part("goal", goal_is_abstract)
            if init is None or goal is None:
                continue
            matters, open_names = self._left_open((init_is_abstract, init), (goal_is_abstract, goal))
            if matters is not None:
                held_out = self.frame.held_out or turn.held_out or init.held_out or goal.held_out
                yield Text(
                    problem_id=self.row["problem_id"],
                    mixture=MIXTURES[init_is_abstract, goal_is_abstract],
                    vocabulary=PLAIN,
                    paraphrase=self.paraphrase,
                    init_is_abstract=init_is_abstract,
                    goal_is_abstract=goal_is_abstract,
                    is_placeholder=int(matters),
                    open_objects=open_names,
                    goal_holds_initially=0,
                    natural_language=self.frame.around(objects, init.text, goal.text),
                    init_text=init.text,
                    goal_text=goal.text,
                    style=self._style(init_is_abstract, goal_is_abstract),
                    register=self.frame.register,
                    unseen_templates=int(held_out),
                )

    def _turn(self, number: int) -> Turn:
        """Return the turn of a number, enlarged because the last choices of a passage need a large one."""
        return Turn(number % TURNS * SPREAD, self.manner.held)

    def _style(self, init_is_abstract: int, goal_is_abstract: int) -> str:
        if init_is_abstract and goal_is_abstract:
            return SUMMARY
        return PROSE if self.manner.prose else SENTENCES

    def _form_of_init(self, init_is_abstract: int, goal_is_abstract: int) -> int:
        """Return the form of the initial state: with an explicit goal, its passage may have more content."""
        is_beside = init_is_abstract and not goal_is_abstract
        says_more = f'"{WITH_EXPLICIT_GOAL}":' in self.row["init_parameters"]
        return BESIDE_EXPLICIT if is_beside and says_more else init_is_abstract

    def part(self, part: str, form: int) -> PartText | None:
        """Return initial state or goal, cached; None if there are no words for a passage."""
        if (part, form) not in self._parts:
            chosen = self._explicit(part) if form == EXPLICIT else self._passage(part, form)
            self._parts[part, form] = chosen and PartText(*chosen, self._named(part, form, chosen.text))
        return self._parts[part, form]

    # ---- explicit parts ----

    def _explicit(self, part: str) -> ChosenText:
        """Return the facts of initial state or goal, in separate sentences or in prose.

        Facts in the description of complete relations, or in the list of objects, are not repeated.
        """
        facts, drawn = self.facts[part]
        at_once, told_at_once = self._at_once(facts) if part == "init" else ([], set[str]())
        is_open = [fact.atom[0] not in told_at_once for fact in facts]
        facts, drawn = list(compress(facts, is_open)), tuple(compress(drawn, is_open))
        sentences = self._prose(part, facts) if self.manner.prose else self._sentences(facts, drawn)
        texts = [text for text, _ in at_once] + sentences.sentences
        held_out = sentences.held_out or any(held_out for _, held_out in at_once)
        return ChosenText(self.frame.between[PARTS.index(part)].join(texts), held_out)

    def _at_once(self, facts: Sequence[Literal]) -> tuple[list[ChosenText], set[str]]:
        """Return sentences for relations that are described at once, and the predicates of these facts.

        The list of objects also describes kinds.
        """
        complete, sentences, told = self.renderer.complete, [], set(self.renderer.listed_kinds)
        for predicate in complete.predicates:
            size = complete.size(predicate, self.described.names)
            if size and sum(fact.atom[0] == predicate for fact in facts) == size:
                turn = Turn(self.prose_turn, self.manner.held)
                told.add(predicate)
                sentences.append(ChosenText(complete.sentence(predicate, turn), turn.held_out))
        return sentences, told

    def _sentences(self, facts: Sequence[Literal], drawn: Sequence[int]) -> ChosenSentences:
        return arranged(map(self.renderer.sentences, facts), drawn, self.manner.held)

    def _prose(self, part: str, facts: Sequence[Literal]) -> ChosenSentences:
        _, held, shuffled = self.manner
        rng = Random(2 * self.prose_turn + (part == "init"))
        return self.renderer.writer.prose(facts, self.described.order, rng, held=held, shuffled=shuffled)

    # ---- passages ----

    def _passage(self, part: str, form: int) -> ChosenText | None:
        """Return the abstract text of initial state or goal; None if the configuration has none."""
        words, configuration = self.renderer.words, self.row[f"{part}_configuration"]
        if not words.has_passage(part, configuration):
            return None
        turn = self._turn(self.turns[part] % TURNS)
        parameters = parameters_beside(
            json.loads(self.row[f"{part}_parameters"]), explicit_goal=form == BESIDE_EXPLICIT
        )
        text = words.passage(part, configuration, parameters, self.described.names, turn)
        return ChosenText(text, turn.held_out)

    # ---- open objects ----

    def _named(self, part: str, form: int, text: str) -> frozenset[str]:
        """Return the objects that a part names, among other words of a passage."""
        if form == EXPLICIT:
            return frozenset(name for fact in self.facts[part][0] for name in fact.atom[1:])
        return words_of(text)

    def _left_open(
        self, init: tuple[int, PartText], goal: tuple[int, PartText]
    ) -> tuple[bool | None, list[str]]:
        """Return whether an exchange of open objects can change the goal, and the names of these objects."""
        opened: tuple[str, ...] = ()
        if not (self.row["tied"] or self.row["strict"]) and (init[0] or goal[0]):
            passages = (NamedObjects(bool(is_abstract), part.named) for is_abstract, part in (init, goal))
            opened = tuple(open_objects(self.described.kinds, *passages))
        if opened not in self._matter:
            self._matter[opened] = self._matters(opened)
        return self._matter[opened], list(opened)

    def _matters(self, opened: tuple[str, ...]) -> bool | None:
        """Return whether an exchange of these objects can change the goal; None if that is undecided."""
        if not opened:
            return False
        if self.renderer.exchangeable:
            if exchange_changes(self.problem.goal_facts, self.described.kinds, opened):
                return True
            if len(self.problem.goal_facts) == len(self.problem.goal):
                return False
        try:
            return self._open_goal.changes(opened)
        except Undecided:
            return None

    @cached_property
    def _open_goal(self) -> OpenGoal:
        """The goal of the problem."""
        return OpenGoal(self.renderer.entry.domain, self.problem, self.renderer.entry.closure_rule)


def mixtures_of(row: Row) -> tuple[tuple[int, int], ...]:
    """Return the mixtures to render, as pairs: whether init is abstract, and whether goal is.

    Tied and strict tasks have no mixed ones: with only init or only goal, the other part's references are not
    determined. If the goal holds initially for some choice of its objects, a text that leaves them open asks
    for nothing. If the goal differs from that of another problem only in its objects, such a text repeats
    that problem's text.
    """
    if row["tied"] or row["strict"]:
        return ((0, 0), (1, 1))
    return ((0, 0),) if row["goal_holds_initially"] or row["explicit_only"] else tuple(MIXTURES)


def texts_table(root: Path, name: str, seed: int, size: RenderSize, rows: Table) -> Table:
    """Return every text that ``size`` requires for problems, given as rows of the table of problems."""
    renderer = text_renderer(root, name, seed)
    texts = [text for row in rows.to_pylist() for text in renderer.texts(row, size)]
    columns = zip(*texts, strict=True) if texts else [()] * len(Text._fields)
    return from_columns(TEXTS, dict(zip(Text._fields, columns, strict=True)))


@lru_cache(maxsize=ENTRIES_KEPT)
def text_renderer(root: Path, name: str, seed: int) -> TextRenderer:
    """Return the renderer of a domain, cached in each process with its sentences."""
    return TextRenderer(entry_of(root, name), seed)
