"""The context of a question in words: the data for the templates of ``templates/questions``.

There are two styles. ``prose`` describes the rules in the introduction of the domain, and state and goal in
fluent text. ``formal`` lists every fact, and every condition and effect of each action, with variables.

Every predicate and action keeps one wording in a question, as far as lists allow, so that a reader recognizes
the same predicate in state, goal and rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

from orrery.families.questions.question_row import QuestionTexts
from orrery.families.questions.state_record import StateRecord
from orrery.language.choices import ChosenText, Steady, Turn, held_out, may_be_held_out
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.shapes import has_shapes, shape_of
from orrery.language.shapes import passage as shaped
from orrery.language.words import (
    NEGATION,
    Words,
    article,
    form,
    listing,
    macro_name,
    macros_of,
    names_by_type,
    natural,
    sentence,
)
from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, Step, TypedName
from orrery.pddl.write import write_atom
from orrery.planning.execution import substituted
from orrery.planning.possible import names_twice
from orrery.seeds import stream

WORDINGS = 60  # divisible by 2, 3, 4 and 5, so that wordings are drawn uniformly from every list
SHARED = 3  # minimum number of facts, different in one argument, that one sentence states together
CLAUSE = 4  # length of a clause, in multiples of a name
INLINE = 3  # maximum number of clauses of a goal in one sentence
LONG = 500  # minimum number of characters for which sentences have separate lines
PARTS = ("intro", "objects", "context")
TURNS = 2**32  # numbers for texts with several choices
PROSE, FORMAL = STYLES = ("prose", "formal")
HELD_SHARE = 0.5  # share of states of test splits whose contexts may have held-out wordings
FORMAL_SHARE = 0.25  # share of states whose contexts are formal
IN_ONE = 2  # maximum number of clauses of a goal in one sentence
WRITERS_KEPT = 32
TURN_OF_PROSE = "prose"  # the number that determines how facts are arranged in sentences
NOTATION = ("propositions", "actions")  # parts that explain the notation of answers

Text = TypeVar("Text", str, list[str])
Told = TypeVar("Told")


@dataclass(frozen=True)
class Signature:
    """A predicate or action, as data for the templates.

    ``form`` is ``(on ?x ?y)``. ``typed`` names the types of the arguments ("" if there are none). ``meaning``
    is a clause or phrase. ``needs``, ``makes`` and ``ends`` are clauses for preconditions, add and delete
    effects; ``may_end`` are clauses for delete effects that need not be true before.
    """

    form: str
    typed: str
    meaning: str
    needs: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    may_end: tuple[str, ...] = ()


@dataclass(frozen=True)
class QuestionContext:
    """A state with the wordings drawn for it; the properties are the possible parts of the context.

    ``held`` tells whether held-out wordings may occur. With ``goal_order``, the goal is stated literal by
    literal in this order; with ``goal_passage``, this text states it.
    """

    record: StateRecord
    words: Words
    variants: dict[str, int]
    style: str = FORMAL
    held: bool = False
    goal_order: tuple[Literal, ...] = ()
    goal_passage: ChosenText | None = None

    def rendered(self, kind: str, *, answered: bool = False) -> ChosenText:
        """Return the context of a kind of question, and whether some of its wording is held out.

        ``answered`` means that the question lists its answers, so that prose need not explain their notation.
        """
        template = macros_of(self.words.templates, f"questions/{kind}")
        return self.parts(parts_of(template, self.style, answered=answered))

    def parts(self, names: Iterable[str]) -> ChosenText:
        """Return parts of the context, each on separate lines."""
        parts = [self._part(name) for name in names]
        return ChosenText(
            "\n".join(part.text for part in parts if part.text), any(part.held_out for part in parts)
        )

    def _part(self, name: str) -> ChosenText:
        """Return a part of the context, cached."""
        if name not in self._parts:
            turn = Steady(self.variants["context"], self.held)
            template = macros_of(self.words.templates, "questions/context")
            macro = getattr(template, f"prose_{name}" if self.style == PROSE else name)
            self._held_out.clear()
            text = neat(str(macro(self, turn)))
            self._parts[name] = ChosenText(text, turn.held_out or bool(self._held_out))
        return self._parts[name]

    @cached_property
    def _parts(self) -> dict[str, ChosenText]:
        """The cached parts, by name."""
        return {}

    @cached_property
    def _held_out(self) -> list[object]:
        """The texts with held-out wording since the beginning of the last part."""
        return []

    @cached_property
    def _symbols_held_out(self) -> frozenset[str]:
        """The predicates and actions, after "fact" or "action", whose wording is held out."""
        return frozenset(
            f"{kind} {symbol}"
            for kind, symbol in symbols_of(self.record.domain)
            if self.variants[f"{kind} {symbol}"] >= ordinary(self.words.variants(kind, symbol))
        )

    def _noted(self, text: Text, held_out: bool) -> Text:
        """Return a text; record whether some of its wording is held out."""
        if held_out:
            self._held_out.append(text)
        return text

    def _told(self, part: str, tell: Callable[..., str], *arguments: object) -> str:
        """Return the text of ``tell`` for the turn of a part."""
        turn = Turn(self.variants[part], self.held)
        return self._noted(tell(*arguments, turn), turn.held_out)

    @property
    def intro(self) -> str:
        """The introduction to the domain."""
        return self._told("intro", self.words.intro)

    @property
    def objects(self) -> str:
        """The objects by type."""
        return self._told("objects", self.words.objects, self._names)

    @property
    def types(self) -> list[str]:
        """Sentences on supertypes: "Crates and pallets are surfaces."."""
        below: dict[str, list[str]] = {}
        for typed in self.record.domain.types:
            for above in typed.types:
                below.setdefault(above, []).append(form(self._noun(typed.name), 2))
        below.pop(OBJECT, None)
        return [sentence(f"{listing(below[name])} are {form(self._noun(name), 2)}") for name in below]

    def _facts(self, *, fluent: bool) -> list[Atom]:
        fluents = self.record.domain.fluents
        return [fact for fact in self.record.problem.init if (fact[0] in fluents) == fluent]

    @property
    def _fluents(self) -> list[Predicate]:
        domain = self.record.domain
        return [predicate for predicate in domain.predicates if predicate.name in domain.fluents]

    @cached_property
    def statics(self) -> list[str]:
        """Sentences on static facts."""
        return self._sentences(self._facts(fluent=False))

    @cached_property
    def state(self) -> list[str]:
        """Sentences on the other facts of the state."""
        return self._sentences(self._facts(fluent=True))

    @cached_property
    def goal(self) -> list[str]:
        """Clauses for the goal."""
        literals = sorted(self.record.problem.goal, key=lambda literal: _by_nature(literal.atom))
        return [self.literal(literal) for literal in self.goal_order or literals]

    @cached_property
    def goal_sentences(self) -> list[str]:
        """Sentences on the goal, if it is too long for one sentence; otherwise, none."""
        if self.goal_passage:
            return [self._noted(*self.goal_passage)]
        if len(self.record.problem.goal) <= INLINE:
            return []
        if self.goal_order:
            return list(map(sentence, self.goal))
        denied = [literal for literal in self.record.problem.goal if not literal.positive]
        sentences = self._sentences(self.record.problem.goal_facts)
        return sentences + [sentence(self.literal(literal)) for literal in sorted(denied)]

    # ---- prose ----

    @cached_property
    def prose_statics(self) -> list[str]:
        """Sentences on static facts, without those in the list of objects."""
        domain, facts = self.record.domain, self.record.problem.init
        left_out = {*domain.fluents, *kinds_listed(self.words, domain)}
        shapes = []
        for predicate in domain.predicates:
            if predicate.name not in left_out and has_shapes(self.words, predicate.name):
                shape = shape_of((f[1:] for f in facts if f[0] == predicate.name), self._fitting(predicate))
                turn = Turn(self.variants[TURN_OF_PROSE], self.held)
                if shape and (shape_text := shaped(self.words, predicate.name, shape, turn)):
                    shapes.append(self._noted(shape_text, turn.held_out))
                    left_out.add(predicate.name)
        return shapes + self._in_prose((Literal(fact) for fact in facts if fact[0] not in left_out), 0)

    def _fitting(self, predicate: Predicate) -> list[str]:
        """Return the possible first arguments of a predicate, with b2 before b10."""
        domain, types = self.record.domain, predicate.parameters[0].types
        kinds = [kind for kind in self._names if kind in domain.ancestors and domain.fits((kind,), types)]
        return sorted({name for kind in kinds for name in self._names[kind]}, key=natural)

    @cached_property
    def prose_state(self) -> list[str]:
        """Sentences on the other facts of the state."""
        return self._in_prose(map(Literal, self._facts(fluent=True)), 1)

    @property
    def prose_goal(self) -> list[str]:
        """Sentences on the goal."""
        if self.goal_passage:
            return self.goal_sentences
        if self.goal_order:
            return list(map(sentence, self.goal))
        return self._in_prose(self.record.problem.goal, 2)

    @cached_property
    def goal_clause(self) -> str:
        """The goal as a clause; "" if it is too long for one sentence."""
        goal = self.record.problem.goal
        if self.goal_passage or not all(literal.positive for literal in goal):
            return ""
        if self.goal_order:
            return listing(self.goal) if len(goal) <= INLINE else ""
        units, held_out = self._arranged(self._prose_writer.units, goal, 2, pronouns=False)
        if len(units) > IN_ONE or any("the other" in " ".join(unit) for unit in units[1:]):
            return ""
        return self._noted(", and ".join(text for unit in units for text in unit), held_out)

    @cached_property
    def written_facts(self) -> str:
        """The notation of facts that actions change, and their meaning: "(at CAR PLACE): car CAR ..."."""
        return "; ".join(f"{written_form(p)}: {self.fact((p.name, *stand_ins(p)))}" for p in self._fluents)

    @cached_property
    def written_actions(self) -> str:
        """The notation of actions, and their meaning if it is not obvious."""
        return "; ".join(map(self._written_action, self.record.domain.actions))

    @cached_property
    def written_rules(self) -> list[Signature]:
        """The actions as in ``written_actions``, with their conditions and effects."""
        return [self._rule(action, stand_ins(action)) for action in self.record.domain.actions]

    def _written_action(self, action: Action) -> str:
        phrase = self.action((action.name, *stand_ins(action)))
        return f"{written_form(action)}: {phrase}" if needs_meaning(action) else written_form(action)

    def _in_prose(self, literals: Iterable[Literal], part: int) -> list[str]:
        """Return sentences on literals; ``part`` tells static facts, other facts, and the goal apart."""
        prose = self._arranged(self._prose_writer.prose, literals, part)
        return self._noted(prose.sentences, prose.held_out)

    def _arranged(
        self, tell: Callable[..., Told], literals: Iterable[Literal], part: int, **options: bool
    ) -> Told:
        """Return what ``tell`` of the prose writer makes of literals, in the wordings of this context."""
        wordings = {p.name: self.variants["fact " + p.name] for p in self.record.domain.predicates}
        rng = random.Random(3 * self.variants[TURN_OF_PROSE] + part)
        return tell(literals, self._order, rng, wordings=wordings, held=self.held, **options)

    @cached_property
    def _prose_writer(self) -> ProseWriter:
        return prose_writer_of(self.words, self.record.domain)

    @cached_property
    def _names(self) -> Mapping[str, Sequence[str]]:
        return names_by_type(self.record.problem, self.record.domain)

    @cached_property
    def _order(self) -> ObjectOrder:
        return ObjectOrder.of(self._names)

    @staticmethod
    def after_heading(sentences: Sequence[str]) -> str:
        """Return the sentences after a heading: on its line, or on separate lines if they are long."""
        between = "\n" if sum(map(len, sentences)) >= LONG else " "
        return between + between.join(sentences)

    @property
    def propositions(self) -> list[Signature]:
        """The predicates of facts that actions change, with their meanings."""
        return [
            Signature(_form(p), self._typed(p.parameters), self.fact((p.name, *_variables(p))))
            for p in self._fluents
        ]

    @property
    def actions(self) -> list[Signature]:
        """The actions with their conditions and effects."""
        return [self._rule(action) for action in self.record.domain.actions]

    @property
    def actions_may_repeat(self) -> bool:
        """Whether some action of the domain may have a repeated object."""
        return any(_may_repeat(self.record.domain, action) for action in self.record.domain.actions)

    @cached_property
    def actions_repeat(self) -> bool:
        """Whether some action of this problem has a repeated object."""
        return any(map(names_twice, self.record.task.action_of))

    @property
    def facts_may_repeat(self) -> bool:
        """Whether some fluent fact may have a repeated object."""
        pairs = (pair for p in self._fluents for pair in combinations(p.parameters, 2))
        return any(_may_coincide(self.record.domain, *pair) for pair in pairs)

    @cached_property
    def adds_win(self) -> bool:
        """Whether some action adds and deletes the same fact, which is then true."""
        actions = self.record.domain.actions
        both = {a.name: {atom[0] for atom in a.add} & {atom[0] for atom in a.delete} for a in actions}
        for step in self.record.task.action_of if any(both.values()) else ():
            action, predicates = self.record.domain.action_named[step[0]], both[step[0]]
            values = dict(zip(_variables(action), step[1:], strict=True)) if predicates else {}
            added, deleted = (
                {substituted(atom, values) for atom in atoms if atom[0] in predicates}
                for atoms in (action.add, action.delete)
            )
            if added & deleted:
                return True
        return False

    def fact(self, atom: Atom) -> str:
        """Return the clause of a fact in the wording of this context."""
        return self._worded(self.words.fact, "fact", atom)

    def literal(self, literal: Literal) -> str:
        """Return the clause of a literal, including (in)equalities."""
        if literal.atom[0] == EQUAL:
            return (
                f"{literal.atom[1]} and {literal.atom[2]} are {'equal' if literal.positive else 'different'}"
            )
        return ("" if literal.positive else NEGATION) + self.fact(literal.atom)

    def action(self, step: Step) -> str:
        """Return the phrase of a step in the wording of this context."""
        return self._worded(self.words.action, "action", step)

    def _worded(self, say: Callable[[Atom, int], str], kind: str, atom: Atom) -> str:
        symbol = f"{kind} {atom[0]}"
        return self._noted(say(atom, self.variants[symbol]), symbol in self._symbols_held_out)

    @staticmethod
    def pddl(*steps: Step) -> str:
        """Return steps as PDDL, one after another."""
        return " ".join(map(write_atom, steps))

    def _typed(self, parameters: Sequence[TypedName]) -> str:
        """Return the arguments with their types: "a car ?c and a location ?l".

        Arguments of type object are omitted.
        """
        named = [
            (parameter.name, parameter.types) for parameter in parameters if OBJECT not in parameter.types
        ]
        phrases = [f"{' or '.join(article(self._noun(t)) for t in types)} {name}" for name, types in named]
        return listing(phrases) if phrases else ""

    def _noun(self, kind: str) -> str:
        """Return the noun for an object of a type: from the macro ``type_<name>``, or the type's name."""
        macro = macro_name("type", kind)
        spoken = kind.replace("_", " ").replace("-", " ")
        return self.words.say("type", kind) if macro in self.words.macros else spoken

    def _rule(self, action: Action, instead: Sequence[str] = ()) -> Signature:
        """Return the rule of an action; the words ``instead`` of its variables express their types."""
        variables = _variables(action)
        names = dict(zip(variables, instead or variables, strict=True))

        def with_names(atom: Atom) -> Atom:
            return substituted(atom, names)

        gone = sorted(action.delete - action.add)
        preconditions = {literal.atom for literal in action.preconditions if literal.positive}
        needed = [
            Literal(with_names(literal.atom), literal.positive) for literal in sorted(action.preconditions)
        ]
        return Signature(
            write_atom(with_names((action.name, *variables))),
            "" if instead else self._typed(action.parameters),
            self.action(with_names((action.name, *variables))),
            needs=tuple(map(self.literal, needed)),
            makes=tuple(self.fact(with_names(atom)) for atom in sorted(action.add)),
            ends=tuple(self.fact(with_names(atom)) for atom in gone if atom in preconditions),
            may_end=tuple(self.fact(with_names(atom)) for atom in gone if atom not in preconditions),
        )

    def _sentences(self, facts: Iterable[Atom]) -> list[str]:
        """Return sentences that state ``facts``, grouped by predicate."""
        groups: dict[str, list[Atom]] = {}
        for fact in sorted(facts, key=_by_nature):
            groups.setdefault(fact[0], []).append(fact)
        return [text for name in groups for text in self._about(groups[name])]

    def _about(self, facts: list[Atom], over: tuple[str, ...] = ()) -> list[str]:
        """Return sentences on facts of one predicate; facts that differ in one argument share a sentence.

        ``over`` are the quantified variables of the facts: "?r among r1, r2 and r3".
        """
        position, shared = _shared(facts)
        together = {fact for rests in shared.values() for fact in rests}
        remaining = [fact for fact in facts if _with(fact, position, "") not in together]
        if not shared:
            quantified = "for every " + " and every ".join(over) + ": " if over else ""
            return [_spelled(quantified + listing(map(self.fact, facts)), facts[0])]
        sentences = self._about(remaining, over) if remaining else []
        for names, rests in shared.items():
            variable = self.record.domain.predicate_named[facts[0][0]].parameters[position - 1].name
            remaining = [_with(fact, position, variable) for fact in rests]
            sentences += self._about(remaining, (*over, f"{variable} among {listing(names)}"))
        return sentences


