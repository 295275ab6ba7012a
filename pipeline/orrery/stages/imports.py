"""Published sets as Parquet, with a log of repairs or verdicts: ``outputs/imports``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from orrery.corpus.published_sets import (
    PROC2PDDL,
    TEXT2WORLD,
    Imported,
    proc2pddl,
    proc2pddl_folders,
    text2world,
)
from orrery.corpus.released_files import Deviation, counted
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, FILE, LOG, is_problem_left_out
from orrery.model import Row
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.stages.summary import StageSummary
from orrery.store.files import replacing
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import write
from orrery.workers import Workers, map_items

STAGE = "import"
Published = TypeVar("Published")
NO_TEXTS: Mapping[str, str] = MappingProxyType({})
PART = 10  # rows decided together


class ImportLog:
    """The deviations of a published folder from its layout."""

    def __init__(self) -> None:
        """Start with an empty log."""
        self._deviations: list[Deviation] = []

    def tell(self, place: str, problem: str) -> None:
        """Add a deviation."""
        self._deviations.append(Deviation(place, problem))

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each kind of deviation, with its number."""
        return tuple(counted(self._deviations))

    def rows(self) -> list[Row]:
        """Return the rows of the table of repairs; deviations belong to no single row of the import."""
        return [{"id": "", "item": place, "what": problem} for place, problem in self._deviations]


def import_decided(
    schema: Schema,
    rows: Sequence[Published],
    decide: Callable[[Published], Row],
    out: Path,
    workers: Workers,
    files: Sequence[Path],
    describe: Callable[[Published], str],
    log: ImportLog,
    texts: Callable[[list[Row]], Mapping[str, str]] = lambda _: NO_TEXTS,
    **values: Any,
) -> list[Row]:
    """Write the rows of ``schema`` that ``decide`` makes of published ones to ``out``, and return them.

    Results are stored next to ``out`` as they are computed. A repeated call continues an interrupted run,
    if the ``files`` have the same content and the ``values`` are the same. The ``log`` is written as well,
    and so are ``texts``, by the name of their file.
    """
    name = table_name(schema)
    made_from = fingerprint(files, **values, package=package_fingerprint())
    parts = Parts(out.with_name(f".parts-of-{out.name}"), (schema,), made_from)
    chunks = [rows[start : start + PART] for start in range(0, len(rows), PART)]
    names = map_parts(
        partial(_decided, decide, name),
        chunks,
        parts,
        workers,
        label=f"{STAGE} {name}",
        describe=lambda chunk: describe(chunk[0]),
    )
    decided = [row for table in parts.tables(names, name) for row in table.to_pylist()]
    write_import(out, [(f"{name}.parquet", schema, decided), (FILE, LOG, log.rows())], texts(decided))
    parts.discard()
    return decided


def write_import(
    out: Path, tables: Iterable[tuple[str, Schema, Sequence[Row]]], texts: Mapping[str, str] = NO_TEXTS
) -> None:
    """Write Parquet files with these names, schemas and rows, and texts by file name, atomically."""
    with replacing(out) as folder:
        folder.mkdir(parents=True)
        for name, schema, rows in tables:
            write(folder / name, schema, rows)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def _decided(
    decide: Callable[[Published], Row], table: str, chunk: Sequence[Published]
) -> dict[str, Sequence[Row]]:
    return {table: [decide(row) for row in chunk]}


def import_proc2pddl(folder: Path, out: Path, *, with_articles: bool = False) -> StageSummary:
    """Write the rows of ``action_modeling`` from the published folders, and the log."""
    imported = map_items(
        partial(proc2pddl, with_articles=with_articles),
        proc2pddl_folders(folder),
        label="importing",
        describe=lambda path: path.name,
    )
    return _write(PROC2PDDL, out, ACTION_MODELING, list(imported))


def import_text2world(path: Path, out: Path) -> StageSummary:
    """Write the rows of ``domain_modeling`` from the published file, and the log."""
    return _write(TEXT2WORLD, out, DOMAIN_MODELING, text2world(path))


def _write(name: str, out: Path, schema: Schema, imported: Sequence[Imported]) -> StageSummary:
    """Write both files atomically."""
    log = [
        {"id": domain.row["id"], "item": item, "what": change}
        for domain in imported
        for item, change in domain.log
    ]
    rows = [domain.row for domain in imported]
    write_import(out, [(f"{table_name(schema)}.parquet", schema, rows), (FILE, LOG, log)])
    problems = _problems(domain.row for domain in imported)
    left_out = sum(is_problem_left_out(entry["item"], entry["what"]) for entry in log)
    counts = {"rows": len(imported), "problems": problems, "log entries": len(log)}
    licensed = sum(bool(domain.row["license"]) for domain in imported)
    notes = (
        {} if licensed == len(imported) else {"without licence, never published": len(imported) - licensed}
    )
    notes |= {f"problems left out of {problems + left_out}": left_out} if left_out else {}
    return StageSummary(STAGE, name, {**counts, **notes})


def _problems(rows: Iterable[Row]) -> int:
    return sum(len(row["problems"]) for row in rows)
