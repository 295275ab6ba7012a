"""Read the texts of a composed domain: procedures at three levels, and descriptions.

Every sentence of a procedure is an imperative that tells an action, a sentence from a bank that implies
literals, or a frame around clauses that state them. A sentence outside these, or with two readings that
differ in their literals, makes the text unreadable. Literals are statements (see ``statements``) in the plain
names of the mechanics.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, TypeAlias, TypeVar

from jinja2.runtime import Macro

from orrery.checks.composed_fragments import Fragments, WordGroup
from orrery.checks.reading.cursor import SHOWN, UnreadableText
from orrery.checks.statements import OBJECT, Statement, Tree, Typed, tree_of, typed
from orrery.composition.mechanic import ActionWords
from orrery.composition.wordings import worded
from orrery.language.words import environment, ordinal
from orrery.yaml_text import read_yaml

STATED, IMPLIED, COMMON = "stated", "implied", "common"
NEEDS, MAKES = "needs", "makes"
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
DETAILS = {"Before": NEEDS, "Afterwards": MAKES}

Clauses: TypeAlias = Mapping[str, frozenset[Tree]]
Meaning = TypeVar("Meaning")
Told: TypeAlias = frozenset[tuple[Statement, str]]  # literals, each with its way
Places: TypeAlias = set[tuple[Statement, str, int]]  # literals, each with its way and a place that tells it


class ClauseFrame(NamedTuple):
    """The beginning and the end of sentences around clauses, which state conditions or effects.

    ``action`` is empty if the sentence is on the action that follows (conditions) or on the last one.
    """

    kind: str
    action: str
    first: str
    last: str


class ReadProcedure(NamedTuple):
    """The literals that the steps of a procedure tell, and the steps that tell each action."""

    literals: Places
    steps: dict[str, set[int]]


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
        words = self._action_words(action)
        return {"action": self._worded(words.infinitive), "doing": self._worded(words.gerund)}

    def _action_words(self, action: str) -> ActionWords:
        return self.fragments.owner[action].words.actions[action]

    @cached_property
    def _imperatives(self) -> dict[str, set[str]]:
        """The actions that each imperative tells."""
        imperatives: dict[str, set[str]] = defaultdict(set)
        for action in self.fragments.parameters:
            arguments = {name.lstrip("?"): noun for name, noun in self.nouns(action).items()}
            for text in self._action_words(action).do:
                imperatives[_as_sentence(self._worded(text, **arguments))].add(action)
        return imperatives

    @cached_property
    def _implying(self) -> dict[str, dict[str, set[Told]]]:
        """The literals that each sentence of a bank implies, by action."""
        return {
            action: _by_sentence(
                (self._group_worded(text, group), frozenset((literal, IMPLIED) for literal in literals))
                for group in self.fragments.word_groups(action)
                for bank in group.words.implied
                if (literals := group.statements(bank.tells))
                for text in bank.say
            )
            for action in self.fragments.parameters
        }

    def _group_worded(self, text: str, group: WordGroup) -> str:
        return _as_sentence(self._worded(text, **(self._phrases(group.action) if group.attached else {})))

    @cached_property
    def _sentence_frames(self) -> list[ClauseFrame]:
        """The frames of sentences that state conditions or effects."""
        frames = [ClauseFrame(NEEDS, "", *frame.split(CLAUSE)) for frame in self._frames["condition"]]
        frames += [ClauseFrame(MAKES, "", *frame.split(CLAUSE)) for frame in self._frames["result"]]
        for action in self.fragments.parameters:
            infinitive, gerund = self._phrases(action).values()
            names = {"infinitive": infinitive, "gerund": gerund, "Gerund": _capitalised(gerund)}
            for frame in self._frames["apart"]:
                frames.append(ClauseFrame(NEEDS, action, *frame.format(clause=CLAUSE, **names).split(CLAUSE)))
        return frames

    @cached_property
    def _general(self) -> dict[str, set[Told]]:
        """What each sentence of the general part tells."""
        rules: list[tuple[str, Told]] = []
        for mechanic in self.fragments.mechanics.values():
            groups = [WordGroup(name, mechanic.words, None) for name in mechanic.fragment.action_named]
            for rule in mechanic.words.general:
                told = frozenset(way for group in groups for way in _statements_of_group(group, rule.tells))
                rules += [(_as_sentence(self._worded(text)), told) for text in rule.say]
        for action in self.fragments.parameters:
            for group in self.fragments.word_groups(action):
                for rule in group.words.general if group.attached else ():
                    told = frozenset(_statements_of_group(group, rule.tells))
                    rules += [(self._group_worded(text, group), told) for text in rule.say]
        return _by_sentence(rules)

    # Procedures.

    def procedure(self, texts: Mapping[str, str]) -> ReadProcedure:
        """Return what the text conditions of a row tell.

        The steps are read from ``rel``; ``all`` and ``map`` have to repeat them.

        Raises:
            UnreadableText: a sentence cannot be read in one way, or the conditions contradict each other.
        """
        steps = numbered_steps(texts["rel"])
        procedure = self._resolved(steps)
        self._check_article(texts["all"], steps)
        for action, mapped in self._by_action(texts["map"]).items():
            numbers = sorted(procedure.steps[action])
            if mapped != " ".join(f"({number}) {steps[number - 1]}" for number in numbers):
                raise UnreadableText(f"maps {action} to other steps than {numbers}")
        for action, summary in self._by_action(texts["sum"]).items():
            self._check_wording(summary, action, self._action_words(action).summary)
        if texts["none"]:
            raise UnreadableText("says something under the text condition none")
        return procedure

    def _resolved(self, steps: Sequence[str]) -> ReadProcedure:
        """Return what sentences tell: conditions belong to the action that follows, results to the last."""
        sentences = [
            (text, number)
            for number, step in enumerate(steps, 1)
            for text in _divided(step, lambda text: text in self._imperatives or self._tells(text))
        ]
        imperatives = [self._action_of(text) for text, _ in sentences]
        actions = [action for action in imperatives if action]
        if sorted(actions) != sorted(self.fragments.parameters):
            raise UnreadableText(f"tells the actions {actions}, not every action once")
        procedure, done, read = ReadProcedure(set(), defaultdict(set)), "", set[tuple[str, str]]()
        for place, (text, step) in enumerate(sentences):
            if imperatives[place]:
                done = imperatives[place]
                procedure.steps[done].add(step)
                continue
            coming = next((action for action in imperatives[place:] if action), "")
            action, told = _only_meaning(text, set(self._meanings(text, done, coming)))
            if (action, text) in read:
                raise UnreadableText(f"says twice of {action}: {text!r}")
            read.add((action, text))
            procedure.steps[action].add(step)
            procedure.literals.update((literal, how, step) for literal, how in told)
        return procedure

    def _action_of(self, text: str) -> str:
        """Return the action that an imperative tells; the empty string for another sentence."""
        actions = self._imperatives.get(text, set())
        if len(actions) > 1 or (actions and self._tells(text)):
            raise UnreadableText(f"has several readings of {text!r}, one of them as {min(actions)}")
        return min(actions, default="")

    def _tells(self, text: str) -> bool:
        """Return whether a sentence tells literals, whatever the actions around it."""
        is_implying = any(text in sentences for sentences in self._implying.values())
        return is_implying or any(True for _ in self._framed(text))

    def _framed(self, text: str) -> Iterator[tuple[ClauseFrame, tuple[str, ...]]]:
        """Yield each frame that a sentence is in, with the clauses in it, in each way to divide them."""
        for frame in self._sentence_frames:
            inner = text.removeprefix(frame.first).removesuffix(frame.last)
            if f"{frame.first}{inner}{frame.last}" == text:
                joints = [(at, joint) for joint in self._frames["join"] for at in _occurrences(joint, inner)]
                ways = [(inner,), *((inner[:at], inner[at + len(joint) :]) for at, joint in joints)]
                yield from ((frame, way) for way in dict.fromkeys(ways) if self._any_clause.issuperset(way))

    def _meanings(self, text: str, done: str, coming: str) -> Iterator[tuple[str, Told]]:
        """Yield the action and the literals of each reading of a sentence between two actions."""
        yield from ((done, told) for told in self._implying.get(done, {}).get(text, ()))
        for frame, clauses in self._framed(text):
            action = frame.action or (done if frame.kind == MAKES else coming)
            readings = [self._clauses_of[action].get(clause, ()) for clause in clauses] if action else [()]
            for trees in product(*readings):
                yield action, frozenset(((frame.kind, action, tree), STATED) for tree in trees)

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

    def _by_action(self, text: str) -> dict[str, str]:
        """Return what the lines of a text say of each action, behind its name.

        Raises:
            UnreadableText: there is not one line for each action.
        """
        lines = [line.partition(": ") for line in text.split("\n")]
        by_action = {self._plain(name): phrase for name, _, phrase in lines}
        if len(lines) != len(by_action) or by_action.keys() != self.fragments.parameters.keys():
            raise UnreadableText(f"has lines on {[name for name, _, _ in lines]}, not one on each action")
        return by_action

    def _check_wording(self, text: str, action: str, wordings: Iterable[str]) -> None:
        """Raise UnreadableText unless a text on an action is one of the wordings."""
        if text not in map(self._worded, wordings):
            raise UnreadableText(f"says something else of the action {action}: {text[:SHOWN]!r}")

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

    def general(self, text: str) -> Places:
        """Return the literals that the general part tells, with the numbers of its sentences.

        Raises:
            UnreadableText: a sentence cannot be read, or in two ways with different literals.
        """
        sentences = _divided(text, self._general.__contains__)
        if repeated := [part for part, count in Counter(sentences).items() if count > 1]:
            raise UnreadableText(f"says twice: {repeated[0]!r}")
        literals: Places = set()
        for number, part in enumerate(sentences, 1):
            told = _only_meaning(part, self._general[part])
            literals.update((literal, how, number) for literal, how in told)
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
        self._check_wording(purpose, name, self._action_words(name).purpose)
        yield ("action", ":action", name, parameters)
        details_stated = [line.partition(": ") for line in lines]
        if [opening for opening, _, _ in details_stated] != [*DETAILS][: len(DETAILS) * details]:
            raise UnreadableText(f"does not tell what holds before and after {name}, once each")
        clauses = self._clauses(parameters, {variable: variable for variable, _ in parameters})
        for opening, _, listed in details_stated:
            for tree in _literals_of_clauses(listed, clauses):
                yield (DETAILS[opening], name, tree)


def numbered_steps(text: str) -> list[str]:
    """Return the texts of steps in lines that are numbered one by one.

    Raises:
        UnreadableText: they are not.
    """
    matches = [NUMBERED.fullmatch(line) for line in text.split("\n")]
    if [match and match[1] for match in matches] != [str(place) for place in range(1, len(matches) + 1)]:
        raise UnreadableText("has steps that are not numbered one by one")
    return [match[2] for match in matches if match]


def _by_sentence(rules: Iterable[tuple[str, Told]]) -> dict[str, set[Told]]:
    """Return what each sentence tells, in each of its meanings."""
    told_by: dict[str, set[Told]] = defaultdict(set)
    for text, told in rules:
        told_by[text].add(told)
    return told_by


def _divided(text: str, is_wording: Callable[[str], bool]) -> list[str]:
    """Return the wordings that a text consists of.

    Raises:
        UnreadableText: there is no division into wordings, or more than one.
    """
    sentences = STOPS.split(text)
    ways: list[list[list[str]]] = [[[]]]  # of the sentences before each place
    for end in range(1, len(sentences) + 1):
        ways.append([])
        for start in range(max(0, end - LONGEST), end):
            part = " ".join(sentences[start:end])
            if ways[start] and is_wording(part):
                ways[end] += [[*way, part] for way in ways[start]]
    if not ways[-1]:
        last = max(place for place, division in enumerate(ways) if division)
        raise UnreadableText(f"cannot be read: {' '.join(sentences[last:])[:200]!r}")
    if len(ways[-1]) > 1:
        raise UnreadableText(f"can be divided in {len(ways[-1])} ways: {text!r}")
    return ways[-1][0]


def _only_meaning(text: str, meanings: Set[Meaning]) -> Meaning:
    """Return the only meaning of a text.

    Raises:
        UnreadableText: it has none, or several.
    """
    if len(meanings) != 1:
        raise UnreadableText(f"has {len(meanings)} readings of {text!r}: {sorted(meanings, key=repr)}")
    return next(iter(meanings))


def _literals_of_clauses(text: str, clauses: Clauses) -> Iterator[Tree]:
    """Yield the literals of clauses between semicolons, before a full stop.

    Raises:
        UnreadableText: some clause cannot be read, or in two ways.
    """
    if not text.endswith("."):
        raise UnreadableText(f"ends without a full stop: {text[-SHOWN:]!r}")
    for clause in text[:-1].split("; ") if text != "nothing." else ():
        yield _only_meaning(clause, clauses.get(clause, frozenset()))


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


def _occurrences(part: str, text: str) -> list[int]:
    """Return where a part begins in a text; occurrences may overlap."""
    return [at for at in range(len(text)) if text.startswith(part, at)]


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _as_sentence(text: str) -> str:
    """Return an imperative with a capital and a closing mark."""
    return _capitalised(text if text.endswith(("?", "!")) else text.rstrip(" .") + ".")
