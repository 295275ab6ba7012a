"""Read files of published sets as they are released: deviations are reported, and the rest is read.

A byte order mark, line ends of other systems, another encoding than UTF-8, a key that is given twice, and an
unreadable line do not end an import. ``tell`` is called with the place and the problem of each.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from orrery.corpus.sources import decoded
from orrery.model import OrreryError
from orrery.store.shards import read_rows
from orrery.yaml_text import RepeatedKey, parse_yaml

Tell: TypeAlias = Callable[[str, str], None]
Value = TypeVar("Value")
AGAIN = "download it again"
EQUAL_KEY = "a key is given twice with the same value"
OTHER_KEY = "a key is given twice with different values, and the last one is read"
NO_ROW = "is not a row"


class Deviation(NamedTuple):
    """A place in a published folder, and the problem there."""

    place: str
    problem: str


def ignore(place: str, problem: str) -> None:
    """Ignore a deviation."""


def counted(deviations: Iterable[Deviation]) -> list[str]:
    """Return one line for each kind of problem, with its number and its first place."""
    by_kind: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        by_kind.setdefault(deviation.problem.partition(":")[0], []).append(deviation)
    return [_line(listed) for listed in by_kind.values()]


def _line(listed: list[Deviation]) -> str:
    first, more = listed[0], len(listed) - 1
    return f"{first.place}: {first.problem}" + (f" (and {more} more of this kind)" if more else "")


def attempt(read: Callable[[], Value], tell: Tell) -> Value | None:
    """Return the result of ``read``; None, after a message, if it raises an OrreryError."""
    try:
        return read()
    except OrreryError as error:
        tell(error.where, error.problem)
        return None


def released_text(path: Path, tell: Tell = ignore) -> str:
    """Return the text of a file, packed with gzip or not, with Unix line ends.

    Raises:
        OrreryError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", AGAIN) from error
    for problem in _deviations(data):
        tell(str(path), problem)
    return decoded(data)


def _deviations(data: bytes) -> Iterator[str]:
    """Yield the deviations of a file from UTF-8 with Unix line ends."""
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        yield "begins with a byte order mark"
    elif not _is_utf8(data):
        yield "is not UTF-8, and is read as Latin-1"
    if b"\r" in data:
        yield "has line ends of another system"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def released_yaml(path: Path, tell: Tell = ignore) -> Any:
    """Return the content of a YAML file.

    Raises:
        OrreryError: the file cannot be read, or is not YAML.
    """

    def repeated(key: RepeatedKey) -> None:
        tell(f"{path}:{key.line}: `{key.key:.80}`", EQUAL_KEY if key.is_equal else OTHER_KEY)

    return parse_yaml(released_text(path, tell).encode(), str(path), AGAIN, repeated)


def released_json(path: Path, tell: Tell = ignore) -> Any:
    """Return the content of a JSON file, packed with gzip or not.

    Raises:
        OrreryError: the file cannot be read, or is not JSON.
    """
    return _parsed(released_text(path, tell), str(path), tell)


def released_rows(path: Path, tell: Tell = ignore) -> list[Any]:
    """Return the rows of a Parquet file, of JSON lines, or of a JSON list; unreadable lines are reported.

    Lines of JSON end only at a line feed, because texts may contain other line separators of Unicode.

    Raises:
        OrreryError: the file cannot be read, or is not JSON.
    """
    if path.suffix == ".parquet":
        return list(read_rows(path))
    if ".jsonl" not in path.name:
        content = released_json(path, tell)
        return content if isinstance(content, list) else [content]
    lines = enumerate(released_text(path, tell).split("\n"), 1)
    readers = [partial(_parsed, line, f"{path}:{number}", tell) for number, line in lines if line.strip()]
    return [row for read in readers if (row := attempt(read, tell)) is not None]


def _parsed(text: str, place: str, tell: Tell) -> Any:
    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key, value in pairs:
            if key in content:
                tell(f"{place}: `{key:.80}`", EQUAL_KEY if content[key] == value else OTHER_KEY)
            content[key] = value
        return content

    try:
        return json.loads(text, object_pairs_hook=mapping)
    except (ValueError, RecursionError) as error:
        raise OrreryError(place, f"is not JSON: {error}", AGAIN) from error
