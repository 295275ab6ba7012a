"""Validation (``val``): the index of the first action of a sequence that is not applicable.

An answer is a number called an index, or alone in its clause; after ``ANSWER:`` any single number. Ordinals
and the numbers of steps and lists are none. An action in its place counts if it occurs exactly once in the
sequence, and one beside the number must agree with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

from ..atoms import Atom
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..clauses import PHRASE, PIECES, clauses_of, reader_of_words
from ..facts_and_actions import asserted
from ..grader import Grader
from ..names import KnownNames, action_names
from ..reply import only
from ..row import Row, action_sequence, structured_value
from ..score import Score, UnreadableAnswer, score_of
from ..tokens import ATOM, NUMERALS, says_none, tokens_of, word_set

_INDEX = word_set("index idx")
# What may stand between "index" and its number.
_INDEX_PHRASE = word_set("is of the number no at action step first inapplicable : = ( [")
_STEPS = word_set("action actions step steps")
_PHRASE = PHRASE | word_set("a action first inapplicable")
_NUMBER = re.compile(r"-?[0-9]+")
_NUMBERING = re.compile(r"^[ \t(\[-]*[0-9]+[.):\]]+[ \t]+(?=\S)", re.M)
_REASON = re.compile(r"\b(?:because|since|as|after|before|when|while)\b")
_NOWHERE = -1


def _indices(row: Row, names: KnownNames, text: str, marked: bool) -> list[int]:
    """Return the positions that a text gives, by number or action.

    An action that is not in the sequence has the position ``_NOWHERE``.
    """
    text = text if marked else _NUMBERING.sub("", text)
    numbers = _numbers(text, marked)
    tokens = tokens_of(_REASON.split(text, maxsplit=1)[0] if numbers else text, names, marked)
    tokens = asserted(tokens, marked)
    actions = list(dict.fromkeys(value for what, value in tokens if what == ATOM))
    if not actions:
        return numbers or ([_NOWHERE] if says_none(tokens, marked) else [])
    sequence = action_sequence(row, "sequence")
    if numbers and not any(_action_at(sequence, number) in actions for number in numbers):
        raise UnreadableAnswer("index and action disagree")
    return numbers or [_place(sequence, only(actions))]


def _numbers(text: str, marked: bool) -> list[int]:
    """Return numbers called an index, else those alone in their clause, else, if ``marked``, any."""
    pieces = PIECES.findall(text)
    clauses = list(clauses_of(pieces))
    words = [word for clause in clauses for word in clause]
    if marked and len(words) == 1 and words[0] in NUMERALS:
        return [NUMERALS.index(words[0])]
    found = _called_index(pieces) or _alone(clauses) or (words if marked else [])
    return [int(word) if len(word) < 10 else _NOWHERE for word in found if _NUMBER.fullmatch(word)]


def _alone(clauses: Iterable[list[str]]) -> list[str]:
    """Return the numbers in clauses with no other words than those of "the first inapplicable action is"."""
    found = []
    for clause in clauses:
        numbers = [word for word in clause if _NUMBER.fullmatch(word)]
        of_steps = any(word in _STEPS and _NUMBER.fullmatch(after) for word, after in pairwise(clause))
        if not of_steps and _PHRASE.issuperset(set(clause).difference(numbers)):
            found += numbers
    return found


def _called_index(pieces: list[str]) -> list[str]:
    found = []
    for place, piece in enumerate(pieces):
        if piece in _INDEX:
            rest = (other for other in pieces[place + 1 : place + 9] if other not in _INDEX_PHRASE)
            found += [word for word in [next(rest, "")] if _NUMBER.fullmatch(word)]
    return found


def _action_at(sequence: Sequence[Atom], index: int) -> Atom:
    return sequence[index] if 0 <= index < len(sequence) else ()


def _place(sequence: Sequence[Atom], action: Atom) -> int:
    """Return the position of an action that occurs once."""
    if sequence.count(action) > 1:
        raise UnreadableAnswer("the action occurs several times: which is meant?")
    return sequence.index(action) if action in sequence else _NOWHERE


def _check(found: int, row: Row) -> Score:
    gold = int(structured_value(row, "answer"))
    where = "in the sequence" if found == _NOWHERE else f"index {found}"
    return score_of(found == gold, f"it is not {where}")


GRADERS = {
    "validation_gen": Grader(
        partial(reader_of_words, lambda row: partial(_indices, row, action_names(row))), _check
    ),
    "validation_bool": BOOLEAN,
    "validation_mcq": CHOICE,
}
