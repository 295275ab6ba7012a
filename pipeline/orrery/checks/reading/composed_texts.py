"""Read the texts of a composed domain: procedures at three levels, and descriptions.

Every sentence of a procedure is an imperative that tells an action, a sentence from a bank that implies
literals, or a frame around clauses that state them. A sentence outside these, or with two readings that
differ in their literals, makes the text unreadable. Literals are statements (see ``statements``) in the plain
names of the mechanics.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from jinja2.runtime import Macro

from orrery.checks.composed_fragments import Fragments, WordGroup
from orrery.checks.reading.cursor import SHOWN, UnreadableText
from orrery.checks.statements import OBJECT, Statement, Tree, Typed, tree_of, typed
from orrery.composition.wordings import worded
from orrery.language.words import environment, ordinal
from orrery.yaml_text import read_yaml

STATED, IMPLIED, COMMON = "stated", "implied", "common"
CONDITION, RESULT, APART, DO = "condition", "result", "apart", "do"
STYLES = "articles/styles.j2"
FRAMES = "templates/articles/frames.yaml"
CLAUSE = "{clause}"
PLACEHOLDERS = 0xE000  # the first of the private characters that stand for arguments
LONGEST = 6  # sentences between full stops that one wording may have
REMARKS = range(1, 4)
NUMBERED = re.compile(r"\((\d+)\) (.*)")
STOPS = re.compile(r"(?<=[.!?]) (?=\S)")
SIGNATURE = re.compile(r"(\([^()]*\)): (.*)\.", re.DOTALL)
TYPE = re.compile(r"(\S+)(?: \(an? (\S+)\))?")
DETAILS = {"Before": "needs", "Afterwards": "makes"}

Clauses: TypeAlias = Mapping[str, frozenset[Tree]]
Literals: TypeAlias = frozenset[Statement]


class TextReading(NamedTuple):
    """What a sentence may mean: its form, the action that it is on (empty: that of its place), its clauses.

    ``clauses`` are the texts of clauses, in each way in which they can be told apart.
    """

    form: str
    action: str = ""
    clauses: tuple[tuple[str, ...], ...] = ()


class Unit(NamedTuple):
    """A whole sentence or several that are one wording, with its readings and the number of its step."""

    text: str
    step: int
    readings: tuple[TextReading, ...]


@dataclass
class ReadProcedure:
    """The literals that a procedure tells, by way, with their steps; and the steps that tell each action."""

    literals: dict[Statement, dict[str, list[int]]] = field(default_factory=dict)
    steps: dict[str, list[int]] = field(default_factory=dict)

    def enter(self, action: str, step: int, how: str, literals: Iterable[Statement]) -> None:
        """Enter the literals that a sentence on an action tells."""
        _append(self.steps.setdefault(action, []), step)
        for literal in sorted(literals, key=repr):
            _append(self.literals.setdefault(literal, {}).setdefault(how, []), step)


class ComposedTextReader:
    """Reads the texts on one composed domain."""

    def __init__(self, fragments: Fragments) -> None:
        """Prepare to read texts in the words of the fragments."""
        self.fragments = fragments
        self._plain_names = {themed: plain for plain, themed in fragments.names.items()}

    # Wordings and what they mean.

    @cached_property
    def _frames(self) -> Mapping[str, Sequence[str]]:
        frames: Mapping[str, Sequence[str]] = read_yaml(self.fragments.root / FRAMES)
        return frames

    def _worded(self, text: str, **names: str) -> str:
        return worded(text, {**self.fragments.words, **names})

    @cached_property
    def _patterns(self) -> dict[str, list[tuple[bool, str]]]:
        """The wordings of each predicate with placeholders for its arguments, and whether it is true."""
        patterns: dict[str, list[tuple[bool, str]]] = {}
        for mechanic in self.fragments.mechanics.values():
            for key, polarity in mechanic.words.facts.items():
                name, *variables = tree_of(key)
                arguments = {
                    variable.lstrip("?"): chr(PLACEHOLDERS + place)
                    for place, variable in enumerate(variables)
                }
                patterns.setdefault(name, [])
                for holds, wordings in ((True, polarity.true), (False, polarity.false)):
                    patterns[name] += [(holds, self._worded(text, **arguments)) for text in wordings]
        return patterns

    def _clauses(self, parameters: Sequence[Typed], nouns: Mapping[str, str]) -> Clauses:
        """Return every clause over these parameters, under their nouns in a text, with the literals."""
        clauses: dict[str, set[Tree]] = defaultdict(set)
        for predicate, slots in self.fragments.predicates.items():
            fitting = [
                [name for name, kinds in parameters if self.fragments.fits(kinds, required)]
                for _, required in slots
            ]
            for arguments in product(*fitting):
                fills = {PLACEHOLDERS + place: nouns[name] for place, name in enumerate(arguments)}
                atom = (predicate, *arguments)
                for holds, pattern in self._patterns.get(predicate, ()):
                    clauses[pattern.translate(fills)].add(atom if holds else ("not", atom))
        return {text: frozenset(trees) for text, trees in clauses.items()}

    def nouns(self, action: str) -> dict[str, str]:
        """Return what a procedure calls the parameters of an action."""
        labels = self.fragments.owner[action].words.labels.get(action, {})
        nouns: dict[str, str] = {}
        kinds = {name: self.fragments.words[kinds[0]] for name, kinds in self.fragments.parameters[action]}
        for place, (name, noun) in enumerate(kinds.items()):
            number = list(kinds.values())[: place + 1].count(noun)
            alike = list(kinds.values()).count(noun) > 1
            label = labels.get(name.lstrip("?"))
            nouns[name] = (
                self._worded(label) if label else f"the {ordinal(number)} {noun}" if alike else f"the {noun}"
            )
        return nouns

    @cached_property
    def _clauses_of(self) -> dict[str, Clauses]:
        """The clauses in procedures on each action."""
        return {
            action: self._clauses(parameters, self.nouns(action))
            for action, parameters in self.fragments.parameters.items()
        }

    @cached_property
    def _any_clause(self) -> frozenset[str]:
        return frozenset(text for clauses in self._clauses_of.values() for text in clauses)

    def _phrases(self, action: str) -> dict[str, str]:
        """Return the infinitive and the gerund of an action."""
        words = self.fragments.owner[action].words.actions[action]
        return {"action": self._worded(words.infinitive), "doing": self._worded(words.gerund)}

    @cached_property
    def _imperatives(self) -> dict[str, set[str]]:
        """The actions that each imperative tells."""
        imperatives: dict[str, set[str]] = defaultdict(set)
        for action in self.fragments.parameters:
            arguments = {name.lstrip("?"): noun for name, noun in self.nouns(action).items()}
            for text in self.fragments.owner[action].words.actions[action].do:
                imperatives[_as_sentence(self._worded(text, **arguments))].add(action)
        return imperatives

    @cached_property
    def _implying(self) -> dict[str, dict[str, set[Literals]]]:
        """The literals that each sentence of a bank implies, by action."""
        implying: dict[str, dict[str, set[Literals]]] = {}
        for action in self.fragments.parameters:
            sentences: dict[str, set[Literals]] = defaultdict(set)
            for group in self.fragments.word_groups(action):
                for bank in group.words.implied:
                    literals = frozenset(group.statements(bank.tells))
                    for text in bank.say if literals else ():
                        sentences[self._group_worded(text, group)].add(literals)
            implying[action] = sentences
        return implying

    def _group_worded(self, text: str, group: WordGroup) -> str:
        return _as_sentence(self._worded(text, **(self._phrases(group.action) if group.attached else {})))

    @cached_property
    def _apart_frames(self) -> list[tuple[str, str, str]]:
        """The beginning and the end of each sentence that states a condition apart, and its action."""
        frames = []
        for action in self.fragments.parameters:
            phrases = self._phrases(action)
            names = {"infinitive": phrases["action"], "gerund": phrases["doing"]}
            names["Gerund"] = _capitalised(phrases["doing"])
            for frame in self._frames[APART]:
                first, _, last = frame.format(clause="\0", **names).partition("\0")
                frames.append((first, last, action))
        return frames

    @cached_property
    def _general(self) -> dict[str, set[frozenset[tuple[Statement, str]]]]:
        """What each sentence of the general part tells: literals with the way."""
        general: dict[str, set[frozenset[tuple[Statement, str]]]] = defaultdict(set)
        for mechanic in self.fragments.mechanics.values():
            groups = [WordGroup(name, mechanic.words, None) for name in mechanic.fragment.action_named]
            for rule in mechanic.words.general:
                ways = frozenset(way for group in groups for way in _statements_of_group(group, rule.tells))
                for text in rule.say:
                    general[_as_sentence(self._worded(text))].add(ways)
        for action in self.fragments.parameters:
            for group in self.fragments.word_groups(action):
                for rule in group.words.general if group.attached else ():
                    for text in rule.say:
                        general[self._group_worded(text, group)].add(
                            frozenset(_statements_of_group(group, rule.tells))
                        )
        return general

    # Procedures.

    def procedure(self, texts: Mapping[str, str]) -> ReadProcedure:
        """Return what the text conditions of a row tell.

        The steps are read from ``rel``; ``all`` and ``map`` have to repeat them.

        Raises:
            UnreadableText: a sentence cannot be read in one way, or the conditions contradict each other.
        """
        steps = numbered_steps(texts["rel"])
        units = [unit for number, text in enumerate(steps, 1) for unit in self._units(text, number)]
        procedure = self._resolved(units)
        self._check_article(texts["all"], steps)
        self._check_map(texts["map"], steps, procedure)
        self._check_summaries(texts["sum"])
        if texts["none"]:
            raise UnreadableText("says something under the text condition none")
        return procedure

    def _units(self, text: str, step: int) -> list[Unit]:
        """Return the wordings that a step consists of."""
        return [Unit(part, step, tuple(readings)) for part, readings in _divided(text, self._readings)]

    def _readings(self, text: str) -> list[TextReading]:
        """Return the readings of a sentence, whatever the actions around it."""
        readings = [TextReading(DO, action) for action in sorted(self._imperatives.get(text, ()))]
        if any(text in sentences for sentences in self._implying.values()):
            readings.append(TextReading(IMPLIED))
        for form in (CONDITION, RESULT):
            for frame in self._frames[form]:
                first, _, last = frame.partition(CLAUSE)
                if clauses := self._framed(text, first, last):
                    readings.append(TextReading(form, "", clauses))
        for first, last, action in self._apart_frames:
            if clauses := self._framed(text, first, last):
                readings.append(TextReading(APART, action, clauses))
        return readings

    def _framed(self, text: str, first: str, last: str) -> tuple[tuple[str, ...], ...]:
        """Return the clauses between the beginning and the end of a frame, in each way to divide them."""
        if not (text.startswith(first) and text.endswith(last) and len(first) + len(last) < len(text)):
            return ()
        inner = text[len(first) : len(text) - len(last)]
        ways = [(inner,), *((inner[:at], inner[end:]) for at, end in self._joints(inner))]
        return tuple(dict.fromkeys(way for way in ways if self._any_clause.issuperset(way)))

    def _joints(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the beginning and the end of each text that may join two clauses."""
        for joint in self._frames["join"]:
            at = text.find(joint)
            while at >= 0:
                yield at, at + len(joint)
                at = text.find(joint, at + 1)

    def _resolved(self, units: Sequence[Unit]) -> ReadProcedure:
        """Return what sentences tell: conditions belong to the action that follows, results to the last."""
        procedure, imperatives = ReadProcedure(), [self._action_of(unit) for unit in units]
        actions = [action for action in imperatives if action]
        if sorted(actions) != sorted(self.fragments.parameters):
            raise UnreadableText(f"tells the actions {actions}, not every action once")
        done, sentences = "", set[tuple[str, str]]()
        for place, unit in enumerate(units):
            if imperatives[place]:
                done = imperatives[place]
                procedure.enter(done, unit.step, DO, ())
                continue
            coming = next((action for action in imperatives[place:] if action), "")
            ways = {
                (action, how, literals)
                for reading in unit.readings
                for action, how, literals in self._meanings(unit.text, reading, done, coming)
            }
            if len(ways) != 1:
                raise UnreadableText(f"has {len(ways)} readings of {unit.text!r}: {sorted(ways, key=repr)}")
            [(action, how, literals)] = ways
            if (action, unit.text) in sentences:
                raise UnreadableText(f"says twice of {action}: {unit.text!r}")
            sentences.add((action, unit.text))
            procedure.enter(action, unit.step, how, literals)
        return procedure

    def _action_of(self, unit: Unit) -> str:
        """Return the action that an imperative tells; the empty string for another sentence."""
        actions = [reading.action for reading in unit.readings if reading.form == DO]
        if actions and len(unit.readings) > 1:
            raise UnreadableText(f"has {len(unit.readings)} readings of {unit.text!r}: {unit.readings}")
        return actions[0] if actions else ""

    def _meanings(
        self, text: str, reading: TextReading, done: str, coming: str
    ) -> Iterator[tuple[str, str, Literals]]:
        """Yield the action, the way and the literals of a reading between two actions."""
        if reading.form == IMPLIED:
            for literals in self._implying[done].get(text, ()) if done else ():
                yield done, IMPLIED, literals
            return
        action = {CONDITION: coming, RESULT: done, APART: reading.action}[reading.form]
        kind = "makes" if reading.form == RESULT else "needs"
        for clauses in reading.clauses if action else ():
            meanings = [self._clauses_of[action].get(clause, frozenset()) for clause in clauses]
            for trees in product(*meanings):
                yield action, STATED, frozenset((kind, action, tree) for tree in trees)

    def _check_article(self, article: str, steps: Sequence[str]) -> None:
        """Raise UnreadableText unless an article consists of a title, an opening, the steps and remarks."""
        theme = self.fragments.theme
        module: Any = environment(self.fragments.root / "templates").get_template(STYLES).module
        styles = [macro for macro in vars(module).values() if isinstance(macro, Macro)]
        openings = [text for text in theme.openings if text in article]
        remarks = sorted((text for text in theme.remarks if text in article), key=article.rfind)
        numbered = list(enumerate(steps, 1))
        for style, title, opening in product(styles, theme.titles, openings):
            if str(style(title, opening, numbered, remarks)).strip() == article and len(remarks) in REMARKS:
                return
        raise UnreadableText("has more or less under all than a title, an opening, the steps and remarks")

    def _check_map(self, text: str, steps: Sequence[str], procedure: ReadProcedure) -> None:
        """Raise UnreadableText unless each action is mapped to the steps that tell of it."""
        lines: dict[str, str] = {}
        for line in text.split("\n"):
            name, _, mapped = line.partition(": ")
            lines[self._plain_names.get(name, name)] = mapped
        if lines.keys() != procedure.steps.keys() or text.count("\n") + 1 != len(lines):
            raise UnreadableText(f"maps the actions {sorted(lines)}")
        for action, numbers in procedure.steps.items():
            expected = " ".join(f"({number}) {steps[number - 1]}" for number in sorted(numbers))
            if lines[action] != expected:
                raise UnreadableText(f"maps {action} to other steps than {sorted(numbers)}")

    def _check_summaries(self, text: str) -> None:
        """Raise UnreadableText unless there is one summary of each action."""
        lines = [line.partition(": ") for line in text.split("\n")]
        names = [self._plain_names.get(name, name) for name, _, _ in lines]
        if sorted(names) != sorted(self.fragments.parameters):
            raise UnreadableText(f"summarises the actions {names}")
        for action, (_, _, summary) in zip(names, lines, strict=True):
            wordings = self.fragments.owner[action].words.actions[action].summary
            if summary not in map(self._worded, wordings):
                raise UnreadableText(f"summarises {action} in other words: {summary[:SHOWN]!r}")

    # Descriptions.

    def description(self, text: str, details: bool) -> tuple[str, list[Statement]]:
        """Return the general part of a description, and the statements of the others, in plain names.

        Raises:
            UnreadableText: some part is missing or unknown, or cannot be read in one way.
        """
        heading, *sections = text.split("\n\n## ")
        parts = {name: body for name, _, body in (section.partition("\n") for section in sections)}
        names = ["General", "Types", "Predicates", "Actions"]
        if (
            heading != f"# {self.fragments.theme.title}"
            or list(parts) != names
            or len(sections) != len(names)
        ):
            raise UnreadableText(f"has other parts than # {self.fragments.theme.title}, {', '.join(names)}")
        statements = list(map(self._type, _items(parts["Types"])))
        statements += map(self._predicate, _items(parts["Predicates"]))
        for item in _items(parts["Actions"]):
            statements += self._action(item, details)
        return parts["General"], statements

    def general(self, text: str) -> dict[Statement, dict[str, list[int]]]:
        """Return the literals that the general part tells, by way, with the numbers of its sentences.

        Raises:
            UnreadableText: a sentence cannot be read, or in two ways with different literals.
        """
        literals: dict[Statement, dict[str, list[int]]] = {}
        units = _divided(text, lambda part: sorted(self._general.get(part, ()), key=repr))
        if repeated := [part for part, count in Counter(part for part, _ in units).items() if count > 1]:
            raise UnreadableText(f"says twice: {repeated[0]!r}")
        for number, (part, readings) in enumerate(units, 1):
            if len(readings) != 1:
                raise UnreadableText(f"has {len(readings)} readings of {part!r}: {readings}")
            for literal, how in readings[0]:
                _append(literals.setdefault(literal, {}).setdefault(how, []), number)
        return literals

    def _plain(self, name: str) -> str:
        return self._plain_names.get(name, name)

    def _plain_typed(self, parameters: Iterable[Typed]) -> tuple[Typed, ...]:
        return tuple((name, tuple(map(self._plain, kinds))) for name, kinds in parameters)

    def _type(self, line: str) -> Statement:
        if (match := TYPE.fullmatch(line)) is None:
            raise UnreadableText(f"declares no type: {line[:SHOWN]!r}")
        parents = (self._plain(match[2]),) if match[2] else OBJECT
        return ("type", self._plain(match[1]), parents)

    def _signature(self, line: str) -> tuple[str, tuple[Typed, ...], str]:
        """Return the name and the parameters at the beginning of a line, and the words behind the colon."""
        if (match := SIGNATURE.fullmatch(line)) is None:
            raise UnreadableText(f"has no signature: {line[:SHOWN]!r}")
        name, *parameters = tree_of(match[1])
        return self._plain(name), self._plain_typed(typed(parameters)), match[2]

    def _predicate(self, line: str) -> Statement:
        name, parameters, clause = self._signature(line)
        meanings = self._clauses(parameters, {variable: variable for variable, _ in parameters})
        fact = (name, *(variable for variable, _ in parameters))
        if meanings.get(clause) != frozenset([fact]):
            raise UnreadableText(f"says something else of the predicate {name}: {clause[:SHOWN]!r}")
        return ("predicate", name, parameters)

    def _action(self, item: str, details: bool) -> Iterator[Statement]:
        """Yield the statements of an action in a description, with or without conditions and effects."""
        first, *lines = item.split("\n  ")
        name, parameters, purpose = self._signature(first)
        if name not in self.fragments.owner:
            raise UnreadableText(f"describes an action {name}")
        wordings = self.fragments.owner[name].words.actions[name].purpose
        if purpose not in map(self._worded, wordings):
            raise UnreadableText(f"says something else of the action {name}: {purpose[:SHOWN]!r}")
        yield ("action", ":action", name, parameters)
        details_stated = [line.partition(": ") for line in lines]
        if [opening for opening, _, _ in details_stated] != [*DETAILS][: len(DETAILS) * details]:
            raise UnreadableText(f"does not tell what holds before and after {name}, once each")
        clauses = self._clauses(parameters, {variable: variable for variable, _ in parameters})
        for opening, _, listed in details_stated:
            yield from (
                (DETAILS[opening], name, tree)
                for tree in _literals_of_clauses(listed, clauses)
                if listed != "nothing."
            )


