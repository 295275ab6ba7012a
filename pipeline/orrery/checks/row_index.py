"""An index of the rows that belong to each problem, by their numbers in the files, for ``validate``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.checks import family_checks
from orrery.checks.inputs import CheckInputs
from orrery.config import Settings
from orrery.families import families
from orrery.seeds import stream
from orrery.store.kinds import Schema, key_columns, table_name
from orrery.store.lookup import RowSource
from orrery.store.shards import read, shards

PROBLEMS = "problems"  # the table whose rows the others belong to
DECIDED_AGAIN = 0.02  # of the problems of costly families, at least so many are left to a planner
TOGETHER = 40  # problems a batch; one of a costly family takes long, and comes alone
Numbers: TypeAlias = NDArray[np.int64]
_NOTHING: Numbers = np.empty(0, np.int64)

PROBLEM = r"^([^/]*/[^/]*/[^/]*).*$"


class Batch(NamedTuple):
    """Some problems and the rows that belong to them by table, by their numbers in the tables.

    ``by_planner``: Fast Downward decides the questions of these problems again, not a plain search.
    """

    problems: Numbers
    rows: Mapping[str, Numbers]
    by_planner: bool = False


class Sample(NamedTuple):
    """Problems of one domain, by their numbers, that were drawn for another tool."""

    problems: Numbers


class Rows(NamedTuple):
    """Rows of a table that are checked one by one, by their numbers: of one domain of ours, or of others'."""

    family: str
    table: str
    numbers: Numbers


Item: TypeAlias = Batch | Sample | Rows


@dataclass(frozen=True)
class _Source:
    """A table whose rows belong to problems: its files, and the columns that are read, None all."""

    family: str
    schema: Schema
    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None

    def problems(self) -> Iterator[Any]:
        """Yield the problem of each row, a file at a time."""
        for path in self.paths:
            if "problem_id" in self.schema.names:
                yield _column([path], self.schema, "problem_id")
            else:
                yield pc.replace_substring_regex(_column([path], self.schema, "id"), PROBLEM, r"\1")

    def names(self) -> Any:
        """Return the name of each row in messages."""
        if "id" in self.schema.names:
            return _column(self.paths, self.schema, "id")
        problem, *others = (_column(self.paths, self.schema, name) for name in key_columns(self.schema))
        return pc.binary_join_element_wise(problem, table_name(self.schema), *others, "/")


