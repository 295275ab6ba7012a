"""The verdict on one reply, and the interface of a grader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .row import Row

RIGHT, WRONG, UNPARSED = "right", "wrong", "unparsed"
MAX_REPLY = 1_000_000  # characters; a longer reply is not read
TOO_LONG = f"the reply is longer than {MAX_REPLY} characters"
NO_PLAN = "none"  # the answer of a reply that says that there is no plan
MAX_ANSWER = 100_000  # characters after the mark of the answer; of the end of a reply without a mark


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one reply.

    ``value`` is 1.0 for ``right`` and 0.0 for every other verdict. ``detail`` is the reason. ``parts``
    contains figures from 0 to 1 if the kind has them (``jaccard``, ``pos``, ``neg``, ``off_by_one``).
    ``answer`` is the answer that was read, in the form that the grader compares: ``none`` for a reply that
    says that there is no plan, and None without an answer.
    """

    value: float
    verdict: str
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    answer: Any = field(default=None, repr=False, compare=False)


class UnreadableAnswer(Exception):
    """The reply has no answer, or no single one; the message is the detail of the score."""


def bounded(text: str) -> str:
    """Return the text of an answer.

    Raises:
        UnreadableAnswer: It is longer than ``MAX_ANSWER``.
    """
    if len(text) > MAX_ANSWER:
        raise UnreadableAnswer(f"the text of the answer is longer than {MAX_ANSWER} characters")
    return text


def end_of(text: str) -> str:
    """Return the lines at the end of a reply without a mark that have at most ``MAX_ANSWER`` characters.

    Raises:
        UnreadableAnswer: The last line is longer.
    """
    _, newline, end = text[-MAX_ANSWER:].partition("\n")
    return end if newline and len(text) > MAX_ANSWER else bounded(text)


def score_of(right: bool, detail: str, parts: Mapping[str, float] | None = None) -> Score:
    """Return the score of an answer; ``detail`` says why it is wrong, and is ignored if it is right."""
    return Score(float(right), RIGHT if right else WRONG, "" if right else detail, parts or {})


@dataclass(frozen=True, slots=True)
class Grader:
    """The functions that read and check replies to the questions of one group.

    ``read`` returns the answer of a reply to a row, or raises UnreadableAnswer. ``check`` takes this answer
    and the row. ``parts`` names the partial scores, which are 0 if no answer is read. ``needs`` names the
    required columns.
    """

    read: Callable[[str, Row], Any]
    check: Callable[[Any, Row], Score]
    parts: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("answer",)