def numbered_steps(text: str) -> list[str]:
    """Return the texts of steps in lines that are numbered one by one.

    Raises:
        UnreadableText: they are not.
    """
    matches = [NUMBERED.fullmatch(line) for line in text.split("\n")]
    if [match and match[1] for match in matches] != [str(place) for place in range(1, len(matches) + 1)]:
        raise UnreadableText("has steps that are not numbered one by one")
    return [match[2] for match in matches if match]


def _divided(text: str, readings_of: Any) -> list[tuple[str, Any]]:
    """Return the wordings that a text consists of, with their readings.

    Raises:
        UnreadableText: there is no division into readable wordings, or more than one.
    """
    fragments = STOPS.split(text)
    ways: list[list[list[tuple[str, Any]]]] = [[[]]]  # of the fragments before each place
    for end in range(1, len(fragments) + 1):
        ways.append([])
        for start in range(max(0, end - LONGEST), end):
            part = " ".join(fragments[start:end])
            if ways[start] and (readings := readings_of(part)):
                ways[end] += [[*way, (part, readings)] for way in ways[start]]
    if not ways[-1]:
        last = max(place for place, division in enumerate(ways) if division)
        raise UnreadableText(f"cannot be read: {' '.join(fragments[last:])[:200]!r}")
    if len(ways[-1]) > 1:
        raise UnreadableText(f"can be divided in {len(ways[-1])} ways: {text!r}")
    return ways[-1][0]


