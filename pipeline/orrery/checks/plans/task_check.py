"""The interface of the check of a task: the record ``CHECK`` of every module in ``tasks``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from orrery.checks.plans.asked import Asked, Row
from orrery.model import Atom, Literal, Problem, Step


class Stated(NamedTuple):
    """What a question must tell besides its frame: numbered lists of steps, and lines that begin with a dash.

    ``lists`` are the steps, a list where the numbers begin anew. Of the lines, ``literals`` state one each
    and ``costs`` say what actions cost. ``numbers`` and ``fact`` stand elsewhere in the question, and so do
    the ``problems``, each told whole before the list of its steps. ``said`` is what the template of the task
    is given besides problems, with None for what it tells line by line.
    """

    lists: tuple[tuple[Step, ...], ...] = ()
    literals: tuple[Literal, ...] = ()
    costs: tuple[tuple[str, int], ...] = ()
    numbers: tuple[int, ...] = ()
    fact: Atom | None = None
    problems: tuple[Problem, ...] = ()
    said: tuple[object, ...] = ()


def nothing_stated(_asked: Asked) -> Stated:
    """Return that a question tells nothing beyond its context."""
    return Stated()


@dataclass(frozen=True)
class TaskCheck:
    """The checks of the rows of one task, by routes that did not make them.

    Attributes:
        columns: the columns of its own that it vouches for.
        faults: finds what is wrong with a row besides its common columns and its words.
        reply: writes a reply that gives what is stored as right.
        told: what the question must tell, under the row's own names.
        group: finds what is wrong with the rows of this task that belong to one problem, together.
        note: what is kept of a row, to compare over all problems.
        across: finds what is wrong with all that was noted.
    """

    columns: tuple[str, ...]
    faults: Callable[[Asked], list[str]]
    reply: Callable[[Row], str]
    stated: Callable[[Asked], Stated] = nothing_stated
    group: Callable[[Sequence[Asked]], list[str]] | None = None
    note: Callable[[Row], Any] | None = None
    across: Callable[[Sequence[Any]], list[str]] | None = None
