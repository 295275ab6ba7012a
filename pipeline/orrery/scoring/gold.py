"""The rows that predictions are measured by: our dataset, or a folder laid out like one on a Hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError, UsageError

TABLE = "text_to_pddl"
SPLITS = ("train", "validation", "test")
NEEDED = ("id", "problem_pddl")
USED = (
    *NEEDED,
    "domain_pddl",
    "domain",
    "is_placeholder",
    "solvable",
    "strict_key",
    "loose_key",
    "init",
    "goal",
    "init_is_abstract",
    "goal_is_abstract",
    "init_num_propositions",
    "goal_num_propositions",
    "vocabulary",
)


@dataclass(frozen=True)
class Gold:
    """The rows of one table and split (None: of all), in the order of ``files``.

    Of the columns ``used`` those that are there are read; ``needed`` ones must be.
    """

    dataset: Path
    split: str | None
    files: tuple[Path, ...]
    table: str = TABLE
    used: tuple[str, ...] = USED
    needed: tuple[str, ...] = NEEDED

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each row by its id.

        Raises:
            OrreryError: a file cannot be read or lacks a column, or two rows share an id.
        """
        found: dict[str, int] = {}
        for batch in self._batches(("id",), 10_000):
            for name in map(str, batch.column("id").to_pylist()):
                if name in found:
                    raise OrreryError(str(self.dataset), f"two rows have the id '{name}'", "ids must differ")
                found[name] = len(found)
        return found

    def blocks(self, size: int) -> Iterator[Any]:
        """The rows as Arrow tables of ``size`` rows each, columns that scoring uses only."""
        waiting: list[Any] = []
        count = 0
        for batch in self._batches(self.used, size):
            waiting.append(_plain(batch))
            count += batch.num_rows
            while count >= size:
                whole = pa.concat_tables(waiting)
                yield whole.slice(0, size)
                waiting, count = [whole.slice(size)], count - size
        if count:
            yield pa.concat_tables(waiting)

    def _batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        for path in self.files:
            try:
                with pq.ParquetFile(path) as file:
                    lacking = [name for name in self.needed if name not in file.schema_arrow.names]
                    if lacking:
                        mend = f"give a dataset with the table {self.table}"
                        raise OrreryError(str(path), f"has no column {lacking[0]}", mend)
                    there = [name for name in columns if name in file.schema_arrow.names]
                    yield from file.iter_batches(size, columns=there)
            except (pa.ArrowException, OSError) as error:
                raise OrreryError(str(path), f"cannot be read: {error}", "give undamaged Parquet") from error


def _plain(batch: Any) -> Any:
    """The batch as a table without metadata, ids as text: shards may differ in both."""
    table = pa.Table.from_batches([batch]).replace_schema_metadata(None)
    fields = [pa.field(field.name, field.type) for field in table.schema]
    table = table.cast(pa.schema(fields))
    at = table.schema.get_field_index("id")
    return table.set_column(at, "id", table.column("id").cast(pa.string()))


def find_gold(dataset: Path, split: str | None) -> Gold:
    """The gold rows in ``dataset``: ``data/text_to_pddl/SPLIT-*.parquet``, or the same files higher up.

    Raises:
        UsageError: there are none.
    """
    if not dataset.is_dir():
        raise UsageError(f"dataset {dataset}", "no such folder", "build it: `make data`, or give --dataset")
    folders = [dataset / "data" / TABLE, dataset / TABLE, dataset / "data", dataset]
    for folder in folders:
        if files := sorted(folder.glob(f"{split or '*'}-*.parquet")):
            return Gold(dataset, split, tuple(files))
    what = f"split '{split}'" if split else "rows"
    there = sorted({path.name.split("-")[0] for folder in folders for path in folder.glob("*-*.parquet")})
    mend = f"splits there: {', '.join(there)}" if there else f"expected data/{TABLE}/*.parquet"
    raise UsageError(f"dataset {dataset}", f"has no {what} of {TABLE}", mend)
