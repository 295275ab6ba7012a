"""SQL over a dataset: one DuckDB view per table, and one per table and split.

Additional views: ``questions``, all questions with one schema; ``scores``, the evaluation runs; and files of
the user. ``band(horizon)`` returns the band that contains both bounds of a row, or null.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa

from orrery.config import BANDS
from orrery.dataset import contents
from orrery.dataset.selection import literal
from orrery.dataset.user_files import select_of
from orrery.model import OrreryError, UsageError
from orrery.store import shards
from orrery.store.columns import Table

Connection: TypeAlias = duckdb.DuckDBPyConnection
Runs: TypeAlias = Mapping[str, Path]
Files: TypeAlias = Mapping[str, Path]

SCORES = "scores"  # the view of evaluation runs
NO_RUNS: Runs = MappingProxyType({})
NO_FILES: Files = MappingProxyType({})
NO_LIMITS: Mapping[str, Any] = MappingProxyType({})
MEMORY, SPILL = "2GiB", "16GiB"  # of memory, and of temporary files for larger data
# For counts in stages, which have more in memory; each thread needs its own.
COUNTING: Mapping[str, Any] = {"memory_limit": "256MiB", "threads": 1}
ANSWER_MEBIBYTES = 1024
QUERY_SECONDS = 600.0  # of processor time
FEWER = "request fewer rows, or avoid a cross product"
BATCH_ROWS = 10_000
MOMENT = 0.2  # seconds between checks of the time

_OF_SPLITS = tuple(f"_{split}" for split in shards.SPLITS)  # suffixes of their names
_SHARDS = (
    "SELECT * EXCLUDE filename, split_part(parse_filename(filename), '-', 1) AS split "
    "FROM read_parquet({}, filename = true)"
)
_WHENS = " ".join(
    f"WHEN horizon.lower > {least} AND horizon.upper <= {most} THEN {most}"
    for least, most in pairwise((0, *BANDS))
)
_BAND = f"CREATE MACRO band(horizon) AS CASE {_WHENS} END"
_CATALOG = ("show", "information_schema", "duckdb_", "pragma", "sqlite_master", "pg_catalog")


def views(dataset: Path, runs: Runs = NO_RUNS) -> dict[str, str]:
    """Return the SELECT of every view, ``<table>`` and ``<table>_<split>``, each with a ``split`` column.

    With ``runs``, tables of scores by the name of their run, the view ``scores`` contains all of them.
    """
    select_by_view: dict[str, str] = {}
    tables = shards.splits(dataset) | shards.splits(dataset, shards.VIEWS)
    for table, by_split in tables.items():
        selects = {
            split: f"SELECT *, '{split}' AS split FROM {_parquet(paths)}" for split, paths in by_split.items()
        }
        select_by_view[table] = " UNION ALL ".join(selects.values())
        select_by_view |= {f"{table}_{split}": select for split, select in selects.items()}
    # By name, because an earlier version may have had fewer columns.
    scores = [
        f"SELECT * REPLACE ({literal(name)} AS run) FROM {_parquet([path])}" for name, path in runs.items()
    ]
    return select_by_view | ({SCORES: " UNION ALL BY NAME ".join(scores)} if scores else {})


def connect(
    dataset: Path,
    sql: str = "",
    runs: Runs = NO_RUNS,
    files: Files = NO_FILES,
    limits: Mapping[str, Any] = NO_LIMITS,
) -> Connection:
    """Return a DuckDB connection with the views of ``dataset`` that cannot read or write anything else.

    It reads only the files of its views and no environment variables, and its memory and temporary
    files are limited. If the folder ``dataset`` does not exist, only the runs can be queried. ``files`` are
    views of the user's files, by name; ``limits`` are settings of DuckDB that replace the defaults.

    Creating a view reads the footers of its files. Only the views named in the statement ``sql`` are created;
    all of them if it names none, or lists tables.

    Raise an OrreryError if ``dataset`` is not a dataset of ours; raise a UsageError if a file cannot be read,
    or has the name of an existing view.
    """
    if dataset.exists() or not runs:
        contents.read_manifest(dataset)
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "memory_limit": MEMORY,
            "temp_directory": _spill_folder(),
            "max_temp_directory_size": SPILL,
            **limits,
        }
    )
    selects = views(dataset, runs)
    for name in files.keys() & selects.keys():
        mend = f"give it another name: --with mine={files[name]}"
        raise UsageError(f"--with {files[name]}", f"'{name}' is the name of a view", mend)
    connection.execute(_BAND)
    _add_own(connection, files)
    try:
        for name, select in _named(selects, sql).items():
            connection.execute(f'CREATE VIEW "{name}" AS {select}')
    except duckdb.Error:
        _read_everything(dataset, runs)
        raise
    read = sorted({str(path.resolve()) for path in (*_files(dataset, runs), *files.values())})
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, read))}]")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def query(dataset: Path, sql: str, runs: Runs = NO_RUNS, files: Files = NO_FILES) -> Table:
    """Return the result of one SELECT, PIVOT, DESCRIBE, SUMMARIZE or SHOW over the views, as an Arrow table.

    ``runs`` are tables of scores by the name of their run; the view ``scores`` contains them. ``files`` are
    Parquet, CSV or JSON files by the name of their view.

    Raise a UsageError for invalid SQL, for an unknown table (the message lists the views), for any statement
    that writes, and if a limit of memory, processor time or size of the result is exceeded.
    """
    with _connected(dataset, sql, runs, files) as connection, in_time(connection, QUERY_SECONDS, FEWER):
        reader = connection.sql(_only_reading(connection, sql)).to_arrow_reader(BATCH_ROWS)
        return pa.Table.from_batches(_limited(reader), reader.schema)


def counts_of(dataset: Path, sql: str) -> list[dict[str, Any]]:
    """Return the rows of a counting statement, with little memory.

    Larger data goes to temporary files. Errors: see ``query``; the time is not limited.
    """
    (rows,) = counts_of_each(dataset, [sql])
    return rows


def counts_of_each(dataset: Path, statements: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """Yield the result of ``counts_of`` for each statement, with one connection for all."""
    with _connected(dataset, " ".join(statements), limits=COUNTING) as connection:
        for sql in statements:
            yield connection.sql(_only_reading(connection, sql)).to_arrow_table().to_pylist()


def counts_of_files(paths: Iterable[Path], sql: str) -> list[dict[str, Any]]:
    """Return the rows of a statement over Parquet files of one schema, the view ``files``.

    The column ``split`` is the prefix of a shard's name. Memory is limited as in ``counts_of``. Without
    files there are no rows.

    Raises:
        OrreryError: a file is damaged.
    """
    files = list(paths)
    if not files:
        return []
    with closing(duckdb.connect(config={"temp_directory": _spill_folder(), **COUNTING})) as connection:
        try:
            connection.execute(f"CREATE VIEW files AS {_SHARDS.format(_literals(files))}")
            rows: list[dict[str, Any]] = connection.sql(sql).to_arrow_table().to_pylist()
        except duckdb.Error:
            for path in files:
                deque(shards.read_rows(path), maxlen=0)
            raise
    return rows


def stream_rows(dataset: Path, sql: str, at_a_time: int = 1000) -> Iterator[dict[str, Any]]:
    """Yield the rows of the result, with ``at_a_time`` of them in memory. Errors: see ``query``.

    Neither the time nor the size of the result is limited.
    """
    with _connected(dataset, sql) as connection:
        reader: Any = connection.sql(_only_reading(connection, sql)).to_arrow_reader(at_a_time)
        for batch in reader:
            yield from batch.to_pylist()


@contextmanager
def _connected(
    dataset: Path,
    sql: str,
    runs: Runs = NO_RUNS,
    files: Files = NO_FILES,
    limits: Mapping[str, Any] = NO_LIMITS,
) -> Iterator[Connection]:
    """Yield a connection with the views that ``sql`` names; its errors are converted to ours."""
    with closing(connect(dataset, sql, runs, files, limits)) as connection:
        try:
            yield connection
        except duckdb.CatalogException as error:
            known_views = _suggest_views(dataset, sql, runs, files)
            raise UsageError("query", _one_line(error), known_views) from error
        except duckdb.OutOfMemoryException as error:
            memory = limits.get("memory_limit", MEMORY)
            spent = f"takes more than {memory} of memory and {SPILL} of temporary files"
            raise UsageError("query", spent, "request fewer rows or columns at once") from error
        except duckdb.PermissionException as error:
            raise UsageError("query", _one_line(error), "use the views; nothing else can be read") from error
        except duckdb.Error as error:
            if not isinstance(error, duckdb.ParserException | duckdb.BinderException):
                _read_everything(dataset, runs)
            raise UsageError("query", _one_line(error), "see https://duckdb.org/docs/sql") from error


@contextmanager
def in_time(
    connection: Connection, seconds: float, mend: str, clock: Callable[[], float] = time.process_time
) -> Iterator[None]:
    """Interrupt a statement after ``seconds`` of processor time, which a thread checks regularly.

    Raises:
        UsageError: the time was spent; the message ends in ``mend``.
    """
    until, done, spent = clock() + seconds, threading.Event(), threading.Event()

    def watch() -> None:
        while not done.wait(MOMENT):
            if clock() > until:
                spent.set()
                connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except duckdb.Error as error:
        if not spent.is_set():
            raise
        problem = f"takes more than {seconds:.0f} s of processor time"
        raise UsageError("query", problem, mend) from error
    finally:
        done.set()
        watcher.join()


def _limited(batches: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a result; raise a UsageError if they exceed the limit."""
    size = 0
    for batch in batches:
        size += batch.nbytes
        if size > ANSWER_MEBIBYTES * 2**20:
            problem = f"the answer is larger than {ANSWER_MEBIBYTES} MiB"
            raise UsageError("query", problem, "add a LIMIT, or use `orrery export`")
        yield batch


