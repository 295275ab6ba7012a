"""All wordings of actions, or of facts, as one tree of words. A text is matched word by word.

Articles, commas and inflection are ignored. The noun before a name may be omitted ("pick up b1" for "pick up
block b1"), and its type may be added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from ..pddl import GradedDomain
from ..problem import GradedProblem
from ..row import Atom, Row, value
from ..words import ARTICLES, FILLERS, stem, word_set

# A word or a mark, or the content of parentheses together with the word directly before them.
Token: TypeAlias = "str | tuple[str, ...]"

_TOKEN = re.compile(
    r"([^\W\d_][\w-]*)?\(([^()]*)\)|((?<!\S)-\d+(?:\.\d+)?(?!\w)|\d+\.\d+|[^\W_](?:[\w-]*[^\W_])?)|([^\w\s])"
)
MOST_FILLERS = 4  # consecutive articles and commas that are skipped; more would make the search slow
_PIECE = re.compile(r"\{(\d+)\}|([^\W_](?:[\w-]*[^\W_])?)")


# Phrases of prepositions towards an object, and away from it.
_DIRECTIONS = tuple(
    tuple(tuple(phrase.split()) for phrase in phrases.split(", "))
    for phrases in (
        "on, onto, on to, on top of, onto top of, upon, atop, to, into, in to, in, at",
        "from, off, off of, from top of, from on top of, out of",
    )
)
_AWAY = word_set("from off out")
_COPULAS = word_set("is are has have")
_PREPOSITIONS = frozenset(word for phrases in _DIRECTIONS for phrase in phrases for word in phrase)
_COMMON_STEMS = frozenset(map(stem, (*ARTICLES, *FILLERS, *_PREPOSITIONS, "up", "down", "")))


def tokens_of(line: str) -> list[Token]:
    """Return the tokens of a line in lower case."""
    return [
        word or mark or (*((head,) if head else ()), *inside.replace(",", " ").split())
        for head, inside, word, mark in _TOKEN.findall(line)
    ]


@dataclass(slots=True)
class WordingNode:
    """A node of the tree: the words that may follow, a name, and the symbol if the wording ends here."""

    words: dict[str, WordingNode] = field(default_factory=dict)
    name: WordingNode | None = None
    # The symbol; for each argument its position among the names; the positions of names that are the
    # same argument, as in "give {2} of {0} to {1}, and {3} of {1} to {0}".
    said: list[tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class ReplyWordings:
    """The wordings of actions or of facts.

    ``listed`` are the wordings of all symbols, by ``actions`` and ``facts``; ``kind`` is one of these.
    ``telling`` has the stems of words that occur in names and wordings of these symbols, and not in those of
    the other kind, each with the names of these symbols. ``vocabulary`` has the stems of all words in names
    and wordings, and of types.
    """

    listed: Mapping[str, Mapping[str, Sequence[str]]]
    domain: GradedDomain
    kind: str
    telling: Mapping[str, Collection[str]]
    vocabulary: Collection[str]

    @cached_property
    def tree(self) -> WordingNode:
        """The tree of the wordings. Replies in PDDL do not need it."""
        return _tree(self.listed, self.domain, self.kind)


def wordings_of(row: Row, domain: GradedDomain, kind: str) -> ReplyWordings:
    """Return the wordings of a row's ``actions`` or ``facts``; none for a row without wordings."""
    phrases = value(row, "nl_templates")
    text = phrases if isinstance(phrases, str) else "{}" if phrases is None else json.dumps(phrases)
    return _wordings(text, domain, kind)


# Rows of a domain have the same wordings: one entry per domain, vocabulary and kind of symbol.
@lru_cache(maxsize=256)
def _wordings(phrases: str, domain: GradedDomain, kind: str) -> ReplyWordings:
    listed: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(phrases)
    words = _symbols_by_stem(listed, domain)
    vocabulary = _COMMON_STEMS.union(*words.values(), map(stem, domain.supertypes))
    return ReplyWordings(listed, domain, kind, _telling_words(words, domain, kind), vocabulary)


