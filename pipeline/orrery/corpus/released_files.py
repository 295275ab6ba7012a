"""Read files of published sets as they are released: deviations are reported, and the rest is read.

A byte order mark, line ends of other systems, another encoding than UTF-8, a key that is given twice, and an
unreadable line do not end an import. ``tell`` is called with the place and the problem of each.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from orrery.model import OrreryError
from orrery.store.shards import read_rows
from orrery.yaml_text import RepeatedKey, parse_yaml

Tell: TypeAlias = Callable[[str, str], None]
Value = TypeVar("Value")
Model = TypeVar("Model", bound=BaseModel)
AGAIN = "download it again"
EQUAL_KEY = "a key is given twice with the same value"
OTHER_KEY = "a key is given twice with different values, and the last one is read"
NO_ROW = "is not a row"
_BYTE_ORDER_MARK, _LINE_ENDS = "begins with a byte order mark", "has line ends of another system"
_HARMLESS = (_BYTE_ORDER_MARK, _LINE_ENDS, EQUAL_KEY)  # the content is read as it is meant
_HOW_READ = re.compile(r"^([^:]*), and [^:]*")


def _with_unix_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


UnixText: TypeAlias = Annotated[str, AfterValidator(_with_unix_line_ends)]


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


def refusal(mend: str) -> Tell:
    """Return a function that raises an OrreryError for deviations by which a content may be misread."""

    def refuse(place: str, problem: str) -> None:
        if problem not in _HARMLESS:
            raise OrreryError(place, _HOW_READ.sub(r"\1", problem), mend)

    return refuse


def row_of(model: type[Model], content: Any, place: str, tell: Tell) -> Model | None:
    """Return a row in its data model; None, after a message, if it does not fit."""
    try:
        row = model.model_validate(content)
        row.model_dump_json()  # JSON can escape half of a surrogate pair, which no file can store
    except ValidationError as error:
        fault = error.errors()[0]
        name = "".join(f": `{key}`" for key in fault["loc"][:1])
        tell(f"{place}{name}", f"{NO_ROW}: {fault['msg']}")
        return None
    except PydanticSerializationError as error:
        tell(place, f"{NO_ROW}: {error}")
        return None
    return row


def released_text(path: Path, tell: Tell = ignore, mend: str = AGAIN) -> str:
    """Return the text of a file, packed with gzip or not, with Unix line ends.

    Raises:
        OrreryError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", mend) from error
    for problem in _deviations(data):
        tell(str(path), problem)
    return decoded(data)


def _deviations(data: bytes) -> Iterator[str]:
    """Yield the deviations of a file from UTF-8 with Unix line ends."""
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        yield _BYTE_ORDER_MARK
    try:
        _unicode(data)
    except UnicodeDecodeError as error:
        yield f"is not UTF-8, and is read as Latin-1: {error}"
    if b"\r" in data:
        yield _LINE_ENDS


def _unicode(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark."""
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16", errors="replace") if is_wide else data.decode("utf-8-sig")


def decoded(data: bytes) -> str:
    """Decode UTF-8, UTF-16 with a byte order mark, or otherwise Latin-1; use Unix line ends."""
    try:
        text = _unicode(data)
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return _with_unix_line_ends(text).replace("\0", "")


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


def released_rows(path: Path, tell: Tell = ignore) -> list[tuple[int, Any]]:
    """Return the rows of a Parquet file, of JSON lines, or of a JSON list, with their numbers from 0.

    An unreadable file or line is reported. Such a line counts as one row, and a list in a line as its rows.
    """
    rows: list[tuple[int, Any]] = []
    number = 0
    for read in _readers(path, tell):
        listed = attempt(read, tell)
        rows += enumerate(listed or (), number)
        number += 1 if listed is None else len(listed)
    return rows


def _readers(path: Path, tell: Tell) -> Iterator[Callable[[], list[Any]]]:
    """Yield functions that return the rows of the file, or of one of its lines.

    Lines of JSON end only at a line feed, because texts may contain other line separators of Unicode.
    """
    if path.suffix == ".parquet":
        yield lambda: list(read_rows(path))
        return
    if ".jsonl" not in path.name:
        yield lambda: _listed(released_text(path, tell), str(path), tell)
        return
    text = attempt(lambda: released_text(path, tell), tell) or ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield partial(_listed, line, f"{path}:{number}", tell)


def _listed(text: str, place: str, tell: Tell) -> list[Any]:
    content = _parsed(text, place, tell)
    return content if isinstance(content, list) else [content]


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
