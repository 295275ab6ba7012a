"""Read answers that are one word (a number, yes or no, a letter), clause by clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Any

from .reply import find_answer, only
from .row import Row, value
from .score import Grader, Score, score_of
from .words import word_set

_WORD = r"[^\W_](?:[\w-]*[^\W_])?"
WORDS = re.compile(_WORD)
# Words, numbers, variables, and each punctuation mark.
PIECES = re.compile(rf"(?<![\w-])-[0-9]+|[0-9]+[.,][0-9]+|(?<![^\s(])\?{_WORD}|{_WORD}|[^\w\s/]|\n")

_CONNECTORS = word_set(
    "because since as while whereas although though but if when after before so therefore thus hence"
)
# Words that may surround an answer in its clause: "I think the correct answer is".
PHRASE = word_set(
    "the an answer answers final is it s be this that statement claim fact proposition my reply correct"
    " right best option options choice letter alternative one would must should will i say think believe"
    " choose pick select go going with to and or both either definitely certainly clearly indeed conclusion"
    " sure let am m d ll rather"
)
_ANYTHING = word_set("anything everything any all")
# Words that begin a sentence.
SUBJECTS = word_set("it this that the there they we you i he she")


def clauses_of(pieces: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words between punctuation marks and words such as "because".

    "Anything but" is a denial, so its "but" is replaced by "not".
    """
    clause: list[str] = []
    for piece in pieces:
        if piece == "but" and not _ANYTHING.isdisjoint(clause[-1:]):
            clause.append("not")
            continue
        if piece in _CONNECTORS or (len(piece) == 1 and not piece.isalnum()):
            if piece == "(" and clause[-1:] == ["not"]:
                continue
            if clause:
                yield clause
            clause = []
        else:
            clause.append(piece)
    if clause:
        yield clause


def check_word(word: str, row: Row) -> Score:
    """Score ``yes`` or ``no``, or a letter, against the stored answer."""
    return score_of(word == str(value(row, "answer")).strip().lower(), f"it is not {word}")


def words_grader(
    answers_for: Callable[[Row], Callable[[str, bool], list[Any]]],
    check: Callable[[Any, Row], Score] = check_word,
    parts: tuple[str, ...] = (),
    words_of: Callable[[Row], Collection[str]] = lambda _: (),
) -> Grader:
    """Return a grader of the one answer in a text; in a marked text, in the first line with any answer.

    Args:
        answers_for: Returns, for a row, the function that lists the answers in a text. The function's second
            argument is whether the text is marked as the answer.
        check: Checks the answer.
        parts: Names of the partial scores.
        words_of: Returns the words of a row's options, which correct no answer.
    """

    def find(reply: str, row: Row) -> Any:
        return find_answer(reply, partial(_first_answer, answers_for(row)), partial(words_of, row))

    return Grader(find, check, parts)


def _first_answer(answers_in: Callable[[str, bool], list[Any]], text: str, marked: bool) -> Any:
    lines = text.split("\n") if marked else [text]
    return only(next((answers for line in lines if (answers := answers_in(line, marked))), []))
