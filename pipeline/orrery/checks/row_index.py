"""An index of the rows that belong to each problem, by their numbers in the files, for ``validate``.

It is on the disk: in memory are the numbers of the problems at which batches begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orrery.checks import family_checks
from orrery.checks.belonging import NOTHING, Numbers, belonging
from orrery.checks.inputs import CheckInputs
from orrery.config import Settings
from orrery.families import families
from orrery.seeds import stream
from orrery.store.kinds import Schema, key_columns, table_name
from orrery.store.lookup import RowSource
from orrery.store.shards import read, read_batches, shards

PROBLEMS = "problems"  # the table whose rows the others belong to
DECIDED_AGAIN = 0.02  # of the problems of costly families, at least so many are left to a planner
TOGETHER = 40  # problems a batch; one of a costly family takes long, and comes alone
PIECE = 20_000  # rows of which names are in memory

PROBLEM = r"^([^/]*/[^/]*/[^/]*).*$"


class Batch(NamedTuple):
    """Some problems that stand together, by their numbers, and with them all rows that belong to them.

    They are of one ``domain``. ``by_planner``: Fast Downward decides the questions of these problems again,
    not a plain search.
    """

    problems: range
    domain: str = ""
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


class Batches(Sequence[Batch]):
    """The batches of all problems, each made when it is asked for: arrays hold what tells them apart."""

    def __init__(self, starts: Numbers, ends: Numbers, codes: Numbers, names: Sequence[str]) -> None:
        """Take the first problem of each batch, the one after its last, and the number of its domain."""
        self._starts, self._ends, self._codes, self._names = starts, ends, codes.astype(np.int16), names
        self._by_planner = np.zeros(len(starts), np.bool_)

    def leave_to_planner(self, first: Numbers) -> None:
        """Have the batches that begin with some problems decided by a planner."""
        self._by_planner = np.isin(self._starts, first)

    def __len__(self) -> int:
        """Return their number."""
        return len(self._starts)

    @overload
    def __getitem__(self, place: int) -> Batch: ...

    @overload
    def __getitem__(self, place: slice) -> list[Batch]: ...

    def __getitem__(self, place: int | slice) -> Batch | list[Batch]:
        """Return a batch, or some."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        problems = range(int(self._starts[place]), int(self._ends[place]))
        return Batch(problems, self._names[self._codes[place]], bool(self._by_planner[place]))


@dataclass(frozen=True)
class _Source:
    """A table whose rows belong to problems: its files, and the columns that are read, None all."""

    family: str
    schema: Schema
    paths: tuple[Path, ...]
    columns: tuple[str, ...] | None = None

    def problems(self) -> Iterator[Any]:
        """Yield the problem of each row, some at a time."""
        name = "problem_id" if "problem_id" in self.schema.names else "id"
        for column in self.column(name):
            yield column if name == "problem_id" else pc.replace_substring_regex(column, PROBLEM, r"\1")

    def column(self, name: str) -> Iterator[Any]:
        """Yield a column, some rows at a time."""
        for path in self.paths:
            for rows in read_batches(path, self.schema, [name], PIECE):
                yield rows.column(name).combine_chunks()

    def names(self, numbers: Numbers) -> Iterator[str]:
        """Yield the names of some rows in messages."""
        columns = ("id",) if "id" in self.schema.names else key_columns(self.schema)
        source = RowSource(self.paths, columns)
        for some in _pieces(numbers, PIECE):
            first, *others = (source.rows(some).column(name) for name in columns)
            if columns != ("id",):
                first = pc.binary_join_element_wise(first, table_name(self.schema), *others, "/")
            yield from first.to_pylist()


class _Runs(NamedTuple):
    """Problems of one domain that stand together: the number of the ``first``, and of the domain's name."""

    first: Numbers
    codes: Numbers
    names: Sequence[str]

    def codes_of(self, problems: Numbers) -> Numbers:
        """Return the numbers of the domains of some problems."""
        return self.codes[np.searchsorted(self.first, problems, side="right") - 1]


