"""The context of a question in words, read back: objects, state, goal and rules must be those of its PDDL.

The parts stand in the order that the template of the kind names. Whatever the wordings of the parts and the
words of the domain do not explain is a fault: what a model reads says all of the problem, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from jinja2 import TemplateError

from orrery.checks.reading.prose import prose_reader
from orrery.checks.reading.sentences import names_of, sentence_reader
from orrery.checks.reading.shapes import ShapeReader
from orrery.language.choices import Wordings, held_out
from orrery.language.words import Words, environment, form, macro_name, names_by_type
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
)

HEAD = re.compile(r"\(([\w-]+)((?: \?[\w-]+)*)\)(?:, for ([^:]*))?: ")
TYPED = re.compile(r"(?:an?) (.+) (\?[\w-]+)")
EITHER = re.compile(r" or an? ")
ALWAYS = "Always possible."
PROSE, FORMAL = "prose", "formal"
WRITTEN = re.compile(r"\(([\w-]+)((?: [A-Z0-9-]+)*)\): ")
SPOKEN = re.compile(r"\(([\w-]+)((?: [A-Z0-9-]+)*)\)(?:: ([^;]*))?")
QUESTIONS = "questions"  # the folder of templates with the wordings of all parts
SHOWN = 60  # characters of a context that a message quotes
LISTINGS_KEPT = 64
STEPS_KEPT = 20_000


class ReadBack(NamedTuple):
    """What is wrong with a context, and whether some of its wording is held out."""

    faults: list[str]
    held_out: bool

    def faults_of(self, row: Mapping[str, Any]) -> list[str]:
        """Return the faults, those of the row's column ``held_out_language`` among them."""
        stated = row["held_out_language"]
        if self.faults or stated == self.held_out:
            return self.faults
        return [f"held_out_language is {stated}, should be {int(self.held_out)}"]


class _Unread(Exception):
    """The words of a context that cannot be read, as a message."""


