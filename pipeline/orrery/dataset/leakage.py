"""What stands in more than one split: keys that must not, and prompts that read the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.measures import prompt_columns
from orrery.dataset.views import counts_of, counts_of_each
from orrery.families import Table, tables
from orrery.store.shards import splits

PROMPT = "prompt"
SEVERAL = "min(split) <> max(split)"


class Shared(NamedTuple):
    """How many values of a table stand in two splits or more, of how many; and the SQL that lists them.

    ``what`` is the column that its family keeps apart, or ``prompt`` for the whole of what a model reads.
    """

    table: str
    what: str
    values: int
    shared: int
    sql: str


class Apart(NamedTuple):
    """What is shared by the splits, and the domains that only the test split has, by table."""

    shared: Sequence[Shared]
    test_only: Sequence[tuple[str, Sequence[str]]]

    @property
    def leaks(self) -> int:
        """How many values stand in two splits that must not."""
        return sum(each.shared for each in self.shared)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "shared": [each._asdict() for each in self.shared],
            "test_only": {table: list(domains) for table, domains in self.test_only},
        }


def leakage(dataset: Path) -> Apart:
    """Return what the splits of every table share: what the family keeps apart, and whole prompts."""
    there = splits(dataset)
    some = [table for name, table in sorted(tables().items()) if len(there.get(name, {})) > 1]
    return Apart(_shared(dataset, some), _test_only(dataset, some))


def _asked(table: Table) -> list[tuple[str, str]]:
    """Return what is looked at in a table: a name and its SQL."""
    named = [(name, name) for name in table.apart]
    prompt = prompt_columns(table.name)
    return [*named, *([(PROMPT, f"concat_ws(chr(10), {', '.join(prompt)})")] if prompt else [])]


def _shared(dataset: Path, some: Sequence[Table]) -> list[Shared]:
    """Return what is shared by the splits of some tables."""
    asked = {table.name: pairs for table in some if (pairs := _asked(table))}
    # One table after another: all in one statement would take memory for each until its end.
    counted = counts_of_each(dataset, [_counting(table, pairs) for table, pairs in asked.items()])
    found = []
    for (table, pairs), rows in zip(asked.items(), counted, strict=True):
        of = {row["what"]: row for row in rows}
        found += [
            Shared(table, what, of[what]["of"], of[what]["shared"], _listing(table, made))
            for what, made in pairs
        ]
    return found


def _counting(table: str, asked: Sequence[tuple[str, str]]) -> str:
    """Return the SQL that counts the values of a table, and those in two splits, in one look at it."""
    records = ", ".join(f"{{'what': '{what}', 'value': hash({made})}}" for what, made in asked)
    every = f"select split, unnest([{records}], recursive := true) from {table}"
    # The first and last split of a value take less memory than a set of its splits.
    values = f"select what, {SEVERAL} as parted from ({every}) group by what, value"
    return f"select what, count(*) as of, count(*) filter (parted) as shared from ({values}) group by what"


def _listing(table: str, made: str) -> str:
    """Return the SQL that lists the rows whose value stands in two splits."""
    twice = f"select hash({made}) from {table} group by 1 having {SEVERAL}"
    return f"select id, split from {table} where hash({made}) in ({twice})"


def _test_only(dataset: Path, some: Sequence[Table]) -> list[tuple[str, list[str]]]:
    """Return the domains of which only the test split of a table has rows."""
    parts = [
        f"select '{table.name}' as t, domain from {table.name} group by all having bool_and(split = 'test')"
        for table in some
        if "domain" in table.schema.names
    ]
    found: dict[str, list[str]] = {}
    for row in counts_of(dataset, " union all ".join(parts)) if parts else ():
        found.setdefault(row["t"], []).append(row["domain"])
    return [(table.name, sorted(found[table.name])) for table in some if table.name in found]
