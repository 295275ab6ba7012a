"""Tasks for Inspect, one a table that asks something: ``inspect eval orrery/<table> --model ...``.

Inspect finds them by importing this module (entry point ``inspect_ai`` of the package), which registers a
task for every table that the families offer. Nothing is read before a task is asked for.
"""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # what Inspect prints without a trace
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from rich.markup import escape

from orrery.evaluation.asked import AskedTable
from orrery.evaluation.choice import DATASET, RowSelection, items_of
from orrery.evaluation.facts import facts_of
from orrery.evaluation.scorer import graded
from orrery.evaluation.solver import Replier, as_messages, corrected
from orrery.installation import find_root
from orrery.library.asked_tables import asking_tables
from orrery.model import OrreryError


def inspect_task(
    table: AskedTable, replier: Replier | None = None, done: Callable[[], object] | None = None
) -> Task:
    """Return the task that asks the items of a table, and scores the replies.

    Args:
        table: the items.
        replier: gets a reply; the model that Inspect was given, unless named.
        done: called when a conversation is over.
    """
    samples = [
        Sample(
            id=row_id,
            input=as_messages(table.messages(row_id)),
            target=item.gold,
            metadata=facts_of(item, table.part),
        )
        for row_id, item in table.items.items()
    ]
    dataset = MemoryDataset(samples, name=table.name)
    solver = corrected(table, replier, done)
    return Task(dataset=dataset, solver=solver, scorer=graded(table), name=table.name)


def _register(table: str) -> None:
    """Tell Inspect of the task of a table."""

    @task(name=f"{_PREFIX}{table}")
    def ask(
        dataset: str = DATASET,
        split: str = "test",
        seed: int | None = None,
        domain: str | None = None,
        difficulty: str | None = None,
        style: str | None = None,
        representation: str | None = None,
        shots: int | None = None,
        limit: int | None = None,
        turns: int = 0,
    ) -> Task:
        """Return the task of a table; ``RowSelection`` describes the arguments but ``turns``.

        ``turns`` is the k of EC_k: how often a reply that is not right is answered.
        """
        try:
            choice = RowSelection(
                dataset, split, seed, domain, difficulty, style, representation, shots, limit
            )
            items = items_of(choice, table, find_root().absolute())
        except OrreryError as error:
            raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error
        return inspect_task(AskedTable(table, items, choice.part, turns))


# Inspect puts the name of the package in front, but not if an editable installation is of a distribution with
# another name.
_PREFIX = "" if get_installed_package_name(_register) else "orrery/"
for _table in asking_tables():
    _register(_table)
