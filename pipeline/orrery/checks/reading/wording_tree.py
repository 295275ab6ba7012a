"""The wordings of facts and actions: in one prefix tree, or all of one fact in one encoded string.

The words of a domain give every wording with placeholders for the arguments. A wording becomes a path of
tokens (words, marks, spaces) and holes for names. Wordings with the same beginning share a path, so that one
walk finds all wordings that match at a place of a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from orrery.language.choices import Every, held_out
from orrery.language.words import Words
from orrery.model import Atom, OrreryError

# Two families of placeholders: a wording that depends on the first letter of a name is found in both forms.
PLACEHOLDERS = ("qx{}zq", "ux{}zu")
PLACEHOLDER = re.compile(r"(?:qx(\d+)zq|ux(\d+)zu)")
MASK = "\ue000[0-9]+\ue001"  # replaces the name of an object by its number
TOKEN = re.compile(rf"{MASK}|\??[\w-]+|.", re.DOTALL)
NAME = re.compile(r"\??[\w-]+")  # an object, a variable or a word that replaces a parameter

SINGLE = "name"  # the kind of a hole for one name


class Hole(NamedTuple):
    """A position of a wording for an argument."""

    kind: str
    argument: int


Path: TypeAlias = Sequence["str | Hole"]


class Wording(NamedTuple):
    """One wording of a predicate or an action.

    ``order`` lists the argument of each hole in text order. ``noun`` precedes the names of a list.
    """

    symbol: str
    variant: int
    order: tuple[int, ...]
    held_out: bool
    noun: str = ""


class Filling(NamedTuple):
    """The text in a hole, with the kind of the hole."""

    kind: str
    match: re.Match[str]


class Phrase(NamedTuple):
    """A wording in a text, with the text of each argument and the end of the wording."""

    wording: Wording
    arguments: tuple[Filling, ...]
    end: int

    @property
    def atom(self) -> Atom:
        """The fact or action of the phrase, if all its holes are for single names."""
        return (self.wording.symbol, *(filling.match[0].lower() for filling in self.arguments))


@dataclass(slots=True)
class _Node:
    """A node of the tree: the node for each next token, and the wordings that end here."""

    tokens: dict[str, _Node] = field(default_factory=lambda: defaultdict(_Node))
    holes: dict[str, _Node] = field(default_factory=lambda: defaultdict(_Node))
    wordings: list[Wording] = field(default_factory=list)


class WordingTree:
    """A prefix tree of wordings; ``holes`` are the patterns for each kind of hole."""

    def __init__(self, holes: Mapping[str, re.Pattern[str]]) -> None:
        """Create an empty tree."""
        self._holes, self._root = holes, _Node()

    def add(self, path: Path, wording: Wording) -> None:
        """Add a wording; at the beginning of a sentence, its first letter may be a capital."""
        node = self._root
        for place, step in enumerate(path):
            if isinstance(step, Hole):
                node = node.holes[step.kind]
            elif place == 0:
                node.tokens[step] = node.tokens[small(step)]
                node = node.tokens[step]
            else:
                node = node.tokens[step]
        if wording not in node.wordings:
            node.wordings.append(wording)

    def read(self, text: str, at: int, *, opening: bool = False) -> Iterator[Phrase]:
        """Yield every wording that matches at a place of a text.

        With ``opening``, a sentence begins there, and a wording may begin with a capital.
        """
        yield from self._read(self._root, text, at)
        token = TOKEN.match(text, at) if opening else None
        if token and token[0] not in self._root.tokens and small(token[0]) in self._root.tokens:
            yield from self._read(self._root.tokens[small(token[0])], text, token.end())

    def _read(self, node: _Node, text: str, at: int) -> Iterator[Phrase]:
        stack: list[tuple[_Node, int, tuple[Filling, ...]]] = [(node, at, ())]
        while stack:
            node, at, fillings = stack.pop()
            for wording in node.wordings:
                if (phrase := _phrase(wording, fillings, at)) is not None:
                    yield phrase
            if (token := TOKEN.match(text, at)) and (after := node.tokens.get(token[0])):
                stack.append((after, token.end(), fillings))
            for kind, after in node.holes.items():
                if match := self._holes[kind].match(text, at):
                    stack.append((after, match.end(), (*fillings, Filling(kind, match))))

    def shared(self) -> Iterator[frozenset[str]]:
        """Yield the sets of symbols whose wordings are equal up to the order of the arguments."""
        nodes = [self._root]
        while nodes:
            node = nodes.pop()
            nodes += [*node.tokens.values(), *node.holes.values()]
            if len(symbols := frozenset(wording.symbol for wording in node.wordings)) > 1:
                yield symbols


def _phrase(wording: Wording, fillings: Sequence[Filling], end: int) -> Phrase | None:
    """Return a wording with its arguments; None if one argument has two different names."""
    arguments: dict[int, Filling] = {}
    for argument, filling in zip(wording.order, fillings, strict=True):
        if arguments.setdefault(argument, filling).match[0] != filling.match[0]:
            return None
    return Phrase(wording, tuple(arguments[place] for place in range(len(arguments))), end)


def small(word: str) -> str:
    """Return a word with a small first letter."""
    return word[:1].lower() + word[1:]


def paths(words: Words, kind: str, symbol: str, arity: int) -> Iterator[tuple[int, Path]]:
    """Yield number and path of each wording of a symbol; ``kind`` is "fact" or "action".

    Raises:
        OrreryError: a wording does not contain all its arguments.
    """
    for variant in range(words.variants(kind, symbol)):
        for family in PLACEHOLDERS:
            names = [family.format(argument) for argument in range(arity)]
            clause = words.say(kind, symbol, *names, variant=variant).rstrip(" .")
            path = _path(clause)
            if {step.argument for step in path if isinstance(step, Hole)} != {*range(arity)}:
                raise OrreryError(
                    str(words.path),
                    f"the wording {clause!r} does not name all its arguments, each as a word of its own",
                    f"name every argument in each wording of {symbol}",
                )
            yield variant, path


def _path(clause: str) -> Path:
    """Return the tokens of a wording, with a hole for each placeholder."""
    return [
        Hole(SINGLE, int(match[1] or match[2])) if (match := PLACEHOLDER.fullmatch(token)) else token
        for token in TOKEN.findall(clause)
    ]


def wording_of(words: Words, kind: str, symbol: str, variant: int, path: Path, noun: str = "") -> Wording:
    """Return the wording for a path."""
    count = words.variants(kind, symbol)
    order = tuple(step.argument for step in path if isinstance(step, Hole))
    return Wording(symbol, variant, order, variant >= count - held_out(count), noun)


def tree_of(words: Words, kind: str, arities: Iterable[tuple[str, int]]) -> WordingTree:
    """Return the tree of the wordings of symbols, given by name and arity; any word may fill an argument."""
    tree = WordingTree({SINGLE: NAME})
    for symbol, arity in arities:
        for variant, path in paths(words, kind, symbol, arity):
            tree.add(path, wording_of(words, kind, symbol, variant, path))
    return tree


def worded(words: Words, kind: str, atom: Atom) -> str:
    """Return all wordings of a fact or an action ("fact" or "action"), encoded."""
    variants = range(words.variants(kind, atom[0]))
    return Every.of([words.say(kind, *atom, variant=variant) for variant in variants])


def listed(parts: Sequence[str]) -> str:
    """Return texts with commas and "and" between them."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def either(nouns: Iterable[str]) -> str:
    """Return the wordings of "a car or an airplane", encoded, with either article."""
    return " or ".join(f"{Every.of(('a', 'an'))} {noun}" for noun in nouns)
