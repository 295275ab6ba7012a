"""Files of predictions: one output a row, Parquet or JSONL, distinguished by their content.

Columns ``id`` (text or a number) and ``output`` (text, or null for none), also called ``reply``; ``sample``
where a row has several outputs; others are passed over. Files are read a piece at a time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.model import OrreryError, UsageError

COLUMNS = "a row has `id` and `output`, and `sample` if there are several outputs an id"
OUTPUTS = ("output", "reply")
_AT_ONCE = 1000
_MAGIC = b"PAR1"


class Prediction(NamedTuple):
    """One output; ``line`` is its number in the file from one, ``sample`` empty where there is one an id."""

    line: int
    id: str
    sample: str
    output: str


class Form(NamedTuple):
    """The form of rows in a file: the names that a text may have, all columns in words, and what they are."""

    texts: tuple[str, ...]
    columns: str
    name: str


PREDICTIONS = Form(OUTPUTS, COLUMNS, "predictions")


def read_predictions(path: Path, form: Form = PREDICTIONS) -> Iterator[Prediction]:
    """Return the predictions of a file, in its order, or texts in another form.

    Raises:
        UsageError: there is no such file.
        OrreryError: it cannot be read, lacks a column, or a value is of the wrong kind; names the line.
    """
    if not path.is_file():
        raise UsageError(f"{form.name} {path}", "no such file", "give a Parquet or JSONL file")
    return _predictions(path, form)


def _predictions(path: Path, form: Form) -> Iterator[Prediction]:
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    rows = _parquet_rows(path, form) if head == _MAGIC else _json_rows(path, form)
    found = False
    for line, row in rows:
        found = True
        yield _prediction(path, line, row, form)
    if not found:
        raise OrreryError(str(path), f"holds no {form.name}", form.columns)


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


def _json_rows(path: Path, form: Form) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _decoded(path, number, line, form)


def _decoded(path: Path, number: int, line: bytes, form: Form) -> Any:
    where = f"{path}:{number}"
    try:
        row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise OrreryError(where, f"is not UTF-8 at byte {error.start + 1}", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        problem = f"is not JSON: {error}"
        raise OrreryError(where, problem, "give one JSON object a line, or a Parquet file") from error
    if not isinstance(row, dict):
        raise OrreryError(where, f"is {type(row).__name__}, not an object with names", form.columns)
    return row


def _parquet_rows(path: Path, form: Form) -> Iterator[tuple[int, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            wanted = [name for name in ("id", "sample", *form.texts) if name in file.schema_arrow.names]
            if lacking := _lacking(wanted, form):
                raise OrreryError(str(path), f"has no column {' and no '.join(lacking)}", form.columns)
            number = 0
            for batch in file.iter_batches(_AT_ONCE, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "give an undamaged Parquet file") from error


def _lacking(names: Collection[str], form: Form) -> list[str]:
    """Return the columns that a row lacks, the text by its usual name."""
    there = {"id": "id" in names, form.texts[0]: any(name in names for name in form.texts)}
    return [name for name, found in there.items() if not found]


def _prediction(path: Path, line: int, row: dict[str, Any], form: Form) -> Prediction:
    """Return the row with its values checked."""
    where = f"{path}:{line}"
    if lacking := _lacking(row, form):
        raise OrreryError(where, f"has no {' and no '.join(lacking)}", form.columns)
    text = next(row[name] for name in form.texts if name in row)
    output = "" if text is None else text
    if not isinstance(output, str):
        problem = f"is {type(output).__name__}, not text"
        raise OrreryError(f"{where}: {form.texts[0]}", problem, form.columns)
    own, sample = _name(f"{where}: id", row["id"], form), row.get("sample")
    return Prediction(line, own, _name(f"{where}: sample", sample, form, ""), output)


def _name(where: str, value: Any, form: Form, default: str | None = None) -> str:
    """Return a value that names something, as text."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise OrreryError(where, f"is {value!r}, neither text nor a whole number", form.columns)
    name = str(value)
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise OrreryError(where, f"is {name!a}, which holds half a character", form.columns)
    return name