def _spill_folder() -> str:
    """Return the folder for temporary files of DuckDB."""
    return os.path.join(tempfile.gettempdir(), f"orrery-spill-{os.getpid()}")


def _suggest_views(dataset: Path, sql: str, runs: Runs, files: Files) -> str:
    """Return a hint for an unknown table: the available views."""
    whole = [name for name in views(dataset, runs) if not name.endswith(_OF_SPLITS)]
    listed = f"views: {', '.join([*files, *whole])}; and each with _train, _validation or _test"
    no_run = SCORES in sql.lower() and not runs
    return f"'{SCORES}' is there once `orrery eval` ran; {listed}" if no_run else listed


def _add_own(connection: Connection, files: Files) -> None:
    """Create the views of the user's files."""
    for name, path in files.items():
        try:
            connection.execute(f'CREATE VIEW "{name}" AS {select_of(connection, path)}')
        except duckdb.Error as error:
            raise UsageError(f"--with {path}", f"cannot be read: {_one_line(error)}") from error


def _read_everything(dataset: Path, runs: Runs) -> None:
    """Raise an OrreryError in place of the current error if a damaged file caused it."""
    for by_split in shards.splits(dataset).values():
        for path in chain.from_iterable(by_split.values()):
            deque(shards.read_rows(path), maxlen=0)
    for path in runs.values():
        try:
            deque(shards.read_rows(path), maxlen=0)
        except OrreryError as error:
            raise OrreryError(error.where, error.problem, "delete it and run `orrery eval` again") from error