class ContextReader:
    """Reads contexts of questions on one domain."""

    def __init__(self, words: Words, domain: Domain, folder: str = QUESTIONS) -> None:
        """Prepare to read contexts in ``words``; ``folder`` has the templates that name their parts."""
        self.words, self.domain, self.folder = words, domain, folder
        self.sentences = sentence_reader(words, domain)
        self.told, self.shapes = prose_reader(words, domain), ShapeReader(words, domain)

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
        """Return where ``context`` says something else than the domain and ``problem``, or cannot be read.

        And whether some of its wording is held out.

        ``steps`` are the ground actions of the problem; one of ``passages``, if given, tells the goal.
        ``answered``: the question offers its answers, so that prose need not say how one is written.
        """
        read = _Reading(self, context, problem, passages)
        parts: dict[str, Callable[[], None]] = {
            "world": read.world,
            "goal": read.goal,
            "propositions": read.propositions,
            "actions": lambda: read.actions(steps),
        }
        if style == PROSE:
            parts = {
                "world": lambda: read.prose_world(steps),
                "goal": read.prose_goal,
                "propositions": read.prose_propositions,
                "actions": read.prose_actions,
                "rules": read.prose_rules,
            }
        try:
            for part in self._parts(kind, style, answered):
                parts[part]()
            read.end()
        except _Unread as unread:
            read.faults.append(str(unread))
        return ReadBack([f"context: {fault}" for fault in read.faults], read.held_out)

    @cached_property
    def wordings(self) -> Mapping[str, tuple[str, ...]]:
        """The wordings of headings and remarks, by their names in the template."""
        module = self._template(QUESTIONS, "context")
        return {
            name: tuple(str(each).lstrip() for each in value)
            for name, value in vars(module).items()
            if isinstance(value, list)
        }

    @cached_property
    def _parts(self) -> Any:
        def of(kind: str, style: str, answered: bool) -> tuple[str, ...]:
            template = self._template(self.folder, kind)
            if style == FORMAL:
                return tuple(template.parts)
            if style != PROSE:
                raise _Unread(f"of {kind} has no style '{style}'")
            parts = getattr(template, "prose_parts", template.parts)
            return tuple(part for part in parts if not answered or part in ("world", "goal"))

        return cache(of)

    def _template(self, folder: str, name: str) -> Any:
        path = self.words.templates / folder / f"{name}.j2"
        try:
            return environment(self.words.templates).get_template(f"{folder}/{name}.j2").module
        except (TemplateError, AttributeError, TypeError) as error:
            raise OrreryError(str(path), str(error), "mend the template") from error

    @cached_property
    def intros(self) -> Wordings:
        """The wordings of what the domain is about."""
        return self.words.every("intro")

    @cached_property
    def listings(self) -> Callable[[tuple[tuple[str, tuple[str, ...]], ...]], Wordings]:
        """Function that returns the wordings of the list of objects; ``named`` has their names by type."""

        @lru_cache(maxsize=LISTINGS_KEPT)
        def of(named: tuple[tuple[str, tuple[str, ...]], ...]) -> Wordings:
            return self.words.every("objects", {kind: list(some) for kind, some in named})

        return of

    @cached_property
    def with_objects(self) -> frozenset[str]:
        """The static predicates that the list of objects tells."""
        return frozenset() if self.domain.types else frozenset(self.words.kinds_listed(self.domain))

    @cached_property
    def type_of(self) -> Mapping[str, str]:
        """The types by their nouns, in the singular."""
        return {self._noun(typed.name): typed.name for typed in self.domain.types}

    @cached_property
    def type_of_plural(self) -> Mapping[str, str]:
        """The types by their nouns, in the plural."""
        return {form(noun, 2): kind for noun, kind in self.type_of.items()}

    @cached_property
    def actions_may_repeat(self) -> bool:
        """Whether types and inequalities allow an object to stand twice in some action."""
        return any(
            may_be_one(self.domain, one, other)
            and Literal((EQUAL, *names), False) not in action.preconditions
            for action in self.domain.actions
            for one, other in combinations(action.parameters, 2)
            for names in [(one.name, other.name)]
            if Literal((EQUAL, *names[::-1]), False) not in action.preconditions
        )

    @cached_property
    def both_ways(self) -> frozenset[str]:
        """The names of the actions that add and delete facts of one predicate."""
        return frozenset(
            action.name
            for action in self.domain.actions
            if not {atom[0] for atom in action.add}.isdisjoint(atom[0] for atom in action.delete)
        )

    @cached_property
    def adds_and_deletes(self) -> Callable[[Step], bool]:
        """Function that returns whether a ground action adds what it also deletes; all contexts ask it."""
        return lru_cache(maxsize=STEPS_KEPT)(self._adds_and_deletes)

    def _adds_and_deletes(self, step: Step) -> bool:
        action = self.domain.action_named[step[0]]
        names = {p.name: value for p, value in zip(action.parameters, step[1:], strict=True)}
        add, delete = (
            {tuple(names.get(each, each) for each in atom) for atom in atoms}
            for atoms in (action.add, action.delete)
        )
        return not add.isdisjoint(delete)

    def _noun(self, kind: str) -> str:
        spoken = macro_name("type", kind) in self.words.macros
        return self.words.say("type", kind) if spoken else kind.replace("_", " ")


def may_be_one(domain: Domain, one: TypedName, other: TypedName) -> bool:
    """Return whether an object of some type may stand in both places."""
    kinds = [typed.name for typed in domain.types] or [OBJECT]
    return any(domain.fits((kind,), one.types) and domain.fits((kind,), other.types) for kind in kinds)


