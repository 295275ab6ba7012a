"""From sentences with lists, shared subjects and pronouns back to facts: the inverse of ``prose``.

Knows nothing of how the sentences were put together. Each wording of a predicate is made a pattern for single
names and one for a list at each of its arguments, with plurals of its own making; what a clause leaves out is
put back from the clause before it, word by word, until some wording explains it. A sentence is read where
all ways to do so state the same.

Names are read as numbers. What a sentence says of them does not depend on which names these are, so it is
read once for all objects, and remembered; but where it speaks of all objects of a kind, or of the others, it
is read once for those that there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from orrery.language.choices import held_out
from orrery.language.words import NEGATION, NUMBERS, Words, macro_name
from orrery.model import OBJECT, Domain, Literal, OrreryError

NAME = "\ue000[0-9]+\ue001"  # a name of an object in a text that is being read, by its number
LIST = f"{NAME}(?:, {NAME})* and {NAME}"
WORD = re.compile(r"[^\s.,;:]+")
MARKED = re.compile("\ue000([0-9]+)\ue001")
TOKEN = re.compile(r"[\w-]+")
JOINT = re.compile(r", and |; |, | and ")
STOP = re.compile(r"\.(?:\s+|$)")
COUNT = "|".join([*NUMBERS[2:], r"\d+"])
QUANTITY = f"all the|the other|the two|both|all(?: (?:{COUNT}))?"
QUANTIFIERS = ("all", "both", "the")  # the words that a quantity begins with
PRONOUN = re.compile(r"(?:it|they) ")
AGREED = {"is": "are", "has": "have", "was": "were", "does": "do"}
OPENING = frozenset(
    {"at", "in", "on", "of", "to", "from", "by", "with", "into", "for", "as", "under", "onto"}
)
SMALL = OPENING | {"has", "is", "the", "where", "a", "an"}
INSIDE = re.compile("(?:\ue001,|.\ue001(?= and)) (?:and )?\ue000")  # a place in a list of names
SHOWN = 60
SENTENCES_KEPT = 20_000
READERS_KEPT = 32

Numbers: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]  # the numbers of the objects by kind


@dataclass(frozen=True, eq=False)
class _Pattern:
    """A wording with names in all places, or with a list in one (``listed``, -1 if none).

    ``keys`` are the words that it may begin with, in small letters; empty for a name. ``words`` stand in
    every text that it reads, and of each of ``either`` one does.
    """

    predicate: str
    variant: int
    arity: int
    listed: int
    noun: str
    written: str
    keys: tuple[str, ...]
    words: frozenset[str]
    either: tuple[frozenset[str], ...]
    held_out: bool

    def may_read(self, words: AbstractSet[str]) -> bool:
        """Return whether a text of these words has all that the pattern needs."""
        return self.words <= words and not any(map(words.isdisjoint, self.either))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at first use: of most, a text asks never."""
        return re.compile(self.written)


class _Match(NamedTuple):
    pattern: _Pattern
    literals: tuple[Literal, ...]
    end: int


class _Said(NamedTuple):
    """What a sentence states of numbers; ``fault`` says why it cannot be read.

    ``before`` is its first clause written out. ``held_out`` says whether its wording is.
    """

    literals: tuple[Literal, ...]
    before: str = ""
    held_out: bool = False
    fault: str = ""


