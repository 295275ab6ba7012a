"""Verdicts that are kept: what was checked once is not checked again until what it was made from changes.

A file holds what the checks of all families found in one item, and is named by a hash of everything they
read. Of each family it has the hash of the code besides, so that a check that was changed is run alone. What
is damaged, or holds a fault, counts as not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from orrery.checks.verdicts import CheckFinding, Verdicts
from orrery.store.shards import TEMPORARY, is_at_work

DIGEST = 32  # bytes of the hash with which a file begins
QUICK = 1  # level of compression


class KeptVerdicts(NamedTuple):
    """What the checks of one family found in an item, and the hash of their code."""

    code: str
    verdicts: Verdicts

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong: what holds a fault is checked again, and not taken from here."""
        return not any(finding.faults for finding in self.verdicts.findings)


class Keys:
    """Keys of kept verdicts in their order, in the bytes that their digits stand for."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        """Begin with some."""
        self._bytes = bytearray()
        for key in keys:
            self.append(key)

    def append(self, key: str) -> None:
        """Put in a key behind the others."""
        self._bytes += bytes.fromhex(key)

    def __iter__(self) -> Iterator[str]:
        """Yield the keys."""
        for start in range(0, len(self._bytes), DIGEST):
            yield self._bytes[start : start + DIGEST].hex()

    def beginning_with(self, digits: str) -> set[str]:
        """Return the keys that begin with some digits: a part of them, so that few are in memory as text."""
        first = np.frombuffer(bytes.fromhex(digits), np.uint8)
        every = np.frombuffer(self._bytes, np.uint8).reshape(-1, DIGEST)
        return {key.tobytes().hex() for key in every[(every[:, : len(first)] == first).all(axis=1)]}


@dataclass(frozen=True)
class Kept:
    """The files of kept verdicts under ``folder``; picklable."""

    folder: Path

    def is_empty(self) -> bool:
        """Return whether nothing is kept."""
        return not any(self.folder.glob("*/*"))

    def load(self, key: str) -> dict[str, KeptVerdicts]:
        """Return what is kept by family, notes left out; nothing where there is no sound file."""
        return {
            family: KeptVerdicts(each["code"], _verdicts(each)) for family, each in self._content(key).items()
        }

    def save(self, key: str, found: Mapping[str, KeptVerdicts]) -> None:
        """Keep what was found of some families, in the place of what was kept of these before."""
        content = self._content(key) | {family: _content_of(each) for family, each in found.items()}
        body = zlib.compress(json.dumps(content).encode(), QUICK)
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Whether the file is whole is seen by its hash, so it need not be brought to the disk now.
        temporary = path.with_name(f"{TEMPORARY}{path.name}-{os.getpid()}")
        temporary.write_bytes(hashlib.sha256(body).digest() + body)
        temporary.replace(path)

    def notes(self, keys: Iterable[str], name: str) -> Iterator[Any]:
        """Yield what was noted under ``name`` in some items, in their order; lists have become tuples."""
        for key in keys:
            for each in self._content(key).values():
                if name in each["notes"]:
                    yield from map(_frozen, json.loads(each["notes"][name]))

    def prune(self, used: Keys) -> None:
        """Remove the files of all keys that are not used."""
        for folder in self.folder.glob("*/"):
            wanted = used.beginning_with(folder.name)
            for path in folder.iterdir():
                if path.name not in wanted and not is_at_work(path):
                    path.unlink(missing_ok=True)

    def _content(self, key: str) -> dict[str, Any]:
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return {}
        body = content[DIGEST:]
        if hashlib.sha256(body).digest() != content[:DIGEST]:
            return {}
        found: dict[str, Any] = json.loads(zlib.decompress(body))
        return found

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


def _content_of(found: KeptVerdicts) -> dict[str, Any]:
    verdicts = found.verdicts
    return {
        "code": found.code,
        "checked": [[*names, number] for names, number in verdicts.checked.items()],
        "findings": verdicts.findings,
        # As text, so that who asks for one of them need not read the others.
        "notes": {name: json.dumps(notes) for name, notes in verdicts.notes.items()},
    }


def _verdicts(content: Mapping[str, Any]) -> Verdicts:
    checked = Counter({(check, domain): number for check, domain, number in content["checked"]})
    findings = [
        CheckFinding(check, domain, row, tuple(faults), tuple(still_open))
        for check, domain, row, faults, still_open in content["findings"]
    ]
    return Verdicts(checked, findings)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
