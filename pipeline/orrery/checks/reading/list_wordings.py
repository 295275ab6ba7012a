"""Wordings of facts in prose: with a list of names as an argument, or without a verb.

    Cars c1, c2 and c5 are at location l2, the others at location l1.

This module has its own rules for plurals and agreement, so that errors of the writer are detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from orrery.checks.reading.wording_tree import (
    MASK,
    SINGLE,
    TOKEN,
    Hole,
    Path,
    Wording,
    WordingTree,
    paths,
    wording_of,
)
from orrery.language.words import NUMBERS, Words, macro_name
from orrery.model import OBJECT, Domain

LIST, ALL_OF, OTHERS = "list", "all of a kind", "the others"  # kinds of placeholders for several names
COUNT = "|".join([*NUMBERS[2:], r"\d+"])
QUANTITY = f"all the|the other|the two|both|all(?: (?:{COUNT}))?"
AGREED = {"is": "are", "has": "have", "was": "were", "does": "do"}
PREPOSITIONS = frozenset(
    {"at", "in", "on", "of", "to", "from", "by", "with", "into", "for", "as", "under", "onto"}
)
INVARIABLE = PREPOSITIONS | {"has", "is", "the", "where", "a", "an"}
PLURAL_ENDINGS = (
    (re.compile(r".*(?:s|x|z|ch|sh)"), 0, ("es",)),
    (re.compile(r".*[^aeiou]y"), 1, ("ies",)),
    (re.compile(r".*f"), 1, ("fs", "ves")),
    (re.compile(r".*fe"), 2, ("fes", "ves")),
)

Chunk = Sequence["str | Hole"]  # the tokens between two spaces


class ProseWordings:
    """The wordings of the facts of a domain, for texts with masked names."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Build the trees of all wordings."""
        self.words, self.domain = words, domain
        nouns_of_words = [noun_of(words, typed.name).split() for typed in domain.types]
        singles = [
            (predicate.name, variant, _with_nouns(_chunks(path), nouns_of_words))
            for predicate in domain.predicates
            for variant, path in paths(words, "fact", predicate.name, predicate.arity)
        ]
        self.kinds = _kinds(words, domain, singles)
        nouns = "|".join(map(re.escape, sorted(self.kinds, key=len, reverse=True))) or "things"
        holes = {
            SINGLE: re.compile(MASK),
            LIST: re.compile(f"{MASK}(?:, {MASK})* and {MASK}"),
            ALL_OF: re.compile(f"(?P<quantity>{QUANTITY}) (?P<noun>{nouns})"),
            OTHERS: re.compile("the others"),
        }
        self.whole = WordingTree(holes)
        self._gapped: dict[tuple[str, int], WordingTree] = {}
        for symbol, variant, chunks in singles:
            self._add(self.whole, symbol, variant, chunks)
            for gapped, verb in _without_verb(chunks):
                tree = self._gapped.setdefault((symbol, variant), WordingTree(holes))
                self._add(tree, symbol, variant, gapped, verb)

    def gapped(self, symbol: str, variant: int) -> WordingTree | None:
        """Return the wordings of a clause that omits the verb of the clause before it."""
        return self._gapped.get((symbol, variant))

    def kind_of(self, noun: str) -> str | None:
        """Return the kind of objects for a singular noun; None if it names no kind."""
        return next((self.kinds[plural] for plural in plurals(noun) if plural in self.kinds), None)

    def may_stand(self, kind: str, wording: Wording, argument: int) -> bool:
        """Return whether objects of a kind may fill an argument of a wording."""
        domain = self.domain
        if not domain.types and self.kind_of(wording.noun) not in (None, kind):
            return False
        types = domain.predicate_named[wording.symbol].parameters[argument].types
        return kind not in domain.ancestors or domain.fits((kind,), types)

    def _add(
        self, tree: WordingTree, symbol: str, variant: int, chunks: Sequence[Chunk], gap: int = -1
    ) -> None:
        for noun, form in [("", chunks), *self._lists(chunks, gap)]:
            path = _joined(form)
            tree.add(path, wording_of(self.words, "fact", symbol, variant, path, noun))

    def _lists(self, chunks: Sequence[Chunk], gap: int) -> Iterator[tuple[str, list[Chunk]]]:
        """Yield the forms of a clause with a list as one of its arguments, and the noun of the list.

        The verb is omitted at position ``gap``.
        """
        holes = [step for chunk in chunks for step in chunk if isinstance(step, Hole)]
        for place, chunk in enumerate(chunks):
            hole = chunk[0] if len(chunk) == 1 else ""
            if not isinstance(hole, Hole) or holes.count(hole) > 1:
                continue
            noun = _word(chunks[place - 1]) if place else ""
            before = chunks[: place - 1] if noun else chunks[:place]
            embedded = any(_word(earlier) == "where" for earlier in before)
            rests = [chunks[place + 1 :]] if place == gap - 1 else _agreed(chunks[place + 1 :], embedded)
            for subject in self._several(chunks[place - 1] if noun else (), hole.argument):
                for tail in rests:
                    yield noun, [*before, *subject, *tail]
                    if before and _word(before[-1]) == "the":
                        yield noun, [*before[:-1], *subject, *tail]

    def _several(self, noun: Chunk, argument: int) -> list[list[Chunk]]:
        """Return the forms for several objects in place of a noun and a name."""
        names, all_of, other_names = ((Hole(kind, argument),) for kind in (LIST, ALL_OF, OTHERS))
        if not noun:
            return [[names], [all_of], [other_names]]
        forms = plurals(_word(noun))
        if self.kinds.keys().isdisjoint(forms):  # a verb or a preposition: the list has no noun
            return [[noun, names], [noun, all_of], [noun, other_names]]
        return [*([TOKEN.findall(form), names] for form in forms), [all_of], [other_names]]


