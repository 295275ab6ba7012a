"""Blocks of problems: the work items of ``validate``, read from the tables by the ids of their problems.

A worker reads the rows of a few thousand problems at a time, ordered by id, and splits them into blocks.
Therefore, memory does not grow with the dataset, whatever the order of the rows in the files. A block is
checked only if its verdicts are not on disk.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from orrery.catalog import entry_of
from orrery.checks import family_checks, verdict_parts
from orrery.checks.inputs import CheckedProblem, CheckInputs
from orrery.checks.sql import files_of, select
from orrery.checks.verdicts import MALFORMED, Verdicts, unreadable
from orrery.config import Settings
from orrery.families import families
from orrery.model import OrreryError, Row
from orrery.parts import fingerprint, package_fingerprint
from orrery.pddl.read import read_problem
from orrery.problems.quotas import FROM_FILE, LADDER
from orrery.seeds import stream
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened, release

PROBLEMS = "problems"  # the table to whose rows the other rows belong
DECIDED_AGAIN = 0.02  # minimum share of the problems of costly families that a planner decides
TOGETHER = 40  # problems per block; problems of costly families are slow, and each is a block of its own
READ_TOGETHER = 2000  # problems whose rows are read together


class ProblemBlock(NamedTuple):
    """Problems of one domain, by id; rows with ids between ``first`` and ``last`` are read together.

    If ``by_planner``, Fast Downward decides their questions again; otherwise, a breadth-first search does.
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
    """The files of a table whose rows belong to problems, with their modification times in nanoseconds.

    ``columns`` are the columns that checks read; None means all.
    """

    paths: tuple[Path, ...]
    changed: tuple[int, ...]
    id_column: str
    columns: tuple[str, ...] | None = None

    def between(self, first: str, last: str) -> Table:
        """Return the rows of the problems with ids from ``first`` to ``last``, inclusive."""
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
            OrreryError: a file is damaged or was made by another version, or there are no problems.
        """
        sources = []
        for name, schema, paths, columns in _tables(settings):
            for path in paths:
                with opened(path, schema):
                    pass
            id_column = "id" if name == PROBLEMS else "problem_id"
            if name == PROBLEMS and not paths:
                place = str(settings.outputs / "dataset" / "data" / PROBLEMS)
                raise OrreryError(place, "has no files, and all rows belong to problems", "run `dvc repro`")
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
        statement = "SELECT DISTINCT id FROM problems ORDER BY id"
        ids = [name for (name,) in select(statement, {PROBLEMS: self._files()[PROBLEMS]})]
        problems_by_table = self._costly_problems()
        costly = set(chain.from_iterable(problems_by_table.values()))
        by_planner = self._decided_by_planner(inputs, problems_by_table)
        blocks = []
        for start in range(0, len(ids), READ_TOGETHER):
            read = ids[start : start + READ_TOGETHER]
            for domain, problems in groupby(read, key=lambda name: name.split("/")[0]):
                blocks += [
                    ProblemBlock(domain, several, read[0], read[-1], not by_planner.isdisjoint(several))
                    for several in _cut(list(problems), costly)
                ]
        return blocks

    def _costly_problems(self) -> dict[str, list[str]]:
        """Return, by table, the problems with rows in tables of costly families, sorted."""
        names = {
            table
            for name, checks in family_checks().items()
            if checks.costly
            for table in (*(published.name for published in families()[name].tables), *checks.beside)
        }
        files = {name: paths for name, paths in self._files().items() if name in names}
        statement = " UNION ALL ".join(
            f"SELECT DISTINCT '{name}' AS name, problem_id FROM \"{name}\"" for name in files
        )
        problems: dict[str, list[str]] = {name: [] for name in files}
        for name, problem in select(f"{statement} ORDER BY ALL", files) if files else ():
            problems[name].append(problem)
        return problems

    def _decided_by_planner(
        self, inputs: CheckInputs, problems_by_table: Mapping[str, Sequence[str]]
    ) -> set[str]:
        """Return the problems that a planner decides: a share, and one per published table and domain."""
        share = max(inputs.share, DECIDED_AGAIN)
        published = {name for name, source in self.sources if source.columns is None}
        by_table = [problems for name, problems in problems_by_table.items() if name in published]
        drawn = {
            problem
            for problem in set(chain.from_iterable(by_table))
            if stream(inputs.seed, "validate", problem, "planner").random() < share
        }
        for problems in by_table:
            drawn |= {next(group) for _, group in groupby(problems, key=lambda name: name.split("/")[0])}
        return drawn


@lru_cache(maxsize=1)
def _read(tables: ProblemTables, first: str, last: str) -> dict[str, tuple[str, Table]]:
    """Return, by table, the rows of the problems between two ids, with the name of the id column."""
    return {name: (source.id_column, source.between(first, last)) for name, source in tables.sources}


def _cut(problems: Sequence[str], costly: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield blocks of problems; each costly problem is a block of its own."""
    cheap = [problem for problem in problems if problem not in costly]
    yield from ((problem,) for problem in problems if problem in costly)
    yield from (tuple(cheap[start : start + TOGETHER]) for start in range(0, len(cheap), TOGETHER))


