"""Files of the user as views of a query. Texts stay as they are in the file.

DuckDB would read texts that look like dates, times or UUIDs as such, and write them otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from orrery.dataset.selection import literal
from orrery.model import UsageError

READERS = {
    ".parquet": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv",
    ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
}  # fmt: skip
WHOLE = r"-?(0|[1-9]\d{0,17})"
NUMBER = r"-?(0|[1-9]\d{0,14})(\.\d+)?([eE][+-]?\d+)?"
# A type, in the place of one: the names of fields stand before a space.
_LOOKS = re.compile(r"\b(DATE|TIME|TIMESTAMP(_\w+)?|UUID)( WITH TIME ZONE)?(?=[\[\],)]|$)")


def own_files(arguments: Iterable[str]) -> dict[str, Path]:
    """Return files by the name of their view, from the arguments ``FILE`` or ``NAME=FILE``.

    Raises:
        UsageError: the file does not exist, its type is not supported, or its name cannot be that of a view.
    """
    files: dict[str, Path] = {}
    for argument in arguments:
        name, _, file_name = argument.partition("=")
        path = Path(file_name)
        if not file_name or Path(argument).exists():
            path = Path(argument)
            name = re.sub(r"\W", "_", path.name.partition(".")[0])
        if not path.is_file():
            raise UsageError(f"--with {argument}", "no such file", "give FILE or NAME=FILE")
        if path.suffix.lower() not in READERS:
            raise UsageError(
                f"--with {argument}", "has an unsupported file type", f"kinds: {' '.join(READERS)}"
            )
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or name in files:
            problem = (
                "has the same name as another file" if name in files else f"cannot be called '{name}' in SQL"
            )
            raise UsageError(f"--with {argument}", problem, f"give it a name: --with replies={path}")
        files[name] = path
    return files


def select_of(connection: Any, path: Path) -> str:
    """Return the SELECT of a file.

    Raises:
        duckdb.Error: the file cannot be read.
    """
    reader, file = READERS[path.suffix.lower()], literal(str(path.resolve()))
    match reader:
        case "read_csv":
            return _numbers_of_texts(connection, file)
        case "read_json":
            types = {name: _LOOKS.sub("VARCHAR", kind) for name, kind in _types(connection, reader, file)}
            return f"SELECT * FROM {reader}({file}, columns = {_mapping(types)})"
        case _:
            return f"SELECT * FROM {reader}({file})"


def _numbers_of_texts(connection: Any, file: str) -> str:
    """Return the SELECT of a CSV file in which a column has numbers if it has nothing else."""
    names = [name for name, _ in _types(connection, "read_csv", file)]
    texts = f"read_csv({file}, types = {_mapping(dict.fromkeys(names, 'VARCHAR'))})"
    columns = [_name(name) for name in names]
    fits = [
        f"bool_and(regexp_full_match({column}, '{form}'))" for column in columns for form in (WHOLE, NUMBER)
    ]
    found = connection.execute(f"SELECT {', '.join(fits)} FROM {texts}").fetchone()
    kinds = [
        "BIGINT" if whole else "DOUBLE" if number else "VARCHAR"
        for whole, number in zip(found[::2], found[1::2], strict=True)
    ]
    cast = [f"CAST({column} AS {kind}) AS {column}" for column, kind in zip(columns, kinds, strict=True)]
    return f"SELECT {', '.join(cast)} FROM {texts}"


def _types(connection: Any, reader: str, file: str) -> list[tuple[str, str]]:
    """Return the names and types of the columns that DuckDB finds in a file."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {reader}({file})").fetchall()
    return [(name, kind) for name, kind, *_ in described]


def _mapping(types: dict[str, str]) -> str:
    return "{" + ", ".join(f"{_name(name)}: {literal(kind)}" for name, kind in types.items()) + "}"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
