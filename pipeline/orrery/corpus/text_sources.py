"""Texts that a user points to: a file, a folder, or one column of a table (``FILE:COLUMN``).

Text2World's released file is a list in JSON: its domains are compared where no column is named.
"""

from __future__ import annotations

import json
from pathlib import Path

from orrery.corpus.sources import decoded, rows_in
from orrery.model import OrreryError, UsageError

_TABLES = (".parquet", ".jsonl", ".json")
_RELEASED = "pddl_domain"  # the column that Text2World's file is known by
_MEND = "name a text file, a folder, or FILE:COLUMN of a .parquet, .jsonl or .json file"


def texts_of(source: str) -> list[tuple[str, str]]:
    """Return the named texts at ``source``: a file, the files of a folder, or the rows of a table.

    Raises:
        UsageError: there is no such file, folder or column.
        OrreryError: a table cannot be read, naming the line where there is one.
    """
    path, _, column = source.rpartition(":")
    if Path(path).suffix in _TABLES and column:
        return _rows(Path(path), column)
    path_given = Path(source)
    if path_given.is_dir():
        files = sorted(file for file in path_given.rglob("*") if file.is_file())
        return [(file.relative_to(path_given).as_posix(), decoded(file.read_bytes())) for file in files]
    if path_given.suffix == ".json" and path_given.is_file():
        return _released(path_given)
    if path_given.suffix in _TABLES:
        raise UsageError(source, "is a table, but no column is named", f"name the column: {source}:COLUMN")
    if not path_given.is_file():
        raise UsageError(source, "is not a file or folder", _MEND)
    return [(path_given.name, decoded(path_given.read_bytes()))]


def _rows(path: Path, column: str) -> list[tuple[str, str]]:
    """Return the texts of one column; rows are named by their ``id``, otherwise by their number."""
    if not path.is_file():
        raise UsageError(str(path), "is not a file", _MEND)
    rows = rows_in(path, _MEND)
    if not all(isinstance(row, dict) for row in rows):
        raise OrreryError(str(path), "holds something else than JSON objects", _MEND)
    texts = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get(column), str):
            raise UsageError(f"{path}, row {number}", f"has no text '{column}'", f"columns: {', '.join(row)}")
        texts.append((str(row.get("id", number)), row[column]))
    return texts


def _released(path: Path) -> list[tuple[str, str]]:
    """Return the domains of a list in JSON; any other JSON is one text.

    Raises:
        UsageError: the objects of the list have no such column.
    """
    text = decoded(path.read_bytes())
    try:
        content = json.loads(text)
    except ValueError:
        return [(path.name, text)]
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        return [(path.name, text)]
    if not all(_RELEASED in row for row in content):
        raise UsageError(str(path), "is a table, but no column is named", f"name the column: {path}:COLUMN")
    return _rows(path, _RELEASED)
