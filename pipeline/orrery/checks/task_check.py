"""The interface of the check of a task: the record ``CHECK`` of the module called like the task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Atom, Literal, OrreryError, Problem, Step
from orrery.registry import modules_in

Row: TypeAlias = Mapping[str, Any]
RowView = TypeVar("RowView")  # a row with what its check needs


class QuestionView(NamedTuple):
    """A row of a question with the state that it asks about."""

    row: Row
    rechecked: RecheckedState


class QuestionContent(NamedTuple):
    """The content of a question besides its frame: numbered lists of steps, and lines that begin with a dash.

    ``lists`` are the steps, a list where the numbers begin anew. Of the lines, ``literals`` state one each
    and ``costs`` say what actions cost. ``numbers`` and ``fact`` stand elsewhere in the question, and so do
    the ``problems``, each told whole before the list of its steps. ``said`` holds the arguments of the
    template of the task besides problems, with None for each that is told line by line.
    """

    lists: tuple[tuple[Step, ...], ...] = ()
    literals: tuple[Literal, ...] = ()
    costs: tuple[tuple[str, int], ...] = ()
    numbers: tuple[int, ...] = ()
    fact: Atom | None = None
    problems: tuple[Problem, ...] = ()
    said: tuple[object, ...] = ()


def no_content(_view: object) -> QuestionContent:
    """Return that a question tells nothing beyond its context."""
    return QuestionContent()


@dataclass(frozen=True)
class TaskCheck(Generic[RowView]):
    """The checks of the rows of one task, by routes that did not make them.

    Attributes:
        columns: the columns of the task that it decides again, besides those that all tasks share.
        faults: returns what is wrong with a row that is no claim, besides its common columns and its words.
        reply: writes a reply that gives the stored answer, of alternatives the first; empty for None.
        groups: the published names of its formats, by ``gen``, ``bool`` and ``mcq``.
        keys: the keys of its claims, besides ``kind``.
        holds: decides whether a claim is true; None where that stays undecided. Raises OrreryError where the
            claim speaks of what the problem does not have.
        proven: the columns of decided states that list what is proven, and the column of their proofs.
        proof_lists: the lists of an open question whose elements have proofs: columns or parts of the answer.
        content: returns what the question must tell, under the row's own names.
        group: returns what is wrong with the rows of this task that belong to one problem, together.
        note: returns what is compared of a row over all problems.
        across: returns what is wrong with all that was noted.
    """

    columns: tuple[str, ...]
    faults: Callable[[RowView], list[str]]
    reply: Callable[[Row], str]
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    keys: frozenset[str] = frozenset()
    holds: Callable[[Mapping[str, Any], RecheckedState], bool | None] | None = None
    proven: tuple[tuple[tuple[str, ...], str], ...] = ()
    proof_lists: tuple[str, ...] = ()
    content: Callable[[RowView], QuestionContent] = no_content
    group: Callable[[Sequence[RowView]], list[str]] | None = None
    note: Callable[[Row], Any] | None = None
    across: Callable[[Sequence[Any]], list[str]] | None = None


QuestionCheck: TypeAlias = TaskCheck[QuestionView]


@dataclass(frozen=True)
class TaskChecks(Generic[RowView]):
    """The checks of the tasks of a family, by name, sorted; ``folder`` is where their modules are."""

    folder: str
    by_name: Mapping[str, TaskCheck[RowView]]

    def of(self, name: str) -> TaskCheck[RowView]:
        """Return the check of a task.

        Raises:
            OrreryError: there is none.
        """
        if name not in self.by_name:
            raise OrreryError(f"task '{name}'", "has no check", f"write {self.folder}/{name}.py")
        return self.by_name[name]


def checks_in(package: str, folders: Iterable[str]) -> TaskChecks[Any]:
    """Return the checks that the modules of a package offer."""
    modules = modules_in(package, folders)
    checks = MappingProxyType({name: module.CHECK for name, module in modules.items()})
    return TaskChecks(package.removeprefix("orrery.").replace(".", "/"), checks)