def _symbols_by_stem(
    listed: Mapping[str, Mapping[str, Sequence[str]]], domain: GradedDomain
) -> dict[str, dict[str, set[str]]]:
    """Return the stems of words in names and wordings, with the symbols, for actions and for facts."""
    words: dict[str, dict[str, set[str]]] = {"actions": {}, "facts": {}}
    for part, symbols in (("actions", domain.parameters), ("facts", domain.predicates)):
        texts = {name.lower(): wordings for name, wordings in listed.get(part, {}).items()}
        for name in symbols:
            for text in (*texts.get(name, ()), re.sub("[-_]", " ", name)):
                for _, word in _PIECE.findall(text.lower()):
                    words[part].setdefault(stem(word), set()).add(name)
    return words


def _telling_words(
    words: Mapping[str, Mapping[str, set[str]]], domain: GradedDomain, kind: str
) -> dict[str, set[str]]:
    (other,) = words.keys() - {kind}
    verbs = {stem(re.split("[-_]", name)[0]) for name in domain.parameters} if kind == "actions" else set()
    telling = (words[kind].keys() - words[other].keys() | verbs) - _COMMON_STEMS
    return {word: words[kind][word] for word in telling}


def _tree(listed: Mapping[str, Mapping[str, Sequence[str]]], domain: GradedDomain, kind: str) -> WordingNode:
    types = domain.parameters if kind == "actions" else domain.predicates
    facts = [text for texts in listed.get("facts", {}).values() for text in texts]
    nouns = {stem(word) for text in facts for word in _first_noun(text)}.union(map(stem, domain.supertypes))
    tree = WordingNode()
    for name, texts in listed.get(kind, {}).items():
        for text in texts:
            readings = list(_readings(text.lower(), nouns))
            if kind == "actions":  # "stack {0} onto {1}" for "stack {0} on top of {1}"
                readings += [other for reading in readings for other in _in_other_prepositions(reading)]
            for pieces in dict.fromkeys(map(tuple, readings)):
                _add(tree, name.lower(), pieces, len(types.get(name.lower(), ())))
    return tree


def _first_noun(text: str) -> Iterator[str]:
    """Yield the noun beside a name that begins a clause: "block {0} is clear", "{0} block is clear"."""
    pieces = [(place, word) for place, word in _PIECE.findall(text.lower()) if word not in ARTICLES]
    if len(pieces) > 1 and pieces[0][1] and pieces[1][0]:
        yield pieces[0][1]
    if len(pieces) > 2 and pieces[0][0] and pieces[2][1] in _COPULAS:
        yield pieces[1][1]


def _readings(text: str, nouns: set[str]) -> Iterator[list[int | str]]:
    """Yield the words of a wording, with numbers for arguments; then again without the nouns around them."""
    pieces: list[int | str] = [
        int(place) if place else word for place, word in _PIECE.findall(text) if word not in ARTICLES
    ]
    yield pieces
    before, after = _without_nouns(pieces, nouns), _without_nouns(pieces[::-1], nouns)[::-1]
    shortened = [before, after, _without_nouns(before[::-1], nouns)[::-1]]
    for bare in shortened:
        if bare != pieces and any(isinstance(piece, str) for piece in bare):
            yield bare


def _without_nouns(pieces: list[int | str], nouns: set[str]) -> list[int | str]:
    """Return the pieces without nouns that directly precede an argument."""
    return [
        piece
        for piece, after in zip(pieces, [*pieces[1:], ""], strict=True)
        if not (isinstance(after, int) and isinstance(piece, str) and stem(piece) in nouns)
    ]


def _in_other_prepositions(pieces: list[int | str]) -> Iterator[list[int | str]]:
    """Yield a wording with one phrase of prepositions replaced by others of the same direction."""
    for at, piece in enumerate(pieces):
        is_first = piece in _PREPOSITIONS and (at == 0 or pieces[at - 1] not in _PREPOSITIONS)
        if not is_first or not any(isinstance(piece, int) for piece in pieces[:at]):
            continue
        end = next((n for n in range(at, len(pieces)) if pieces[n] not in _PREPOSITIONS), len(pieces))
        if end < len(pieces):
            for phrase in _DIRECTIONS[not _AWAY.isdisjoint(pieces[at:end])]:
                yield [*pieces[:at], *phrase, *pieces[end:]]


