"""Rows of Planetarium's release, from Parquet files that repeat each other.

The whole set is ``data/train-00000-of-00001.parquet``. Later releases add folders of views, such as ``size``
and ``placeholder``, whose files have the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from orrery.corpus.released_files import Tell, UnixText, row_of
from orrery.model import OrreryError, Row, UsageError
from orrery.store.kinds import INT, STRING, column, table
from orrery.store.shards import DATA, read_rows

NAME = "planetarium"
MEND = "name the published folder: data/train-00000-of-00001.parquet, and folders of views next to it"
_Flag = Annotated[int, Field(ge=0, le=1)]
_Count = Annotated[int, Field(ge=-(2**31), lt=2**31)]  # the range of INT
PUBLISHED_TEXTS = table(
    "published_texts",
    "Rows of the release, each once",
    column("id", STRING, "`planetarium/<published id>`, then `/2` for another row with the same id"),
    *(
        column(name, STRING, f"The published column {name}")
        for name in ("name", "domain", "init", "goal", "problem_pddl", "natural_language")
    ),
    *(
        column(name, INT, f"The published column {name}")
        for name in ("init_is_abstract", "goal_is_abstract", "is_placeholder")
    ),
    *(
        column(name, INT, f"The published column {name}", nullable=True)
        for name in ("num_objects", "init_num_propositions", "goal_num_propositions")
    ),
    column("file", STRING, "The file, within the imported folder"),
    column("number", INT, "Number of the row in the file, from 0"),
)


class _PublishedText(BaseModel):
    """A row of the release."""

    id: int
    domain: str
    init: str
    goal: str
    problem_pddl: UnixText
    natural_language: UnixText
    init_is_abstract: _Flag
    goal_is_abstract: _Flag
    is_placeholder: _Flag
    name: str = ""
    num_objects: _Count | None = None
    init_num_propositions: _Count | None = None
    goal_num_propositions: _Count | None = None


def released_files(folder: Path) -> list[Path]:
    """Return the Parquet files below ``folder``, those of the folder ``data`` first.

    Raises:
        UsageError: there is no such file.
    """
    files = sorted(folder.rglob("*.parquet"), key=lambda path: (path.parent.name != DATA, path))
    if not files:
        raise UsageError(str(folder), "has no Parquet files", MEND)
    return files


class ReleasedTexts:
    """The rows of a release, each once; ``repeated`` counts the others after iteration."""

    def __init__(self, folder: Path, files: Iterable[Path], tell: Tell) -> None:
        """Read ``files`` below ``folder``; values that are not rows are reported to ``tell``."""
        self._folder, self._files, self._tell = folder, files, tell
        self.repeated = 0

    def __iter__(self) -> Iterator[Row]:
        """Yield rows with the columns of PUBLISHED_TEXTS."""
        optional = {name for name, field in _PublishedText.model_fields.items() if not field.is_required()}
        contents_by_id: dict[int, list[bytes]] = {}
        self.repeated = 0
        for path, number, text in self._texts():
            content = sha256(text.model_dump_json(exclude=optional).encode()).digest()
            contents = contents_by_id.setdefault(text.id, [])
            if content in contents:
                self.repeated += 1
                continue
            contents.append(content)
            again = f"/{len(contents)}" if len(contents) > 1 else ""
            place = {"file": path.relative_to(self._folder).as_posix(), "number": number}
            yield {**dict(text), **place, "id": f"{NAME}/{text.id}{again}"}

    def _texts(self) -> Iterator[tuple[Path, int, _PublishedText]]:
        for path in self._files:
            try:
                for number, content in enumerate(read_rows(path)):
                    text = row_of(_PublishedText, content, f"{path}: row {number}", self._tell)
                    if text is not None:
                        yield path, number, text
            except OrreryError as error:
                self._tell(error.where, error.problem)
