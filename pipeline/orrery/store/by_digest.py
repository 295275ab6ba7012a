"""Records of all rows by their digests, by way of the disk: those that are equal come together.

A digest is eight bytes of a hash. While records are few they stay in memory; more of them go to files, one
for each first byte of a digest, so that who looks at all of them holds those of one file at a time.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MOST = 1 << 18  # records in memory; of so many each file gets about a thousand
FILES = 256
DIGEST = "digest"

Digests: TypeAlias = NDArray[np.uint64]
Records: TypeAlias = NDArray[Any]  # with a field ``digest``, and others as the user likes
NONE: Digests = np.empty(0, np.uint64)


def digests(values: Iterable[str]) -> Digests:
    """Return a digest of each text, equal for equal texts."""
    hashes = (hashlib.blake2b(value.encode(), digest_size=8).digest() for value in values)
    return np.frombuffer(b"".join(hashes), np.uint64)


class ByDigest:
    """Records of some kind; iterate over them as often as you like, and ``close`` them then."""

    def __init__(self, kind: Sequence[tuple[str, type]] = (), *, most: int = MOST) -> None:
        """Begin with none; ``kind`` names the fields beside the digest."""
        self.kind = np.dtype([(DIGEST, np.uint64), *kind])
        self._most, self._waiting, self._count = most, list[Records](), 0
        self._folder: Path | None = None

    def __enter__(self) -> ByDigest:
        """Return these records, which are closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files."""
        self.close()

    def add(self, row_digests: Digests, **fields: Any) -> None:
        """Put in a record for each digest; a field is an array, or one value for all."""
        records = np.empty(len(row_digests), self.kind)
        records[DIGEST] = row_digests
        for name, values in fields.items():
            records[name] = values
        self._waiting.append(records)
        self._count += len(records)
        if self._count > self._most:
            self._write()

    def __iter__(self) -> Iterator[Records]:
        """Yield all records, those of equal digests together, in the order in which they were put in."""
        if self._folder is None:
            if self._waiting:
                self._waiting = [np.concatenate(self._waiting)]
                yield self._waiting[0]
            return
        self._write()
        for path in sorted(self._folder.iterdir()):
            yield np.fromfile(path, self.kind)

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            shutil.rmtree(self._folder)
        self._folder, self._waiting, self._count = None, [], 0

    def _write(self) -> None:
        """Bring what is in memory to the files."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="orrery-digests-"))
        records = np.concatenate([np.empty(0, self.kind), *self._waiting])
        self._waiting, self._count = [], 0
        first = (records[DIGEST] >> np.uint64(56)).astype(np.uint8)
        order = np.argsort(first, kind="stable")
        records, bounds = records[order], np.searchsorted(first[order], np.arange(FILES + 1))
        for number in np.flatnonzero(np.diff(bounds)):
            with (self._folder / f"{number:02x}").open("ab") as file:
                file.write(records[bounds[number] : bounds[number + 1]].tobytes())
