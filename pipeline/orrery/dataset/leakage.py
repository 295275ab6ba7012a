"""Values in more than one split: keys that must not be, and prompts that read the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.measures import prompt_columns
from orrery.dataset.views import counts_of, counts_of_each, counts_of_files
from orrery.families import Table, tables
from orrery.model import OrreryError
from orrery.store.shards import splits

PROMPT = "prompt"
# The first and last split of a value take less memory than the set of its splits.
IN_TWO_SPLITS = "min(split) <> max(split)"


class SharedValues(NamedTuple):
    """The number of values of a table in two splits or more, out of how many, and the SQL that lists them.

    ``what`` is the column that the family keeps apart, or ``prompt`` for the whole prompt.
    """

    table: str
    what: str
    values: int
    shared: int
    sql: str


class SplitLeakage(NamedTuple):
    """The values that splits share, and the domains that only the test split has, by table."""

    shared: Sequence[SharedValues]
    test_only: Sequence[tuple[str, Sequence[str]]]

    @property
    def leaks(self) -> int:
        """How many values are in two splits that must not be."""
        return sum(values.shared for values in self.shared)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values."""
        return {
            "shared": [values._asdict() for values in self.shared],
            "test_only": {table: list(domains) for table, domains in self.test_only},
        }


def leakage(dataset: Path) -> SplitLeakage:
    """Return the values that the splits of every table share: the columns kept apart, and whole prompts."""
    files = splits(dataset)
    with_splits = [table for name, table in sorted(tables().items()) if len(files.get(name, {})) > 1]
    return SplitLeakage(_shared_values(dataset, with_splits), _test_only(dataset, with_splits))


def refuse_leaks(dataset: Path, table: Table) -> None:
    """Refuse a table in which a value of a column that keeps splits apart is in two of them.

    Raises:
        OrreryError: there is such a value; the message names two of its rows.
    """
    paths = list(chain.from_iterable(splits(dataset).get(table.name, {}).values()))
    for column in table.apart:
        sql = f"""select {column}::varchar as value, min(split) as split, arg_min(id, split) as id,
                arg_max(id, split) as other_id
            from files group by value having {IN_TWO_SPLITS} order by value limit 1"""
        for leak in counts_of_files(paths, sql):
            raise OrreryError(
                f"table '{table.name}': {leak['other_id']}",
                f"its {column} also stands in split {leak['split']}, in {leak['id']}",
                "delete what made it, as outputs/problems, and run `dvc repro`",
            )


def _compared_values(table: Table) -> list[tuple[str, str]]:
    """Return the values of a table that are compared: a name and its SQL."""
    columns = [(name, name) for name in table.apart]
    prompt = prompt_columns(table.name)
    return [*columns, *([(PROMPT, f"concat_ws(chr(10), {', '.join(prompt)})")] if prompt else [])]


def _shared_values(dataset: Path, with_splits: Sequence[Table]) -> list[SharedValues]:
    values = {table.name: pairs for table in with_splits if (pairs := _compared_values(table))}
    # A statement a table: one for all tables would take memory for each until its end.
    counted = counts_of_each(dataset, [_counting(table, pairs) for table, pairs in values.items()])
    shared = []
    for (table, pairs), rows in zip(values.items(), counted, strict=True):
        counts = {row["what"]: row for row in rows}
        shared += [
            SharedValues(table, name, counts[name]["of"], counts[name]["shared"], _listing(table, sql))
            for name, sql in pairs
        ]
    return shared


def _counting(table: str, values: Sequence[tuple[str, str]]) -> str:
    """Return the SQL that counts the values of a table, and those in two splits, in one scan."""
    records = ", ".join(f"{{'what': '{name}', 'value': hash({sql})}}" for name, sql in values)
    rows = f"select split, unnest([{records}], recursive := true) from {table}"
    grouped = f"select what, {IN_TWO_SPLITS} as parted from ({rows}) group by what, value"
    return f"select what, count(*) as of, count(*) filter (parted) as shared from ({grouped}) group by what"


def _listing(table: str, sql: str) -> str:
    """Return the SQL that lists the rows whose value is in two splits."""
    twice = f"select hash({sql}) from {table} group by 1 having {IN_TWO_SPLITS}"
    return f"select id, split from {table} where hash({sql}) in ({twice})"


def _test_only(dataset: Path, with_splits: Sequence[Table]) -> list[tuple[str, list[str]]]:
    """Return the domains of which only the test split of a table has rows."""
    selects = [
        f"select '{table.name}' as t, domain from {table.name} group by all having bool_and(split = 'test')"
        for table in with_splits
        if "domain" in table.schema.names
    ]
    domains: dict[str, list[str]] = {}
    for row in counts_of(dataset, " union all ".join(selects)) if selects else ():
        domains.setdefault(row["t"], []).append(row["domain"])
    return [(table.name, sorted(domains[table.name])) for table in with_splits if table.name in domains]
