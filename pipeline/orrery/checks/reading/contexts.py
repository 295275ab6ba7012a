"""Read contexts of questions: objects, state, goal and rules must match the PDDL.

The parts come in the order that the template of the kind gives. Text that the wordings of the parts and the
words of the domain do not explain is a fault: a context describes the whole problem and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from orrery.checks.execution import added_facts, deleted_facts
from orrery.checks.reading.cursor import SHOWN, Cursor, UnreadableText
from orrery.checks.reading.list_wordings import noun_of, plurals
from orrery.checks.reading.prose import Names, prose_reader
from orrery.checks.reading.sentences import sentence_reader
from orrery.checks.reading.shapes import ShapeReader
from orrery.checks.reading.wording_tree import either, listed, worded
from orrery.checks.verdicts import differing
from orrery.language.choices import Every, Wordings
from orrery.language.words import NEGATION, Words, macros_of, names_by_type
from orrery.model import (
    EQUAL,
    OBJECT,
    Action,
    Atom,
    Domain,
    Literal,
    OrreryError,
    Predicate,
    Problem,
    Step,
    TypedName,
    literals,
)
from orrery.pddl.write import write_atom, write_literal

ALWAYS = "Always possible."
PROSE, FORMAL = "prose", "formal"
EXAMPLE_GOAL, EXAMPLE_GOALS = "The goal: ", "Wanted: "  # before a clause, and before sentences
QUESTIONS = "questions"  # the folder of templates with the wordings of all parts
LISTINGS_KEPT = 64
STEPS_KEPT = 20_000

Symbol: TypeAlias = Predicate | Action


class ReadBack(NamedTuple):
    """The faults of a context, and whether some of its wording is held out."""

    faults: list[str]
    held_out: bool

    def faults_of(self, row: Mapping[str, Any]) -> list[str]:
        """Return the faults, including those of the row's column ``unseen_templates``."""
        return self.faults or differing({"unseen_templates": int(self.held_out)}, row)


