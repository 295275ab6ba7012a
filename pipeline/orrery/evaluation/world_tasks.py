"""Worlds as tasks of Inspect, one per domain: ``inspect eval orrery/world_ferry --model ...``.

A model acts by its replies, or by calls of tools (``-T tools=true``). ``tasks`` imports this module, which
registers them.
"""

from __future__ import annotations

from itertools import count, islice
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # exception that Inspect prints without a traceback
from inspect_ai._util.package import get_installed_package_name
from inspect_ai.dataset import MemoryDataset, Sample
from rich.markup import escape

from orrery.catalog import Catalog
from orrery.evaluation.world_episodes import WORLD_ARGUMENTS, acting, episode
from orrery.installation import find_root
from orrery.library.world_sets import opening, world_set
from orrery.model import OrreryError

SAMPLES = 50  # worlds of a task


def world_task(domain: str, samples: int, tools: bool, **selection: Any) -> Task:
    """Return the task of the first worlds of a selection.

    Raises:
        UsageError: the domain, difficulty, kind, split or an option does not exist.
    """
    worlds = world_set(domain, **selection)
    dataset = [
        Sample(
            id=worlds.key(number),
            input=opening(worlds.world(number)),
            metadata={"domain": domain, WORLD_ARGUMENTS: worlds.arguments(number)},
        )
        for number in islice(count(), samples)
    ]
    name = f"world_{domain}"
    return Task(dataset=MemoryDataset(dataset, name=name), solver=acting(tools), scorer=episode(), name=name)


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
        try:
            return world_task(domain, samples, tools, **chosen)
        except OrreryError as error:
            raise PrerequisiteError(f"ERROR: {escape(str(error))}") from error


# As in ``tasks``, which is loaded with this module.
_PREFIX = "" if get_installed_package_name(_register) else "orrery/"
_CATALOG = Catalog(find_root())
for _domain in _CATALOG.names:
    if _CATALOG.entry(_domain).generator_file.is_file():
        _register(_domain)