def _add(tree: WordingNode, name: str, pieces: Iterable[int | str], arity: int) -> None:
    arguments = []
    for piece in pieces:
        if isinstance(piece, int):
            arguments.append(piece)
            tree.name = tree.name or WordingNode()
            tree = tree.name
        else:
            following = tree.words.get(stem(piece)) or WordingNode()
            tree.words.setdefault(stem(piece), following)
            tree.words.setdefault(piece, following)
            tree = following
    if set(arguments) == set(range(arity)):
        firsts = tuple(arguments.index(place) for place in range(arity))
        same = ((firsts[argument], place) for place, argument in enumerate(arguments))
        wording_end = name, firsts, tuple((first, place) for first, place in same if first != place)
        if wording_end not in tree.said:
            tree.said.append(wording_end)


def read_words(
    tree: WordingNode, tokens: Sequence[Token], begin: int, problem: GradedProblem, types: Any, unknown: bool
) -> tuple[Atom, int] | None:
    """Return the action or fact of the longest wording at ``begin``, and its end; None if there is none.

    Args:
        tree: The wordings.
        tokens: The tokens of a line.
        begin: The place of the first word.
        problem: The problem, for the names of objects.
        types: The types of arguments, by symbol.
        unknown: Whether a name that is not an object is read as one.
    """
    return _longest(_searched(tree, tokens, begin, problem.objects, unknown), problem, types)


# A reading: the place after it, the symbol, the order of its arguments, and the names.
_Reading: TypeAlias = "tuple[int, str, tuple[int, ...], Atom]"


def _readings_at(place: WordingNode, at: int, names: Atom) -> Iterator[_Reading]:
    """Yield the readings that end here. Names of the same argument must be equal."""
    for symbol, order, same in place.said:
        if all(names[first] == names[repeated] for first, repeated in same):
            yield at, symbol, order, names


def _searched(
    tree: WordingNode,
    tokens: Sequence[Token],
    begin: int,
    objects: Mapping[str, frozenset[str]],
    unknown: bool,
) -> list[_Reading]:
    """Return all readings, with backtracking over the meaning of each word."""
    readings: list[_Reading] = []
    waiting: list[tuple[WordingNode, int, Atom]] = [(tree, begin, ())]
    while waiting:
        place, at, names = waiting.pop()
        if place.said and not _is_passed_over(tokens[at - 1], names):
            readings += _readings_at(place, at, names)
        token = tokens[at] if at < len(tokens) else ""
        if not isinstance(token, str) or not token:
            continue
        if _is_filler(tokens, at):
            waiting.append((place, at + 1, names))
        if token in objects:
            if place.name:
                waiting.append((place.name, at + 1, (*names, token)))
        elif place.name and _is_noun(token, tokens, at + 1, objects):
            waiting.append((place, at + 1, names))
        elif place.name and unknown and token not in ARTICLES and token[0].isalnum():
            waiting.append((place.name, at + 1, (*names, token)))
        following = place.words.get(stem(token))
        if following:
            waiting.append((following, at + 1, names))
    return readings


def _is_filler(tokens: Sequence[Token], at: int) -> bool:
    """Return whether an article or comma may be skipped: only a few precede it."""
    window = tokens[max(0, at - MOST_FILLERS) : at + 1]
    last = window[-1]
    return (last == "," or last in ARTICLES) and not (
        len(window) > MOST_FILLERS and all(token == "," or token in ARTICLES for token in window)
    )


def _is_passed_over(token: Token, names: Atom) -> bool:
    return token == "," or (token in ARTICLES and names[-1:] != (token,))


def _is_noun(word: Token, tokens: Sequence[Token], after: int, objects: Mapping[str, frozenset[str]]) -> bool:
    """Return whether a word is the type of the object named after it."""
    name = tokens[after] if after < len(tokens) else ""
    return isinstance(name, str) and name in objects and word in objects[name]


def _longest(readings: list[_Reading], problem: GradedProblem, types: Any) -> tuple[Atom, int] | None:
    """Return the longest reading; among equals, the one with arguments of the right types."""
    if not readings:
        return None
    if len(readings) == 1:
        at, name, order, names = readings[0]
        return (name, *[names[place] for place in order]), at
    end = max(reading[0] for reading in readings)
    atoms = dict.fromkeys(
        (name, *[names[place] for place in order]) for at, name, order, names in readings if at == end
    )
    if len(atoms) > 1:
        fitting = [atom for atom in atoms if not problem.misfit(types[atom[0]], atom[1:])]
        if len(fitting) > 1:
            return None
        atoms = dict.fromkeys(fitting or atoms)
    return next(iter(atoms)), end
