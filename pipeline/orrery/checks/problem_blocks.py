"""Blocks of problems: the work items of ``validate``, read from the tables by the ids of their problems.

A worker reads the rows of a few thousand problems at a time, in the order of their ids, and cuts the blocks
from these: so memory does not grow with the dataset, whatever the order of the rows in the files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from orrery.checks import family_checks
from orrery.checks.inputs import CheckInputs, Row
from orrery.checks.sql import files_of, select
from orrery.config import Settings
from orrery.families import families
from orrery.model import OrreryError
from orrery.seeds import stream
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened, release

PROBLEMS = "problems"  # the table whose rows the others belong to
DECIDED_AGAIN = 0.02  # of the problems of costly families, at least so many are left to a planner
TOGETHER = 40  # problems of a block; one of a costly family takes long, and is a block of its own
READ_TOGETHER = 2000  # problems whose rows are read at once


class ProblemBlock(NamedTuple):
    """Problems of one domain, by id; ``first`` and ``last`` are the ids between which rows are read at once.

    If ``by_planner``, Fast Downward decides their questions again, not a breadth-first search.
    """

    domain: str
    problems: tuple[str, ...]
    first: str
    last: str
    by_planner: bool = False

    def __str__(self) -> str:
        """Return the name of the block in messages."""
        number = len(self.problems) - 1
        return f"{self.problems[0]}{f' and {number} more' if number else ''}"


class _Source(NamedTuple):
    """The files of a table whose rows belong to problems, with their times of change in nanoseconds.

    ``columns`` are those that checks read, None for all.
    """

    paths: tuple[Path, ...]
    changed: tuple[int, ...]
    id_column: str
    columns: tuple[str, ...] | None = None

    def between(self, first: str, last: str) -> Table:
        """Return the rows of the problems whose ids are not before ``first`` and not after ``last``."""
        rows = [(self.id_column, ">=", first), (self.id_column, "<=", last)]
        try:
            return pq.read_table(
                list(self.paths),
                columns=self.columns and list(self.columns),
                filters=rows,
                use_threads=False,
                partitioning=None,
            )
        except (pa.ArrowException, OSError) as error:
            names = ", ".join(str(path) for path in self.paths[:2])
            reason = " ".join(str(error).split())
            raise OrreryError(names, f"cannot be read: {reason}", "delete it and run `dvc repro`") from error


@dataclass(frozen=True)
class ProblemTables:
    """The tables whose rows belong to problems; picklable."""

    sources: tuple[tuple[str, _Source], ...]

    @classmethod
    def of_build(cls, settings: Settings) -> ProblemTables:
        """Return the tables of a build.

        Raises:
            OrreryError: a file is damaged, or was made by another version.
        """
        sources = []
        for name, schema, paths, columns in _tables(settings):
            for path in paths:
                with opened(path, schema):
                    pass
            id_column = "id" if name == PROBLEMS else "problem_id"
            if paths:
                changed = tuple(path.stat().st_mtime_ns for path in paths)
                sources.append((name, _Source(paths, changed, id_column, columns)))
        return cls(tuple(sources))

    def rows(self, block: ProblemBlock) -> dict[str, dict[str, list[Row]]]:
        """Return the rows of a block, by problem and table."""
        rows: dict[str, dict[str, list[Row]]] = {problem: defaultdict(list) for problem in block.problems}
        wanted = pa.array(block.problems, pa.string())
        for name, (id_column, table) in _read(self, block.first, block.last).items():
            for row in table.filter(pc.is_in(table[id_column], wanted)).to_pylist():
                rows[row[id_column]][name].append(row)
        release()
        return rows

    def dangling(self) -> Iterator[str]:
        """Yield the rows whose problem is not published."""
        labels = {
            name: "id" if source.columns is None else f"concat(problem_id, '/{name}')"
            for name, source in self.sources
            if name != PROBLEMS
        }
        rows = " UNION ALL ".join(
            f'SELECT {place} AS place, {label} AS label, problem_id FROM "{name}"'
            for place, (name, label) in enumerate(labels.items())
        )
        statement = (
            f"SELECT label FROM ({rows}) AS rows ANTI JOIN problems ON rows.problem_id = problems.id "
            "ORDER BY place, label"
        )
        for (row,) in select(statement, self._files()) if labels else ():
            yield f"{row}: its problem is not published"

    def _files(self) -> dict[str, tuple[Path, ...]]:
        """Return the files of each table."""
        return {name: source.paths for name, source in self.sources}

    def blocks(self, inputs: CheckInputs) -> list[ProblemBlock]:
        """Return all problems in blocks, ordered by id."""
        tables = dict(self.sources)
        if PROBLEMS not in tables:
            return []
        statement = "SELECT DISTINCT id FROM problems ORDER BY id"
        ids = [name for (name,) in select(statement, {PROBLEMS: tables[PROBLEMS].paths})]
        costly, by_planner = self._costly(), self._decided_by_planner(inputs)
        blocks = []
        for start in range(0, len(ids), READ_TOGETHER):
            read = ids[start : start + READ_TOGETHER]
            for domain, problems in groupby(read, key=lambda name: name.split("/")[0]):
                blocks += [
                    ProblemBlock(domain, several, read[0], read[-1], not by_planner.isdisjoint(several))
                    for several in _cut(list(problems), costly)
                ]
        return blocks

    def _costly(self, *, published: bool = False) -> set[str]:
        """Return the problems that rows of costly families belong to."""
        return {problem for problems in self._costly_by_table(published).values() for problem in problems}

    def _costly_by_table(self, published: bool) -> dict[str, list[str]]:
        """Return the problems that rows of each table of a costly family belong to, sorted."""
        names = {
            table
            for name, checks in family_checks().items()
            if checks.costly
            for table in (
                *(published_table.name for published_table in families()[name].tables),
                *(() if published else checks.beside),
            )
        }
        files = {name: paths for name, paths in self._files().items() if name in names}
        statement = " UNION ALL ".join(
            f"SELECT DISTINCT '{name}' AS name, problem_id FROM \"{name}\"" for name in files
        )
        problems: dict[str, list[str]] = {name: [] for name in files}
        for name, problem in select(f"{statement} ORDER BY ALL", files) if files else ():
            problems[name].append(problem)
        return problems

    def _decided_by_planner(self, inputs: CheckInputs) -> set[str]:
        """Return the problems that a planner decides: a share, and one of each costly table and domain."""
        share = max(inputs.share, DECIDED_AGAIN)
        by_table = self._costly_by_table(published=True)
        drawn = {
            problem
            for problem in {problem for problems in by_table.values() for problem in problems}
            if stream(inputs.seed, "validate", problem, "planner").random() < share
        }
        for problems in by_table.values():
            drawn |= {next(group) for _, group in groupby(problems, key=lambda name: name.split("/")[0])}
        return drawn


@lru_cache(maxsize=1)
def _read(tables: ProblemTables, first: str, last: str) -> dict[str, tuple[str, Table]]:
    """Return the rows of the problems between two ids, by table, with the column of these ids."""
    return {name: (source.id_column, source.between(first, last)) for name, source in tables.sources}


def _cut(problems: Sequence[str], costly: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the problems, those that are costly one by one."""
    cheap = [problem for problem in problems if problem not in costly]
    yield from ((problem,) for problem in problems if problem in costly)
    yield from (tuple(cheap[start : start + TOGETHER]) for start in range(0, len(cheap), TOGETHER))


def _tables(settings: Settings) -> Iterator[tuple[str, Schema, tuple[Path, ...], tuple[str, ...] | None]]:
    """Yield the tables whose rows belong to problems: name, schema, files, and the columns that are read."""
    for name, checks in family_checks().items():
        if checks.problem is None:
            continue
        family = families()[name]
        for table in family.tables:
            yield table.name, table.schema, tuple(files_of(settings.outputs / "dataset", table.name)), None
        schemas = {table_name(schema): schema for schema in family.intermediate}
        for table_beside, (stage, *columns) in checks.beside.items():
            paths = (
                settings.outputs / stage / domain / f"{table_beside}.parquet" for domain in settings.domains
            )
            read = ("problem_id", *columns) if columns else tuple(schemas[table_beside].names)
            yield table_beside, schemas[table_beside], tuple(paths), read