def context_of(record: StateRecord, words: Words) -> QuestionContext:
    """Return the context of a state: a wording for each predicate, action and part of the context.

    All kinds and formats of question share it, cached in the record, so that common parts are worded once.
    """
    return record.kept.once(words, partial(_drawn_context, record, words))


def _drawn_context(record: StateRecord, words: Words) -> QuestionContext:
    rng = stream(0, "setting", record.problem_id, record.source, record.step)
    variants = {part: rng.randrange(TURNS) for part in (*PARTS, TURN_OF_PROSE)}
    for kind, symbol in symbols_of(record.domain):
        variants[f"{kind} {symbol}"] = rng.randrange(ordinary(words.variants(kind, symbol)))
    style = FORMAL if rng.random() < FORMAL_SHARE else PROSE
    is_held_out = may_be_held_out(record.problem_id) and rng.random() < HELD_SHARE
    if is_held_out:
        variants |= _also_held_out(record, words, style, rng)
    return QuestionContext(record, words, variants, style, is_held_out)


def _also_held_out(record: StateRecord, words: Words, style: str, rng: random.Random) -> dict[str, int]:
    """Return wordings, some held out, of the symbols that a context always contains.

    Prose omits false facts, and may omit the actions: a question could have held-out wordings of these while
    its context has none.
    """
    init = {fact[0] for fact in record.problem.init}
    widened = {}
    for kind, symbol in symbols_of(record.domain):
        number = rng.randrange(TURNS)
        if style == FORMAL or (kind == "fact" and symbol in init):
            widened[f"{kind} {symbol}"] = Turn(number, held=True).digit(words.variants(kind, symbol))
    return widened


