"""Rows and the predictions for them, joined in blocks of one file each to bound the memory.

Rows come from a dataset of ours, a folder laid out like one on a Hub, or one that ``orrery import`` wrote.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from orrery.families.modelling.import_log import FILE, LOG, is_problem_left_out
from orrery.model import OrreryError, UsageError
from orrery.scoring.predictions import Prediction
from orrery.scoring.scorer import Scorer
from orrery.store.shards import read_rows

PROBLEMS = "problems"
AT_ONCE = 1000  # outputs written at once
OUTPUTS = pa.schema({"number": pa.int64(), "sample": pa.string(), "output": pa.large_string()})
_OUTPUTS_OF_BLOCK = """
    SELECT number, sample, output FROM read_parquet($1) WHERE number >= $2 AND number < $2 + $3
    ORDER BY number, sample
"""


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
    files_by_table = {table: _files(dataset, table, folders[table], split) for table in tables}
    rows = GoldRows(dataset, {table: files for table, files in files_by_table.items() if files}, scorer)
    if rows.tables:
        return rows
    shards = [
        path
        for candidates in folders.values()
        for folder in candidates
        for path in folder.glob("*-*.parquet")
    ]
    split_names = ", ".join(sorted({path.name.split("-")[0] for path in shards}))
    scope = f" in split '{split}'" if split else ""
    mend = (
        f"splits there: {split_names}"
        if split_names
        else f"expected data/{'/'.join(tables[:1] or ['*'])}/*.parquet"
    )
    raise UsageError(f"dataset {dataset}", f"has no rows of {scorer.answered(dataset)}{scope}", mend)


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
        numbers: dict[str, int] = {}
        start = 0
        for table in self.tables:
            number = start
            for batch in self._batches(table, lambda name: name == "id", 10_000):
                for name in map(str, batch.column("id").to_pylist()):
                    if numbers.setdefault(name, number) != number:
                        problem = f"two rows have the id '{name}'"
                        raise OrreryError(str(self.dataset), problem, "ids must differ")
                    number += 1
            start = -(-number // self.scorer.block) * self.scorer.block
        return numbers

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
        UsageError: the error that ``unknown`` returns for a prediction whose id the rows do not have.
    """
    folder.mkdir(parents=True)
    path, size = folder / "outputs.parquet", rows.scorer.block
    _write_outputs(rows.ids, predictions, path, unknown)
    with closing(duckdb.connect()) as connection:
        for number, block in enumerate(rows.blocks()):
            first = number * size
            outputs = connection.execute(_OUTPUTS_OF_BLOCK, [str(path), first, size]).fetchall()
            if outputs:
                numbers, samples, texts = zip(*outputs, strict=True)
                joined = block.take(pa.array([number - first for number in numbers]))
                joined = joined.append_column("sample", pa.array(samples, pa.string()))
                joined = joined.append_column("output", pa.array(texts, pa.large_string()))
                pq.write_table(joined, folder / f"{number:05}.parquet", compression="zstd")
    path.unlink()


def _write_outputs(
    ids: Mapping[str, int],
    predictions: Iterable[Prediction],
    path: Path,
    unknown: Callable[[Prediction], UsageError],
) -> None:
    """Write the outputs with the numbers of their rows to a file, a batch at a time."""
    remaining = iter(predictions)
    with pq.ParquetWriter(path, OUTPUTS, compression="zstd") as writer:
        while batch := list(islice(remaining, AT_ONCE)):
            for prediction in batch:
                if prediction.id not in ids:
                    raise unknown(prediction)
            numbers = [ids[prediction.id] for prediction in batch]
            samples = [prediction.sample for prediction in batch]
            # As JSON, since a text may hold half a character, which Arrow refuses.
            texts = [json.dumps(prediction.output) for prediction in batch]
            writer.write_batch(pa.record_batch([numbers, samples, texts], schema=OUTPUTS))


def count_problems(rows: GoldRows) -> dict[str, int] | None:
    """Return how many of the released problems the rows have; None for rows without problems of their own.

    An import leaves out problems that it cannot decide; its log names them.
    """
    if PROBLEMS not in rows.scorer.needed:
        return None
    lengths = [pc.list_value_length(pq.read_table(path, columns=[PROBLEMS])[PROBLEMS]) for path in rows.files]
    count = sum(int(pc.sum(column).as_py() or 0) for column in lengths)
    log = rows.dataset / FILE
    entries = read_rows(log, LOG) if log.is_file() else ()
    left_out = sum(
        entry["id"] in rows.ids and is_problem_left_out(entry["item"], entry["what"]) for entry in entries
    )
    return {"held": count, "of": count + left_out}


def has_columns(path: Path, *columns: str) -> bool:
    """Return whether a file has the columns.

    Unreadable files count, so that their reader reports the error.
    """
    try:
        return set(columns).issubset(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return True