class ProseReader:
    """Reads told sentences of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read sentences in ``words``; patterns are made at first use."""
        self.words, self.domain = words, domain

    def literals(self, text: str, names: Mapping[str, Sequence[str]]) -> list[Literal]:
        """Return what the text states, in its order; ``names`` are the objects by kind.

        Raises OrreryError at the first sentence that cannot be read, or that can be read in two ways.
        """
        return _Reading(self, names).all_of(text)

    def clause(self, text: str, names: Mapping[str, Sequence[str]]) -> tuple[list[Literal], bool]:
        """Return what one clause states, without a capital or a full stop, and whether it is held out.

        Raises OrreryError where it cannot be read, or in two ways.
        """
        reading = _Reading(self, names)
        return reading.sentence(text), reading.held_out

    def read(self, text: str, names: Mapping[str, Sequence[str]]) -> tuple[list[Literal], bool]:
        """Return what the text states, and whether some of its wording is held out.

        Raises OrreryError as ``literals`` does.
        """
        reading = _Reading(self, names)
        return reading.all_of(text), reading.held_out

    @cached_property
    def sentence_of_any(self) -> Callable[[str, str], _Said | None]:
        """Function that reads a sentence behind a clause; None where it speaks of all objects of a kind."""

        def said(text: str, before: str) -> _Said | None:
            parsing = _Parsing(self, None, before)
            found = parsing.sentence(text)
            return None if parsing.counts else found

        return lru_cache(maxsize=SENTENCES_KEPT)(said)

    @cached_property
    def sentence_of_these(self) -> Callable[[str, str, Numbers], _Said]:
        """Function that reads a sentence behind a clause, where there are these objects and no others."""

        def said(text: str, before: str, numbers: Numbers) -> _Said:
            return _Parsing(self, dict(numbers), before).sentence(text)

        return lru_cache(maxsize=SENTENCES_KEPT)(said)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kinds by their nouns in the plural."""
        kinds = [typed.name for typed in self.domain.types]
        kinds += [p.name for p in self.domain.predicates if p.arity == 1]
        found = {one: kind for kind in kinds for one in _plurals(self._noun(kind))}
        if not self.domain.types:
            for _, _, clause in self._clauses():
                for noun in re.findall(r"([a-z-]+) qx\d+zq", clause):
                    found |= {one: OBJECT for one in _plurals(noun) if one not in found and noun not in SMALL}
        return found

    def _noun(self, kind: str) -> str:
        spoken = macro_name("type", kind) in self.words.macros
        return self.words.say("type", kind) if spoken else kind.replace("_", " ")

    def _clauses(self) -> Iterator[tuple[str, int, str]]:
        for predicate in self.domain.predicates:
            holders = [f"qx{i}zq" for i in range(predicate.arity)]
            for variant in range(self.words.variants("fact", predicate.name)):
                clause = self.words.fact((predicate.name, *holders), variant)
                yield predicate.name, variant, clause.rstrip(" .")

    @cached_property
    def patterns(self) -> Mapping[str, Sequence[_Pattern]]:
        """The patterns by the word that they begin with; under "" those that begin with a name."""
        return self._indexed(self._whole)

    @cached_property
    def gapped(self) -> Mapping[tuple[str, int], Sequence[_Pattern]]:
        """Patterns of clauses without a verb, by predicate and number of the wording."""
        found: dict[tuple[str, int], list[_Pattern]] = {}
        for name, variant, clause in self._clauses():
            words = clause.split()
            at = next((i for i, word in enumerate(words) if "qx" in word), len(words))
            if not re.fullmatch(r"qx\d+zq", "".join(words[at : at + 1])) or len(words) < at + 3:
                continue
            if words[at + 1] in OPENING:
                continue  # behind "you will find car c1" stands no verb that could be left out
            gaps = [words[: at + 1] + words[at + 2 :]]
            if words[at + 1] == "is" and words[at + 2] not in SMALL and not words[at + 2].endswith("ly"):
                gaps.append(words[: at + 1] + words[at + 3 :])
            for gap in gaps:
                if all(f"qx{i}zq" in gap for i in range(self.domain.predicate_named[name].arity)):
                    found.setdefault((name, variant), []).extend(self._of(name, variant, gap, at))
        return found

    def _whole(self) -> Iterator[_Pattern]:
        for name, variant, clause in self._clauses():
            yield from self._of(name, variant, clause.split(), -1)

    @staticmethod
    def _indexed(made: object) -> Mapping[str, Sequence[_Pattern]]:
        found: dict[str, list[_Pattern]] = {}
        for pattern in made():  # type: ignore[operator]
            for key in pattern.keys:
                found.setdefault(key, []).append(pattern)
        return found

    def _of(self, name: str, variant: int, words: list[str], gap: int) -> Iterator[_Pattern]:
        """Yield the patterns of a wording; behind the word at ``gap``, the verb is left out."""
        arity = self.domain.predicate_named[name].arity
        yield self._pattern(name, variant, arity, words, -1, gap)
        for listed in range(arity):
            if words.count(f"qx{listed}zq") == 1 and " ".join(words).count(f"qx{listed}zq") == 1:
                yield self._pattern(name, variant, arity, words, listed, gap)

    def _pattern(
        self, name: str, variant: int, arity: int, words: list[str], listed: int, gap: int
    ) -> _Pattern:
        place = words.index(f"qx{listed}zq") if listed >= 0 else len(words) + 9
        pieces: list[str] = []
        keys: set[str] = set()
        needed: set[str] = set()
        either: list[frozenset[str]] = []
        noun = ""
        seen: set[str] = set()
        at = 0
        while at < len(words):
            word = words[at]
            if at == place or (at + 1 == place and "qx" not in word):
                named = at + 1 == place
                noun = word if named else ""
                np, begins, one_of = self._several(word if named else "")
                either += one_of
                if pieces and pieces[-1] == "the":
                    pieces.pop()
                    needed.discard("the")
                    np, begins = f"(?:the )?{np}", begins | {"the"}
                pieces.append(np)
                if len(pieces) == 1:
                    keys |= begins
                at = place + 1
                if at < len(words) and at - 1 != gap:
                    forms = _agreed(words[at], words[at + 1 :])
                    pieces.append(_agreeing(words[at], forms, words[at + 1 :], "where" in words[:place]))
                    either.append(frozenset(forms))
                    if (
                        words[at] == "is"
                        and words[at + 1 : at + 2] in (["a"], ["an"])
                        and at + 3 == len(words)
                    ):
                        singular = " ".join(map(re.escape, words[at + 1 :]))
                        pieces.append(f"(?:{singular}|{'|'.join(map(re.escape, _plurals(words[-1])))})")
                        break
                    at += 1
                continue
            pieces.append(_literal(word, seen))
            if len(pieces) == 1:
                keys.add("" if word.startswith("qx") else word.lower())
                word = word[:1].lower() + word[1:]
            if "qx" not in word:
                needed.add(word)
            at += 1
        text = " ".join(pieces)
        regex = f"{text[:1].lower()}{text[1:]}(?![\\w'-])"
        count = self.words.variants("fact", name)
        apart = variant >= count - held_out(count)
        begins_with = tuple(sorted(keys))
        return _Pattern(
            name, variant, arity, listed, noun, regex, begins_with, frozenset(needed), tuple(either), apart
        )

    def _several(self, noun: str) -> tuple[str, set[str], list[frozenset[str]]]:
        """Return a pattern for several objects where ``noun`` and a name stand for one, and first words.

        And sets of words: of each, one stands in what the pattern reads.
        """
        nouns = "|".join(map(re.escape, sorted(self.kinds, key=len, reverse=True))) or "things"
        quantity = f"(?P<quantity>{QUANTITY}) (?P<of>{nouns})|(?P<others>the others)"
        begins, either = set(QUANTIFIERS), [frozenset({"and", *QUANTIFIERS})]
        if not noun:
            return f"(?:(?P<list>{LIST})|{quantity})", begins | {""}, either
        forms = "|".join(map(re.escape, _plurals(noun)))
        # Behind a verb or a preposition, the list has no noun.
        kept = "" if any(one in self.kinds for one in _plurals(noun)) else f"{re.escape(noun)} "
        first = {form.lower() for form in [*_plurals(noun), noun]}
        if kept:
            return f"{kept}(?:(?P<list>{LIST})|{quantity})", begins | {noun.lower()}, either
        return (
            f"(?:(?:{forms}) (?P<list>{LIST})|{quantity})",
            begins | first,
            [*either, frozenset({*_plurals(noun), *QUANTIFIERS})],
        )


@lru_cache(maxsize=READERS_KEPT)
def prose_reader(words: Words, domain: Domain) -> ProseReader:
    """Return the reader of a domain, one for all who ask: it remembers what it read."""
    return ProseReader(words, domain)


class _Reading:
    """One text on the way from its beginning to its end."""

    def __init__(self, reader: ProseReader, names: Mapping[str, Sequence[str]]) -> None:
        self.reader, self.names = reader, names
        self.number: dict[str, str] = {}
        for some in names.values():
            for name in some:
                self.number.setdefault(name, str(len(self.number)))
        self.name = list(self.number)
        self.before = ""  # the first clause of the sentence before
        self.held_out = False

    def all_of(self, text: str) -> list[Literal]:
        found: list[Literal] = []
        for sentence in STOP.split(" ".join(text.split())):
            if sentence:
                first = TOKEN.match(sentence)
                if sentence[0].islower() and (first is None or first[0] not in self.number):
                    where = f"sentence {sentence[:SHOWN]!r}"
                    raise OrreryError(where, "begins with a small letter", "begin it with a capital")
                found += self.sentence(sentence)
        return found

    def sentence(self, said: str) -> list[Literal]:
        """Return what a sentence states."""
        text, place = TOKEN.sub(self._marked, said), dict[str, str]()

        def placed(match: re.Match[str]) -> str:
            return f"\ue000{place.setdefault(match[1], str(len(place)))}\ue001"

        before = MARKED.sub(placed, self.before)
        read = self.reader.sentence_of_any(MARKED.sub(placed, text), before)
        at = list(place)
        if read is None:
            read, at = self.reader.sentence_of_these(text, self.before, self._numbers), list(self._every)
        if read.fault:
            raise OrreryError(f"sentence {said[:SHOWN]!r}", read.fault, "reword it")
        self.before = MARKED.sub(lambda match: f"\ue000{at[int(match[1])]}\ue001", read.before)
        self.held_out |= read.held_out
        names = [self.name[int(number)] for number in at]
        return [
            Literal((each.atom[0], *(names[int(number)] for number in each.atom[1:])), each.positive)
            for each in read.literals
        ]

    @cached_property
    def _every(self) -> Sequence[str]:
        return tuple(self.number.values())

    @cached_property
    def _numbers(self) -> Numbers:
        return tuple((kind, tuple(self.number[name] for name in some)) for kind, some in self.names.items())

    def _marked(self, match: re.Match[str]) -> str:
        number = self.number.get(match[0])
        if number is None:
            number = self.number.get(match[0].lower())
        return match[0] if number is None else f"\ue000{number}\ue001"


class _Parsing:
    """One sentence, in which numbers stand for names.

    ``numbers`` are those of the objects by kind; where these are None, ``counts`` becomes true as soon as
    what the sentence says depends on them. ``before`` is the first clause of the sentence before.
    """

    def __init__(self, reader: ProseReader, numbers: Mapping[str, Sequence[str]] | None, before: str) -> None:
        self.reader, self.numbers, self.before = reader, numbers, before
        self.counts = False

    def sentence(self, text: str) -> _Said:
        """Return what the sentence states."""
        readings, starts, apart = set[tuple[Literal, ...]](), set[str](), list[bool]()
        if text[: len(NEGATION)].lower() == NEGATION:
            for match in self.clauses(text, len(NEGATION)):
                if match.end == len(text):
                    readings.add(tuple(Literal(each.atom, False) for each in match.literals))
                    apart.append(match.pattern.held_out)
        else:
            for literals, start, held_out in self.parses(text[:1].lower() + text[1:], 0, "", None):
                readings.add(tuple(literals))
                starts.add(start)
                apart.append(held_out)
        if len({frozenset(each) for each in readings}) != 1:
            return _Said((), fault="can be read in two ways" if readings else "is not how any fact is worded")
        return _Said(min(readings), starts.pop() if len(starts) == 1 else "", all(apart))

    def parses(
        self, text: str, at: int, before: str, pattern: _Pattern | None
    ) -> Iterator[tuple[list[Literal], str, bool]]:
        """Yield the readings of the text from ``at`` on, each with its first clause written out.

        The last result says whether some of the wording is held out.

        ``before`` is the clause before, written out, and ``pattern`` what explains it.
        """
        for match, whole in self.next(text, at, before, pattern):
            if match.end == len(text):
                yield list(match.literals), whole, match.pattern.held_out
            elif joint := JOINT.match(text, match.end):
                for rest, _, apart in self.parses(text, joint.end(), whole, match.pattern):
                    yield [*match.literals, *rest], whole, apart or match.pattern.held_out

    def next(self, text: str, at: int, before: str, pattern: _Pattern | None) -> Iterator[tuple[_Match, str]]:
        """Yield the clauses that stand at ``at``, each written out."""
        found = False
        for match in self.clauses(text, at):
            found = True
            yield match, text[at : match.end]
        if found:
            return
        if pattern is not None:
            for gap in self.reader.gapped.get((pattern.predicate, pattern.variant), ()):
                if (read := self.read(gap, text, at, text, 0)) is not None:
                    yield read, ""
        elif at == 0 and self.before and (pronoun := PRONOUN.match(text)):
            before, at = self.before, pronoun.end()
        yield from self.completed(text, at, before)

    def completed(self, text: str, at: int, before: str) -> Iterator[tuple[_Match, str]]:
        """Yield the clauses that stand at ``at`` behind words that the clause before begins with."""
        for place in re.finditer(r"([^ ]+)(?= |$)", before):
            if place[1] in OPENING:
                continue  # what is left out does not end between a preposition and its name
            if INSIDE.match(before, place.end() - 2):
                continue  # nor within a list
            start = before[: place.end()].rstrip(",") + " "
            shift = at - len(start)
            for match in self.clauses(start + text[at:], 0, text, shift):
                if match.end > len(start):
                    yield match._replace(end=match.end + shift), start + text[at : match.end + shift]

    def clauses(self, text: str, at: int, whole: str = "", shift: int = 0) -> Iterator[_Match]:
        """Yield the clauses that stand at ``at``; ``text`` from ``shift`` on is part of the ``whole``."""
        word = WORD.match(text, at)
        first = word[0].lower() if word else ""
        key = "" if first.startswith("\ue000") else first
        # Each word of a wording stands between spaces, the last one perhaps before a mark.
        said = text[at:].split(" ")
        words = {*said, *(each[:-1] for each in said if each.endswith((",", ";")))}
        for pattern in self.reader.patterns.get(key, ()):
            if not pattern.may_read(words):
                continue
            if (read := self.read(pattern, text, at, whole or text, shift)) is not None:
                yield read

    def read(self, pattern: _Pattern, text: str, at: int, whole: str, shift: int) -> _Match | None:
        """Return what a pattern reads at ``at``, or None."""
        match = pattern.regex.match(text, at)
        if match is None or (match.end() < len(text) and not JOINT.match(text, match.end())):
            return None
        names = ["" if i == pattern.listed else match[f"a{i}"][1:-1] for i in range(pattern.arity)]
        if pattern.listed < 0:
            return _Match(pattern, (Literal((pattern.predicate, *names)),), match.end())
        several = self._several(pattern, match, whole, shift)
        if several is None:
            return None
        place = pattern.listed
        atoms = [(pattern.predicate, *names[:place], name, *names[place + 1 :]) for name in several]
        return _Match(pattern, tuple(map(Literal, atoms)), match.end())

    def _several(
        self, pattern: _Pattern, match: re.Match[str], whole: str, shift: int
    ) -> Sequence[str] | None:
        """Return the objects that a list, "all ..." or "the others" names; None if it names none."""
        if match["list"]:
            return MARKED.findall(match["list"])
        if self.numbers is None:
            self.counts = True
            return None
        kinds = self.reader.kinds
        if match["others"]:
            said, kind = match.start("others"), next(
                (kinds[one] for one in _plurals(pattern.noun) if one in kinds), None
            )  # fmt: skip
        else:
            said, kind = match.start("quantity"), kinds[match["of"].lower()]
        if kind is None or not self._fits(kind, pattern):
            return None
        every = list(self.numbers.get(kind, ()))
        how = (match["quantity"] or "the other").lower()
        if how == "the other":
            earlier = set(MARKED.findall(whole[: said + shift]))
            rest = [number for number in every if number not in earlier]
            return rest if 1 < len(rest) < len(every) else None
        count = {"both": "two", "the two": "two"}.get(how, how.removeprefix("all").strip())
        fits = count in ("", "the") or count == str(len(every)) or count == _number(len(every))
        return every if fits and len(every) > 1 else None

    def _fits(self, kind: str, pattern: _Pattern) -> bool:
        """Return whether objects of a kind may be told of in a pattern's list."""
        domain = self.reader.domain
        others = (self.reader.kinds.get(one, kind) != kind for one in _plurals(pattern.noun))
        if not domain.types and any(others):
            return False
        wanted = domain.predicate_named[pattern.predicate].parameters[pattern.listed].types
        return kind not in domain.ancestors or domain.fits((kind,), wanted)


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def _plurals(noun: str) -> list[str]:
    """Return what several of a noun may be called."""
    if not noun:
        return []
    found = [noun + "s"]
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        found = [noun + "es"]
    elif noun.endswith("y") and noun[-2:-1] not in "aeiou":
        found = [noun[:-1] + "ies"]
    elif noun.endswith("f"):
        found.append(noun[:-1] + "ves")
    elif noun.endswith("fe"):
        found.append(noun[:-2] + "ves")
    return found