def reworded(context: QuestionContext, rng: random.Random) -> QuestionContext:
    """Return the context in other wordings; only those of introduction and lists may be held out."""
    variants = {part: rng.randrange(TURNS) for part in (*PARTS, TURN_OF_PROSE)}
    for kind, symbol in symbols_of(context.record.domain):
        count = ordinary(context.words.variants(kind, symbol))
        step = rng.choice((1, count - 1))  # another wording if there are at least two
        variants[f"{kind} {symbol}"] = (context.variants[f"{kind} {symbol}"] + step) % count
    return replace(context, variants=variants)


def render(context: QuestionContext, kind: str, rng: random.Random, *arguments: object) -> QuestionTexts:
    """Return context and question of ``kind`` from its template, with a random wording of the question.

    ``arguments`` are the arguments of the template's macro ``question``, and of ``question_pddl`` if it has
    one.
    """
    template = macros_of(context.words.templates, f"questions/{kind}")
    variant = rng.randrange(WORDINGS)
    question = neat(str(template.question(context, variant, *arguments)))
    formal = getattr(template, "question_pddl", None)
    named = neat(str(formal(context, variant, *arguments))) if formal else question
    rendered = context.rendered(kind)
    return QuestionTexts(rendered.text, question, named, context.style, rendered.held_out)