def _kinds(
    words: Words, domain: Domain, clauses: Sequence[tuple[str, int, Sequence[Chunk]]]
) -> Mapping[str, str]:
    """Return the kinds of objects by their plural nouns."""
    symbols = [typed.name for typed in domain.types]
    symbols += [predicate.name for predicate in domain.predicates if predicate.arity == 1]
    kinds = {plural: kind for kind in symbols for plural in plurals(noun_of(words, kind))}
    if not domain.types:
        for _, _, chunks in clauses:
            for chunk, after in pairwise(chunks):
                noun = chunk[-1]
                if isinstance(after[0], Hole) and isinstance(noun, str) and _may_be_noun(noun):
                    for plural in plurals(noun):
                        kinds.setdefault(plural, OBJECT)
    return kinds


def _may_be_noun(word: str) -> bool:
    return re.fullmatch("[a-z-]+", word) is not None and word not in INVARIABLE


def noun_of(words: Words, kind: str) -> str:
    """Return the noun of a type or of a unary predicate."""
    if macro_name("type", kind) in words.macros:
        return words.say("type", kind)
    return kind.replace("_", " ").replace("-", " ")


def plurals(noun: str) -> list[str]:
    """Return the possible plurals of a noun; of "lump of ore" the part before "of" changes."""
    head, of, rest = noun.partition(" of ")
    if of:
        return [f"{plural}{of}{rest}" for plural in plurals(head)]
    endings = [(noun[: len(noun) - cut], ends) for form, cut, ends in PLURAL_ENDINGS if form.fullmatch(noun)]
    stem, ends = endings[0] if endings else (noun, ("s",))
    return [stem + end for end in ends]


def _chunks(path: Path) -> list[Chunk]:
    """Return the tokens of a wording, grouped between spaces."""
    chunks: list[list[str | Hole]] = [[]]
    for step in path:
        if step == " ":
            chunks.append([])
        else:
            chunks[-1].append(step)
    return list(chunks)


