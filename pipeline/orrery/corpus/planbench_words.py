"""Parse the words of PlanBench's prompts: facts, steps and the parts of a prompt.

A configuration has a template for each predicate and action. Names of objects are words, or numbers after a
word. Stored plans shorten them to the first word. Ambiguous words are not parsed, and neither is a sentence
with unexplained rest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from orrery.corpus.planbench_files import Config
from orrery.model import Atom, Domain, State, Step
from orrery.planning.execution import unmet_preconditions

MOST_JOINED = 3  # maximum number of parts joined to one fact, if its words contain a comma or "and"
_HOLE = "{}"
_SEPARATOR = re.compile(r"(\s*,\s*(?:and\s+)?|\s+and\s+)")
_INIT = re.compile(r"initial conditions I have that,?\s*(?P<text>.*?)\.?\s*(?:\n|My goal|$)", re.DOTALL)
_GOAL = re.compile(r"My goal is to have that\s+(?P<text>[^.\n]*)")
_SEQUENCE = re.compile(r"\[(PLAN|ACTION SEQUENCE)\](?P<text>.*?)\[\1 END\]", re.DOTALL)
_EVENT = re.compile(r'After executing the action "(?P<action>[^"]*)"(?: at step (?P<step>\d+))?')
_TRUE = re.compile(
    r"facts (?:unexpectedly became|became unexpectedly) true:[ \t]*(?P<text>[^\n]*)", re.IGNORECASE
)
_FALSE = re.compile(
    r"facts (?:unexpectedly became|became unexpectedly) false:[ \t]*(?P<text>[^\n]*)", re.IGNORECASE
)
_REMARK = re.compile(r"the total time|\[", re.IGNORECASE)
_LETTERS = re.compile(r"[a-z]+")
STATEMENT = "[STATEMENT]"


class Unread(Exception):
    """Text of PlanBench that cannot be parsed; the message quotes it."""


@dataclass(frozen=True)
class Statement:
    """A part of a prompt that begins with ``[STATEMENT]``."""

    text: str

    @property
    def init(self) -> str | None:
        """The words of the initial state."""
        return _matched_text(_INIT, self.text)

    @property
    def goal(self) -> str | None:
        """The words of the goal."""
        return _matched_text(_GOAL, self.text)

    @property
    def sequence(self) -> str | None:
        """The lines of the first shown plan or action sequence."""
        return _matched_text(_SEQUENCE, self.text)

    @property
    def event(self) -> Event | None:
        """The event during execution."""
        match = _EVENT.search(self.text)
        if match is None:
            return None
        step = int(match["step"]) if match["step"] else None
        return Event(
            match["action"],
            step,
            _matched_text(_TRUE, self.text) or "",
            _matched_text(_FALSE, self.text) or "",
        )

    @property
    def told(self) -> str:
        """Initial state and goal, word for word."""
        return " ".join(self.text.partition("My plan is as follows")[0].split())


@dataclass(frozen=True)
class Event:
    """The words of an event: the step before it, and the facts that become true and false."""

    action: str
    step: int | None
    true: str
    false: str


def statements(query: str) -> list[Statement]:
    """Return the statements of a prompt. The last one is the request, the others are examples."""
    return [Statement(text) for text in query.split(STATEMENT)[1:]]


def _matched_text(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match["text"].strip() if match else None


def prefix(name: str) -> str:
    """Return the letters at the beginning of a name."""
    match = _LETTERS.match(name)
    return match[0] if match else ""


def objects_in(config: Config, text: str) -> list[str]:
    """Return the names of the objects in a text, as far as words are unambiguous."""
    words, objects = _plain(text), set()
    for name, template in config.objects.items():
        if _HOLE not in template:
            objects |= {name} if re.search(rf"(?<!\w){re.escape(_plain(template))}(?!\w)", words) else set()
            continue
        pattern = re.escape(_plain(template)).replace(re.escape(_HOLE), r"(\d+)")
        objects |= {
            name + "-".join(match.groups()) for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", words)
        }
    if _obfuscated(config):
        objects |= {f"o{number}" for number in re.findall(r"\bobject_(\d+)\b", words)}
    return sorted(objects)


def _obfuscated(config: Config) -> bool:
    return "obfuscated" in config.name


def _plain(text: str) -> str:
    """Return lower-case words. PlanBench writes some hyphens as blanks."""
    return " ".join(text.lower().replace("-", " ").split())


@dataclass(frozen=True)
class PlanBenchWords:
    """The words of one problem of a domain."""

    config: Config
    domain: Domain
    objects: tuple[str, ...]

    @cached_property
    def name_of(self) -> Mapping[str, str]:
        """The object of each word; ambiguous words are omitted."""
        meant: dict[str, set[str]] = defaultdict(set)
        for name in self.objects:
            for word in _aliases(self.config, name):
                meant[word].add(name)
        return {word: min(names) for word, names in meant.items() if len(names) == 1}

    @cached_property
    def _predicates(self) -> list[tuple[str, re.Pattern[str]]]:
        return self._patterns(self.config.predicates, {p.name: p.arity for p in self.domain.predicates})

    @cached_property
    def _actions(self) -> list[tuple[str, re.Pattern[str]]]:
        return self._patterns(self.config.actions, {a.name: len(a.parameters) for a in self.domain.actions})

    def _patterns(
        self, templates: Mapping[str, str], arities: Mapping[str, int]
    ) -> list[tuple[str, re.Pattern[str]]]:
        """Return a pattern for each name, with a group for each argument."""
        longest = sorted(self.name_of, key=lambda word: (-len(word), word))
        word = f"({'|'.join(map(re.escape, longest)) or '(?!)'})"
        return [
            (name, re.compile(re.escape(_plain(template)).replace(re.escape(_HOLE), word)))
            for name, template in templates.items()
            if template and arities.get(name) == template.count(_HOLE)
        ]

    @property
    def unsaid(self) -> frozenset[str]:
        """The predicates that prompts never mention."""
        names = {name for name, _ in self._predicates}
        return frozenset(p.name for p in self.domain.predicates if p.name not in names)

    def facts(self, text: str) -> State:
        """Return the facts listed in a sentence.

        Raises:
            Unread: a part is not a fact.
        """
        parts = _SEPARATOR.split(text.strip().rstrip("."))
        facts, place = set(), 0
        while place < len(parts):
            for joined in range(MOST_JOINED):
                clause = "".join(parts[place : place + 2 * joined + 1])
                if fact := self._fact(_plain(clause)):
                    facts.add(fact)
                    place += 2 * joined + 2
                    break
            else:
                if not parts[place].strip():  # an empty list, or a comma at the end
                    place += 2
                    continue
                raise Unread(f"no fact: {parts[place]!r}")
        return frozenset(facts)

    def _fact(self, text: str) -> Atom | None:
        for name, pattern in self._predicates:
            if match := pattern.fullmatch(text):
                return (name, *(self.name_of[word] for word in match.groups()))
        return None

    def steps(self, text: str, init: State) -> list[Step]:
        """Return the steps of a plan, one per line, in words or in parentheses.

        Raises:
            Unread: a line is not a step.
        """
        lines = [line.strip() for line in text.splitlines()]
        return [self.step(line, init) for line in lines if line and not _REMARK.match(line)]

    def step(self, line: str, init: State) -> Step:
        """Return the step of a line. If the words fit several actions, static facts decide.

        Raises:
            Unread: the line is not a step.
        """
        if line.startswith("("):
            return self._in_parentheses(line)
        steps = [
            (name, *(self.name_of[word] for word in match.groups()))
            for name, pattern in self._actions
            if (match := pattern.fullmatch(_plain(line)))
        ]
        if not steps:
            raise Unread(f"no step: {line!r}")
        return next((step for step in steps if self._fits(step, init)), steps[0])

    def _in_parentheses(self, line: str) -> Step:
        name, *words = line.strip("()").lower().split() or [""]
        if name not in self.domain.action_named:
            raise Unread(f"no action: {line!r}")
        if unknown := [word for word in words if word not in self.name_of]:
            raise Unread(f"no object {unknown[0]!r}: {line!r}")
        return (name, *(self.name_of[word] for word in words))

    def _fits(self, step: Step, init: State) -> bool:
        """Return whether the static preconditions of a step hold."""
        unmet = unmet_preconditions(self.domain, init, step)
        return all(literal.atom[0] in self.domain.fluents for literal in unmet)


def words_of(config: Config, name: str) -> str:
    """Return the words in prompts for an object."""
    return _plain(next(iter(_texts(config, name)), name))


def _aliases(config: Config, name: str) -> set[str]:
    """Return all words for an object: its name, its words in prompts, and their short forms in plans."""
    texts = set(_texts(config, name))
    aliases = {name} | {_plain(text) for text in texts}
    aliases |= {_plain(text).replace(" ", "_") for text in texts}
    return aliases | {_plain(text).split()[0] for text in texts if text}


def _texts(config: Config, name: str) -> Iterable[str]:
    """Return the words in prompts for an object. Numbers are inserted whole, or digit by digit."""
    if _obfuscated(config):
        yield name.replace("o", "object_")
    fitting: Sequence[str] = sorted((key for key in config.objects if name.startswith(key)), key=len)
    if not fitting:
        yield name
        return
    template, numbers_text = config.objects[fitting[-1]], name[len(fitting[-1]) :]
    if _HOLE not in template:
        yield template if not numbers_text else name
        return
    for numbers in (re.findall(r"\d+", numbers_text), re.findall(r"\d", numbers_text)):
        if len(numbers) >= template.count(_HOLE):
            first, *parts = template.split(_HOLE)
            yield first + "".join(number + part for number, part in zip(numbers, parts, strict=False))