def _named(views: dict[str, str], sql: str) -> dict[str, str]:
    """Return the views that a statement may use."""
    statement = sql.lower()
    named = {name: select for name, select in views.items() if name.lower() in statement}
    return named if named and not any(word in statement for word in _CATALOG) else views


def _files(dataset: Path, runs: Runs) -> Iterator[Path]:
    """Yield the files that the views read."""
    for folder in (shards.DATA, shards.VIEWS):
        for by_split in shards.splits(dataset, folder).values():
            yield from chain.from_iterable(by_split.values())
    yield from runs.values()


def _parquet(paths: list[Path]) -> str:
    return f"read_parquet({_literals(paths)})"


def _literals(paths: list[Path]) -> str:
    return f"[{', '.join(literal(str(path.resolve())) for path in paths)}]"


def _only_reading(connection: Connection, sql: str) -> duckdb.Statement:
    """Return the single statement; raise a UsageError unless DuckDB's parser classifies it as SELECT.

    EXPLAIN is refused, because EXPLAIN ANALYZE executes its statement, for example a COPY to a file.
    """
    statements = connection.extract_statements(sql)
    if len(statements) == 1 and statements[0].type == duckdb.StatementType.MULTI:
        statements = _as_subquery(connection, sql)
    if len(statements) != 1 or statements[0].type not in _READING:
        raise UsageError("query", "only one reading statement is allowed", "such as SELECT or PIVOT")
    return statements[0]


_READING = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)


def _as_subquery(connection: Connection, sql: str) -> list[duckdb.Statement]:
    """Return a statement with a PIVOT as a subquery; nothing if it is not a query.

    DuckDB classifies every statement with a PIVOT as MULTI, also COPY or INSERT, which are no subqueries.
    """
    try:
        return connection.extract_statements(f"FROM ({sql.rstrip().removesuffix(';')}\n)")
    except duckdb.ParserException:
        return []


def _one_line(error: duckdb.Error) -> str:
    return " ".join(str(error).split())
