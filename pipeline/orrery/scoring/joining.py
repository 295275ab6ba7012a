"""The rows that predictions answer, and both joined, a file a block, so that few of either are held at once.

Rows come from a dataset of ours, a folder laid out like one on a Hub, or one that ``orrery import`` wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError, UsageError
from orrery.scoring.predictions import Prediction
from orrery.scoring.scorer import Scorer

HELD = 64_000_000  # characters of predictions held before they are written away


def find_rows(dataset: Path, split: str | None, scorer: type[Scorer]) -> GoldRows:
    """Return the rows in ``dataset`` that predictions for ``scorer`` answer.

    Of each table ``data/TABLE/SPLIT-*.parquet``, or the same files higher up, or ``TABLE.parquet``, which
    has no splits: whichever is asked for, all of it is meant.

    Raises:
        UsageError: there are none.
    """
    if not dataset.is_dir():
        raise UsageError(f"dataset {dataset}", "no such folder", "build it: `make data`, or give --dataset")
    tables = scorer.tables(dataset)
    folders = {table: [dataset / "data" / table, dataset / table] for table in tables}
    if len(tables) == 1:
        folders[tables[0]] += [dataset / "data", dataset]
    found = {table: _files(dataset, table, folders[table], split) for table in tables}
    rows = GoldRows(dataset, {table: files for table, files in found.items() if files}, scorer)
    if rows.tables:
        return rows
    shards = [path for each in folders.values() for folder in each for path in folder.glob("*-*.parquet")]
    there = ", ".join(sorted({path.name.split("-")[0] for path in shards}))
    where = f" in split '{split}'" if split else ""
    mend = f"splits there: {there}" if there else f"expected data/{'/'.join(tables[:1] or ['*'])}/*.parquet"
    raise UsageError(f"dataset {dataset}", f"has no rows of {scorer.answered(dataset)}{where}", mend)


def _files(dataset: Path, table: str, folders: Sequence[Path], split: str | None) -> tuple[Path, ...]:
    for folder in folders:
        if files := sorted(folder.glob(f"{split or '*'}-*.parquet")):
            return tuple(files)
    return (imported,) if (imported := dataset / f"{table}.parquet").is_file() else ()


@dataclass(frozen=True)
class GoldRows:
    """The rows of some tables, in the order of their files; each table begins a block of its own.

    Of their columns those that the scorer reads are read.
    """

    dataset: Path
    tables: Mapping[str, tuple[Path, ...]]
    scorer: type[Scorer]

    @property
    def files(self) -> list[Path]:
        """The files of all tables."""
        return [path for files in self.tables.values() for path in files]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each row by its id; the rows of block n have numbers from n times its size.

        Raises:
            OrreryError: a file cannot be read or lacks a column, or two rows share an id.
        """
        found: dict[str, int] = {}
        start = 0
        for table in self.tables:
            number = start
            for batch in self._batches(table, lambda name: name == "id", 10_000):
                for name in map(str, batch.column("id").to_pylist()):
                    if found.setdefault(name, number) != number:
                        problem = f"two rows have the id '{name}'"
                        raise OrreryError(str(self.dataset), problem, "ids must differ")
                    number += 1
            start = -(-number // self.scorer.block) * self.scorer.block
        return found

    def blocks(self) -> Iterator[Any]:
        """Yield the rows as Arrow tables of as many rows as the scorer scores at once, of one table each."""
        size = self.scorer.block
        for table in self.tables:
            waiting: list[Any] = []
            count = 0
            for batch in self._batches(table, self.scorer.reads, size):
                waiting.append(_plain(batch))
                count += batch.num_rows
                while count >= size:
                    whole = pa.concat_tables(waiting)
                    yield whole.slice(0, size)
                    waiting, count = [whole.slice(size)], count - size
            if count:
                yield pa.concat_tables(waiting)

    def _batches(self, table: str, wanted: Callable[[str], bool], size: int) -> Iterator[Any]:
        for path in self.tables[table]:
            try:
                with pq.ParquetFile(path) as file:
                    names = file.schema_arrow.names
                    if lacking := [name for name in self.scorer.needed if name not in names]:
                        mend = f"give a dataset with {self.scorer.answered(self.dataset)}"
                        raise OrreryError(str(path), f"has no column {lacking[0]}", mend)
                    yield from file.iter_batches(size, columns=list(filter(wanted, names)))
            except (pa.ArrowException, OSError) as error:
                raise OrreryError(str(path), f"cannot be read: {error}", "give undamaged Parquet") from error


def _plain(batch: Any) -> Any:
    """Return the batch as a table without metadata, ids as text: shards may differ in both."""
    table = pa.Table.from_batches([batch]).replace_schema_metadata(None)
    fields = [pa.field(field.name, field.type) for field in table.schema]
    table = table.cast(pa.schema(fields))
    at = table.schema.get_field_index("id")
    return table.set_column(at, "id", table.column("id").cast(pa.string()))


def join(
    rows: GoldRows,
    predictions: Iterable[Prediction],
    folder: Path,
    unknown: Callable[[Prediction], UsageError],
) -> None:
    """Write each block with outputs to a file in ``folder``: its rows, with ``sample`` and ``output`` (JSON).

    Raises:
        UsageError: what ``unknown`` makes of a prediction whose id the rows do not have.
    """
    spool = folder / "spool"
    spool.mkdir(parents=True)
    numbers = _spool(rows, predictions, spool, unknown)
    for number, block in enumerate(rows.blocks()):
        if number in numbers:
            path = spool / f"{number:05}.jsonl"
            _join(block, path, folder / f"{number:05}.parquet")
            path.unlink()
    spool.rmdir()


def _spool(
    rows: GoldRows,
    predictions: Iterable[Prediction],
    spool: Path,
    unknown: Callable[[Prediction], UsageError],
) -> set[int]:
    """Write outputs, sorted by block, to a file each; return the numbers of blocks that have any."""
    size, ids = rows.scorer.block, rows.ids
    waiting: dict[int, list[str]] = {}
    numbers: set[int] = set()
    held = 0
    for prediction in predictions:
        at = ids.get(prediction.id)
        if at is None:
            raise unknown(prediction)
        line = json.dumps([at % size, prediction.sample, prediction.output])
        waiting.setdefault(at // size, []).append(line)
        numbers.add(at // size)
        held += len(line)
        if held > HELD:
            _append(spool, waiting)
            held = 0
    _append(spool, waiting)
    return numbers


def _append(spool: Path, waiting: dict[int, list[str]]) -> None:
    """Write away what is held, and hold nothing."""
    for number, lines in waiting.items():
        with (spool / f"{number:05}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    waiting.clear()


def _join(rows: Any, spool: Path, path: Path) -> None:
    """Join one block: the rows that have outputs with their outputs, by row and sample."""
    with spool.open(encoding="utf-8") as file:
        outputs = sorted(json.loads(line) for line in file)
    numbers, samples, texts = zip(*outputs, strict=True)
    joined = rows.take(pa.array(numbers))
    joined = joined.append_column("sample", pa.array(samples, pa.string()))
    # As JSON, since a text may hold half a character, which Arrow refuses.
    joined = joined.append_column("output", pa.array(map(json.dumps, texts), pa.large_string()))
    pq.write_table(joined, path, compression="zstd")


def has_columns(path: Path, *columns: str) -> bool:
    """Return whether a file has the columns.

    Unreadable files count, so that their reader reports the error.
    """
    try:
        return set(columns).issubset(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return True