@dataclass(frozen=True)
class RowIndex:
    """The rows of all tables that belong to problems; ``problems`` are the ids of these.

    ``of`` gives, by table, the number of each row's problem, -1 for none; another tool also
    checks ``share`` of the problems.
    """

    inputs: CheckInputs
    share: float
    problems: Any
    sources: Mapping[str, _Source]
    of: Mapping[str, Numbers]

    @classmethod
    def of_build(cls, settings: Settings) -> RowIndex:
        """Return the index of a build.

        Raise OrreryError naming a file that is damaged or of another version.
        """
        dataset = settings.outputs / "dataset"
        sources = _sources(settings, dataset)
        own = sources.pop(PROBLEMS)
        problems = own.names()
        inputs = CheckInputs(
            settings.root,
            dataset,
            settings.domains,
            settings.seed,
            settings.size.check.seconds,
            RowSource(own.paths),
            {table: RowSource(source.paths, source.columns) for table, source in sources.items()}
            | {table: RowSource(tuple(shards(dataset, table))) for table in _alone()},
        )
        of = {
            table: np.concatenate([_NOTHING, *(_places(names, problems) for names in source.problems())])
            for table, source in sources.items()
        }
        return cls(inputs, settings.size.check.planner_share, problems, sources, of)

    def dangling(self) -> Iterator[str]:
        """Yield the rows whose problem is not published."""
        for table, places in self.of.items():
            if (places < 0).any():
                for name in self.sources[table].names().filter(pa.array(places < 0)).to_pylist():
                    yield f"{name}: its problem is not published"

    def items(self) -> list[Item]:
        """Return the work items: samples for other planners, rows to check one by one, batches of problems.

        The other tools take memory of their own, so they come while the workers are still small.
        """
        return [*self._samples(), *self._rows(), *self._batches()]

    def describe(self, item: Item) -> str:
        """Return the name of an item in messages: its table, or its first problem and their number."""
        if isinstance(item, Rows):
            return f"{item.table}, row {item.numbers[0]} and {len(item.numbers) - 1} more"
        first = self.problems[int(item.problems[0])]
        return f"{first}{f' and {len(item.problems) - 1} more' if len(item.problems) > 1 else ''}"

    def _rows(self) -> Iterator[Rows]:
        """Yield the rows to be checked one by one, those of each domain of ours together."""
        for name, checks in family_checks().items():
            for table in families()[name].tables if checks.row else ():
                domains = _column(self.inputs.rows[table.name].paths, table.schema, "domain")
                places = pc.index_in(domains, pa.array(self.inputs.domains)).fill_null(-1).to_numpy()
                for place in np.unique(places):
                    for numbers in _pieces(np.flatnonzero(places == place)):
                        yield Rows(name, table.name, numbers)

    def _samples(self) -> Iterator[Sample]:
        """Yield a sample of the problems of each domain, drawn by their names."""
        drawn: dict[str, list[int]] = {}
        for number, name in enumerate(each.as_py() for each in self.problems):
            if stream(self.inputs.seed, "validate", name).random() < self.share:
                drawn.setdefault(name.split("/")[0], []).append(number)
        for numbers in drawn.values():
            yield from map(Sample, _pieces(np.array(numbers)))

    def _batches(self) -> Iterator[Batch]:
        """Yield all problems with the rows that belong to them."""
        sorted_rows = {table: np.argsort(places, kind="stable") for table, places in self.of.items()}
        sorted_places = {table: self.of[table][rows] for table, rows in sorted_rows.items()}
        decided_again = self._decided_again()

        def rows(table: str, first: int, last: int) -> Numbers:
            bounds = np.searchsorted(sorted_places[table], [first, last + 1])
            return sorted_rows[table][slice(*bounds)]

        for first, last in self._spans():
            belonging = {table: some for table in self.of if len(some := rows(table, first, last))}
            yield Batch(np.arange(first, last + 1), belonging, first in decided_again)

    def _costly(self, *, published: bool = False) -> list[str]:
        """Return the tables of costly families, in the order of the families."""
        costly = {name for name, checks in family_checks().items() if checks.costly}
        return [
            table
            for table, source in self.sources.items()
            if source.family in costly and not (published and "id" not in source.schema.names)
        ]

    def _decided_again(self) -> set[int]:
        """Return the problems to decide again: a share, and one of each costly table and domain."""
        share, found = max(self.share, DECIDED_AGAIN), set()
        for table in self._costly(published=True):
            named: dict[str, int] = {}
            for place in np.unique(self.of[table][self.of[table] >= 0]).tolist():
                name = self.problems[place].as_py()
                named.setdefault(name.split("/")[0], place)
                if stream(self.inputs.seed, "validate", name, "planner").random() < share:
                    found.add(place)
            found |= set(named.values())
        return found

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last problem of each batch, all of one domain."""
        costly = np.concatenate([_NOTHING, *(self.of[table] for table in self._costly())])
        alone = np.unique(costly[costly >= 0])
        domains = pc.replace_substring_regex(self.problems, "/.*", "").dictionary_encode().indices
        changes = np.flatnonzero(np.diff(domains.to_numpy())) + 1
        ends = {*alone.tolist(), *(alone + 1).tolist(), *changes.tolist()}
        bounds = sorted({0, len(self.problems)} | ends)
        for first, end in pairwise(bounds):
            for start in range(first, end, TOGETHER):
                yield start, min(end, start + TOGETHER) - 1


def _alone() -> list[str]:
    """Return the tables whose rows are checked one by one."""
    return [
        table.name
        for name, checks in family_checks().items()
        if checks.row
        for table in families()[name].tables
    ]


def _sources(settings: Settings, dataset: Path) -> dict[str, _Source]:
    """Return the tables of the families whose rows belong to problems, and what is read beside them."""
    found: dict[str, _Source] = {}
    for name, checks in family_checks().items():
        if checks.problem is None:
            continue
        family = families()[name]
        for table in family.tables:
            found[table.name] = _Source(name, table.schema, tuple(shards(dataset, table.name)))
        schemas = {table_name(schema): schema for schema in family.intermediate}
        for made, (stage, *columns) in checks.beside.items():
            paths = (settings.outputs / stage / domain / f"{made}.parquet" for domain in settings.domains)
            wanted = ("problem_id", *columns) if columns else None
            found[made] = _Source(name, schemas[made], tuple(paths), wanted)
    return found


def _pieces(numbers: Numbers) -> Iterator[Numbers]:
    """Yield numbers as many at a time as an item has."""
    return (numbers[start : start + TOGETHER] for start in range(0, len(numbers), TOGETHER))


def _column(paths: Sequence[Path], schema: Schema, name: str) -> Any:
    """Return one column of all files."""
    found = [read(path, schema, [name]).column(name) for path in paths]
    return pa.concat_arrays(
        [chunk for column in found for chunk in column.chunks] or [pa.array([], pa.string())]
    )


def _places(names: Any, among: Any) -> Numbers:
    """Return the index of each name among others, -1 where it is missing."""
    found: Numbers = pc.fill_null(pc.index_in(names, among), -1).to_numpy(zero_copy_only=False)
    return found.astype(np.int64)
