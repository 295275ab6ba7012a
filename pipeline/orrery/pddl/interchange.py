"""What readers of the wider language say: the one place that knows the ``pddl`` package.

It and unified-planning's reader are imported when first asked for: loading them takes half a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings

from orrery.pddl.actions import TOTAL_COST
from orrery.pddl.read import OutsideSubset, PddlError, read_domain
from orrery.pddl.tree import Node, SourceText, Tree, parse

# Words that a text uses beyond the subset, and the requirement under which PDDL files them.
_REQUIREMENT = {
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "forall": ":quantified-preconditions or quantified effects",
    "exists": ":quantified-preconditions",
    "when": ":conditional-effects",
    "oneof": ":non-deterministic",
    "probabilistic": ":probabilistic-effects",
    "preference": ":preferences",
    ":constraints": ":constraints",
    ":derived": ":derived-predicates",
    ":durative-action": ":durative-actions",
    ":process": ":time",
    ":event": ":time",
    **dict.fromkeys(("assign", "decrease", "scale-up", "scale-down"), ":numeric-fluents"),
    **dict.fromkeys(("<", ">", "<=", ">="), ":numeric-fluents"),
}


class PackageReader:
    """The ``pddl`` package's reader; keep one, as making its parsers costs twenty times a reading.

    Its parsers remember constants and types of the text before: for a verdict on a text take a new one.
    """

    def __init__(self) -> None:
        """Build the parsers (0.1 s)."""
        from pddl.parser.domain import DomainParser
        from pddl.parser.problem import ProblemParser

        self._domain, self._problem = DomainParser(), ProblemParser()

    def domain(self, text: str) -> Any:
        """The text as a ``pddl.core.Domain``; raises whatever the package raises."""
        with _traceback_limit_kept():
            return self._domain(text)

    def problem(self, text: str) -> Any:
        """The text as a ``pddl.core.Problem``; raises whatever the package raises."""
        with _traceback_limit_kept():
            return self._problem(text)


@contextmanager
def _traceback_limit_kept() -> Iterator[None]:
    """Undo what the package does to ``sys.tracebacklimit``: after an error it would stay at 0."""
    missing = object()
    before = getattr(sys, "tracebacklimit", missing)
    try:
        yield
    finally:
        if before is not missing:
            sys.tracebacklimit = before  # type: ignore[assignment]
        elif hasattr(sys, "tracebacklimit"):
            del sys.tracebacklimit


def read_with_unified_planning(domain: str, problem: str | None = None) -> Any:
    """Both texts as a ``unified_planning.model.Problem``; raises whatever that reader raises.

    Names shared by an action and a predicate are allowed, as in PDDL.
    """
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    environment = get_environment()
    before, environment.error_used_name = environment.error_used_name, False
    try:
        with catch_warnings(action="ignore", category=UserWarning):  # it warns of every shared name
            return PDDLReader().parse_problem_string(domain, problem)
    finally:
        environment.error_used_name = before


def diagnose(text: str, source: str = "<domain>") -> str:
    """One sentence on a domain's text: read, sound PDDL of a wider language, or malformed.

    The first says that our reader takes it; the second names what it uses beyond the subset and which
    reader of the wider language takes it; the third where and why nobody does.
    """
    try:
        domain = read_domain(text, source)
    except OutsideSubset as error:
        return _diagnose_wider(text, error)
    except PddlError as error:
        return f"malformed: {error}"
    return f"within the supported subset of PDDL: {len(domain.actions)} actions"


def _diagnose_wider(text: str, refusal: OutsideSubset) -> str:
    """The verdict of the wider readers on a text that ours refuses with ``refusal``."""
    readers: dict[str, Callable[[str], Any]] = {
        "the pddl package": lambda text: PackageReader().domain(text),
        "unified-planning": read_with_unified_planning,
    }
    complaints = []
    for name, read in readers.items():
        complaint = _complaint(read, text)
        if complaint is None:
            used = wider_requirements(text) or [refusal.problem]
            return f"sound PDDL of a wider language (read by {name}): uses {', '.join(used)}; {refusal}"
        complaints.append(f"{name}: {complaint}")
    return f"outside the subset, and refused by wider readers too: {refusal}; {'; '.join(complaints)}"


def _complaint(read: Callable[[str], Any], text: str) -> str | None:
    """The first line of what ``read`` raises, or None where it takes the text."""
    try:
        read(text)
    except Exception as error:  # these readers raise errors of a dozen unrelated classes
        return next(iter(str(error).splitlines()), type(error).__name__)
    return None


def wider_requirements(text: str) -> list[str]:
    """The requirements beyond the subset that a text uses, whatever it declares; sorted."""
    found: set[str] = set()
    stack: list[Tree] = [parse(SourceText(text))]
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            stack.extend(node)
            found.update(_requirements_of(node))
    return sorted(found)


def _requirements_of(node: Node) -> list[str]:
    """What the head of one list requires; declarations may use the same words as names."""
    if node.head == "increase":
        return [] if [TOTAL_COST] in node[1:2] else [":numeric-fluents"]
    if node.head == "=":
        return [":numeric-fluents"] if any(isinstance(item, Node) for item in node) else []
    return [_REQUIREMENT[node.head]] if node.head in _REQUIREMENT else []
