"""Classes of unreadable model outputs, and the deviations tolerated in readable ones."""

from __future__ import annotations

from enum import StrEnum

from orrery.pddl.faults import SyntaxFault


class ReplyErrorClass(StrEnum):
    """Reasons why no problem can be read, other than faults of its PDDL."""

    EMPTY_OUTPUT = "empty-output"
    NOT_TEXT = "not-text"
    TOO_LONG = "too-long"
    NO_PROBLEM_FOUND = "no-problem-found"


class Tolerance(StrEnum):
    """Tolerated deviations. None of them changes the meaning of the problem."""

    SURROUNDING_TEXT = "surrounding-text"
    CODE_FENCE = "code-fence"
    REASONING = "reasoning"  # a closed block of reasoning before the answer
    ANSWER_IN_REASONING = "answer-in-reasoning"  # none after it, or it is unclosed
    DOMAIN_GIVEN = "domain-given"
    SEVERAL_PROBLEMS = "several-problems"
    UNFINISHED_PROBLEM = "unfinished-problem"  # a later, unclosed problem
    STRAY_PARENTHESES = "stray-parentheses"
    PROBLEM_NAME = "problem-name"
    CAPITALS = "capitals"
    COMMENTS = "comments"
    QUOTE_MARKS = "quote-marks"
    HTML_ESCAPES = "html-escapes"
    BACKSLASH_ESCAPES = "backslash-escapes"
    ODD_CHARACTERS = "odd-characters"
    TEMPLATE = "template"  # an unfilled template after the answer
    LINE_NUMBERS = "line-numbers"
    BULLETS = "bullets"
    FOREIGN_COMMENTS = "foreign-comments"  # of other languages: // and #
    INNER_FENCES = "inner-fences"
    TOTAL_COST = "total-cost"  # (= (total-cost) 0), or a metric of it, although the domain has no costs
    REQUIREMENTS = "requirements"
    OBJECT_TYPE = "object-type"
    NEGATIVE_INIT = "negative-init"
    ADDED_TYPES = "added-types"


class Unreadable(Exception):
    """No problem can be read; used only within this package."""

    def __init__(self, error: ReplyErrorClass | SyntaxFault, detail: str = "") -> None:
        """Create the error with its class and message."""
        self.error, self.detail = error, detail
        super().__init__(detail)
