"""Files of predictions: one output a row, Parquet or JSONL, distinguished by their content.

Columns ``id`` (text or a number) and ``output`` (text, or null for none), also called ``reply``; ``sample``
where a row has several outputs; others are passed over. Files are read a piece at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError, UsageError

COLUMNS = "a row has `id` and `output`, and `sample` if there are several outputs an id"
OUTPUT, REPLY = "output", "reply"
_AT_ONCE = 1000
_MAGIC = b"PAR1"


class Prediction(NamedTuple):
    """One output; ``line`` is its number in the file from one, ``sample`` empty where there is one an id."""

    line: int
    id: str
    sample: str
    output: str


def read_predictions(path: Path) -> Iterator[Prediction]:
    """Return the predictions of a file, in its order.

    Raises:
        UsageError: there is no such file.
        OrreryError: it cannot be read, lacks a column, or a value is of the wrong kind; names the line.
    """
    if not path.is_file():
        raise UsageError(f"predictions {path}", "no such file", "give a Parquet or JSONL file")
    return _predictions(path)


def _predictions(path: Path) -> Iterator[Prediction]:
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    rows = _parquet_rows(path) if head == _MAGIC else _json_rows(path)
    found = False
    for line, row in rows:
        found = True
        yield _prediction(path, line, row)
    if not found:
        raise OrreryError(str(path), "holds no predictions", COLUMNS)


def without_repeats(path: Path, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
    """Yield the predictions, each id (with its sample) once.

    Raises:
        OrreryError: one stands there twice; names both lines.
    """
    lines: dict[tuple[str, str], int] = {}
    for prediction in predictions:
        first = lines.setdefault((prediction.id, prediction.sample), prediction.line)
        if first != prediction.line:
            again = f"'{prediction.id}'" + (f", sample {prediction.sample}," if prediction.sample else "")
            mend = "keep one of them, or number the outputs of an id in a column `sample`"
            raise OrreryError(f"{path}:{prediction.line}", f"{again} stands on line {first} too", mend)
        yield prediction


def _json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _decoded(path, number, line)


def _decoded(path: Path, number: int, line: bytes) -> Any:
    where = f"{path}:{number}"
    try:
        row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise OrreryError(where, f"is not UTF-8 at byte {error.start + 1}", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        problem = f"is not JSON: {error}"
        raise OrreryError(where, problem, "give one JSON object a line, or a Parquet file") from error
    if not isinstance(row, dict):
        raise OrreryError(where, f"is {type(row).__name__}, not an object with names", COLUMNS)
    return row


def _parquet_rows(path: Path) -> Iterator[tuple[int, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            wanted = [name for name in (*Prediction._fields, REPLY) if name in file.schema_arrow.names]
            lacking = {"id", OUTPUT} - {OUTPUT if name == REPLY else name for name in wanted}
            if lacking:
                raise OrreryError(str(path), f"has no column {' and no '.join(sorted(lacking))}", COLUMNS)
            number = 0
            for batch in file.iter_batches(_AT_ONCE, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "give an undamaged Parquet file") from error


def _prediction(path: Path, line: int, row: dict[str, Any]) -> Prediction:
    """Return the row with its values checked."""
    where = f"{path}:{line}"
    row = {OUTPUT: row[REPLY], **row} if REPLY in row else row
    lacking = [name for name in ("id", OUTPUT) if name not in row]
    if lacking:
        raise OrreryError(where, f"has no {' and no '.join(lacking)}", COLUMNS)
    output = "" if row[OUTPUT] is None else row[OUTPUT]
    if not isinstance(output, str):
        raise OrreryError(f"{where}: output", f"is {type(output).__name__}, not text", COLUMNS)
    sample = row.get("sample")
    return Prediction(line, _name(f"{where}: id", row["id"]), _name(f"{where}: sample", sample, ""), output)


def _name(where: str, value: Any, default: str | None = None) -> str:
    """Return a value that names something, as text."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise OrreryError(where, f"is {value!r}, neither text nor a whole number", COLUMNS)
    name = str(value)
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise OrreryError(where, f"is {name!a}, which holds half a character", COLUMNS)
    return name
