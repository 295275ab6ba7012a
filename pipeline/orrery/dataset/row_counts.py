"""Row counts of a dataset, rejects of earlier stages, and values shared between splits, by SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from orrery.config import Settings
from orrery.dataset.selection import prompt_columns
from orrery.dataset.views import counts_of, counts_of_each, counts_of_files
from orrery.families import Table, families, tables
from orrery.model import OrreryError
from orrery.store.shards import splits

# The id of a rejected question is the state followed by the table.
_REJECTED = """
    select stage, domain, reason, sum(rows)::bigint as rows, count(*) as items from (
        select stage, domain, reason, regexp_replace(item, '/[^/]*$', '') as state, count(*) as rows
        from files group by all
    ) group by all order by all
"""


@dataclass(frozen=True)
class RowCounts:
    """Rows by table, split and domain with all their sums (a data cube); an empty name means all."""

    cube: Mapping[tuple[str, str, str], int]

    def total(self, table: str = "", split: str = "", domain: str = "") -> int:
        """Return the rows of a table, split and domain, or of all of them."""
        return self.cube.get((table, split, domain), 0)

    def cells(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield table, split, domain and rows of non-empty cells; tables by family, the others sorted."""
        for table in self.tables:
            for name, split, domain in sorted(self.cube):
                if name == table and split and domain:
                    yield table, split, domain, self.cube[table, split, domain]

    @property
    def tables(self) -> list[str]:
        """The tables, ordered by family."""
        return [table for table, _ in self.families()]

    def families(self) -> list[tuple[str, str]]:
        """Return each table with its family, ordered by family."""
        return [
            (table.name, name)
            for name, family in families().items()
            for table in family.tables
            if self.total(table.name)
        ]

    def by_domain(self, names: Mapping[str, str]) -> dict[str, dict[str, int]]:
        """Return rows by domain and table; ``names`` maps tables to their short names. Domains are sorted."""
        counts = {
            domain: {name: n for table, name in names.items() if (n := self.total(table, "", domain))}
            for domain in self.domains
        }
        return {domain: by_table for domain, by_table in counts.items() if by_table}

    @property
    def domains(self) -> list[str]:
        """The domains with rows, sorted."""
        return sorted({domain for _, _, domain in self.cube} - {""})


def count_rows(dataset: Path) -> RowCounts:
    """Count the rows of all tables of a dataset."""
    selects = [f"select '{name}' as name, split, domain from {name}" for name in splits(dataset)]
    if not selects:
        return RowCounts({})
    sql = (
        "select coalesce(name, '') as name, coalesce(split, '') as split, coalesce(domain, '') as domain, "
        f"count(*) as rows from ({' union all '.join(selects)}) group by cube (name, split, domain)"
    )
    return RowCounts(
        {(row["name"], row["split"], row["domain"]): row["rows"] for row in counts_of(dataset, sql)}
    )


def count_seen(dataset: Path) -> list[dict[str, Any]]:
    """Count the ``rows`` on composed domains by ``table``, ``seen`` and ``split``, sorted."""
    files = splits(dataset)
    selects = [
        f"select '{name}' as \"table\", seen, split from {name} where seen <> ''"
        for name, table in tables().items()
        if name in files and "seen" in table.schema.names
    ]
    sql = f"select *, count(*) as rows from ({' union all '.join(selects)}) group by all order by all"
    return counts_of(dataset, sql) if selects else []


def count_rejects(settings: Settings) -> list[dict[str, Any]]:
    """Count the rejects of all stages of a build by ``stage``, ``domain`` and ``reason``, sorted.

    ``rows`` are the rejects, ``items`` the distinct states of questions.
    """
    paths = [
        path
        for domain in settings.all_domains
        for path in sorted(settings.outputs.glob(f"*/{domain}/rejects.parquet"))
    ]
    return counts_of_files(paths, _REJECTED)


PROMPT = "prompt"
# The first and last split of a value take less memory than the set of its splits.
IN_TWO_SPLITS = "min(split) <> max(split)"


