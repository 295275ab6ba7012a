"""Worlds as tasks of Inspect: ``inspect eval orrery/world_ferry --model ...``, and ``orrery/world`` for rows.

A model acts by its replies, or by calls of tools (``-T tools=true``). ``tasks`` imports this module, which
registers a task for each domain, with fresh worlds, and one for the table ``world`` of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # exception that Inspect prints without a traceback
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from rich.markup import escape

from orrery.catalog import Catalog
from orrery.evaluation.world_episodes import acting, episode
from orrery.installation import find_root
from orrery.library.choice import DATASET, RowSelection, items_of
from orrery.library.fresh_rows import WORLD
from orrery.library.world_sets import opening, world_of_row, world_set
from orrery.model import OrreryError
from orrery.worlds.episode import World

SAMPLES = 50  # fresh worlds of a task
Worlds: TypeAlias = Mapping[str, Callable[[], World]]  # by the ids of the samples


def world_task(name: str, choose: Callable[[], Worlds], tools: bool) -> Task:
    """Return the task of some worlds.

    Raises:
        PrerequisiteError: the selection is not possible.
    """
    try:
        worlds = choose()
        samples = [
            Sample(id=key, input=opening(played := make()), metadata={"domain": played.problem.domain_name})
            for key, make in worlds.items()
        ]
    except OrreryError as error:
        raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error
    dataset = MemoryDataset(samples, name=name)
    return Task(dataset=dataset, solver=acting(worlds, tools), scorer=episode(), name=name)


def fresh_worlds(domain: str, samples: int, **selection: Any) -> Worlds:
    """Return the first worlds of a selection by their keys."""
    worlds = world_set(domain, **selection)
    return {worlds.key(number): partial(worlds.world, number) for number in range(samples)}


def stored_worlds(choice: RowSelection, reward: str) -> Worlds:
    """Return the worlds of rows of a dataset by the ids of the rows."""
    items = items_of(choice, WORLD, find_root().absolute())
    return {item.row["id"]: partial(world_of_row, item.row, item.root, reward=reward) for item in items}


def _register(domain: str) -> None:
    """Register the task of a domain with Inspect."""

    @task(name=f"{_PREFIX}world_{domain}")
    def act(
        difficulty: str | None = None,
        seed: int = 0,
        kind: str | None = None,
        split: str | None = "test",
        samples: int = SAMPLES,
        tools: bool = False,
        reward: str = "sparse",
    ) -> Task:
        """Return the task of a domain: ``samples`` worlds with numbers from ``seed``, and a reward rule."""
        chosen = {"difficulty": difficulty, "seed": seed, "kind": kind, "split": split, "reward": reward}
        return world_task(f"world_{domain}", partial(fresh_worlds, domain, samples, **chosen), tools)


# As in ``tasks``, which is loaded with this module.
_PREFIX = "" if get_installed_package_name(_register) else "orrery/"
_CATALOG = Catalog(find_root())
for _domain in _CATALOG.names:
    if _CATALOG.entry(_domain).generator_file.is_file():
        _register(_domain)


@task(name=f"{_PREFIX}{WORLD}")
def act_in_rows(
    dataset: str = DATASET,
    split: str = "test",
    domain: str | None = None,
    difficulty: str | None = None,
    limit: int | None = None,
    tools: bool = False,
    reward: str = "sparse",
) -> Task:
    """Return the task of the rows of the table ``world``, and a reward rule."""
    choice = partial(RowSelection, dataset, split, None, domain, difficulty, limit=limit)
    return world_task(WORLD, lambda: stored_worlds(choice(), reward), tools)
