"""Files of predictions: one output per row, Parquet or JSONL, distinguished by their content.

Columns: ``id`` (text or a number) and ``output`` (text, or null for none), also called ``reply``; ``sample``
if a row has several outputs. Other columns are ignored. Files are read in chunks.
"""

from __future__ import annotations

import json
from collections import Counter
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
    """One output. ``line`` is its line number from 1; ``sample`` is empty if each id has one output."""

    line: int
    id: str
    sample: str
    output: str


class FileFormat(NamedTuple):
    """The format of rows in a file: names of the text column, the columns in words, and the name of a row."""

    texts: tuple[str, ...]
    columns: str
    name: str


PREDICTIONS = FileFormat(OUTPUTS, COLUMNS, "predictions")


def read_predictions(path: Path, form: FileFormat = PREDICTIONS) -> Iterator[Prediction]:
    """Return the predictions of a file, in order, or other texts with another ``form``.

    Raises:
        UsageError: the file does not exist.
        OrreryError: it cannot be read, lacks a column, or has a value of a wrong type; the message names the
        line.
    """
    if not path.is_file():
        raise UsageError(f"{form.name} {path}", "no such file", "give a Parquet or JSONL file")
    return _predictions(path, form)


def _predictions(path: Path, form: FileFormat) -> Iterator[Prediction]:
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    rows = _parquet_rows(path, form) if head == _MAGIC else _json_rows(path, form)
    is_filled = False
    for line, row in rows:
        is_filled = True
        yield _prediction(path, line, row, form)
    if not is_filled:
        raise OrreryError(str(path), f"holds no {form.name}", form.columns)


def without_repeats(path: Path, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
    """Yield the predictions; each id (with its sample) may occur once.

    Raises:
        OrreryError: an id occurs twice; the message names both lines.
    """
    lines: dict[tuple[str, str], int] = {}
    for prediction in predictions:
        first = lines.setdefault((prediction.id, prediction.sample), prediction.line)
        if first != prediction.line:
            again = f"'{prediction.id}'" + (f", sample {prediction.sample}," if prediction.sample else "")
            mend = "keep one of them, or number the outputs of an id in a column `sample`"
            raise OrreryError(f"{path}:{prediction.line}", f"{again} is also on line {first}", mend)
        yield prediction


def _json_rows(path: Path, form: FileFormat) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _decoded(path, number, line, form)


def _decoded(path: Path, number: int, line: bytes, form: FileFormat) -> Any:
    place = f"{path}:{number}"
    try:
        row = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"), object_pairs_hook=_mapping)
    except UnicodeDecodeError as error:
        raise OrreryError(place, f"is not UTF-8 at byte {error.start + 1}", "save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        problem = f"is not JSON: {error}"
        raise OrreryError(place, problem, "give one JSON object a line, or a Parquet file") from error
    if not isinstance(row, dict):
        raise OrreryError(place, f"is {type(row).__name__}, not an object with names", form.columns)
    return row


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of an object.

    Raises:
        ValueError: a key occurs twice.
    """
    mapping = dict(pairs)
    if twice := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise ValueError(f"the key {twice[0]!r:.80} occurs twice")
    return mapping


def _parquet_rows(path: Path, form: FileFormat) -> Iterator[tuple[int, Any]]:
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


def _lacking(names: Collection[str], form: FileFormat) -> list[str]:
    """Return the missing columns of a row; the text column has its default name."""
    presence = {"id": "id" in names, form.texts[0]: any(name in names for name in form.texts)}
    return [name for name, is_present in presence.items() if not is_present]


def _prediction(path: Path, line: int, row: dict[str, Any], form: FileFormat) -> Prediction:
    """Return the row with checked values."""
    place = f"{path}:{line}"
    if lacking := _lacking(row, form):
        raise OrreryError(place, f"has no {' and no '.join(lacking)}", form.columns)
    texts = {name: row[name] for name in form.texts if row.get(name) is not None}
    if len(texts) > 1:
        raise OrreryError(place, f"has both {' and '.join(map(repr, texts))}", "keep one of them")
    output = next(iter(texts.values()), "")
    if not isinstance(output, str):
        problem = f"is {type(output).__name__}, not text"
        raise OrreryError(f"{place}: {form.texts[0]}", problem, form.columns)
    row_id, sample = _name(f"{place}: id", row["id"], form), row.get("sample")
    return Prediction(line, row_id, _name(f"{place}: sample", sample, form, ""), output)


def _name(place: str, value: Any, form: FileFormat, default: str | None = None) -> str:
    """Return an identifier as text."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise OrreryError(place, f"is {value!r}, neither text nor a whole number", form.columns)
    name = str(value)
    if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
        raise OrreryError(place, f"is {name!a}, which contains half a character", form.columns)
    return name
