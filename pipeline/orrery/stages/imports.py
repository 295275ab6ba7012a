"""Published sets as Parquet, with a log of repairs or verdicts: ``outputs/imports``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from orrery.corpus.published_sets import (
    MEND_FOLDER,
    MEND_LIST,
    PROC2PDDL,
    TEXT2WORLD,
    Imported,
    proc2pddl,
    proc2pddl_folders,
    text2world,
)
from orrery.corpus.released_files import Deviation, attempt, counted
from orrery.dataset.contents import IMPORTED_FROM, write_manifest
from orrery.families import table_of
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, FILE, LOG, is_problem_left_out
from orrery.grading import RIGHT, grade
from orrery.library.judging import score
from orrery.model import OrreryError, Row
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table, batches
from orrery.store.files import replacing
from orrery.store.kinds import INT, STRING, Field, Schema, column, description, fields, table, table_name
from orrery.store.shards import ROWS_PER_GROUP, write, write_table_shards
from orrery.workers import Workers, map_items

STAGE = "import"
Published = TypeVar("Published")
Rows: TypeAlias = Mapping[str, Sequence[Row]]  # by table
SPLIT = column("split", STRING, "Split of the row")
PUBLISHED = (
    column("published_answer", STRING, "JSON: the published answer"),
    column("published_verdict", STRING, "Whether it is right by our decision, or why this is not decided"),
    column("published_detail", STRING, "What is wrong, lacking or undecided"),
    column("published_grade", STRING, "Verdict of our grader on it: right, wrong or unparsed"),
    column("file", STRING, "The file, within the imported folder"),
    column("number", INT, "Number of the row in the file, from 0"),
)
LEFT_OUT = "left out, "
NO_TEXTS: Mapping[str, str] = MappingProxyType({})
PART = 10  # rows decided together
PUBLISHED_DOMAIN = (
    column("published_answer", STRING, "The domain as released, without comments"),
    column("published_verdict", STRING, "`as released`, or `repaired` where gold_domain differs from it"),
    column("published_detail", STRING, "The repairs, and faults that remain"),
    *PUBLISHED[3:],
)


class ImportLog:
    """What was repaired or left out in imported rows, and the deviations of a folder from its layout."""

    def __init__(self) -> None:
        """Start with an empty log."""
        self._entries: list[Row] = []
        self._deviations: list[Deviation] = []

    def tell(self, place: str, problem: str) -> None:
        """Add a deviation, which belongs to no single row."""
        self._deviations.append(Deviation(place, problem))

    def add(self, row_id: str, entries: Iterable[tuple[str, str]]) -> None:
        """Add entries on a row, as pairs of item and message."""
        self._entries += [{"id": row_id, "item": item, "what": what} for item, what in entries]

    def add_rows(self, entries: Iterable[Row]) -> None:
        """Add entries on rows, as rows with ``id``, ``item`` and ``what``."""
        for entry in entries:
            self.add(entry["id"], [(entry["item"], entry["what"])])

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line for each kind of deviation, with its number."""
        return tuple(counted(self._deviations))

    def first_error(self, place: Path, mend: str) -> OrreryError:
        """Return the first entry or deviation as the error of an import without rows."""
        first = next(iter(self.rows()), {"item": str(place), "what": "has no rows"})
        return OrreryError(first["item"], first["what"], mend)

    def rows(self) -> list[Row]:
        """Return the rows of the table of repairs."""
        deviations = [{"id": "", "item": place, "what": problem} for place, problem in self._deviations]
        return self._entries + deviations

    def num_left_out(self) -> Counter[str]:
        """Return the number of rows that are left out, by reason without its details."""
        entries = [entry["what"] for entry in self._entries if entry["what"].startswith(LEFT_OUT)]
        return Counter(entry.removeprefix(LEFT_OUT).partition(":")[0] for entry in entries)


def left_out(row_id: str, place: str, reason: str) -> dict[str, list[Row]]:
    """Return the entry of the table of repairs for a row that is in no other table."""
    return {table_name(LOG): [{"id": row_id, "item": place, "what": f"{LEFT_OUT}{reason}"}]}


def imported_schema(name: str, *filled: str, own: Sequence[Field] = ()) -> Schema:
    """Return the columns ``filled`` of a published table, in its order, then those of imported rows."""
    schema = table_of(name).schema
    kept = [field.name for field in schema if field.name in filled]
    return table(name, description(schema), *fields(schema, *kept), *own, *PUBLISHED)


def verdict_on_published(replies: Iterable[str], row: Row) -> str:
    """Return the verdict of the grader on a published answer, as the replies that it accepts.

    It is the first other verdict than ``right``, if there is one. Without replies, an empty one is graded.
    """
    verdicts = [grade(reply, row).verdict for reply in [*replies] or [""]]
    return next((verdict for verdict in verdicts if verdict != RIGHT), RIGHT)