@lru_cache(maxsize=WRITERS_KEPT)
def prose_writer_of(words: Words, domain: Domain) -> ProseWriter:
    """Return the prose writer of a domain, cached in each process."""
    return ProseWriter(words, domain)


@lru_cache(maxsize=WRITERS_KEPT)
def kinds_listed(words: Words, domain: Domain) -> tuple[str, ...]:
    """Return the predicates that the list of objects states, cached in each process."""
    return () if domain.types else words.kinds_listed(domain)


def symbols_of(domain: Domain) -> list[tuple[str, str]]:
    """Return the predicates and actions with wordings, each after "fact" or "action"."""
    facts = [("fact", predicate.name) for predicate in domain.predicates]
    return facts + [("action", action.name) for action in domain.actions]


def ordinary(count: int) -> int:
    """Return how many of ``count`` wordings are not held out."""
    return count - held_out(count)


def parts_of(template: Any, style: str, *, answered: bool) -> Sequence[str]:
    """Return the names of the parts that a template lists for a style, in order."""
    parts: Sequence[str] = template.parts
    if style != PROSE:
        return parts
    parts = getattr(template, "prose_parts", parts)
    return [part for part in parts if part not in NOTATION] if answered else parts


def stand_ins(symbol: Predicate | Action) -> tuple[str, ...]:
    """Return a word in capitals for each argument: its type, numbered if the type is repeated.

    If every object fits, the word is the name of the parameter.
    """
    kinds = [
        "-or-".join(parameter.types) if OBJECT not in parameter.types else parameter.name.lstrip("?")
        for parameter in symbol.parameters
    ]
    counted = [
        f"{word}{kinds[: at + 1].count(word)}" if kinds.count(word) > 1 else word
        for at, word in enumerate(kinds)
    ]
    return tuple(word.upper() for word in counted)


