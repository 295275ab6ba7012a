"""Which rows of a table belong to which problem: lists on the disk, of which a stretch is read at a time.

Rows and problems are brought together by digests of their names, sixteen bytes each, by way of the disk (see
``store.by_digest``): names of all rows are never in memory.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.store.by_digest import ByDigest

Numbers: TypeAlias = NDArray[np.int64]
NOTHING: Numbers = np.empty(0, np.int64)

STRETCH = 1024  # records between marks
FEW = 1 << 16  # records that stay in memory
_LISTED = np.dtype([("place", np.int64), ("row", np.int64)])
_NAMED = [("check", np.uint64), ("source", np.uint8), ("row", np.int64)]
_PLACED = [("source", np.uint8), ("place", np.int64), ("row", np.int64)]


@dataclass(frozen=True)
class Belonging:
    """The rows of a table with the numbers of their problems, sorted by these, then by row; picklable.

    ``marks`` are the problems of every ``STRETCH``-th record in the file ``path``; few records are
    ``listed``. ``lost`` are the rows that belong to no problem.
    """

    path: Path
    count: int
    marks: Numbers
    listed: NDArray[Any] | None
    lost: Numbers

    def rows(self, problems: range) -> Numbers:
        """Return the numbers of the rows that belong to some problems."""
        if not self.count:
            return NOTHING
        # What is equal to a mark may begin in the stretch before it.
        first = max(0, int(np.searchsorted(self.marks, problems.start)) - 1) * STRETCH
        end = min(self.count, int(np.searchsorted(self.marks, problems.stop)) * STRETCH)
        some = self._read(first, max(first, end))
        bounds = np.searchsorted(some["place"], [problems.start, problems.stop])
        return np.ascontiguousarray(some["row"][slice(*bounds)])

    def places(self) -> Iterator[Numbers]:
        """Yield the problems that rows belong to, ascending, some at a time: each once in what is yielded."""
        for start in range(0, self.count, FEW):
            yield np.unique(self._read(start, min(self.count, start + FEW))["place"])

    def _read(self, start: int, end: int) -> NDArray[Any]:
        if self.listed is not None:
            return self.listed[start:end]
        return np.fromfile(self.path, _LISTED, end - start, offset=start * _LISTED.itemsize)


def belonging(problems: Iterable[Any], tables: Mapping[str, Iterable[Any]]) -> dict[str, Belonging]:
    """Return by table which rows belong to which problem.

    ``problems`` are the names of the problems, ``tables`` the name of each row's problem, as pieces of Arrow
    arrays. Of problems of one name the first counts.
    """
    folder = Path(tempfile.mkdtemp(prefix="orrery-belonging-"))
    found = {name: _List(folder / name) for name in tables}
    with ByDigest(_NAMED) as named, ByDigest(_PLACED) as placed:
        total = _put_in(named, 0, problems)
        for number, pieces in enumerate(tables.values(), 1):
            _put_in(named, number, pieces)
        # Problems in the place of digests, so that they come in their order.
        wide = np.uint64(2**64 - 1) // np.uint64(max(1, total))
        for some in named:
            places = _places(some)
            rows, known = some[some["source"] > 0], places >= 0
            for number, each in enumerate(found.values(), 1):
                each.lost.append(rows["row"][~known & (rows["source"] == number)])
            at, rows = places[known], rows[known]
            placed.add(at.astype(np.uint64) * wide, source=rows["source"], place=at, row=rows["row"])
        for some in placed:
            some = some[np.lexsort((some["row"], some["place"], some["source"]))]
            bounds = np.searchsorted(some["source"], np.arange(1, len(found) + 2))
            for number, each in enumerate(found.values()):
                each.add(some[bounds[number] : bounds[number + 1]])
    return {name: each.closed() for name, each in found.items()}


def _put_in(named: ByDigest, source: int, pieces: Iterable[Any]) -> int:
    """Put in the names of a source, and return their number."""
    total = 0
    for piece in pieces:
        encoded = piece.dictionary_encode()
        given = (_digest(name) for name in encoded.dictionary.to_pylist())
        of_name = np.frombuffer(b"".join([*given, _digest(None)]), np.uint64).reshape(-1, 2)
        # A name that is missing is like another that is.
        numbers = encoded.indices.fill_null(len(of_name) - 1).to_numpy(zero_copy_only=False)
        rows = np.arange(total, total + len(piece))
        named.add(of_name[numbers, 0], check=of_name[numbers, 1], source=source, row=rows)
        total += len(piece)
    return total


def _digest(name: str | None) -> bytes:
    data = b"\xff" if name is None else name.encode()
    return hashlib.blake2b(data, digest_size=16).digest()


def _places(some: NDArray[Any]) -> Numbers:
    """Return the problem of each record that is of a table, -1 where there is none of its name."""
    own, rows = some[some["source"] == 0], some[some["source"] > 0]
    own = own[np.lexsort((own["row"], own["digest"]))]
    found = np.full(len(rows), -1, np.int64)
    at, waiting = np.searchsorted(own["digest"], rows["digest"]), np.arange(len(rows))
    while len(waiting):
        there = at[waiting]
        inside = there < len(own)
        waiting, there = waiting[inside], there[inside]
        alike = own["digest"][there] == rows["digest"][waiting]
        waiting, there = waiting[alike], there[alike]
        same = own["check"][there] == rows["check"][waiting]
        found[waiting[same]] = own["row"][there[same]]
        waiting = waiting[~same]
        at[waiting] += 1
    return found


class _List:
    """The list of a table while it is written."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self.lost: list[Numbers] = [NOTHING]
        self._marks: list[Numbers] = [NOTHING]
        self._listed: list[NDArray[Any]] = [np.empty(0, _LISTED)]

    def add(self, some: NDArray[Any]) -> None:
        """Write some records behind the others."""
        records = np.empty(len(some), _LISTED)
        records["place"], records["row"] = some["place"], some["row"]
        first = -self.count % STRETCH
        self._marks.append(records["place"][first::STRETCH].copy())
        self.count += len(records)
        if self._listed:
            self._listed.append(records)
            if self.count <= FEW:
                return
            records, self._listed = np.concatenate(self._listed), []
        with self.path.open("ab") as file:
            file.write(records.tobytes())

    def closed(self) -> Belonging:
        """Return the list, written."""
        listed = np.concatenate(self._listed) if self._listed else None
        lost = np.sort(np.concatenate(self.lost))
        return Belonging(self.path, self.count, np.concatenate(self._marks), listed, lost)