class ContextReader:
    """Reads contexts of questions on one domain."""

    def __init__(self, words: Words, domain: Domain, folder: str = QUESTIONS) -> None:
        """Prepare to read contexts in ``words``; ``folder`` contains the templates that list the parts."""
        self.words, self.domain, self.folder = words, domain, folder
        self.sentences = sentence_reader(words, domain)
        self.prose, self.shapes = prose_reader(words, domain), ShapeReader(words, domain)
        self.parts, self.rule = cache(self._parts), cache(self._rule)
        self.signature, self.notation = cache(self._signature), cache(self._notation)
        self.listings = lru_cache(maxsize=LISTINGS_KEPT)(self._listings)
        self.adds_and_deletes = lru_cache(maxsize=STEPS_KEPT)(self._adds_and_deletes)

    def check(
        self,
        context: str,
        kind: str,
        problem: Problem,
        steps: Iterable[Step],
        passages: Wordings | None = None,
        *,
        style: str = FORMAL,
        answered: bool = False,
    ) -> ReadBack:
        """Return where ``context`` differs from the domain and ``problem``, or cannot be read.

        Args:
            context: the text in words.
            kind: the kind of question, whose template lists the parts.
            problem: the problem that the context describes.
            steps: the ground actions of the problem.
            passages: the wordings of the goal, if an abstract passage states it.
            style: "formal" or "prose".
            answered: whether the question lists its possible answers; if so, prose need not explain their
                notation.
        """
        parts = self.parts(kind, style, answered)
        reading = self._read(parts, context, problem, style, passages, steps)
        return ReadBack([f"context: {fault}" for fault in reading.faults], reading.held_out)

    def faults_of_example(self, passage: str, problem: Problem, style: str) -> str:
        """Return where a passage on objects, state and goal alone differs from ``problem``."""
        return "; ".join(self._read(("example",), passage, problem, style).faults)

    def _read(
        self,
        parts: Sequence[str],
        text: str,
        problem: Problem,
        style: str,
        passages: Wordings | None = None,
        steps: Iterable[Step] = (),
    ) -> _Formal:
        """Return a text that was read part by part, as far as it can be read."""
        reading = (_Prose if style == PROSE else _Formal)(self, text, problem, passages, steps)
        try:
            for part in parts:
                getattr(reading, f"read_{part}")()
            reading.end()
        except UnreadableText as error:
            reading.faults.append(str(error))
        return reading

    @cached_property
    def wordings(self) -> Mapping[str, tuple[str, ...]]:
        """The wordings of headings and remarks, by their names in the template."""
        module = macros_of(self.words.templates, f"{QUESTIONS}/context")
        return {
            name: tuple(str(wording).lstrip() for wording in value)
            for name, value in vars(module).items()
            if isinstance(value, list)
        }

    def _parts(self, kind: str, style: str, answered: bool) -> tuple[str, ...]:
        """Return the names of the parts of a context, in order."""
        template = macros_of(self.words.templates, f"{self.folder}/{kind}", "parts")
        if style == FORMAL:
            return tuple(template.parts)
        if style != PROSE:
            raise OrreryError(f"context of {kind}", f"has no style '{style}'")
        parts = getattr(template, "prose_parts", template.parts)
        return tuple(part for part in parts if not answered or part in ("world", "goal"))

    @cached_property
    def intros(self) -> Wordings:
        """The wordings of the introduction to the domain."""
        return self.words.every("intro")

    def _listings(self, names: tuple[tuple[str, tuple[str, ...]], ...]) -> Wordings:
        """Return the wordings of the list of objects; ``names`` are the objects by type."""
        return self.words.every("objects", {kind: list(members) for kind, members in names})

    @cached_property
    def listed_predicates(self) -> frozenset[str]:
        """The static predicates that the list of objects states."""
        return frozenset() if self.domain.types else frozenset(self.words.kinds_listed(self.domain))

    @cached_property
    def subtypes(self) -> list[Wordings]:
        """The wordings of each sentence on subtypes: "Crates and pallets are surfaces."."""
        below: dict[str, list[str]] = defaultdict(list)
        for typed in self.domain.types:
            for above in typed.types:
                below[above].append(typed.name)
        below.pop(OBJECT, None)
        sentences = []
        for above, kinds in below.items():
            first, *others = (plurals(noun_of(self.words, kind)) for kind in (*kinds, above))
            *subtypes, supertype = map(Every.of, ([plural.capitalize() for plural in first], *others))
            sentences.append(Wordings.of(f"{listed(subtypes)} are {supertype}."))
        return sentences

    def _signature(self, symbol: Symbol) -> Wordings:
        """Return the wordings of the form of a predicate or an action, its types and its meaning."""
        form = (symbol.name, *(parameter.name for parameter in symbol.parameters))
        typed = [
            f"{either(noun_of(self.words, kind) for kind in parameter.types)} {parameter.name}"
            for parameter in symbol.parameters
            if OBJECT not in parameter.types
        ]
        types = f", for {listed(typed)}" if typed else ""
        return Wordings.of(f"{write_atom(form)}{types}: {self._meaning(symbol, form)}.")

    def _notation(self, symbol: Symbol, has_meaning: bool) -> Wordings:
        """Return the wordings of the form of a predicate or an action in prose, perhaps with its meaning."""
        form = (symbol.name, *_stand_ins(symbol.parameters))
        return Wordings.of(write_atom(form) + (f": {self._meaning(symbol, form)}" if has_meaning else ""))

    def _rule(self, action: Action, arguments: tuple[str, ...]) -> Wordings:
        """Return the wordings of the conditions and effects of an action with these arguments."""
        variables = (parameter.name for parameter in action.parameters)
        clause = partial(self._clause, dict(zip(variables, arguments, strict=True)))
        deleted = literals(action.delete - action.add)
        parts = (
            ("needs_openings", action.preconditions, listed),
            ("makes_openings", literals(action.add), listed),
            ("ends_openings", deleted & action.preconditions, "; ".join),
            ("may_end_openings", deleted - action.preconditions, "; ".join),
        )
        stated = [
            f"{Every.of(self.wordings[openings])}{join([*map(clause, sorted(conjuncts))])}."
            for openings, conjuncts, join in parts
            if conjuncts
        ]
        return Wordings.of(" ".join(stated if action.preconditions else [ALWAYS, *stated]))

    def _clause(self, argument_of: Mapping[str, str], literal: Literal) -> str:
        """Return all wordings of a literal with arguments in place of variables, encoded."""
        predicate, *variables = literal.atom
        arguments = [argument_of.get(variable, variable) for variable in variables]
        if predicate == EQUAL:
            return f"{' and '.join(arguments)} are {'equal' if literal.positive else 'different'}"
        return ("" if literal.positive else NEGATION) + worded(self.words, "fact", (predicate, *arguments))

    def _meaning(self, symbol: Symbol, form: Atom) -> str:
        return worded(self.words, "action" if isinstance(symbol, Action) else "fact", form)

    @cached_property
    def actions_may_repeat(self) -> bool:
        """Whether types and inequalities allow a repeated object in some action."""
        return any(
            may_be_one(self.domain, *pair) and not _are_different(action, *pair)
            for action in self.domain.actions
            for pair in combinations(action.parameters, 2)
        )

    @cached_property
    def fluents(self) -> list[Predicate]:
        """The predicates of facts that actions change, in the order of the domain."""
        return [predicate for predicate in self.domain.predicates if predicate.name in self.domain.fluents]

    @cached_property
    def both_ways(self) -> frozenset[str]:
        """The names of the actions that add and delete facts of the same predicate."""
        return frozenset(
            action.name
            for action in self.domain.actions
            if not {atom[0] for atom in action.add}.isdisjoint(atom[0] for atom in action.delete)
        )

    def _adds_and_deletes(self, step: Step) -> bool:
        """Return whether a ground action adds a fact that it also deletes."""
        return not added_facts(self.domain, step).isdisjoint(deleted_facts(self.domain, step))


