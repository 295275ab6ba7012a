"""What reading a model's output can come to: a problem, what was tolerated, or the class of the error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orrery.model import Problem

LONGEST_DETAIL = 200


class ReplyErrorClass(StrEnum):
    """Why no problem can be read out of an output; every ``pddl.tree.Fault`` is one of them."""

    EMPTY_OUTPUT = "empty-output"
    NOT_TEXT = "not-text"
    TOO_LONG = "too-long"
    NO_PROBLEM_FOUND = "no-problem-found"
    INCORRECT_PARENTHESES = "incorrect-parentheses"
    MALFORMED = "malformed"
    OUTSIDE_SUBSET = "outside-subset"
    UNKNOWN_PREDICATE = "unknown-predicate"
    WRONG_ARITY = "wrong-arity"
    UNKNOWN_OBJECT = "unknown-object"
    DUPLICATE_OBJECT = "duplicate-object"
    UNKNOWN_TYPE = "unknown-type"
    WRONG_TYPE = "wrong-type"
    MISSING_DOMAIN = "missing-domain"
    WRONG_DOMAIN = "wrong-domain"
    MISSING_INIT = "missing-init"
    CONTRADICTORY_INIT = "contradictory-init"
    MISSING_GOAL = "missing-goal"


class Tolerance(StrEnum):
    """What was put up with, none of which changes what the problem says."""

    SURROUNDING_TEXT = "surrounding-text"
    CODE_FENCE = "code-fence"
    REASONING = "reasoning"  # a closed block of reasoning before the answer
    ANSWER_IN_REASONING = "answer-in-reasoning"  # no problem after it, or it was never closed
    DOMAIN_GIVEN = "domain-given"
    SEVERAL_PROBLEMS = "several-problems"
    UNFINISHED_PROBLEM = "unfinished-problem"  # a later one that is never closed
    STRAY_PARENTHESES = "stray-parentheses"
    PROBLEM_NAME = "problem-name"
    CAPITALS = "capitals"
    COMMENTS = "comments"
    QUOTE_MARKS = "quote-marks"
    HTML_ESCAPES = "html-escapes"
    BACKSLASH_ESCAPES = "backslash-escapes"
    ODD_CHARACTERS = "odd-characters"
    REQUIREMENTS = "requirements"
    OBJECT_TYPE = "object-type"
    NEGATIVE_INIT = "negative-init"
    ADDED_TYPES = "added-types"


class Unreadable(Exception):
    """No problem can be read; kept within this package."""

    def __init__(self, error: ReplyErrorClass, detail: str = "") -> None:
        """The class, and what exactly is wrong."""
        self.error, self.detail = error, detail
        super().__init__(detail)


@dataclass(frozen=True, slots=True)
class Reading:
    """The problem of an output, or the class of the error (exactly one of the two).

    ``tolerated`` is sorted; ``detail`` says in words what is wrong, in at most LONGEST_DETAIL characters.
    """

    problem: Problem | None
    error: ReplyErrorClass | None
    tolerated: tuple[str, ...] = ()
    detail: str = ""
