"""Why no problem can be read out of a model's output, and what is tolerated where one can."""

from __future__ import annotations

from enum import StrEnum


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
    """Deviations that are tolerated, none of which changes what the problem says."""

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
        """Make the error with its class and message."""
        self.error, self.detail = error, detail
        super().__init__(detail)