def written_form(symbol: Predicate | Action) -> str:
    """Return the notation of a fact or action: "(board CAR LOCATION)"."""
    return write_atom((symbol.name, *stand_ins(symbol)))


def needs_meaning(action: Action) -> bool:
    """Return whether the types of an action's arguments do not determine their roles."""
    types = [parameter.types for parameter in action.parameters]
    return any(OBJECT in parameter or types.count(parameter) > 1 for parameter in types)


def neat(text: str) -> str:
    """Return the non-empty lines of ``text``, with single spaces."""
    return "\n".join(filter(None, [" ".join(line.split()) for line in text.splitlines()]))


def _variables(symbol: Predicate | Action) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in symbol.parameters)


def _form(symbol: Predicate | Action) -> str:
    return write_atom((symbol.name, *_variables(symbol)))


def _by_nature(atom: Atom) -> tuple[tuple[object, ...], ...]:
    return tuple(natural(part) for part in atom)


def _with(fact: Atom, position: int, value: str) -> Atom:
    return (*fact[:position], value, *fact[position + 1 :])


def _spelled(clause: str, fact: Atom) -> str:
    """Return the clause as a sentence; an object's name at its beginning keeps its small letter."""
    text = sentence(clause)
    return clause[:1] + text[1:] if clause.split(" ", 1)[0] in fact[1:] else text


