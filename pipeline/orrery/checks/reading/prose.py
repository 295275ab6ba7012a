"""Read sentences with lists, shared subjects, pronouns and quantities as facts.

Words that a clause omits are restored from the clause before it, one by one, until some wording matches. A
sentence is accepted if all its readings state the same facts.

Names are replaced by numbers, so that no word of a wording is taken for a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

from orrery.checks.reading.cursor import SHOWN
from orrery.checks.reading.list_wordings import LIST, OTHERS, PREPOSITIONS, ProseWordings
from orrery.checks.reading.wording_tree import SINGLE, Filling, Phrase, Wording, WordingTree, small
from orrery.language.words import NEGATION, NUMBERS, Words
from orrery.model import Domain, Literal, OrreryError

MASKED = re.compile("\ue000([0-9]+)\ue001")
TOKEN = re.compile(r"[\w-]+")
JOINT = re.compile(r", and |; |, | and ")
STOP = re.compile(r"\.(?:\s+|$)")
PRONOUN = re.compile(r"(?:it|they) ")
WORD_END = re.compile(r"([^ ]+)(?= |$)")
IN_LIST = re.compile("(?:\ue001,|.\ue001(?= and)) (?:and )?\ue000")  # a position in a list of names
READERS_KEPT = 32

Names: TypeAlias = Mapping[str, Sequence[str]]  # the objects by kind


class ReadSentence(NamedTuple):
    """The literals of a sentence, with numbers for names.

    ``first_clause`` is its first clause with all omitted words restored. ``held_out`` tells whether the
    wording is held out.
    """

    literals: tuple[Literal, ...]
    first_clause: str = ""
    held_out: bool = False


class _Clause(NamedTuple):
    """A clause of a sentence: its wording, its literals, and where it ends.

    ``written_out`` is its text with the omitted words restored; empty if its verb is missing.
    """

    wording: Wording
    literals: tuple[Literal, ...]
    end: int
    written_out: str


@lru_cache(maxsize=READERS_KEPT)
def prose_reader(words: Words, domain: Domain) -> ProseReader:
    """Return the reader of a domain; all callers share it."""
    return ProseReader(words, domain)


class ProseReader:
    """Reads prose on the facts of one domain."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read; wordings are built at first use."""
        self.words, self.domain = words, domain

    @cached_property
    def wordings(self) -> ProseWordings:
        """The wordings of the facts of the domain."""
        return ProseWordings(self.words, self.domain)

    def literals(self, text: str, names: Names) -> list[Literal]:
        """Return the literals that a text states, in its order.

        Raises:
            OrreryError: a sentence cannot be read, or can be read in two ways.
        """
        return self.read(text, names)[0]

    def read(self, text: str, names: Names) -> tuple[list[Literal], bool]:
        """Return the literals that a text states, and whether some of its wording is held out.

        Raises:
            OrreryError: as ``literals``.
        """
        masked = MaskedText(self, names)
        for sentence in STOP.split(" ".join(text.split())):
            if sentence:
                masked.read_sentence(sentence)
        return masked.literals, masked.held_out

    def clause(self, text: str, names: Names) -> tuple[list[Literal], bool]:
        """Return the literals of one sentence without capital and full stop, and whether it is held out.

        Raises:
            OrreryError: as ``literals``.
        """
        masked = MaskedText(self, names)
        masked.read_clauses(text)
        return masked.literals, masked.held_out


class MaskedText:
    """A text that is read sentence by sentence, with numbers for names; ``names`` are the objects by kind."""

    def __init__(self, reader: ProseReader, names: Names) -> None:
        """Assign numbers to the names."""
        self.reader = reader
        self.name = list(dict.fromkeys(name for members in names.values() for name in members))
        self.number = {name: str(number) for number, name in enumerate(self.name)}
        self.numbers = {kind: [self.number[name] for name in members] for kind, members in names.items()}
        self.before = ""  # the first clause of the previous sentence
        self.literals: list[Literal] = []
        self.held_out = False

    def read_sentence(self, sentence: str) -> None:
        """Read a sentence that begins with a capital or a name."""
        first = TOKEN.match(sentence)
        if sentence[0].islower() and (first is None or first[0] not in self.number):
            place = f"sentence {sentence[:SHOWN]!r}"
            raise OrreryError(place, "begins with a small letter", "begin it with a capital")
        self.read_clauses(sentence)

    def read_clauses(self, sentence: str) -> None:
        """Add the literals of the clauses of a sentence.

        Raises:
            OrreryError: the sentence cannot be read, or has two readings.
        """
        text = small(TOKEN.sub(self._mask, sentence))
        parser = _SentenceParser(self.reader.wordings, text, self.before, self.numbers)
        if isinstance(read := parser.sentence(), str):
            raise OrreryError(f"sentence {sentence[:SHOWN]!r}", read, "reword it")
        self.before, self.held_out = read.first_clause, self.held_out or read.held_out
        for (predicate, *arguments), positive in read.literals:
            names = [self.name[int(number)] for number in arguments]
            self.literals.append(Literal((predicate, *names), positive))

    def _mask(self, match: re.Match[str]) -> str:
        number = self.number.get(match[0]) or self.number.get(match[0].lower())
        return match[0] if number is None else f"\ue000{number}\ue001"


