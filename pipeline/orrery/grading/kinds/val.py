"""Validation (``val``): the index of the first action of a sequence that is not applicable.

An answer is a number called an index, or a number alone in its clause; after ``ANSWER:`` any single number.
Ordinals and the numbers of steps and lists are not answers. An action may replace its index if it occurs
exactly once in the sequence. An action next to a number must agree with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise, takewhile

from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..clauses import PHRASE, PIECES, clauses_of, words_grader
from ..facts_and_actions import asserted
from ..reply import only
from ..row import Atom, Row, action_sequence, structured_value
from ..score import Score, UnreadableAnswer, score_of
from ..symbols import Symbols, step_symbols
from ..tokens import ATOM, says_none, tokens_of
from ..words import NUMERALS, is_rejected, word_set

_INDEX = word_set("index idx")
# Words that may stand between "index" and its number.
_INDEX_PHRASE = word_set("is of the number no at action step first inapplicable : = ( [")
_STEPS = word_set("action actions step steps")
_PHRASE = PHRASE | word_set("a action first inapplicable")
_NUMBER = re.compile(r"-?[0-9]+")
_NUMBERING = re.compile(r"^[ \t(\[-]*[0-9]+[.):\]]+[ \t]+(?=\S)", re.M)
_REASON = re.compile(r"\b(?:because|since|as|after|before|when|while)\b")
_BECAUSE = re.compile(r"\b(?:because|since)\b[^.;\n]*")
_NOWHERE = -1
_NEGATORS = word_set("not never t neither nor cannot except than excluding without")
_ANYTHING = word_set("anything everything any all index indices")
# Words that may stand between a denial and the denied number.
_PASSED = (
    PHRASE | _INDEX | _INDEX_PHRASE | word_set("a fail fails failing fault violated wrong invalid , nor")
)
_WORKS = word_set("wrong incorrect applicable works possible executable valid fine ok okay applied executed")
_DENYING = _NEGATORS | _WORKS | word_set("no but")
_NEAR = 12
_DENIED = "_"


def _indices(row: Row, symbols: Symbols, text: str, marked: bool) -> list[int]:
    """Return the positions that a text gives, by number or action.

    An action that is not in the sequence has the position ``_NOWHERE``.
    """
    text = symbols.spelled(text if marked else _NUMBERING.sub("", text))
    numbers = _numbers(_BECAUSE.sub("", text), marked) or _numbers(text, marked)
    tokens = tokens_of(_REASON.split(text, maxsplit=1)[0] if numbers else text, symbols, marked)
    tokens = asserted(tokens, marked, impossible=True)
    actions = list(dict.fromkeys(value for kind, value in tokens if kind == ATOM))
    if not actions:
        return numbers or ([_NOWHERE] if says_none(tokens, marked) else _nothing(text))
    sequence = action_sequence(row, "sequence")
    if numbers and not any(_action_at(sequence, number) in actions for number in numbers):
        raise UnreadableAnswer("index and action disagree")
    return numbers or [_place(sequence, only(actions))]


def _numbers(text: str, marked: bool) -> list[int]:
    """Return numbers called an index; else those alone in their clause; else any number if ``marked``."""
    pieces = _without_denied(PIECES.findall(text))
    clauses = list(clauses_of(pieces))
    words = [word for clause in clauses for word in clause]
    if marked and len(words) == 1 and words[0] in NUMERALS:
        return [NUMERALS.index(words[0])]
    numbers = _called_index(pieces) or _alone(clauses) or (words if marked else [])
    return [int(word) if len(word) < 10 else _NOWHERE for word in numbers if _NUMBER.fullmatch(word)]


def _nothing(text: str) -> list[int]:
    """Return no index.

    Raises:
        UnreadableAnswer: The text denies an index.
    """
    pieces = PIECES.findall(text)
    if _without_denied(pieces) != pieces:
        raise UnreadableAnswer("the answer is put in the negative")
    return []


def _without_denied(pieces: list[str]) -> list[str]:
    """Return the pieces of a text, with each denied number replaced by a sign."""
    if _DENYING.isdisjoint(pieces):
        return pieces
    return [
        _DENIED if _NUMBER.fullmatch(piece) and _is_denied(pieces, place) else piece
        for place, piece in enumerate(pieces)
    ]


def _is_denied(pieces: list[str], place: int) -> bool:
    """Return whether the number at a place is denied: "not 2", "2 is applicable"."""
    following = takewhile(str.isalnum, pieces[place + 1 : place + _NEAR])
    if is_rejected((word for word in following if word != "and" and not word.isdigit()), impossible=True):
        return True
    for at in range(place - 1, max(place - _NEAR, -1), -1):
        word, before = pieces[at], pieces[at - 1] if at else ""
        if word in _NEGATORS or (word == "no" and pieces[at + 1] in _STEPS):
            return True
        if word == "but":
            return before in _ANYTHING
        if word not in _PASSED and not _NUMBER.fullmatch(word):
            return False
    return False


def _alone(clauses: Iterable[list[str]]) -> list[str]:
    """Return the numbers in clauses without other words than those of "the first inapplicable action is"."""
    numbers_alone = []
    for clause in clauses:
        numbers = [word for word in clause if _NUMBER.fullmatch(word)]
        of_steps = any(word in _STEPS and _NUMBER.fullmatch(after) for word, after in pairwise(clause))
        if not of_steps and _PHRASE.issuperset(set(clause).difference(numbers)):
            numbers_alone += numbers
    return numbers_alone


def _called_index(pieces: list[str]) -> list[str]:
    numbers = []
    for place, piece in enumerate(pieces):
        if piece in _INDEX:
            following = (
                piece_after
                for piece_after in pieces[place + 1 : place + 9]
                if piece_after not in _INDEX_PHRASE
            )
            numbers += [word for word in [next(following, "")] if _NUMBER.fullmatch(word)]
    return numbers


def _action_at(sequence: Sequence[Atom], index: int) -> Atom:
    return sequence[index] if 0 <= index < len(sequence) else ()


def _place(sequence: Sequence[Atom], action: Atom) -> int:
    """Return the position of an action that occurs once."""
    if sequence.count(action) > 1:
        raise UnreadableAnswer("the action occurs several times: which is meant?")
    return sequence.index(action) if action in sequence else _NOWHERE


def _check(index: int, row: Row) -> Score:
    gold = int(structured_value(row, "answer"))
    position = "in the sequence" if index == _NOWHERE else f"index {index}"
    is_beside = index != _NOWHERE and abs(index - gold) == 1
    return score_of(index == gold, f"it is not {position}", {"off_by_one": float(is_beside)})


GRADERS = {
    "validation_gen": words_grader(
        lambda row: partial(_indices, row, step_symbols(row)), _check, ("off_by_one",)
    ),
    "validation_bool": BOOLEAN,
    "validation_mcq": CHOICE,
}