_Shared: TypeAlias = dict[tuple[str, ...], list[Atom]]


def _shared(facts: list[Atom]) -> tuple[int, _Shared]:
    """Return the argument by which ``facts`` of one predicate are grouped into the fewest words.

    The second result has the lists of ``SHARED`` names or more for this argument, each with the facts that
    hold for all of them; there, the argument is empty. Of equally good arguments, the last is chosen, so that
    a sentence on one place names the places at the ends of edges, not at their beginnings.
    """
    merges = [(position, *_merged(facts, position)) for position in reversed(range(1, len(facts[0])))]
    position, shared, _ = min(merges, key=lambda merge: merge[2], default=(1, {}, 0))
    return position, shared


def _merged(facts: list[Atom], position: int) -> tuple[_Shared, int]:
    """Return the facts grouped by one argument, and the length of their sentences, in names."""
    names: dict[Atom, list[str]] = {}
    for fact in facts:
        names.setdefault(_with(fact, position, ""), []).append(fact[position])
    shared: _Shared = {}
    for remainder, values in names.items():
        if len(values) >= SHARED:
            shared.setdefault(tuple(values), []).append(remainder)
    count = sum(len(values) * len(rests) for values, rests in shared.items())
    length = sum(len(values) + CLAUSE * len(rests) for values, rests in shared.items())
    return shared, CLAUSE * (len(facts) - count) + length


def _may_coincide(domain: Domain, x: TypedName, y: TypedName) -> bool:
    """Return whether the types allow one object at both positions."""
    return domain.fits(x.types, y.types) or domain.fits(y.types, x.types)


def _may_repeat(domain: Domain, action: Action) -> bool:
    """Return whether types and inequalities allow one object as two arguments of an action."""
    unequal = {frozenset(p.atom[1:]) for p in action.preconditions if p.atom[0] == EQUAL and not p.positive}
    return any(
        _may_coincide(domain, x, y) and frozenset((x.name, y.name)) not in unequal
        for x, y in combinations(action.parameters, 2)
    )