def import_decided(
    name: str,
    schemas: Sequence[Schema],
    rows: Sequence[Published],
    decide: Callable[[Published], Rows],
    out: Path,
    workers: Workers,
    files: Sequence[Path],
    describe: Callable[[Published], str],
    log: ImportLog,
    texts: Callable[[dict[str, list[Row]]], Mapping[str, str]] = lambda _: NO_TEXTS,
    **values: Any,
) -> dict[str, list[Row]]:
    """Write a dataset of the rows that ``decide`` makes of published ones; return the rows by table.

    ``decide`` returns rows by table, with the columns of ``schemas`` and their ``split``. Rows of the
    table of repairs go to the ``log``. Results are stored next to ``out`` as they are computed. A repeated
    call continues an interrupted run, if the ``files`` have the same content and the ``values`` are the same.
    The ``log`` is written as well, and so are ``texts``, by the name of their file.

    Raises:
        OrreryError: all rows are left out; nothing is written.
    """
    made_from = fingerprint(files, **values, package=package_fingerprint())
    with_split = (*(schema.append(SPLIT) for schema in schemas), LOG)
    tables = tuple(map(table_name, with_split))
    parts = Parts(out.with_name(f".parts-of-{out.name}"), with_split, made_from)
    chunks = [rows[start : start + PART] for start in range(0, len(rows), PART)]
    names = map_parts(
        partial(_decided, decide, tables),
        chunks,
        parts,
        workers,
        label=f"{STAGE} {name}",
        describe=lambda chunk: describe(chunk[0]),
    )
    decided = {
        table: [row for part in parts.tables(names, table) for row in part.to_pylist()] for table in tables
    }
    log.add_rows(decided.pop(table_name(LOG)))
    if not any(decided.values()):
        parts.discard()
        raise log.first_error(out, "name the published folder")
    write_import(name, out, by_split(schemas, decided), log, texts(decided))
    parts.discard()
    return decided


def _decided(
    decide: Callable[[Published], Rows], tables: Sequence[str], chunk: Sequence[Published]
) -> dict[str, Sequence[Row]]:
    decided = list(map(decide, chunk))
    return {table: [row for rows in decided for row in rows.get(table, ())] for table in tables}


def write_import(
    name: str,
    out: Path,
    tables: Iterable[tuple[Schema, str, Iterable[Table]]],
    log: ImportLog,
    texts: Mapping[str, str] = NO_TEXTS,
) -> None:
    """Write a dataset that is not for publication, atomically.

    ``tables`` are Arrow tables with their schema and split; ``texts`` are further files by name.
    """
    with replacing(out) as folder:
        folder.mkdir(parents=True)
        for schema, split, pieces in tables:
            write_table_shards(folder, schema, split, pieces)
        write(folder / FILE, LOG, log.rows())
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        write_manifest(folder, **{IMPORTED_FROM: name})


def by_split(schemas: Iterable[Schema], rows: Rows) -> Iterator[tuple[Schema, str, Iterable[Table]]]:
    """Yield the rows with a column ``split`` as ``write_import`` takes them."""
    for schema in schemas:
        rows_by_split: dict[str, list[Row]] = {}
        for row in rows[table_name(schema)]:
            rows_by_split.setdefault(row["split"], []).append(
                {column: row[column] for column in schema.names}
            )
        for split, listed in rows_by_split.items():
            yield schema, split, batches(schema, listed, ROWS_PER_GROUP)


def by_verdict(rows: Mapping[str, Sequence[Row]]) -> tuple[str, ...]:
    """Return one line for each table with published answers that our grader does not accept."""
    return tuple(
        f"{name}: our grader does not accept {wrong} of {len(listed)} published answers"
        for name, listed in rows.items()
        if (wrong := sum(row.get("published_grade", RIGHT) != RIGHT for row in listed))
    )


def import_proc2pddl(folder: Path, out: Path, *, with_articles: bool = False) -> StageSummary:
    """Write the rows of ``action_modeling`` from the published folders, and the log.

    Raises:
        OrreryError: no folder has a domain that can be read; nothing is written.
    """
    log = ImportLog()

    def read(path: Path) -> Imported | None:
        return attempt(partial(proc2pddl, path, log.tell, with_articles=with_articles), log.tell)

    folders = proc2pddl_folders(folder, log.tell)
    imported = [*filter(None, map_items(read, folders, label="importing", describe=lambda path: path.name))]
    if not imported:
        raise log.first_error(folder, MEND_FOLDER)
    return _write(PROC2PDDL, out, ACTION_MODELING, imported, log)


def import_text2world(path: Path, out: Path) -> StageSummary:
    """Write the rows of ``domain_modeling`` from the published file, and the log.

    Raises:
        OrreryError: the file has no row that can be read; nothing is written.
    """
    log = ImportLog()
    imported = text2world(path, log.tell)
    if not imported:
        raise log.first_error(path, MEND_LIST)
    return _write(TEXT2WORLD, out, DOMAIN_MODELING, imported, log)


def _write(
    name: str, out: Path, schema: Schema, imported: Sequence[Imported], log: ImportLog
) -> StageSummary:
    """Write the dataset."""
    for domain in imported:
        log.add(domain.row["id"], domain.log)
    table_of_rows = table_name(schema)
    own = table(table_of_rows, description(schema), *schema, *PUBLISHED_DOMAIN)
    rows = {table_of_rows: [_modelling_row(domain, table_of_rows) for domain in imported]}
    write_import(name, out, by_split([own], rows), log)
    problems = sum(len(domain.row["problems"]) for domain in imported)
    left_out = sum(is_problem_left_out(entry["item"], entry["what"]) for entry in log.rows())
    counts = {"rows": len(imported), "problems": problems, "log entries": len(log.rows())}
    licensed = sum(bool(domain.row["license"]) for domain in imported)
    notes = (
        {} if licensed == len(imported) else {"without licence, never published": len(imported) - licensed}
    )
    notes |= {f"problems left out of {problems + left_out}": left_out} if left_out else {}
    return StageSummary(STAGE, name, {**counts, **notes}, warnings=(*by_verdict(rows), *log.warnings))


def _modelling_row(domain: Imported, name: str) -> Row:
    """Return the row with the released domain, which is the published answer, its repairs and its grade."""
    published = {
        "published_answer": domain.released,
        "published_verdict": "as released" if domain.row["gold_domain"] == domain.released else "repaired",
        "published_detail": "; ".join(domain.repairs),
        "published_grade": score(domain.released, domain.row, name).verdict,
        "file": domain.file,
        "number": domain.number,
    }
    return {**domain.row, **published, "split": "test"}
