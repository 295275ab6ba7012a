"""The forms of the lines of a trace, and their parts.

Lists are written ``(p), (q) and (not (r))``, or ``nothing``. A line that has none of these forms is a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..problem import written
from ..row import Atom, Literal

_ATOM = r"\([^()\s][^()]*\)"
_ONE = rf"(?:\(not {_ATOM}\)|{_ATOM})"
_LIST = rf"(?:nothing|{_ONE}(?:(?:, | and ){_ONE})*)"
_REASON = rf"{_ONE}(?: with {_ONE})*"
_REASONS = rf"{_REASON}(?:(?:, | or ){_REASON})*"
_LITERAL = re.compile(r"\(not \(([^()]+)\)\)|\(([^()]+)\)")
_WORDS = {
    "LIST": _LIST,
    "ACTION": _ATOM,
    "LITERAL": _ONE,
    "NUMBER": "[0-9]{1,9}",
    "SUM": r"[0-9]{1,9}(?: \+ [0-9]{1,9})*",
    "REASONS": _REASONS,
}

_MET = "(?:, which holds?|, but <LIST unmet> (?:does|do) not hold)?"
# Names of parts of a form are those of groups; the word before the name says what the part is.
_FORMS = {
    "step": (
        "Step <NUMBER number>: <ACTION action> needs <LIST needs>(?:, which holds?)?\\."
        " It (?:changes nothing|makes <LIST true> true|makes <LIST false> false"
        "|makes <LIST true_too> true and <LIST false_too> false)\\."
    ),
    "failure": (
        "Step <NUMBER number>: <ACTION action> needs <LIST needs>, but <LIST unmet> (?:does|do) not hold\\."
    ),
    "foreign": "Step <NUMBER number>: there is no action <ACTION action>\\.",
    "known": "Every step is an action of this domain\\.",
    "index": "Counted from 0, step <NUMBER number> has the index <NUMBER index>\\.",
    "condition": f"<ACTION action> needs <LIST needs>{_MET}\\.",
    "goal": f"The goal needs <LIST needs>{_MET}\\.",
    "fact": "<LITERAL literal> (?P<value>holds|does not hold) here\\.",
    "avoided": "<LITERAL literal> never held on this way\\.",
    "option": "Option (?P<label>[A-Z]):",
    "without": "Without steps? <NUMBER first>(?: and <NUMBER second>)?:",
    "join": "<ACTION pattern>: <LITERAL literal> leaves <LIST rest>\\.",
    "expand": "<ACTION pattern>: any (?P<variable>\\?[^ ]+) leaves <LIST rest>\\.",
    "at_first": "At first <LITERAL literal> (?P<value>holds|does not hold)\\.",
    "touch": "Step <NUMBER number>: <ACTION action> makes <LITERAL literal> (?P<value>true|false)\\.",
    "untouched": "Step <NUMBER number>: <ACTION action> leaves <LITERAL literal> as it is\\.",
    "suppose": "Suppose that <LITERAL literal> never becomes true\\.",
    "suppose_not": "Suppose that <LIST actions> (?:is|are) never done\\.",
    "never": (
        "<LIST literals> (?:never holds|never hold together): not now,"
        " and (?:no possible action makes it true"
        "|every possible action that makes it true needs <REASONS reasons>)\\."
    ),
    "required": "<LIST subjects> needs? <LIST literals>, which never (?:holds|hold together)\\.",
    "required_goal": "The goal needs <LIST literals>, which never (?:holds|hold together)\\.",
    "claim": "So the claim is (?P<value>true|false)\\.",
    "choice": "So option (?P<label>[A-Z]) is (?P<value>right|wrong)\\.",
    "costs": "The steps cost <SUM sum> = <NUMBER number>\\.",
    "cut": "So one of these actions is needed; of its cost, <NUMBER number> counts\\.",
    "bound": "Every plan costs at least <SUM sum> = <NUMBER number>\\.",
}
_PART = re.compile(r"<([A-Z]+) (\w+)>")
_PATTERNS = {
    form: re.compile(_PART.sub(lambda part: f"(?P<{part[2]}>{_WORDS[part[1]]})", pattern))
    for form, pattern in _FORMS.items()
}
_ORDERED = tuple(_PATTERNS.items())


class TraceLine(NamedTuple):
    """A line of a trace: its number, its form, and the texts of its parts."""

    number: int
    form: str
    parts: dict[str, str]

    def literals(self, part: str) -> frozenset[Literal]:
        """Return the literals of a part; none if the line lacks it."""
        return frozenset(literals_of(self.parts.get(part) or ""))

    def literal(self, part: str = "literal") -> Literal:
        """Return the only literal of a part."""
        return next(literals_of(self.parts[part]))

    def atom(self, part: str = "action") -> Atom:
        """Return the action of a part; raise TraceFault if it is negated."""
        return self._affirmed(self.literal(part))

    def reasons(self) -> list[frozenset[Literal]]:
        """Return the alternatives of the part ``reasons``, each with literals that hold together."""
        alternatives = re.split(", | or ", self.parts.get("reasons") or "")
        return [frozenset(literals_of(text)) for text in alternatives if text]

    def atoms(self, part: str) -> frozenset[Atom]:
        """Return the actions of a part; raise TraceFault if one is negated."""
        return frozenset(map(self._affirmed, self.literals(part)))

    def _affirmed(self, literal: Literal) -> Atom:
        if not literal[1]:
            raise TraceFault(f"line {self.number}: an action is negated")
        return literal[0]


class TraceFault(Exception):
    """A line is not true, or the answer does not follow; the message says where and why."""


def literals_of(text: str) -> Iterator[Literal]:
    """Yield the literals of a list."""
    for match in _LITERAL.finditer(text):
        yield (tuple(match[1].split()), False) if match[1] else (tuple(match[2].split()), True)


def literals_in(texts: Iterable[str]) -> list[Literal]:
    """Return the literals of some texts, in lower case."""
    return [literal for text in texts for literal in literals_of(str(text).lower())]


def read_line(number: int, text: str) -> TraceLine:
    """Return the form and the parts of a line, with facts and actions in lower case.

    Raises:
        TraceFault: it has none of the forms.
    """
    lowered = re.sub(_ATOM, lambda atom: atom[0].lower(), text)
    for form, pattern in _ORDERED:
        match = pattern.fullmatch(lowered)
        if match:
            return TraceLine(number, form, {name: part for name, part in match.groupdict().items() if part})
    raise TraceFault(f"line {number}: is not a line of a trace: {text[:80]!r}")


def listed(literals: Iterable[Literal]) -> str:
    """Return a list of literals as text."""
    return enumerated(list(map(written, literals)), "and") or "nothing"


def enumerated(texts: list[str], joint: str) -> str:
    """Return texts with commas between them, and a word before the last."""
    return f" {joint} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
