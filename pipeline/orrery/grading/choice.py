"""Multiple choice (``mc``, ``mcq``), of any kind.

An answer is a letter, either alone in a clause (apart from words like "the answer is") or after "option". Or
it is the text of an option, in words or PDDL, if no other option has the same text. Clauses with a denial,
and "a" before a noun, are not answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise

from .clauses import PHRASE, PIECES, SUBJECTS, WORDS, clauses_of, words_grader
from .row import Row, structured_value
from .words import DENIALS, word_set

_PHRASE = PHRASE | word_set("yes only works holds applies true valid possible applicable reachable")
_NO_OPTIONS = frozenset("efgh")  # letters that may be meant as options after the last one
_LISTING = word_set("and or nor plus & vs versus")
# Verdicts on an option after a colon: "A: no".
_VERDICTS = word_set(
    "yes no correct incorrect right wrong true false valid invalid possible impossible applicable"
    " inapplicable"
)
_FOR_EXAMPLE = re.compile(r"\b(?:e\.g|i\.e)\b\.?")
_KEYS = word_set("option options choice answer letter alternative")


@dataclass(frozen=True, slots=True)
class _Options:
    """The letters of a choice, and the texts of options, longest first.

    Texts of several options are omitted.
    """

    labels: frozenset[str]
    texts: tuple[tuple[str, str], ...]


def _options(row: Row) -> _Options:
    choices = structured_value(row, "choices") or {"text": (), "label": "abcd"}
    labels = [str(label).lower() for label in choices["label"]]
    formal = structured_value(row, "choices_pddl")
    by_text: dict[str, set[str]] = {}
    for texts in (choices["text"], () if formal is None else formal):
        for label, text in zip(labels, texts, strict=False):
            by_text.setdefault(_key(WORDS.findall(str(text).lower())), set()).add(label)
    single = [
        (text, label)
        for text, labels_of_text in by_text.items()
        for label in labels_of_text
        if text.strip() and len(labels_of_text) == 1
    ]
    return _Options(frozenset(labels), tuple(sorted(single, key=lambda pair: (-len(pair[0]), pair))))


def _key(words: Iterable[str]) -> str:
    """Return words in the form used for comparison: without punctuation and "and"."""
    return " " + "".join(f"{word} " for word in words if word != "and")


def _choices(options: _Options, text: str, marked: bool) -> list[str]:
    """Return the options that a text gives as its answer; if there are none, the options that it mentions.

    A marked text without either may begin with the letter, unless the letter can be the article. In a list
    of letters, a letter of no option counts too: "A, E".
    """
    letters: list[str] = []
    mentioned: list[str] = []
    first: list[str] = []
    pieces = list(_joined(options, PIECES.findall(_FOR_EXAMPLE.sub(" ", text))))
    clauses = list(clauses_of(_with_options(options, pieces)))
    for clause in clauses:
        if DENIALS.isdisjoint(clause):
            letters += _letters(options, clause)
            mentioned += [word[1:] for word in clause if word[0] == "="]
            first = first or clause
    if letters:
        return letters + list(_of_no_options(options, clauses))
    # "B or E", "B/E", "B is right, C is also"
    is_listed = not (_LISTING | _NO_OPTIONS).isdisjoint(first[1:2]) or "also" in first
    begins = [
        word for word in first[:1] if marked and word in options.labels and word != "a" and not is_listed
    ]
    return letters or mentioned or begins


def _of_no_options(options: _Options, clauses: list[list[str]]) -> Iterator[str]:
    """Yield the letters of no option that stand directly beside the letter of an option."""
    contents = [[word for word in clause if word not in _LISTING] for clause in clauses]
    singles = [clause[0] if len(clause) == 1 else "" for clause in contents if clause]
    for pair in pairwise(singles):
        if not options.labels.isdisjoint(pair):
            yield from _NO_OPTIONS.intersection(pair) - options.labels


def _joined(options: _Options, pieces: list[str]) -> Iterator[str]:
    """Yield pieces without the marks inside statements about options: "A, C and D are not", "A: no"."""
    for place, piece in enumerate(pieces):
        before = pieces[place - 1] if place else ""
        after = pieces[place + 1] if place + 1 < len(pieces) else ""
        if piece == "," and before in options.labels and _is_list(options, pieces, place + 1):
            continue
        has_verdict = piece == ":" and before in options.labels and after in _VERDICTS
        yield "is" if has_verdict else piece


def _is_list(options: _Options, pieces: list[str], start: int) -> bool:
    """Return whether a list of letters continues at a place and ends with "and" and one more letter."""
    most = 2 * len(options.labels)
    for place in range(start, min(start + most, len(pieces) - 1)):
        if pieces[place] in _LISTING:
            return pieces[place + 1] in options.labels
        if pieces[place] != "," and pieces[place] not in options.labels:
            return False
    return False


def _with_options(options: _Options, pieces: list[str]) -> list[str]:
    """Return the pieces of a text, with the text of option b replaced by ``=b``."""
    places = [place for place, piece in enumerate(pieces) if piece != "and" and WORDS.match(piece)]
    words = [pieces[place] for place in places]
    flat = _key(words)
    if not any(text in flat for text, _ in options.texts):
        return pieces
    offsets = accumulate((len(word) + 1 for word in words), initial=0)
    number = {offset: place for place, offset in enumerate(offsets)}
    occurrences = _occurrences(options, flat, number)
    spans = {places[first]: (places[last - 1], label) for first, (last, label) in occurrences.items()}
    return list(_replaced(pieces, spans))


def _occurrences(options: _Options, flat: str, number: Mapping[int, int]) -> dict[int, tuple[int, str]]:
    """Return the occurrences of option texts: first word, mapped to last word and letter.

    If texts overlap, the longer one is used.
    """
    covered = bytearray(len(number))
    spans = {}
    for text, label in options.texts:
        at = flat.find(text)
        while at >= 0:
            first, last = number[at], number[at + len(text) - 1]
            if not any(covered[first:last]):
                covered[first:last] = b"\1" * (last - first)
                spans[first] = last, label
            at = flat.find(text, at + len(text) - 1)
    return spans


def _replaced(pieces: list[str], spans: Mapping[int, tuple[int, str]]) -> Iterator[str]:
    """Yield ``pieces`` with ``=letter`` for each span; ``spans`` maps a start to an end and a letter."""
    until = -1
    for place, piece in enumerate(pieces):
        if place in spans:
            until, label = spans[place]
            yield f"={label}"
        elif place > until:
            yield piece


def _letters(options: _Options, clause: list[str]) -> list[str]:
    """Return the letters that a clause gives: alone, or after a word such as "option"."""
    letters: list[tuple[str, bool]] = []
    alone = True
    for before, word, after in zip(["", *clause], clause, [*clause[1:], ""], strict=False):
        if word[0] == "=":
            letters.append((word[1:], False))
        elif word in options.labels and _is_letter(options, before, word, after):
            letters.append((word, before in _KEYS or (before == "is" and not _KEYS.isdisjoint(clause))))
        elif word not in _PHRASE and word not in options.labels and word != "a":
            alone = False
    return [letter for letter, keyed in letters if alone or keyed]


def _is_letter(options: _Options, before: str, word: str, after: str) -> bool:
    """Return whether a word of one letter is a label, not an article or a part of "I'd"."""
    if word == "d" and before in SUBJECTS:
        return False
    is_followed = not after or after in ("is", "and", "or") or after in options.labels or after[0] == "="
    return word != "a" or is_followed or before in ("option", "choice", "letter", "alternative")


def _words(row: Row) -> frozenset[str]:
    return frozenset(word for text, _ in _options(row).texts for word in text.split())


CHOICE = words_grader(lambda row: partial(_choices, _options(row)), words_of=_words)