class _SentenceParser:
    """Reads one masked sentence that begins with a small letter.

    ``numbers`` are the numbers of the objects by kind. ``before`` is the first clause of the previous
    sentence.
    """

    def __init__(
        self, wordings: ProseWordings, text: str, before: str, numbers: Mapping[str, Sequence[str]]
    ) -> None:
        self.wordings, self.text, self.before, self.numbers = wordings, text, before, numbers

    def sentence(self) -> ReadSentence | str:
        """Return the literals of the sentence if all readings agree; otherwise, why it cannot be read."""
        if self.text.startswith(NEGATION):
            readings = [
                ReadSentence(
                    tuple(Literal(atom, False) for atom, _ in clause.literals), "", clause.wording.held_out
                )
                for clause in self.clauses(self.text, len(NEGATION))
                # The negation of a conjunction does not make each fact false.
                if clause.end == len(self.text) and len(clause.literals) == 1
            ]
        else:
            readings = list(self.readings(0, None))
        if len({frozenset(reading.literals) for reading in readings}) != 1:
            return "can be read in two ways" if readings else "is not how any fact is worded"
        starts = {reading.first_clause for reading in readings}
        first_clause = starts.pop() if len(starts) == 1 else ""
        held_out = all(reading.held_out for reading in readings)
        return ReadSentence(min(reading.literals for reading in readings), first_clause, held_out)

    def readings(self, at: int, before: _Clause | None) -> Iterator[ReadSentence]:
        """Yield the readings of the rest of the sentence after a clause."""
        for clause in self.next_clauses(at, before):
            if clause.end == len(self.text):
                yield ReadSentence(clause.literals, clause.written_out, clause.wording.held_out)
            elif joint := JOINT.match(self.text, clause.end):
                for remainder in self.readings(joint.end(), clause):
                    literals = (*clause.literals, *remainder.literals)
                    yield ReadSentence(
                        literals, clause.written_out, clause.wording.held_out or remainder.held_out
                    )

    def next_clauses(self, at: int, before: _Clause | None) -> list[_Clause]:
        """Return the complete clauses at a place; if there are none, those that omit words of ``before``."""
        if whole := list(self.clauses(self.text, at)):
            return whole
        if before is not None:
            gapped = self.wordings.gapped(before.wording.symbol, before.wording.variant)
            clauses = list(self.clauses(self.text, at, gapped)) if gapped else []
            clauses = [clause._replace(written_out="") for clause in clauses]
            return [*clauses, *self.completed(at, before.written_out)]
        pronoun = PRONOUN.match(self.text) if self.before else None
        return list(self.completed(pronoun.end(), self.before)) if pronoun else []

    def completed(self, at: int, before: str) -> Iterator[_Clause]:
        """Yield the clauses at a place that omit words from the beginning of the clause ``before``."""
        for word in WORD_END.finditer(before):
            if word[1] in PREPOSITIONS or IN_LIST.match(before, word.end() - 2):
                continue  # neither between a preposition and its name, nor within a list
            start = before[: word.end()].rstrip(",") + " "
            for clause in self.clauses(start + self.text[at:], 0, moved=at - len(start)):
                if clause.end > at:
                    yield clause

    def clauses(
        self, text: str, at: int, tree: WordingTree | None = None, moved: int = 0
    ) -> Iterator[_Clause]:
        """Yield the complete clauses at a place of a text; ``moved`` maps the place to the sentence."""
        for phrase in (tree or self.wordings.whole).read(text, at):
            if phrase.end == len(text) or JOINT.match(text, phrase.end):
                facts = self.facts(phrase, moved)
                if facts is not None:
                    written_out = text[at : phrase.end]
                    yield _Clause(phrase.wording, facts, phrase.end + moved, written_out)

    def facts(self, phrase: Phrase, moved: int) -> tuple[Literal, ...] | None:
        """Return the facts that a clause states; None if it names objects that do not exist."""
        names = [self.names(phrase.wording, *argument, moved) for argument in enumerate(phrase.arguments)]
        if not all(names):
            return None if phrase.arguments else (Literal((phrase.wording.symbol,)),)
        return tuple(Literal((phrase.wording.symbol, *arguments)) for arguments in product(*names))

    def names(self, wording: Wording, argument: int, filling: Filling, moved: int) -> Sequence[str]:
        """Return the objects that fill an argument; empty if no objects match the text.

        "The others" are the objects of the kind that the sentence has not named yet.
        """
        kind_of_hole, match = filling
        if kind_of_hole in (SINGLE, LIST):
            return MASKED.findall(match[0])
        kind = (
            self.wordings.kind_of(wording.noun)
            if kind_of_hole == OTHERS
            else self.wordings.kinds[match["noun"]]
        )
        if kind is None or not self.wordings.may_stand(kind, wording, argument):
            return ()
        objects = self.numbers.get(kind, ())
        quantity = "the other" if kind_of_hole == OTHERS else match["quantity"]
        if quantity == "the other":
            named = set(MASKED.findall(self.text[: match.start() + moved]))
            unnamed = [number for number in objects if number not in named]
            return unnamed if 1 < len(unnamed) < len(objects) else ()
        count = {"both": "two", "the two": "two"}.get(quantity, quantity.removeprefix("all").strip())
        fits = count in ("", "the", str(len(objects)), _number(len(objects)))
        return objects if fits and len(objects) > 1 else ()


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)