class _Reading:
    """One context on the way from its beginning to its end; ``faults`` are what is wrong with it so far."""

    def __init__(
        self, reader: ContextReader, context: str, problem: Problem, passages: Wordings | None
    ) -> None:
        self.reader, self.domain, self.problem, self.passages = reader, reader.domain, problem, passages
        self.sentences, self.wordings = reader.sentences, reader.wordings
        self.text, self.at = context, 0
        self.faults: list[str] = []
        self.held_out = False

    def world(self) -> None:
        """Read what the domain is about, the objects, and all facts that hold."""
        self._need(self.reader.intros, "the introduction of the domain")
        names = names_by_type(self.problem, self.domain)
        listings = self.reader.listings(tuple((kind, tuple(some)) for kind, some in names.items()))
        self._need(listings, "the list of objects")
        self._types()
        fluents, facts = self.domain.fluents, self.problem.init
        for heading, fluent in (("statics_headings", False), ("state_headings", True)):
            stated = self._stated() if self._take(self.wordings[heading]) else []
            self._compare("the state", stated, (Literal(f) for f in facts if (f[0] in fluents) == fluent))
        self._need(self.wordings["closings"], "what is not stated does not hold")

    def goal(self) -> None:
        """Read the goal, in sentences of its own or in one."""
        if self._take(self.wordings["goal_headings"]):
            if self.passages:
                self._need(self.passages, "the passage on the goal")
                return
            stated = self._stated()
        else:
            self._need(self.wordings["goal_openings"], "the goal")
            stated = self._clauses()
            self._need((".",), "a full stop")
        self._compare("the goal", stated, self.problem.goal)

    def propositions(self) -> None:
        """Read the forms of facts that actions change."""
        self._need(self.wordings["propositions_headings"], "the propositions")
        wanted = {p.name: p for p in self.domain.predicates if p.name in self.domain.fluents}
        for form_of, parameters in self._forms():
            literal = self._clauses()
            if [Literal(form_of)] != literal:
                self.faults.append(f"the meaning of {_written(form_of)} is that of another fact")
            self._need((".",), "a full stop")
            self._declared(form_of[0], parameters, wanted.pop(form_of[0], None))
        self.faults += [f"no proposition {name} is listed" for name in wanted]

    def actions(self, steps: Iterable[Step]) -> None:
        """Read the actions with their conditions and effects."""
        self._need(self.wordings["actions_headings"], "the actions")
        wanted = dict(self.domain.action_named)
        for form_of, parameters in self._forms():
            phrase = self.sentences.phrase(self.text, self.at)
            if phrase is None or phrase.atom != form_of:
                raise _Unread(f"the phrase for {_written(form_of)} is that of another action")
            self.at, self.held_out = phrase.end, self.held_out or phrase.held_out
            self._need((".",), "a full stop")
            action = wanted.pop(form_of[0], None)
            self._declared(form_of[0], parameters, action)
            self._rule(action)
        self.faults += [f"no action {name} is listed" for name in wanted]
        self._remarks(steps, self.reader.actions_may_repeat)

    # ---- prose ----

    def prose_world(self, steps: Iterable[Step]) -> None:
        """Read what the domain is about, the objects, and the sentences on all facts that hold."""
        self._need(self.reader.intros, "the introduction of the domain")
        self._remarks(steps, any(len({*step[1:]}) < len(step) - 1 for step in steps))
        names = names_by_type(self.problem, self.domain)
        self._need(
            self.reader.listings(tuple((kind, tuple(some)) for kind, some in names.items())),
            "the list of objects",
        )
        self._types()
        shapes = self.reader.shapes.read(self._until(self.wordings["present_openings"]), names)
        self.held_out |= shapes.held_out
        statics = [*map(Literal, shapes.facts), *self._told(shapes.rest, names)]
        state = self._told(self._until(self.wordings["prose_closings"]), names)
        left_out, fluents = self.reader.with_objects, self.domain.fluents
        wanted = [fact for fact in self.problem.init if fact[0] not in left_out]
        self._compare("the state", statics, (Literal(f) for f in wanted if f[0] not in fluents))
        self._compare("the state", state, (Literal(f) for f in wanted if f[0] in fluents))

    def prose_goal(self) -> None:
        """Read the goal: a line."""
        names = names_by_type(self.problem, self.domain)
        read = self.reader.told.clause
        if not self._take(self.wordings["prose_goal_openings"]):
            self._need(self.wordings["prose_goal_headings"], "the goal")
            if self.passages:
                self._need(self.passages, "the passage on the goal")
                return
            read = self.reader.told.read
        said = self._line()
        if not said.endswith("."):
            raise _Unread(f"the goal ends without a full stop: {said[-SHOWN:]!r}")
        said = said[:-1] if read == self.reader.told.clause else said
        self._compare("the goal", self._read(read, said, names), self.problem.goal)

    def prose_propositions(self) -> None:
        """Read how facts that actions change are written, and what they say."""
        self._need(self.wordings["prose_propositions_headings"], "the notation of facts")
        wanted = [p for p in self.domain.predicates if p.name in self.domain.fluents]
        self._notation(wanted, self.sentences.clause, lambda form_of: [Literal(form_of)], wanted)

    def prose_actions(self) -> None:
        """Read how actions are written, and what they are where their types leave this open."""
        self._need(self.wordings["prose_actions_headings"], "the notation of actions")
        actions = self.domain.actions
        told = [each for each in actions if _interchangeable(each.parameters)]
        self._notation(actions, self.sentences.phrase, lambda form_of: form_of, told)

    def prose_rules(self) -> None:
        """Read how actions are written, what they are, and their conditions and effects: a line each."""
        self._need(self.wordings["prose_rules_headings"], "the rules")
        wanted = dict(self.domain.action_named)
        while (match := WRITTEN.match(self.text, self.at)) and match[1] in wanted:
            action, stand_ins = wanted.pop(match[1]), match[2].split()
            if stand_ins != _stand_ins(action.parameters):
                raise _Unread(f"the form of {action.name} is not that of the domain")
            said = "".join(_marked(word, stand_ins) for word in re.split(r"([\w-]+)", self._line()))
            marks = {
                p.name: _marked(word, stand_ins) for p, word in zip(action.parameters, stand_ins, strict=True)
            }
            line = _Reading(self.reader, said, self.problem, None)
            line.at = said.index(": ") + 2
            line.rule_of(_renamed(action, marks))
            self.faults += line.faults
            self.held_out |= line.held_out
        self.faults += [f"no action {name} is listed" for name in wanted]

    def rule_of(self, action: Action) -> None:
        """Read the phrase of an action and its rule, to the end of the text."""
        phrase = self.sentences.phrase(self.text, self.at)
        if phrase is None or phrase.atom != (action.name, *(p.name for p in action.parameters)):
            raise _Unread(f"the phrase for {action.name} is that of another action")
        self.at, self.held_out = phrase.end, self.held_out or phrase.held_out
        self._need((".",), "a full stop")
        self._rule(action)
        self.end()

    def _notation(
        self,
        symbols: Sequence[Predicate | Action],
        read: Callable[[str, int], tuple[Any, int, bool] | None],
        meant: Callable[[Atom], object],
        explained: Sequence[Predicate | Action],
    ) -> None:
        """Read a line of forms, one of each of the ``symbols``; those ``explained`` have a meaning."""
        wanted = {symbol.name: symbol for symbol in symbols}
        for part in self._line().removesuffix(".").split("; "):
            match = SPOKEN.fullmatch(part)
            symbol = wanted.pop(match[1], None) if match else None
            if match is None or symbol is None:
                raise _Unread(f"what is written {part!r} is none of the domain, or said before")
            stand_ins = match[2].split()
            if stand_ins != _stand_ins(symbol.parameters):
                self.faults.append(f"the form of {symbol.name} is not that of the domain")
            if match[3]:
                said = "".join(_marked(word, stand_ins) for word in re.split(r"([\w-]+)", match[3]))
                meaning, end, apart = read(said, 0) or (None, 0, False)
                atom = (symbol.name, *(_marked(word, stand_ins) for word in stand_ins))
                if said[:1].isupper() or (meaning, end) != (meant(atom), len(said)):
                    self.faults.append(f"the meaning of {symbol.name} is another")
                self.held_out |= apart
            elif symbol in explained:
                self.faults.append(f"the meaning of {symbol.name} is missing")
        self.faults += [f"the form of {name} is missing" for name in wanted]

    def _remarks(self, steps: Iterable[Step], repeats: bool) -> None:
        """Read the remarks on objects that stand twice in an action, and on facts both added and deleted."""
        self._remark("actions_remarks", repeats)
        both = self.reader.both_ways
        self._remark(
            "adds_win_remarks",
            bool(both) and any(self.reader.adds_and_deletes(step) for step in steps if step[0] in both),
        )

    def _until(self, wordings: Sequence[str]) -> str:
        """Return the text up to the first of the wordings that stands somewhere, and go behind it."""
        places = [
            (at, -len(each), number)
            for number, each in enumerate(wordings)
            if (at := self.text.find(each, self.at)) >= 0
        ]
        if not places:
            raise _Unread(f"lacks all of {wordings[:2]} ... behind {self._here()}")
        at, length, number = min(places)
        self.held_out |= _is_last(number, wordings)
        said = self.text[self.at : at]
        self._move(at - length)
        return said

    def _told(self, said: str, names: Mapping[str, Sequence[str]]) -> list[Literal]:
        return self._read(self.reader.told.read, said, names)

    def _read(
        self, read: Callable[[str, Mapping[str, Sequence[str]]], tuple[list[Literal], bool]], said: str,
        names: Mapping[str, Sequence[str]],
    ) -> list[Literal]:  # fmt: skip
        try:
            stated, apart = read(said, names)
            self.held_out |= apart
            return stated
        except OrreryError as error:
            raise _Unread(f"{error.where} {error.problem}") from error

    def _line(self) -> str:
        """Return the line from here on, and go behind it."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        said = self.text[self.at : end]
        self._move(end)
        return said

    def end(self) -> None:
        """Make a fault of whatever is left."""
        if self.at < len(self.text):
            raise _Unread(f"says more than it should: {self._here()}")

    def _types(self) -> None:
        """Read the sentences on types that are parts of others."""
        found: set[tuple[str, str]] = set()
        of = self.reader.type_of_plural
        while match := re.compile(r"([^.]*) are ([^.]*)\. ?\n?").match(self.text, self.at):
            below, above = names_of(match[1]), match[2]
            known = [of.get(name) or of.get(name[:1].lower() + name[1:]) for name in below]
            if above not in of or None in known:
                break
            found |= {(name, of[above]) for name in known if name}
            self.at = match.end()
        wanted = {(typed.name, above) for typed in self.domain.types for above in typed.types}
        if found != {(name, above) for name, above in wanted if above != OBJECT}:
            self.faults.append("the types are said to belong elsewhere")

    def _stated(self) -> list[Literal]:
        """Return what the sentences state that stand here."""
        found: list[Literal] = []
        while (read := self.sentences.sentence(self.text, self.at)) is not None:
            found += read.literals
            self.held_out |= read.held_out
            self._move(read.end)
        return found

    def _clauses(self) -> list[Literal]:
        """Return the literals of the clauses that stand here."""
        if (read := self.sentences.clauses(self.text, self.at)) is None:
            raise _Unread(f"cannot be read: {self._here()}")
        self.at, self.held_out = read.end, self.held_out or read.held_out
        return read.literals

    def _forms(self) -> Iterator[tuple[Atom, list[TypedName]]]:
        """Yield each form ``(name ?x ...)`` of a list, with the types that are named of its arguments."""
        while match := HEAD.match(self.text, self.at):
            self.at = match.end()
            variables = match[2].split()
            typed = [TYPED.fullmatch(each) for each in names_of(match[3])] if match[3] else []
            types = {
                m[2]: tuple(self.reader.type_of.get(n, n) for n in EITHER.split(m[1])) for m in typed if m
            }
            yield (match[1], *variables), [TypedName(v, types.get(v, (OBJECT,))) for v in variables]
            self._move(self.at)

    def _declared(self, name: str, parameters: list[TypedName], symbol: Any) -> None:
        if symbol is None or tuple(parameters) != tuple(symbol.parameters):
            self.faults.append(f"the form of {name} is not that of the domain")

    def _rule(self, action: Action | None) -> None:
        """Read conditions and effects, and compare them with those of the action."""
        needs = [] if self._take((ALWAYS,)) else self._after("needs_openings")
        makes, ends = self._after("makes_openings"), self._after("ends_openings")
        may_end = self._after("may_end_openings")
        if action is not None:
            self._compare(f"the conditions of {action.name}", needs, action.preconditions)
            self._compare(f"what {action.name} adds", makes, map(Literal, action.add))
            gone = {Literal(atom) for atom in action.delete - action.add}
            self._compare(f"what {action.name} deletes", ends, gone & action.preconditions)
            self._compare(f"what {action.name} may delete", may_end, gone - action.preconditions)

    def _after(self, openings: str) -> list[Literal]:
        if not self._take(self.wordings[openings]):
            return []
        stated = self._clauses()
        self._need((".",), "a full stop")
        return stated

    def _compare(self, what: str, stated: Sequence[Literal], wanted: Iterable[Literal]) -> None:
        said, true = set(stated), set(wanted)
        self.faults += [f"{what} lacks {_said(each)}" for each in sorted(true - said)]
        self.faults += [f"{what} wrongly has {_said(each)}" for each in sorted(said - true)]
        if len(stated) != len(said):
            self.faults.append(f"{what} says the same twice")

    def _remark(self, wordings: str, wanted: bool) -> None:
        if bool(self._take(self.wordings[wordings])) != wanted:
            self.faults.append(f"{'lacks' if wanted else 'has'} a remark of {wordings}")

    def _take(self, wordings: Sequence[str] | Wordings) -> str:
        """Return the longest of the wordings that stands here, and go behind it; "" where none does."""
        start = self.at
        if isinstance(wordings, Wordings):
            ways = [(end, wordings.holds_out(way)) for end, way in wordings.ends(self.text, start)]
        else:
            ways = [
                (start + len(each), _is_last(number, wordings))
                for number, each in enumerate(wordings)
                if self.text.startswith(each, start)
            ]
        if not ways:
            return ""
        end, apart = max(ways, key=lambda way: (way[0], not way[1]))
        self.held_out |= apart
        self._move(end)
        return self.text[start:end]

    def _need(self, wordings: Sequence[str] | Wordings, what: str) -> None:
        if not self._take(wordings):
            raise _Unread(f"lacks {what} at {self._here()}")

    def _move(self, at: int) -> None:
        """Go to ``at``, or behind the white space that stands there."""
        while at < len(self.text) and self.text[at] in " \n":
            at += 1
        self.at = at

    def _here(self) -> str:
        return repr(self.text[self.at : self.at + SHOWN])


def _is_last(number: int, wordings: Sequence[str]) -> bool:
    """Return whether the ``number``-th of the wordings is one of those that are held out."""
    return number >= len(wordings) - held_out(len(wordings))


def _stand_ins(parameters: Sequence[TypedName]) -> list[str]:
    """Return the words that stand for parameters: their types, numbered where one comes again, or names."""
    found: list[str] = []
    said = [("-or-".join(p.types) if OBJECT not in p.types else p.name[1:]).upper() for p in parameters]
    seen: dict[str, int] = {}
    for word in said:
        seen[word] = seen.get(word, 0) + 1
        found.append(f"{word}{seen[word]}" if said.count(word) > 1 else word)
    return found


def _marked(word: str, stand_ins: Sequence[str]) -> str:
    """Return what stands for a word while a meaning is read: a name of its own for a parameter."""
    return f"qx{stand_ins.index(word)}zq" if word in stand_ins else word


def _renamed(action: Action, names: Mapping[str, str]) -> Action:
    """Return an action with other names of its parameters."""

    def atoms(some: Iterable[Atom]) -> frozenset[Atom]:
        return frozenset(tuple(names.get(each, each) for each in atom) for atom in some)

    needs = [
        Literal(tuple(names.get(n, n) for n in each.atom), each.positive) for each in action.preconditions
    ]
    parameters = tuple(each._replace(name=names[each.name]) for each in action.parameters)
    return replace(
        action,
        parameters=parameters,
        preconditions=frozenset(needs),
        add=atoms(action.add),
        delete=atoms(action.delete),
    )


def _interchangeable(parameters: Sequence[TypedName]) -> bool:
    """Return whether two parameters have the same types, or one has none: which is which must be said."""
    pairs = combinations(parameters, 2)
    return any(OBJECT in p.types for p in parameters) or any(one.types == two.types for one, two in pairs)


def _written(atom: Atom) -> str:
    return f"({' '.join(atom)})"


def _said(literal: Literal) -> str:
    return _written(literal.atom) if literal.positive else f"(not {_written(literal.atom)})"
