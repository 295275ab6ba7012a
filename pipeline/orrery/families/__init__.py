"""Families of published tables: a folder each, found by looking here.

A family's folder offers ``FAMILY``, one small record that says everything the stages need to know of it, so
that adding a family is adding a folder. A folder elsewhere joins by being appended to ``__path__``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias

from orrery.config import Settings
from orrery.families.attack import TargetMaker
from orrery.model import OrreryError, UsageError
from orrery.store import columns
from orrery.store.kinds import Schema, table_name

Row: TypeAlias = Mapping[str, Any]


class Rows(Protocol):
    """Makes the rows of a split from what the stages before wrote, as Arrow tables, some at a time."""

    def __call__(
        self, settings: Settings, split: str, only: Sequence[str] | None = None
    ) -> Iterator[columns.Table]:
        """Yield the rows; where only some columns are needed, these at least, and perhaps others."""


class Gold(NamedTuple):
    """The reply that must score 1.0: the columns that it is made of, and what makes it.

    ``reply`` takes a row with these columns, and a stream that chooses where several replies are right.
    """

    columns: tuple[str, ...]
    reply: Callable[[Row, Random], str]


@dataclass(frozen=True)
class Table:
    """One published table.

    ``rows`` makes the rows of a split.
    ``apart`` names the columns of which no value may stand in two splits. ``prompts`` has by representation
    the columns that a model reads; templates of prompts are called ``<template>_<style>.j2``. ``scorer`` is
    the file in ``scoring/scorers`` that scores replies, for every user of scores. A table that asks
    nothing of a model has none of these three, and no ``gold``. ``attack`` is what the adversary of the
    report knows of its rows; where it is None, their prompts and their gold.
    """

    schema: Schema
    rows: Rows
    apart: tuple[str, ...]
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    template: str = ""
    gold: Gold | None = None
    scorer: str = ""
    attack: TargetMaker | None = None

    @property
    def name(self) -> str:
        """The name of the table, as its schema has it."""
        return table_name(self.schema)


@dataclass(frozen=True)
class Family:
    """Published tables that belong together; the folder's name is the family's.

    ``intermediate`` are the schemas of what the stages before ``assemble`` write for it. ``examples`` makes
    the worked examples that its prompts show: rows with their ``table`` and their ``reply``. ``promises``
    says for the manifest and the card how many rows are promised, and which are not there; empty if none are.
    """

    tables: tuple[Table, ...]
    intermediate: tuple[Schema, ...] = ()
    examples: Callable[[Settings], Iterable[Row]] | None = None
    promises: Callable[[Settings], Row] | None = None


def families() -> Mapping[str, Family]:
    """Find the families: what every folder here offers, by the folder's name, sorted."""
    return _found(tuple(__path__))


@lru_cache(maxsize=8)
def _found(folders: tuple[str, ...]) -> Mapping[str, Family]:
    names = sorted(module.name for module in pkgutil.iter_modules(folders) if module.ispkg)
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    by_name = {name: module.FAMILY for name, module in modules.items() if hasattr(module, "FAMILY")}
    return MappingProxyType(by_name)


def tables() -> dict[str, Table]:
    """Find all published tables, by name.

    Raises:
        OrreryError: two families have a table of the same name.
    """
    by_name: dict[str, Table] = {}
    for name, family in families().items():
        for table in family.tables:
            if by_name.setdefault(table.name, table) is not table:
                raise OrreryError(
                    f"family '{name}'", f"defines table '{table.name}', which another family defines too"
                )
    return by_name


def table_of(name: str) -> Table:
    """Find a published table.

    Raises:
        UsageError: there is none of that name; the message lists those there are.
    """
    published = tables()
    if name not in published:
        raise UsageError(
            f"table '{name}'", "is not a published table", f"tables: {', '.join(sorted(published))}"
        )
    return published[name]