def leakage(dataset: Path) -> dict[str, Any]:
    """Return the values shared between splits, and the domains that only the test split has, by table.

    An entry of ``shared`` has the numbers of ``values`` and of ``shared`` values of a ``table``, and SQL that
    lists the shared ones. ``what`` is the column that must not be shared, or ``prompt`` for the whole prompt.
    """
    files = splits(dataset)
    with_splits = [table for name, table in sorted(tables().items()) if len(files.get(name, {})) > 1]
    return {
        "shared": _shared_values(dataset, with_splits),
        "test_only": _test_only(dataset, with_splits),
    }


def refuse_leaks(dataset: Path, table: Table) -> None:
    """Refuse a table with a value in two splits, in a column that must not be shared.

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
                f"its {column} is also in split {leak['split']}, in {leak['id']}",
                "delete its source, for example outputs/problems, and run `dvc repro`",
            )


def _compared_values(table: Table) -> list[tuple[str, str]]:
    """Return the compared values of a table: a name and its SQL."""
    columns = [(name, name) for name in table.apart]
    # Rows without a text, such as those on domains of others, have no prompt in words.
    texts = [f"nullif({name}, '')" for name in prompt_columns(table.name)]
    return [*columns, *([(PROMPT, f"nullif(concat_ws(chr(10), {', '.join(texts)}), '')")] if texts else [])]


def _shared_values(dataset: Path, with_splits: Sequence[Table]) -> list[dict[str, Any]]:
    values = {table.name: pairs for table in with_splits if (pairs := _compared_values(table))}
    # One statement per table, because one for all would keep the memory of each until its end.
    counted = counts_of_each(dataset, [_counting(table, pairs) for table, pairs in values.items()])
    shared = []
    for (table, pairs), rows in zip(values.items(), counted, strict=True):
        counts = {row["what"]: row for row in rows}
        shared += [
            {
                "table": table,
                "what": name,
                "values": counts[name]["of"],
                "shared": counts[name]["shared"],
                "sql": _listing(table, sql),
            }
            for name, sql in pairs
        ]
    return shared


def _counting(table: str, values: Sequence[tuple[str, str]]) -> str:
    """Return the SQL that counts the values of a table, and those in two splits, in one scan."""
    records = ", ".join(f"{{'what': '{name}', 'value': {_hash(sql)}}}" for name, sql in values)
    rows = f"select split, unnest([{records}], recursive := true) from {table}"
    grouped = (
        f"select what, {IN_TWO_SPLITS} as parted from ({rows}) where value is not null group by what, value"
    )
    return f"select what, count(*) as of, count(*) filter (parted) as shared from ({grouped}) group by what"


def _listing(table: str, sql: str) -> str:
    """Return the SQL that lists the rows whose value is in two splits."""
    twice = f"select {_hash(sql)} from {table} group by 1 having {IN_TWO_SPLITS}"
    return f"select id, split from {table} where {_hash(sql)} in ({twice})"


def _hash(sql: str) -> str:
    """Return the SQL of a value's hash, which is null if the value is."""
    return f"if({sql} is null, null, hash({sql}))"


def _test_only(dataset: Path, with_splits: Sequence[Table]) -> dict[str, list[str]]:
    """Return the domains that only the test split of a table has, by table."""
    selects = [
        f"select '{table.name}' as t, domain from {table.name} group by all having bool_and(split = 'test')"
        for table in with_splits
        if "domain" in table.schema.names
    ]
    domains: dict[str, list[str]] = {}
    for row in counts_of(dataset, " union all ".join(selects)) if selects else ():
        domains.setdefault(row["t"], []).append(row["domain"])
    return {table.name: sorted(domains[table.name]) for table in with_splits if table.name in domains}


NO_BAND = "none"  # no bounds, no plan, or bounds in two bands


def rows_by_band(dataset: Path) -> Mapping[str, Mapping[str, int]]:
    """Return the number of rows by table and by the largest length of a band."""
    names = [
        name for name in splits(dataset) if name in tables() and "horizon" in tables()[name].schema.names
    ]
    statements = [
        f"select band(horizon) as band, count(*) as n from {name} group by 1 order by 1 nulls last"
        for name in names
    ]
    return {
        name: {str(row["band"] or NO_BAND): row["n"] for row in rows}
        for name, rows in zip(names, counts_of_each(dataset, statements), strict=True)
    }