def _agreed(word: str, after: Sequence[str]) -> list[str]:
    """Return what may stand for a word behind a list: the plural of a verb, or another word as it is."""
    forms = [word]
    if word in AGREED:
        forms = [AGREED[word]]
    elif word.endswith("s") and word not in SMALL:
        forms = [word[:-1]]
        if word.endswith("es"):
            forms.append(word[:-2])
        if word.endswith("ies"):
            forms.append(word[:-3] + "y")
        if not after:
            forms.append(word)
    return forms


def _agreeing(word: str, forms: Sequence[str], after: Sequence[str], embedded: bool) -> str:
    """Return a pattern for a word behind a list, which has one of the ``forms``."""
    said = "|".join(map(re.escape, forms))
    if embedded or word in OPENING or word == "is" or not {"a", "an"} & set(after):
        return f"(?:{said})"
    return f"each (?:{said})" if after[0] in ("a", "an") else f"(?:{said})(?: each)?"


def _literal(word: str, seen: set[str]) -> str:
    """Return a pattern for one word of a wording, in which placeholders stand for names."""
    pieces = []
    for part in re.split(r"(qx\d+zq)", word):
        if not re.fullmatch(r"qx\d+zq", part):
            pieces.append(re.escape(part))
        elif part in seen:
            pieces.append(f"(?P=a{part[2:-2]})")
        else:
            seen.add(part)
            pieces.append(f"(?P<a{part[2:-2]}>{NAME})")
    return "".join(pieces)