context_reader = cache(ContextReader)  # the patterns are costly, so that each process builds them once


def may_be_one(domain: Domain, first: TypedName, second: TypedName) -> bool:
    """Return whether one object, by its types, may fill both positions."""
    kinds = [typed.name for typed in domain.types] or [OBJECT]
    return any(domain.fits((kind,), first.types) and domain.fits((kind,), second.types) for kind in kinds)


def _are_different(action: Action, first: TypedName, second: TypedName) -> bool:
    """Return whether an action requires different objects for two parameters."""
    pairs = (first.name, second.name), (second.name, first.name)
    return any(Literal((EQUAL, *pair), False) in action.preconditions for pair in pairs)


class _Formal(Cursor):
    """A context that is being read, with variables in its rules and one fact per sentence.

    ``faults`` are the differences from the PDDL so far.
    """

    prefix, rules = "", "actions_headings"  # what the names of wordings begin with, and those above rules

    def __init__(
        self,
        reader: ContextReader,
        context: str,
        problem: Problem,
        passages: Wordings | None,
        steps: Iterable[Step],
    ) -> None:
        super().__init__(context)
        self.steps = steps
        self.reader, self.domain, self.problem, self.passages = reader, reader.domain, problem, passages
        self.sentences, self.wordings = reader.sentences, reader.wordings
        self.faults: list[str] = []

    def read_example(self) -> None:
        """Read objects, state and goal of a problem that is told without its rules."""
        self.listing()
        self.compare("the state", self.state(), map(Literal, self.stated_facts()))
        in_one_clause = self.take((EXAMPLE_GOAL,))
        if not in_one_clause:
            self.need((EXAMPLE_GOALS,), "the goal")
        self.compare("the goal", self.wanted(in_one_clause), self.problem.goal)

    def read_goal(self) -> None:
        """Read the goal: its passage, sentences of its own, or one clause."""
        in_one_clause = not self.take(self.wordings[f"{self.prefix}goal_headings"])
        if in_one_clause:
            self.need(self.wordings[f"{self.prefix}goal_openings"], "the goal")
        elif self.passages:
            return self.need(self.passages, "the passage on the goal")
        self.compare("the goal", self.wanted(in_one_clause), self.problem.goal)

    def read_rules(self) -> None:
        """Read the actions with their conditions and effects."""
        self.need(self.wordings[self.rules], "the actions")
        for action in self.domain.actions:
            rule = self.reader.rule(action, self.signature(action))
            self.need(rule, f"the conditions and effects of {action.name}")

    def stated_facts(self) -> Collection[Atom]:
        """Return the facts that the context must state."""
        return self.problem.init

    @cached_property
    def names(self) -> Names:
        """The objects by kind."""
        return names_by_type(self.problem, self.domain)

    def introduction(self) -> None:
        """Read the introduction to the domain."""
        self.need(self.reader.intros, "the introduction of the domain")

    def objects(self) -> None:
        """Read the list of objects, and the sentences on subtypes."""
        self.listing()
        for wordings in self.reader.subtypes:
            self.need(wordings, "the supertypes")

    def listing(self) -> None:
        """Read the list of objects."""
        names = tuple((kind, tuple(members)) for kind, members in self.names.items())
        self.need(self.reader.listings(names), "the list of objects")

    def remarks(self, repeats: bool) -> None:
        """Read the remarks on repeated objects in an action, and on facts that are both added and deleted."""
        two_way_actions = self.reader.both_ways
        adds_win = any(
            self.reader.adds_and_deletes(step) for step in self.steps if step[0] in two_way_actions
        )
        for wordings, due in (("actions_remarks", repeats), ("adds_win_remarks", adds_win)):
            if self.take(self.wordings[wordings]) != due:
                self.faults.append(f"{'lacks' if due else 'has'} a remark of {wordings}")

    def clauses(self) -> list[Literal]:
        """Return the literals of the formal clauses at the current place."""
        if (clauses := self.sentences.clauses(self.text, self.at)) is None:
            raise UnreadableText(f"cannot be read: {self.here()}")
        self.at, self.held_out = clauses.end, self.held_out or clauses.held_out
        return clauses.literals

    def full_stop(self) -> None:
        """Read a full stop."""
        self.need((".",), "a full stop")

    def compare(self, title: str, stated: Sequence[Literal], true: Iterable[Literal]) -> None:
        """Add a fault for each literal that is missing, wrong or stated twice."""
        literals, expected = set(stated), set(true)
        for verb, differing_literals in (
            ("lacks", expected - literals),
            ("wrongly has", literals - expected),
        ):
            self.faults += [f"{title} {verb} {write_literal(one)}" for one in sorted(differing_literals)]
        if len(stated) != len(literals):
            self.faults.append(f"{title} says the same twice")

    def compare_state(self, statics: Sequence[Literal], state: Sequence[Literal]) -> None:
        """Compare the static facts and the other facts with those that the context must state."""
        by_change: dict[bool, list[Literal]] = {False: [], True: []}
        for fact in self.stated_facts():
            by_change[fact[0] in self.domain.fluents].append(Literal(fact))
        self.compare("the state", statics, by_change[False])
        self.compare("the state", state, by_change[True])

    def read_world(self) -> None:
        """Read the introduction, the objects, and all true facts."""
        self.introduction()
        self.objects()
        headings = ("statics_headings", "state_headings")
        statics, state = (self.state() if self.take(self.wordings[h]) else [] for h in headings)
        self.compare_state(statics, state)
        self.need(self.wordings["closings"], "what is not stated does not hold")

    def read_propositions(self) -> None:
        """Read the notation of facts that actions change."""
        self.need(self.wordings["propositions_headings"], "the propositions")
        for predicate in self.reader.fluents:
            self.signature(predicate)

    def read_actions(self) -> None:
        """Read the actions, and the remarks on them."""
        self.read_rules()
        self.remarks(self.reader.actions_may_repeat)

    def wanted(self, in_one_clause: bool) -> list[Literal]:
        """Return the goal at the current place."""
        if not in_one_clause:
            return self.state()
        literals = self.clauses()
        self.full_stop()
        return literals

    def state(self) -> list[Literal]:
        """Return the literals that the sentences at the current place state."""
        sentences = self.sentences.sentences(self.text, self.at)
        self.move(sentences.end, held_out=sentences.held_out)
        return sentences.literals

    def signature(self, symbol: Symbol) -> tuple[str, ...]:
        """Read the form, the types and the meaning of a predicate or an action; return its variables."""
        self.need(self.reader.signature(symbol), f"the form, types and meaning of {symbol.name}")
        return tuple(parameter.name for parameter in symbol.parameters)