def _with_nouns(chunks: Sequence[Chunk], nouns: Sequence[Sequence[str]]) -> list[Chunk]:
    """Return the groups with each noun of several words as one group; ``nouns`` are lists of words."""
    united, place = list[Chunk](), 0
    while place < len(chunks):
        lengths = [len(noun) for noun in nouns if [*map(_word, chunks[place : place + len(noun)])] == noun]
        end = place + max(lengths, default=1)
        united.append(_joined(chunks[place:end]))
        place = end
    return united


def _joined(chunks: Sequence[Chunk]) -> list[str | Hole]:
    """Return the tokens of groups, with spaces between the groups."""
    return [step for chunk in chunks for step in (" ", *chunk)][1:]


def _is_name(chunk: Chunk) -> bool:
    """Return whether a group is exactly the placeholder of an argument."""
    return len(chunk) == 1 and isinstance(chunk[0], Hole)


def _word(chunk: Chunk) -> str:
    """Return the text of a group; empty if it contains an argument."""
    return "".join(step for step in chunk if isinstance(step, str)) if _is_text(chunk) else ""


def _is_text(chunk: Chunk) -> bool:
    return all(isinstance(step, str) for step in chunk)


def _without_verb(chunks: Sequence[Chunk]) -> Iterator[tuple[list[Chunk], int]]:
    """Yield the forms of a clause without the verb after its subject, and the position of the verb."""
    subject = next((place for place, chunk in enumerate(chunks) if not _is_text(chunk)), len(chunks))
    verb = subject + 1
    if len(chunks) < verb + 2 or not _is_name(chunks[subject]) or _word(chunks[verb]) in PREPOSITIONS:
        return  # "you will find car c1 at ..." has no verb after the name
    arguments = {step for chunk in chunks for step in chunk if isinstance(step, Hole)}
    adjective = _word(chunks[verb + 1])
    lengths = [1]
    if _word(chunks[verb]) == "is" and adjective not in INVARIABLE and not adjective.endswith("ly"):
        lengths.append(2)
    for length in lengths:
        gapped = [*chunks[:verb], *chunks[verb + length :]]
        if arguments <= {step for chunk in gapped for step in chunk}:
            yield gapped, verb


def _agreed(chunks: Sequence[Chunk], embedded: bool) -> list[list[Chunk]]:
    """Return the forms of the words after a list: a verb is plural, possibly with "each"."""
    if not chunks:
        return [[]]
    verb, after = _word(chunks[0]), [_word(chunk) for chunk in chunks[1:]]
    if not verb:
        return [list(chunks)]
    forms = _plural_verbs(verb, last=not after)
    if verb == "is" and len(after) == 2 and after[0] in ("a", "an"):
        nouns = [chunks[1:], *([TOKEN.findall(plural)] for plural in plurals(after[1]))]
        return [[[form], *noun] for form in forms for noun in nouns]
    may_have_each = (
        not embedded and verb not in PREPOSITIONS and verb != "is" and not {"a", "an"}.isdisjoint(after)
    )
    agreed = [[TOKEN.findall(form), *chunks[1:]] for form in forms]
    if not may_have_each:
        return agreed
    if after[0] in ("a", "an"):
        return [[["each"], *form] for form in agreed]
    return [*agreed, *([form[0], ["each"], *form[1:]] for form in agreed)]


def _plural_verbs(word: str, *, last: bool) -> list[str]:
    """Return the forms of a word after a list: the plural of a verb; other words are unchanged."""
    if word in AGREED:
        return [AGREED[word]]
    if not word.endswith("s") or word in INVARIABLE:
        return [word]
    forms = [word[:-1]]
    if word.endswith("es"):
        forms.append(word[:-2])
    if word.endswith("ies"):
        forms.append(word[:-3] + "y")
    return [*forms, word] if last else forms
