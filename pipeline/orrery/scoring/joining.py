"""Join rows with their predictions, in blocks of one file each to limit the memory.

Rows come from a dataset of ours, a folder with the layout of a Hub dataset, or a folder of ``orrery import``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from orrery.families.modelling.schemas import FILE, LOG, is_problem_left_out
from orrery.model import OrreryError, UsageError
from orrery.scoring.predictions import Prediction
from orrery.scoring.scorer import Scorer
from orrery.store import shards

PROBLEMS = "problems"
AT_ONCE = 1000  # outputs written at once
OUTPUTS = pa.schema({"id": pa.string(), "sample": pa.string(), "output": pa.large_string()})
_OUTPUTS_OF_BLOCK = """
    SELECT place, sample, output FROM read_parquet($1) JOIN places USING (id) ORDER BY place, sample
"""


def find_rows(dataset: Path, split: str | None, scorer: type[Scorer]) -> GoldRows:
    """Return the rows in ``dataset`` that the predictions for ``scorer`` refer to.

    The files of each table are ``data/TABLE/SPLIT-*.parquet``, the same files in a higher folder, or
    ``TABLE.parquet``, which has no splits and is always used as a whole.

    Raises:
        UsageError: there are no such rows.
    """
    if not dataset.is_dir():
        raise UsageError(f"dataset {dataset}", "no such folder", "build it: `make data`, or give --dataset")
    tables = scorer.tables(dataset)
    folders = {table: [dataset / "data" / table, dataset / table] for table in tables}
    if len(tables) == 1:
        folders[tables[0]] += [dataset / "data", dataset]
    files = chain.from_iterable(_files(dataset, table, folders[table], split) for table in tables)
    rows = GoldRows(dataset, tuple(files), scorer)
    if rows.files:
        return rows
    paths = (path for folder in chain(*folders.values()) for path in folder.glob("*-*.parquet"))
    split_names = ", ".join(sorted({path.name.split("-")[0] for path in paths}))
    scope = f" in split '{split}'" if split else ""
    mend = (
        f"available splits: {split_names}"
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
    """The rows of some tables, in the order of their files, with the columns that the scorer reads."""

    dataset: Path
    files: tuple[Path, ...]
    scorer: type[Scorer]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all rows.

        Raises:
            OrreryError: a file cannot be read or lacks a column, or two rows have the same id.
        """
        names: set[str] = set()
        for batch in self._batches(lambda name: name == "id", 10_000):
            for name in _ids(batch).to_pylist():
                if name in names:
                    raise OrreryError(str(self.dataset), f"two rows have the id '{name}'", "ids must differ")
                names.add(name)
        return frozenset(names)

    def blocks(self) -> Iterator[Any]:
        """Yield the rows as Arrow batches of the size that the scorer scores at once."""
        return self._batches(self.scorer.reads, self.scorer.block)

    def _batches(self, wanted: Callable[[str], bool], size: int) -> Iterator[Any]:
        for path in self.files:
            with shards.opened(path) as file:
                names = file.schema_arrow.names
                if lacking := [name for name in self.scorer.needed if name not in names]:
                    mend = f"give a dataset with {self.scorer.answered(self.dataset)}"
                    raise OrreryError(str(path), f"has no column {lacking[0]}", mend)
                yield from file.iter_batches(size, columns=list(filter(wanted, names)))


def _ids(batch: Any) -> Any:
    """Return the ids of rows as text."""
    return batch.column("id").cast(pa.string())


def join(
    rows: GoldRows,
    predictions: Iterable[Prediction],
    folder: Path,
    unknown: Callable[[Prediction], UsageError],
) -> None:
    """Write each block with outputs to a file in ``folder``: its rows, with ``sample`` and ``output`` (JSON).

    Raises:
        UsageError: the error of ``unknown`` for a prediction whose id is not in the rows.
    """
    path = folder / "outputs.parquet"
    shards.write_tables(path, OUTPUTS, _outputs(rows.ids, predictions, unknown))
    with closing(duckdb.connect()) as connection:
        for number, block in enumerate(rows.blocks()):
            places = pa.table({"id": _ids(block), "place": range(block.num_rows)})
            connection.register("places", places)
            outputs: Any = connection.sql(_OUTPUTS_OF_BLOCK, params=[str(path)]).to_arrow_table()
            if outputs.num_rows:
                joined = pa.Table.from_batches([block]).take(outputs["place"])
                for name in ("sample", "output"):
                    joined = joined.append_column(name, outputs[name])
                pq.write_table(joined, folder / f"{number:05}.parquet", compression="zstd")
    path.unlink()


def _outputs(
    ids: Collection[str], predictions: Iterable[Prediction], unknown: Callable[[Prediction], UsageError]
) -> Iterator[Any]:
    """Yield the outputs with the ids of their rows as Arrow tables."""
    remaining = iter(predictions)
    while batch := list(islice(remaining, AT_ONCE)):
        for prediction in batch:
            if prediction.id not in ids:
                raise unknown(prediction)
        _, names, samples, outputs = zip(*batch, strict=True)
        # As JSON, because a text may contain a lone surrogate, which Arrow refuses.
        yield pa.table([names, samples, list(map(json.dumps, outputs))], schema=OUTPUTS)


def count_problems(rows: GoldRows) -> dict[str, int] | None:
    """Return the number of released problems in the rows; None for rows without problems.

    An import omits problems that it cannot decide; its log names them.
    """
    if PROBLEMS not in rows.scorer.needed:
        return None
    lengths = [pc.list_value_length(pq.read_table(path, columns=[PROBLEMS])[PROBLEMS]) for path in rows.files]
    count = sum(int(pc.sum(column).as_py() or 0) for column in lengths)
    log = rows.dataset / FILE
    entries = shards.read_rows(log, LOG) if log.is_file() else ()
    left_out = sum(
        entry["id"] in rows.ids and is_problem_left_out(entry["item"], entry["what"]) for entry in entries
    )
    return {"held": count, "of": count + left_out}


def has_columns(path: Path, *columns: str) -> bool:
    """Return whether a file has the columns.

    Unreadable files count as having them, so that their reader reports the error.
    """
    try:
        return set(columns).issubset(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return True