class _Prose(_Formal):
    """A context in prose; its rules have words in capitals in place of objects."""

    prefix, rules = "prose_", "prose_rules_headings"

    def read_world(self) -> None:
        """Read the introduction, the objects, and the sentences on all true facts."""
        self.introduction()
        self.remarks(any(len({*step[1:]}) < len(step) - 1 for step in self.steps))
        self.objects()
        statics = self._facts(self.until(self.wordings["present_openings"]))
        self.compare_state(
            statics, self._read(self.reader.prose.read, self.until(self.wordings["prose_closings"]))
        )

    def stated_facts(self) -> Collection[Atom]:
        """Return the facts that the list of objects does not tell."""
        return [fact for fact in self.problem.init if fact[0] not in self.reader.listed_predicates]

    def state(self) -> list[Literal]:
        """Return the literals that the current line states."""
        return self._facts(self.line())

    def _facts(self, text: str) -> list[Literal]:
        """Return what a text states that may begin with shapes."""
        shapes = self.reader.shapes.read(text, self.names)
        self.held_out |= shapes.held_out
        return [*map(Literal, shapes.facts), *self._read(self.reader.prose.read, shapes.rest)]

    def wanted(self, in_one_clause: bool) -> list[Literal]:
        """Return the goal at the current place, up to the end of the line."""
        line = self.line()
        if not line.endswith("."):
            raise UnreadableText(f"the goal ends without a full stop: {line[-SHOWN:]!r}")
        prose = self.reader.prose
        return self._read(prose.clause, line[:-1]) if in_one_clause else self._read(prose.read, line)

    def read_propositions(self) -> None:
        """Read the notation of facts that actions change, and their meaning."""
        self.need(self.wordings["prose_propositions_headings"], "the notation of facts")
        self._notation(self.reader.fluents, self.reader.fluents)

    def read_actions(self) -> None:
        """Read the notation of actions, and their meaning if their types do not determine it."""
        self.need(self.wordings["prose_actions_headings"], "the notation of actions")
        actions = self.domain.actions
        self._notation(actions, [action for action in actions if _interchangeable(action.parameters)])

    def signature(self, symbol: Symbol) -> tuple[str, ...]:
        """Read the form and the meaning of a predicate or an action; return the words for its variables."""
        self.need(self.reader.notation(symbol, True), f"the form and meaning of {symbol.name}")
        self.full_stop()
        return _stand_ins(symbol.parameters)

    def _notation(self, symbols: Sequence[Symbol], explained: Sequence[Symbol]) -> None:
        """Read the forms of ``symbols``; those in ``explained`` have a meaning."""
        for place, symbol in enumerate(symbols, 1):
            self.need(self.reader.notation(symbol, symbol in explained), f"the form of {symbol.name}")
            self.need((";" if place < len(symbols) else ".",), f"the end of the form of {symbol.name}")

    def _read(self, read: Callable[[str, Names], tuple[list[Literal], bool]], text: str) -> list[Literal]:
        """Return the literals that ``read`` finds in a text."""
        try:
            literals, held_out = read(text, self.names)
        except OrreryError as error:
            raise UnreadableText(f"{error.where} {error.problem}") from error
        self.held_out |= held_out
        return literals


def _stand_ins(parameters: Sequence[TypedName]) -> tuple[str, ...]:
    """Return the words that replace parameters: their types, numbered if repeated, or names."""
    words = [("-or-".join(p.types) if OBJECT not in p.types else p.name[1:]).upper() for p in parameters]
    return tuple(
        f"{word}{words[: place + 1].count(word)}" if words.count(word) > 1 else word
        for place, word in enumerate(words)
    )


def _interchangeable(parameters: Sequence[TypedName]) -> bool:
    """Return whether two parameters have the same types, or one has none; then their form needs a meaning."""
    pairs = combinations(parameters, 2)
    return any(OBJECT in p.types for p in parameters) or any(
        first.types == second.types for first, second in pairs
    )
