"""Readers of the planning subset: STRIPS, types, negative preconditions, equality, action costs.

Constructs outside the subset raise ``OutsideSubset``; invalid text raises ``PddlError``. Both name
file, line and column. An undeclared requirement is tolerated, as planners do.
"""

from __future__ import annotations

import re
from pathlib import Path

from orrery.model import Domain, Problem
from orrery.pddl.adl import AdlDomain
from orrery.pddl.faults import FaultLog, OutsideSubset, PddlError, SourceText
from orrery.pddl.problem import problem_of
from orrery.pddl.sections import Sections, name_and_sections
from orrery.pddl.soundness import check
from orrery.pddl.subset import narrowed, refuse_wider_sections
from orrery.pddl.tree import parse

__all__ = [
    "OutsideSubset",
    "PddlError",
    "read_domain",
    "read_domain_file",
    "read_problem",
    "read_problem_file",
    "read_wide_domain",
    "text_of",
]

_COMMENT = re.compile(rb";[^\r\n]*")


def read_domain_file(path: Path) -> Domain:
    """Return the domain of a file. Errors: see ``read_domain`` and ``text_of``."""
    return read_domain(text_of(path), str(path))


def read_problem_file(path: Path, domain: Domain) -> Problem:
    """Return the problem of a file. Errors: see ``read_problem`` and ``text_of``."""
    return read_problem(text_of(path), domain, str(path))


def text_of(path: Path) -> str:
    """Return the text of a PDDL file, with Unix line ends and without a byte order mark.

    Comments of older files often have another encoding; their bytes that are not UTF-8 are replaced.

    Raises:
        PddlError: the file is missing, cannot be read, or is not UTF-8 outside of comments.
    """
    try:
        content = _COMMENT.sub(_readable, path.read_bytes())
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise PddlError(str(path), f"cannot be read: {error}", "give a UTF-8 PDDL file") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        place = f"{path}:{line}:{error.start - content.rfind(bytes([10]), 0, error.start)}"
        raise PddlError(place, f"cannot be read: {error.reason}", "give a UTF-8 PDDL file") from error


def _readable(comment: re.Match[bytes]) -> bytes:
    return comment.group().decode("utf-8", errors="replace").encode("utf-8")


def read_domain(text: str, source: str = "<domain>") -> Domain:
    """Return the domain of a PDDL text, names lower-cased, declarations in file order.

    Raises:
        PddlError: malformed text, undeclared or doubly declared names, wrong arity or types.
        OutsideSubset: constructs beyond the subset.
    """
    origin = SourceText(text, source)
    return narrowed(read_wide_domain(origin), origin)


def read_wide_domain(origin: SourceText) -> AdlDomain:
    """Return a sound domain with any formulas as conditions and effects. Errors: see ``read_domain``."""
    log = FaultLog(origin, raises=True)
    name, nodes = name_and_sections(log, parse(origin), "domain")
    refuse_wider_sections(nodes, origin)
    sections = Sections(log)
    for node in nodes:
        sections.read(node)
    domain = sections.domain(name, origin.text)
    check(log, domain, sections.places)
    return domain


def read_problem(text: str, domain: Domain, source: str = "<problem>") -> Problem:
    """Return the problem of a PDDL text, checked against ``domain``.

    Negative literals in the initial state are accepted if they do not contradict positive ones.

    Raises:
        PddlError: malformed text, unknown names, wrong arity or types, another domain's problem.
        OutsideSubset: constructs beyond the subset.
    """
    origin = SourceText(text, source)
    return problem_of(origin, parse(origin), domain)
