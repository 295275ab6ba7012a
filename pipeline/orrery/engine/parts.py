"""Work whose results are kept part by part, so that it goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeAlias, TypeVar

from orrery.engine.choice import is_cluster
from orrery.engine.digests import digest
from orrery.engine.mapping import WARM_UP_SECONDS, map_items

Item = TypeVar("Item")
Tables: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


class Shelf(Protocol):
    """A store of finished parts (``store.parts.Parts``)."""

    def has(self, name: str) -> bool:
        """Return whether part ``name`` is finished."""

    def save(self, name: str, tables: Tables) -> None:
        """Keep the rows of a part, all or none."""

    def load(self, name: str) -> Tables:
        """Return the rows of a finished part."""

    def packed(self, tables: Tables) -> bytes:
        """Return the file of a part that is to be kept elsewhere."""

    def put(self, name: str, data: bytes) -> None:
        """Keep the file of a part, all or none."""


def resumable_map(
    items: Iterable[Item],
    function: Callable[[Item], Tables],
    parts: Shelf,
    *,
    size: int = 25,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
) -> Iterator[Tables]:
    """Yield the rows that ``function`` makes of the items, by table, in parts of ``size`` items each.

    Finished parts are kept in ``parts`` and not made again; a part is known by its number and by the
    descriptions of its items, which must be distinct. Errors are those of ``map_items``.
    """
    remaining = iter(items)
    batches = list(iter(lambda: list(islice(remaining, size)), []))
    names = [f"{number:05}-{digest(map(describe, batch))[:16]}" for number, batch in enumerate(batches)]
    done = [parts.has(name) for name in names]
    missing = [item for batch, kept in zip(batches, done, strict=True) if not kept for item in batch]
    results = map_items(missing, function, jobs=jobs, label=label, describe=describe, warm_up=warm_up)
    for name, batch, kept in zip(names, batches, done, strict=True):
        if not kept:
            parts.save(name, _gathered(islice(results, len(batch))))
        yield parts.load(name)


def map_parts(
    items: Iterable[Item],
    function: Callable[[Item], Tables],
    parts: Shelf,
    *,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
    carry: Callable[[Item], Item] | None = None,
) -> list[str]:
    """Return the names, in the order of the items, of the parts that ``function`` makes: one of each item.

    A part is saved in ``parts`` by the process that made it, so that rows do not travel; a cluster sends its
    file back. One that is there already is not made again. It is known by its number and by the description
    of its item, which must distinguish the items. Items should take about a second. Errors are those of
    ``map_items``.
    """
    listed = list(items)
    names = [f"{number:05}-{digest([describe(item)])[:16]}" for number, item in enumerate(listed)]
    missing = [pair for pair in zip(names, listed, strict=True) if not parts.has(pair[0])]
    run = partial(_packed if is_cluster() else _keep, function, parts)
    made = map_items(
        missing,
        run,
        jobs=jobs,
        label=label,
        describe=lambda pair: describe(pair[1]),
        warm_up=warm_up,
        carry=partial(_carried, carry) if carry else None,
    )
    for (name, _), data in zip(missing, made, strict=True):
        if data is not None:
            parts.put(name, data)
    return names


def _keep(function: Callable[[Item], Tables], parts: Shelf, named: tuple[str, Item]) -> None:
    """Make the part of one item and save it."""
    name, item = named
    parts.save(name, function(item))


def _packed(function: Callable[[Item], Tables], parts: Shelf, named: tuple[str, Item]) -> bytes:
    """Make the part of one item, where it cannot be saved."""
    return parts.packed(function(named[1]))


def _carried(carry: Callable[[Item], Item], named: tuple[str, Item]) -> tuple[str, Item]:
    name, item = named
    return name, carry(item)


def _gathered(results: Iterable[Tables]) -> dict[str, list[Mapping[str, Any]]]:
    gathered: dict[str, list[Mapping[str, Any]]] = {}
    for tables in results:
        for name, rows in tables.items():
            gathered.setdefault(name, []).extend(rows)
    return gathered
