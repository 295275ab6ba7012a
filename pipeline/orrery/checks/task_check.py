"""The interface for checks of a task: the record ``CHECK`` in the module named like the task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Atom, Literal, OrreryError, Problem, Row, Step
from orrery.registry import modules_in

RowView = TypeVar("RowView")  # a row with the inputs of its check


class QuestionView(NamedTuple):
    """A row of a question with the state that it asks about."""

    row: Row
    rechecked: RecheckedState


class QuestionContent(NamedTuple):
    """The content of a question other than its frame: numbered lists of steps, and lines with a dash.

    ``lists`` are the lists of steps; each starts at number 1. The other lines state ``literals``, one per
    line, and ``costs`` of actions. ``numbers`` and ``fact`` occur elsewhere in the question, and so do the
    ``problems``, each described completely before the list of its steps. ``said`` has the arguments of the
    task's template other than problems; those that are stated line by line are None.
    """

    lists: tuple[tuple[Step, ...], ...] = ()
    literals: tuple[Literal, ...] = ()
    costs: tuple[tuple[str, int], ...] = ()
    numbers: tuple[int, ...] = ()
    fact: Atom | None = None
    problems: tuple[Problem, ...] = ()
    said: tuple[object, ...] = ()


def no_content(_view: object) -> QuestionContent:
    """Return the content of a question that has no content other than its context."""
    return QuestionContent()


@dataclass(frozen=True)
class TaskCheck(Generic[RowView]):
    """The checks of the rows of one task, by other methods than those that made the rows.

    Attributes:
        columns: the columns of the task that the check decides again, in addition to those common to all
            tasks.
        faults: returns the faults of a row without claims, except those of its common columns and its words.
        reply: returns a reply with the stored answer (the first alternative); empty for None.
        groups: the published names of its formats, by ``gen``, ``bool`` and ``mcq``.
        tells_goal: whether its text states the goal.
        keys: the keys of its claims, other than ``kind``.
        holds: returns whether a claim is true, or None if undecided. Raises OrreryError if the claim names
            something that the problem does not have.
        proven: the columns of decided states that list proven elements, and the column of their proofs.
        proof_lists: the lists of an open question whose elements have proofs: columns or parts of the answer.
        content: returns the required content of the question, under the row's own names.
        group: returns the faults of all rows of this task that belong to one problem.
        note: returns the value of a row that is compared over all problems.
        across: returns the faults of all noted values.
    """

    columns: tuple[str, ...]
    faults: Callable[[RowView], list[str]]
    reply: Callable[[Row], str]
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tells_goal: bool = True
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
    """The checks of the tasks of a family, by name, sorted; ``folder`` contains their modules."""

    folder: str
    by_name: Mapping[str, TaskCheck[RowView]]

    def of(self, name: str) -> TaskCheck[RowView]:
        """Return the check of a task.

        Raises:
            OrreryError: the task has no check.
        """
        if name not in self.by_name:
            raise OrreryError(f"task '{name}'", "has no check", f"write {self.folder}/{name}.py")
        return self.by_name[name]


def checks_in(package: str, folders: Iterable[str]) -> TaskChecks[Any]:
    """Return the checks in the modules of a package."""
    modules = modules_in(package, folders)
    checks = MappingProxyType({name: module.CHECK for name, module in modules.items()})
    return TaskChecks(package.removeprefix("orrery.").replace(".", "/"), checks)