def _literals_of_clauses(text: str, clauses: Clauses) -> list[Tree]:
    """Return the literals of clauses between semicolons, before a full stop.

    Raises:
        UnreadableText: some clause cannot be read, or in two ways.
    """
    if not text.endswith("."):
        raise UnreadableText(f"ends without a full stop: {text[-SHOWN:]!r}")
    trees: list[Tree] = []
    for clause in text[:-1].split("; "):
        meanings = clauses.get(clause, frozenset())
        if len(meanings) > 1:
            raise UnreadableText(f"has {len(meanings)} readings of {clause!r}: {sorted(meanings, key=repr)}")
        if not meanings and text != "nothing.":
            raise UnreadableText(f"cannot be read: {clause!r}")
        trees += meanings
    return trees


def _statements_of_group(group: WordGroup, tells: Any) -> Iterator[tuple[Statement, str]]:
    stated = set(group.statements(tells.stated))
    yield from ((literal, STATED) for literal in stated)
    yield from ((literal, IMPLIED) for literal in group.statements(tells.implied) if literal not in stated)


def _items(text: str) -> list[str]:
    """Return the items of a list in lines with a dash; an item may have further lines."""
    first, *items = f"\n{text}".split("\n- ")
    if first.strip():
        raise UnreadableText(f"cannot be read: {first[:SHOWN]!r}")
    return items


def _append(numbers: list[int], number: int) -> None:
    if number not in numbers:
        numbers.append(number)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _as_sentence(text: str) -> str:
    """Return an imperative with a capital and a closing mark."""
    return _capitalised(text if text.endswith(("?", "!")) else text.rstrip(" .") + ".")