@dataclass(frozen=True)
class RowIndex:
    """The rows of all tables that belong to problems; ``inputs`` say which belong to which.

    ``own`` are the problems, ``sources`` the tables. Another tool also checks ``share`` of the problems.
    """

    inputs: CheckInputs
    share: float
    own: _Source
    sources: Mapping[str, _Source]

    @classmethod
    def of_build(cls, settings: Settings) -> RowIndex:
        """Return the index of a build.

        Raise OrreryError naming a file that is damaged or of another version.
        """
        dataset = settings.outputs / "dataset"
        sources = _sources(settings, dataset)
        own = sources.pop(PROBLEMS)
        inputs = CheckInputs(
            settings.root,
            dataset,
            settings.domains,
            settings.seed,
            settings.size.check.seconds,
            RowSource(own.paths),
            {table: RowSource(source.paths, source.columns) for table, source in sources.items()}
            | {table: RowSource(tuple(shards(dataset, table))) for table in _alone()},
            belonging(own.column("id"), {table: source.problems() for table, source in sources.items()}),
        )
        return cls(inputs, settings.size.check.planner_share, own, sources)

    def dangling(self) -> Iterator[str]:
        """Yield the rows whose problem is not published."""
        for table, source in self.sources.items():
            for name in source.names(self.inputs.belonging[table].lost):
                yield f"{name}: its problem is not published"

    def items(self) -> Sequence[Item]:
        """Return the work items: samples for other planners, rows to check one by one, batches of problems.

        The other tools take memory of their own, so they come while the workers are still small. The problems
        of a domain stand together, whatever their split: who checks one has loaded what the others need.
        """
        return [*self._samples(), *self._rows(), *self._batches()]

    def describe(self, item: Item) -> str:
        """Return the name of an item in messages: its table, or its first problem and their number."""
        if isinstance(item, Rows):
            return f"{item.table}, row {item.numbers[0]} and {len(item.numbers) - 1} more"
        first = self.inputs.problems.rows(item.problems[:1])["id"][0].as_py()
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
        for number, name in self._problems():
            if stream(self.inputs.seed, "validate", name).random() < self.share:
                drawn.setdefault(name.split("/")[0], []).append(number)
        for numbers in drawn.values():
            yield from map(Sample, _pieces(np.array(numbers)))

    def _batches(self) -> Batches:
        """Return all problems with the rows that belong to them."""
        alone, runs = self._of(self._costly()), self._runs()
        total = sum(map(len, self.own.column("id")))
        bounds = np.unique(np.concatenate([alone, alone + 1, runs.first, [0, total]]))
        # What stands between two bounds is cut into as many batches as it takes.
        counts = -(-np.diff(bounds) // TOGETHER)
        span = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(span)) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = bounds[span] + within * TOGETHER
        ends = np.minimum(starts + TOGETHER, bounds[span + 1])
        codes = runs.codes_of(starts)
        order = np.argsort(codes, kind="stable")
        found = Batches(starts[order], ends[order], codes[order], runs.names)
        found.leave_to_planner(self._decided_again(runs))
        return found

    def _problems(self) -> Iterator[tuple[int, str]]:
        """Yield the numbers and names of all problems."""
        return enumerate(name for names in self.own.column("id") for name in names.to_pylist())

    def _of(self, tables: Sequence[str]) -> Numbers:
        """Return the problems that rows of some tables belong to, each once, sorted."""
        places = (some for table in tables for some in self.inputs.belonging[table].places())
        return np.unique(np.concatenate([NOTHING, *places]))

    def _costly(self, *, published: bool = False) -> list[str]:
        """Return the tables of costly families, in the order of the families."""
        costly = {name for name, checks in family_checks().items() if checks.costly}
        return [
            table
            for table, source in self.sources.items()
            if source.family in costly and not (published and "id" not in source.schema.names)
        ]

    def _decided_again(self, runs: _Runs) -> Numbers:
        """Return the problems to decide again: a share, and one of each costly table and domain."""
        share = max(self.share, DECIDED_AGAIN)
        of = [self._of([table]) for table in self._costly(published=True)]
        every = np.unique(np.concatenate([NOTHING, *of]))
        numbers = (
            stream(self.inputs.seed, "validate", name, "planner").random() for name in self._names(every)
        )
        drawn = every[np.fromiter(numbers, np.float64, len(every)) < share]
        firsts = (places[np.unique(runs.codes_of(places), return_index=True)[1]] for places in of)
        return np.unique(np.concatenate([drawn, *firsts]))

    def _names(self, numbers: Numbers) -> Iterator[str]:
        """Yield the names of some problems."""
        start = 0
        for names in self.own.column("id"):
            mine = numbers[slice(*np.searchsorted(numbers, [start, start + len(names)]))]
            yield from names.take(pa.array(mine - start)).to_pylist()
            start += len(names)

    def _runs(self) -> _Runs:
        """Return which problems stand together, being of one domain."""
        domains = dict(self._domains())
        names = sorted(set(domains.values()))
        codes = [names.index(name) for name in domains.values()]
        return _Runs(np.array(list(domains), np.int64), np.array(codes, np.int64), names)

    def _domains(self) -> Iterator[tuple[int, str]]:
        """Yield the numbers of the first problems of other domains than before, with these."""
        start, last = 0, None
        for names in self.own.column("id"):
            domains = pc.replace_substring_regex(names, "/.*", "").dictionary_encode()
            codes, known = domains.indices.to_numpy(), domains.dictionary.to_pylist()
            for place in [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()] if len(codes) else ():
                if known[codes[place]] != last:
                    last = known[codes[place]]
                    yield start + place, last
            start += len(codes)


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


def _pieces(numbers: Numbers, size: int = TOGETHER) -> Iterator[Numbers]:
    """Yield numbers, as many at a time as an item has unless ``size`` says otherwise."""
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def _column(paths: Sequence[Path], schema: Schema, name: str) -> Any:
    """Return one column of all files."""
    found = [read(path, schema, [name]).column(name) for path in paths]
    return pa.concat_arrays(
        [chunk for column in found for chunk in column.chunks] or [pa.array([], pa.string())]
    )
