"""Which published rows belong to which problem, by their numbers in the files: what ``validate`` goes by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.catalog import entry_of
from orrery.checks.labels import name_of
from orrery.checks.problem_rows import STAGE, Batch, CheckInputs, ExternalCheck
from orrery.config import Settings
from orrery.families import families, tables
from orrery.families.questions.states import STATES as STATE_SCHEMA
from orrery.families.text_to_pddl.schemas import TEXTS as RENDERED
from orrery.seeds import stream
from orrery.store.kinds import Schema
from orrery.store.lookup import RowSource
from orrery.store.shards import read, shards

Numbers: TypeAlias = NDArray[np.int64]

ASKED_AGAIN = 0.02  # of the problems asked about, at least so many are left to Fast Downward
TOGETHER = 40  # problems a batch; one that questions are asked about takes long, and comes alone
TEXTS, STATES = "text_to_pddl", "states"
EXPLICIT = "/explicit-explicit"
PROBLEM = r"^([^/]*/[^/]*/[^/]*).*$"
PARTS = ("problem_id", "mixture", "init_text", "goal_text")
NAMING = ("problem_id", "mixture", "vocabulary", "paraphrase")


@dataclass(frozen=True)
class RowIndex:
    """The rows of all tables; ``of`` gives, by table, the number of each row's problem, -1 for none.

    ``problems`` and ``names`` are their ids; ``made`` gives the rendered text behind each published one;
    ``share`` of the problems are told to another tool.
    """

    desk: CheckInputs
    share: float
    problems: Any
    names: Mapping[str, Any]
    of: Mapping[str, Numbers]
    made: Numbers

    @classmethod
    def of_build(cls, settings: Settings) -> RowIndex:
        """The index of a build; raises OrreryError naming a file that is damaged or of another version."""
        dataset, outputs = settings.outputs / "dataset", settings.outputs
        files = {table: shards(dataset, table) for table in tables()}
        made = [outputs / "texts" / name / "texts.parquet" for name in settings.domains]
        decided = [outputs / "solutions" / name / "states.parquet" for name in settings.domains]
        desk = CheckInputs(
            settings.root,
            settings.seed,
            settings.size.check.seconds,
            problems=RowSource(tuple(files["problems"])),
            texts=RowSource(tuple(files[TEXTS])),
            made=RowSource(tuple(made), PARTS),
            states=RowSource(tuple(decided)),
            questions={name: RowSource(tuple(files[name])) for name in _questions()},
        )
        names = {table: _column(paths, tables()[table].schema, "id") for table, paths in files.items()}
        asked = {name: _column(files[name], tables()[name].schema, "problem_id") for name in _questions()}
        asked[STATES] = _column(decided, STATE_SCHEMA, "problem_id")
        asked[TEXTS] = pc.replace_substring_regex(names[TEXTS], PROBLEM, r"\1")
        problems = names.pop("problems")
        names[STATES] = pc.binary_join_element_wise(
            asked[STATES], _column(decided, STATE_SCHEMA, "state_id"), "/states/"
        )
        of = {table: _places(named, problems) for table, named in asked.items()}
        return cls(
            desk,
            settings.size.check.planner_share,
            problems,
            names,
            of,
            _places(names[TEXTS], _rendered(made)),
        )

    def dangling(self) -> Iterator[str]:
        """Rows of problems that are not published, and problems without an explicit text."""
        for table, places in self.of.items():
            for name in self.names[table].filter(pa.array(places < 0)).to_pylist():
                yield f"{name}: its problem is not published"
        explicit = pc.ends_with(self.names[TEXTS], EXPLICIT).to_numpy(zero_copy_only=False)
        told = self.of[TEXTS][explicit]
        lacking = np.setdiff1d(np.arange(len(self.problems)), told)
        for name in self.problems.take(pa.array(lacking)).to_pylist():
            if entry_of(self.desk.root, name.split("/")[0]).description.texts:
                yield f"{name}: has no explicit text"

    def batches(self) -> list[Batch]:
        """All problems with the rows that belong to them."""
        sorted_rows = {table: np.argsort(places, kind="stable") for table, places in self.of.items()}
        sorted_places = {table: self.of[table][rows] for table, rows in sorted_rows.items()}
        sample = self._sample()

        def rows(table: str, first: int, last: int) -> Numbers:
            bounds = np.searchsorted(sorted_places[table], [first, last + 1])
            return sorted_rows[table][slice(*bounds)]

        return [
            Batch(
                np.arange(first, last + 1),
                texts := rows(TEXTS, first, last),
                self.made[texts],
                rows(STATES, first, last),
                {table: rows(table, first, last) for table in _questions()},
                first in sample,
            )
            for first, last in self._spans()
        ]

    def _sample(self) -> set[int]:
        """Problems whose questions Fast Downward decides again: a share, and one of each table and domain."""
        share, found = max(self.share, ASKED_AGAIN), set()
        for table in _questions():
            named: dict[str, int] = {}
            for place in np.unique(self.of[table][self.of[table] >= 0]).tolist():
                name = self.problems[place].as_py()
                named.setdefault(name.split("/")[0], place)
                if stream(self.desk.seed, STAGE, name, "planner").random() < share:
                    found.add(place)
            found |= set(named.values())
        return found

    def _spans(self) -> Iterator[tuple[int, int]]:
        """First and last problem of each batch."""
        alone = set(np.unique(np.concatenate([self.of[table] for table in (STATES, *_questions())])).tolist())
        first = 0
        for number in range(len(self.problems)):
            if number in alone and first < number:
                yield first, number - 1
                first = number
            if number in alone or number - first == TOGETHER - 1:
                yield first, number
                first = number + 1
        if first < len(self.problems):
            yield first, len(self.problems) - 1

    def retellings(self) -> list[ExternalCheck]:
        """A sample of the problems, drawn by their names, of each domain apart."""
        drawn: dict[str, list[int]] = {}
        for number, name in enumerate(self.problems.to_pylist()):
            if stream(self.desk.seed, STAGE, name).random() < self.share:
                drawn.setdefault(name.split("/")[0], []).append(number)
        return [
            ExternalCheck(np.array(numbers[start : start + TOGETHER]))
            for numbers in drawn.values()
            for start in range(0, len(numbers), TOGETHER)
        ]

    def describe(self, item: Batch | ExternalCheck) -> str:
        """An item in messages: its first problem, and how many there are."""
        first = self.problems[int(item.problems[0])]
        return f"{first}{f' and {len(item.problems) - 1} more' if len(item.problems) > 1 else ''}"


def _questions() -> list[str]:
    return [table.name for table in families()["questions"].tables]


def _column(paths: Sequence[Path], schema: Schema, name: str) -> Any:
    """A column of all files together."""
    found = [read(path, schema, [name]).column(name) for path in paths]
    return pa.concat_arrays(
        [chunk for column in found for chunk in column.chunks] or [pa.array([], pa.string())]
    )


def _places(names: Any, among: Any) -> Numbers:
    """The place of each name among others, -1 for one that is not there."""
    found: Numbers = pc.fill_null(pc.index_in(names, among), -1).to_numpy(zero_copy_only=False)
    return found.astype(np.int64)


def _rendered(paths: Sequence[Path]) -> Any:
    """The ids of the rendered texts, in their order."""
    columns = (read(path, RENDERED, list(NAMING)) for path in paths)
    parts = ([table.column(name).to_pylist() for name in NAMING] for table in columns)
    return pa.array([name_of(*values) for lists in parts for values in zip(*lists, strict=True)], pa.string())
