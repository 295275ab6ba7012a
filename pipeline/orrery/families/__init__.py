"""Families of published tables: one folder each, found by listing this package.

The folder of a family defines ``FAMILY``, a record with everything that the stages need. To add a family, add
a folder. A folder elsewhere is added by appending its parent to ``__path__``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol

from orrery.config import Settings
from orrery.families.attack import TargetMaker
from orrery.model import OrreryError, Row, UsageError, suggest
from orrery.store import columns
from orrery.store.kinds import Schema, table_name


class Rows(Protocol):
    """Makes the rows of a split from the results of the stages before, as Arrow tables, in pieces."""

    def __call__(
        self, settings: Settings, split: str, only: Sequence[str] | None = None
    ) -> Iterator[columns.Table]:
        """Yield the rows; with ``only``, at least these columns."""


class Gold(NamedTuple):
    """The reply that must score 1.0: the columns that it is made from, and the function that makes it.

    ``reply`` takes a row with these columns, and a random stream that chooses among several correct replies.
    """

    columns: tuple[str, ...]
    reply: Callable[[Row, Random], str]


@dataclass(frozen=True)
class Table:
    """One published table.

    ``rows`` makes the rows of a split. ``apart`` lists the columns whose values must not occur in two splits.
    ``prompts`` maps each representation to the columns that a model reads; prompt templates are named
    ``<template>_<style>.j2``. ``scorer`` is the file in ``scoring/scorers`` that scores replies, for every
    use of scores. A table without questions to a model has none of these three, and no ``gold``. ``attack``
    makes the data for the adversary of the report; if it is None, the adversary uses prompts and gold
    replies. ``dialogues`` lists the columns with whole conversations, which ``orrery export sft`` writes.
    """

    schema: Schema
    rows: Rows
    apart: tuple[str, ...]
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    template: str = ""
    gold: Gold | None = None
    scorer: str = ""
    attack: TargetMaker | None = None
    dialogues: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the table, from its schema."""
        return table_name(self.schema)


@dataclass(frozen=True)
class Family:
    """A group of published tables; the name of the folder is the name of the family.

    ``intermediate`` are the schemas of the files that the stages before ``assemble`` write for it.
    ``examples`` makes the worked examples in its prompts: rows with their ``table`` and ``reply``.
    ``promises`` returns, for the manifest and the card, how many rows are promised and which are missing;
    empty if the family promises none.
    """

    tables: tuple[Table, ...]
    intermediate: tuple[Schema, ...] = ()
    examples: Callable[[Settings], Iterable[Row]] | None = None
    promises: Callable[[Settings], Row] | None = None


def families() -> Mapping[str, Family]:
    """Return the families, by folder name, sorted."""
    return _import_families(tuple(__path__))


@lru_cache(maxsize=8)
def _import_families(folders: tuple[str, ...]) -> Mapping[str, Family]:
    names = sorted(module.name for module in pkgutil.iter_modules(folders) if module.ispkg)
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    by_name = {name: module.FAMILY for name, module in modules.items() if hasattr(module, "FAMILY")}
    return MappingProxyType(by_name)


def tables() -> dict[str, Table]:
    """Return all published tables, by name.

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
    """Return a published table.

    Raises:
        UsageError: there is no table of this name; the message lists all names.
    """
    published = tables()
    if name not in published:
        raise UsageError(
            f"table '{name}'", "is not a published table", suggest(name, "tables", sorted(published))
        )
    return published[name]
