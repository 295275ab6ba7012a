"""Third-party readers of full PDDL. This is the only module that uses the ``pddl`` package.

The package and unified-planning's reader are imported at first use, because that takes half a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any
from warnings import catch_warnings

from orrery.pddl.faults import OutsideSubset, PddlError
from orrery.pddl.read import read_domain
from orrery.pddl.requirements import used
from orrery.pddl.tolerant import read_adl

_SUBSET = frozenset({":typing", ":negative-preconditions", ":equality", ":action-costs"})


class PackageReader:
    """The ``pddl`` package's reader.

    Reuse one object, because building its parsers takes twenty times as long as reading.
    """

    def __init__(self) -> None:
        """Build the parsers (0.1 s)."""
        from pddl.parser.domain import DomainParser
        from pddl.parser.problem import ProblemParser

        self._domain, self._problem = DomainParser(), ProblemParser()
        self._blank = {name: copy(value) for name, value in vars(self._domain._transformer).items()}

    def domain(self, text: str) -> Any:
        """Return the text as a ``pddl.core.Domain``; raise the exceptions of the package."""
        # Its parser remembers declarations of the previous domain, and would accept their names here.
        vars(self._domain._transformer).update({name: copy(value) for name, value in self._blank.items()})
        with _traceback_limit_kept():
            return self._domain(text)

    def problem(self, text: str) -> Any:
        """Return the text as a ``pddl.core.Problem``; raise the exceptions of the package."""
        with _traceback_limit_kept():
            return self._problem(text)


@contextmanager
def _traceback_limit_kept() -> Iterator[None]:
    """Restore ``sys.tracebacklimit``, which the package leaves at 0 after an error."""
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
    """Return both texts as a ``unified_planning.model.Problem``; raise the exceptions of that reader.

    Names shared by an action and a predicate are allowed, as in PDDL.
    """
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    environment = get_environment()
    before, environment.error_used_name = environment.error_used_name, False
    try:
        with catch_warnings(action="ignore", category=UserWarning):  # it warns about every shared name
            return PDDLReader().parse_problem_string(domain, problem)
    finally:
        environment.error_used_name = before


def diagnose(text: str, source: str = "<domain>") -> str:
    """Return a sentence: whether a domain's text is in the subset, valid PDDL beyond it, or malformed.

    In the second case the sentence names the constructs beyond the subset and a reader of full PDDL that
    accepts them; in the third case the place and the reason.
    """
    try:
        domain = read_domain(text, source)
    except OutsideSubset as error:
        return _diagnose_refused(text, error)
    except PddlError as error:
        return f"malformed: {error}"
    return f"within the supported subset of PDDL: {len(domain.actions)} actions"


def _diagnose_refused(text: str, refusal: OutsideSubset) -> str:
    """Return the verdict of readers of full PDDL on a text that our reader rejects with ``refusal``."""
    readers: dict[str, Callable[[str], Any]] = {
        "the pddl package": lambda text: PackageReader().domain(text),
        "unified-planning": read_with_unified_planning,
    }
    complaints = []
    for name, read in readers.items():
        complaint = _complaint(read, text)
        if complaint is None:
            uses = requirements_beyond(text) or [refusal.problem]
            return f"sound PDDL beyond the subset (read by {name}): uses {', '.join(uses)}; {refusal}"
        complaints.append(f"{name}: {complaint}")
    return f"outside the subset, and refused by readers of full PDDL too: {refusal}; {'; '.join(complaints)}"


def _complaint(read: Callable[[str], Any], text: str) -> str | None:
    """Return the first line of the exception of ``read``, or None if it accepts the text."""
    try:
        read(text)
    except Exception as error:  # these readers raise exceptions of a dozen unrelated classes
        return next(iter(str(error).splitlines()), type(error).__name__)
    return None


def requirements_beyond(text: str) -> list[str]:
    """Return the requirements beyond the planning subset that a text uses, declared or not; sorted."""
    return sorted(used(read_adl(text)).keys() - _SUBSET)
