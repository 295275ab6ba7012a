"""The verdict on one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

RIGHT, WRONG, UNPARSED = "right", "wrong", "unparsed"
MAX_REPLY = 1_000_000  # characters; a longer reply is not read
TOO_LONG = f"the reply is longer than {MAX_REPLY} characters"


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one reply.

    ``value`` is 1.0 for ``right`` and 0.0 for every other verdict. ``detail`` is the reason. ``parts``
    contains partial scores from 0 to 1 if the kind has them (``jaccard``, ``pos``, ``neg``).
    """

    value: float
    verdict: str
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


class UnreadableAnswer(Exception):
    """The reply has no answer, or no single one; the message is the detail of the score."""


def score_of(right: bool, detail: str, parts: Mapping[str, float] | None = None) -> Score:
    """Return the score of an answer; ``detail`` says why it is wrong, and is ignored if it is right."""
    return Score(float(right), RIGHT if right else WRONG, "" if right else detail, parts or {})
