"""Store verdicts on disk: one part for each block of problems, reused while its inputs are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from orrery.checks.sql import select
from orrery.checks.verdicts import CheckFinding, Note, Verdicts
from orrery.parts import Part, Tables
from orrery.store.files import remove_folder
from orrery.store.kinds import INT, STRING, STRINGS, column, table

CHECKED = table(
    "checked",
    "Numbers of rows that were checked",
    column("check", STRING, "Name of the check"),
    column("domain", STRING, "Name of the planning domain"),
    column("rows", INT, "Number of rows"),
    key=("check", "domain"),
)
FINDINGS = table(
    "findings",
    "Rows with faults, and rows that were not decided again",
    column("check", STRING, "Name of the check"),
    column("domain", STRING, "Name of the planning domain"),
    column("row", STRING, "The id of the row"),
    column("faults", STRINGS, "What is wrong with the row"),
    column("undecided", STRINGS, "What was not decided within the limits"),
    key=("check", "row"),
)
NOTES = table(
    "notes",
    "Values of rows that are compared when all rows were checked",
    *(column(name, STRING, f"As in the record {Note.__name__}") for name in Note._fields),
    key=("name", "row"),
)


VERDICTS = (CHECKED, FINDINGS, NOTES)


def part_of(folder: Path, fingerprint: str) -> Part:
    """Return the part of verdicts with a fingerprint."""
    return Part(folder / fingerprint, VERDICTS, fingerprint)


def as_tables(verdicts: Verdicts) -> Tables:
    """Return the rows of ``VERDICTS`` for verdicts."""
    return {
        "checked": [
            {"check": check, "domain": domain, "rows": number}
            for (check, domain), number in verdicts.checked.items()
        ],
        "findings": [
            {**finding._asdict(), "faults": list(finding.faults), "undecided": list(finding.undecided)}
            for finding in verdicts.findings
        ],
        "notes": [note._asdict() for note in verdicts.notes],
    }


def load(part: Part) -> Verdicts:
    """Return the verdicts of a part, without their notes."""
    checked = Counter(
        {(row["check"], row["domain"]): row["rows"] for row in part.table("checked").to_pylist()}
    )
    findings = [
        CheckFinding(row["check"], row["domain"], row["row"], tuple(row["faults"]), tuple(row["undecided"]))
        for row in part.table("findings").to_pylist()
    ]
    return Verdicts(checked, findings)


def keep_only(folder: Path, fingerprints: Iterable[str]) -> None:
    """Remove all parts with other fingerprints."""
    used = set(fingerprints)
    for path in folder.glob("*/"):
        if path.name not in used:
            remove_folder(path)


class Notes:
    """The notes of all parts in a folder."""

    def __init__(self, folder: Path) -> None:
        """Use the parts in a folder."""
        self._paths = sorted(folder.glob("*/notes.parquet"))

    def select(self, statement: str, **tables: Iterable[Path]) -> list[tuple[Any, ...]]:
        """Return the rows that a statement selects from the table ``notes``, and from ``tables``."""
        files = {name: list(paths) for name, paths in tables.items()}
        return select(statement, {"notes": self._paths, **files}) if self._paths else []

    def named(self, name: str) -> Iterator[Note]:
        """Yield the notes of a name, ordered by row."""
        statement = f"SELECT name, row, key, text FROM notes WHERE name = '{name}' ORDER BY row, key, text"
        return (Note(*fields) for fields in self.select(statement))
