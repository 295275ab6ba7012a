"""How many rows a dataset has, and how many rows the stages before it rejected: one statement each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from orrery.config import Settings
from orrery.dataset.views import counts_of, counts_of_files
from orrery.families import families
from orrery.store.shards import splits

# The id of a rejected question ends in the table; before it stands the state.
_REJECTED = """
    select stage, domain, reason, sum(rows)::bigint as rows, count(*) as items from (
        select stage, domain, reason, regexp_replace(item, '/[^/]*$', '') as state, count(*) as rows
        from files group by all
    ) group by all order by all
"""


@dataclass(frozen=True)
class RowCounts:
    """Rows by table, split and domain with all their sums (a data cube); an empty name stands for all."""

    cube: Mapping[tuple[str, str, str], int]

    def total(self, table: str = "", split: str = "", domain: str = "") -> int:
        """Return the rows of a table, split and domain, or of all of them."""
        return self.cube.get((table, split, domain), 0)

    def cells(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield table, split, domain and rows where there are rows; tables by family, the rest sorted."""
        for table in self.tables:
            for name, split, domain in sorted(self.cube):
                if name == table and split and domain:
                    yield table, split, domain, self.cube[table, split, domain]

    @property
    def tables(self) -> list[str]:
        """The tables, family by family."""
        return [table for table, _ in self.families()]

    def families(self) -> list[tuple[str, str]]:
        """Return each table with its family, family by family."""
        return [
            (table.name, name)
            for name, family in families().items()
            for table in family.tables
            if self.total(table.name)
        ]

    def by_domain(self, names: Mapping[str, str]) -> dict[str, dict[str, int]]:
        """Return rows by domain and table, for tables with the names to use for them; domains sorted."""
        counts = {
            domain: {name: n for table, name in names.items() if (n := self.total(table, "", domain))}
            for domain in self.domains
        }
        return {domain: by_table for domain, by_table in counts.items() if by_table}

    @property
    def domains(self) -> list[str]:
        """The domains that have rows, sorted."""
        return sorted({domain for _, _, domain in self.cube} - {""})


class RejectCount(NamedTuple):
    """Rows that a stage rejected for a reason in a domain; ``items`` counts different states of questions."""

    stage: str
    domain: str
    reason: str
    rows: int
    items: int


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


def count_rejects(settings: Settings) -> list[RejectCount]:
    """Count the rejects of all stages of a build, by stage, domain and reason, sorted."""
    paths = [
        path
        for domain in settings.domains
        for path in sorted(settings.outputs.glob(f"*/{domain}/rejects.parquet"))
    ]
    return [RejectCount(**row) for row in counts_of_files(paths, _REJECTED)] if paths else []
