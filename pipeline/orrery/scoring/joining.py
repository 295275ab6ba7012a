"""Outputs joined with the rows they answer, a file a block, so that few of either are held at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import UsageError
from orrery.scoring.predictions import Prediction


class Rows(Protocol):
    """Rows with their numbers by id, cut into blocks."""

    @property
    def ids(self) -> Mapping[str, int]:
        """The number of each row; the rows of block n have numbers from n times its size."""

    def blocks(self, size: int) -> Iterator[Any]:
        """The rows as Arrow tables of at most ``size`` rows."""


@dataclass(frozen=True)
class Joining:
    """``rows`` in blocks of ``size``; ``held`` characters of output are held before they are written away.

    ``unknown`` makes the error for an id that the rows do not have.
    """

    rows: Rows
    size: int
    held: int
    unknown: Callable[[Prediction], UsageError]

    def write(self, predictions: Iterable[Prediction], folder: Path) -> None:
        """A file in ``folder`` for each block with outputs: its rows, with ``sample`` and ``output`` (JSON).

        Raises:
            UsageError: what ``unknown`` makes.
        """
        spool = folder / "spool"
        spool.mkdir(parents=True)
        numbers = self._spool(predictions, spool)
        for number, rows in enumerate(self.rows.blocks(self.size)):
            if number in numbers:
                path = spool / f"{number:05}.jsonl"
                _join(rows, path, folder / f"{number:05}.parquet")
                path.unlink()
        spool.rmdir()

    def _spool(self, predictions: Iterable[Prediction], spool: Path) -> set[int]:
        """Outputs sorted by block, a file each; the numbers of the blocks that have any."""
        waiting: dict[int, list[str]] = {}
        numbers: set[int] = set()
        held = 0
        for prediction in predictions:
            at = self.rows.ids.get(prediction.id)
            if at is None:
                raise self.unknown(prediction)
            line = json.dumps([at % self.size, prediction.sample, prediction.output])
            waiting.setdefault(at // self.size, []).append(line)
            numbers.add(at // self.size)
            held += len(line)
            if held > self.held:
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
    """One block: the rows that have outputs, with the outputs; by row and sample."""
    with spool.open(encoding="utf-8") as file:
        outputs = sorted(json.loads(line) for line in file)
    numbers, samples, texts = zip(*outputs, strict=True)
    joined = rows.take(pa.array(numbers))
    joined = joined.append_column("sample", pa.array(samples, pa.string()))
    # As JSON, since a text may hold half a character, which Arrow refuses.
    joined = joined.append_column("output", pa.array(map(json.dumps, texts), pa.large_string()))
    pq.write_table(joined, path, compression="zstd")