def _tables(settings: Settings) -> Iterator[tuple[str, Schema, tuple[Path, ...], tuple[str, ...] | None]]:
    """Yield the tables whose rows belong to problems: name, schema, files, and the columns to read."""
    for name, checks in family_checks().items():
        if checks.problem is None:
            continue
        family = families()[name]
        for table in family.tables:
            yield table.name, table.schema, tuple(files_of(settings.outputs / "dataset", table.name)), None
        schemas = {table_name(schema): schema for schema in family.intermediate}
        for table_beside, (stage, *columns) in checks.beside.items():
            paths = (
                settings.outputs / stage / domain / f"{table_beside}.parquet"
                for domain in settings.all_domains
            )
            read = ("problem_id", *columns) if columns else tuple(schemas[table_beside].names)
            yield table_beside, schemas[table_beside], tuple(paths), read


@dataclass(frozen=True)
class BlockCheck:
    """Checks blocks of problems; picklable. ``folder`` contains the stored verdicts.

    ``fingerprints`` maps each domain to the fingerprint of its files, the code and the installation.
    """

    inputs: CheckInputs
    tables: ProblemTables
    folder: Path
    fingerprints: Mapping[str, str]

    def __call__(self, block: ProblemBlock) -> tuple[str, Verdicts]:
        """Return the fingerprint of a block's verdicts, and the verdicts without their notes."""
        rows = self.tables.rows(block)
        made_from = fingerprint(
            (),
            inputs=[self.inputs.seed, self.inputs.seconds, block.by_planner],
            domain=self.fingerprints.get(block.domain, ""),
            rows=rows,
        )
        part = verdict_parts.part_of(self.folder, made_from)
        if part.is_made() and not (verdicts := verdict_parts.load(part)).has_faults:
            return made_from, verdicts
        verdicts = Verdicts()
        for problem in block.problems:
            _check_problem(self.inputs, rows[problem], block.by_planner, verdicts)
        part.save(verdict_parts.as_tables(verdicts))
        return made_from, Verdicts(verdicts.checked, verdicts.findings)


def fingerprints(root: Path, domains: Iterable[str]) -> dict[str, str]:
    """Return, by domain, the fingerprint of its files, of the package and of the installed distributions."""
    words = root / "templates" / "domains"
    shared = [path for path in sorted((root / "templates").iterdir()) if path != words]
    code = [package_fingerprint(), *distributions()]
    composed = [root / "mechanics", root / "themes"]

    def files(name: str) -> list[Path]:
        if entry_of(root, name).composed:
            return composed
        return [words / f"{name}.j2", root / "domains" / name, root / "generators" / f"{name}.py"]

    return {name: fingerprint([*shared, *files(name)], code=code) for name in domains}


def distributions() -> list[str]:
    """Return the names of the installed distributions, with their versions."""
    folders = {Path(entry) for entry in sys.path if entry}
    return sorted({path.name for folder in folders if folder.is_dir() for path in folder.glob("*.dist-info")})


def _check_problem(
    inputs: CheckInputs, rows: Mapping[str, list[Row]], by_planner: bool, verdicts: Verdicts
) -> None:
    """Check all rows of a problem."""
    for row in rows[PROBLEMS]:
        try:
            checked = _read_problem(inputs, row, rows, by_planner)
        except OrreryError as error:
            verdicts.enter("plans", row["domain"], row["id"], [str(error)])
            continue
        for checks in family_checks().values():
            if checks.problem:
                _judge(checks.problem, checked, verdicts)


def _judge(
    check: Callable[[CheckedProblem, Verdicts], None], checked: CheckedProblem, verdicts: Verdicts
) -> None:
    """Run a check on a problem; a malformed value is a fault of the problem and stops no other check."""
    try:
        check(checked, verdicts)
    except MALFORMED as error:
        verdicts.enter("values", checked.row["domain"], checked.row["id"], [unreadable(error)])


def _read_problem(
    inputs: CheckInputs, row: Row, rows: Mapping[str, list[Row]], by_planner: bool
) -> CheckedProblem:
    """Return the problem of a row.

    Raises:
        OrreryError: its domain, task or PDDL cannot be read.
    """
    entry = entry_of(inputs.root, row["domain"])
    tasks = {task.name: task for task in (*entry.tasks, FROM_FILE, LADDER)}
    if row["task"] not in tasks:
        raise OrreryError(row["id"], f"the domain has no task '{row['task']}'")
    problem = read_problem(row["problem_pddl"], entry.domain, row["id"])
    return CheckedProblem(inputs, entry, tasks[row["task"]], row, problem, rows, by_planner)
