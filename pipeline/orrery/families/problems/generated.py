"""The generated problems of a domain: what is accepted, in which split it lies, and its number there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orrery.catalog import Entry
from orrery.config import Settings
from orrery.families.problems.candidates import ProblemCandidate, StoredRecord, candidate_row, from_files
from orrery.families.problems.named import ProblemNamer, named
from orrery.families.problems.quotas import FROM_FILE, Draw, is_held_out, quotas, split_of
from orrery.families.problems.sampler import Sampler
from orrery.families.problems.schemas import CANDIDATES, GENERATED_PROBLEMS
from orrery.model import OrreryError
from orrery.store.columns import Table, checked_array, from_arrays, from_rows

PIECE = 1000  # problems at a time
KEPT = (
    "init_parameters", "goal_parameters", "problem_pddl", "num_objects", "init_num_propositions",
    "goal_num_propositions", "goal_holds_initially", "strict_key", "loose_key",
)  # fmt: skip


class _Accepted(NamedTuple):
    """A problem that is accepted, its split, and its number there."""

    candidate: ProblemCandidate
    split: str
    number: int


def generated_tables(
    settings: Settings, entry: Entry, sampler: Sampler, counts: Counter[str]
) -> Iterator[Table]:
    """Yield the rows of the accepted problems; ``counts`` numbers those of each split.

    Raises:
        OrreryError: not one problem is accepted.
    """
    accepted = _numbered(settings, entry, sampler, counts)
    namer = ProblemNamer(entry, settings.seed)
    while some := list(islice(accepted, PIECE)):
        yield _table(namer, some)


def _numbered(
    settings: Settings, entry: Entry, sampler: Sampler, counts: Counter[str]
) -> Iterator[_Accepted]:
    for candidate in _accepted(settings, entry, sampler):
        assert candidate.record is not None
        held = _held_out(settings, entry, candidate)
        split = "test" if held else split_of(entry, settings.size, candidate.record.loose_key)
        yield _Accepted(candidate, split, counts[split])
        counts[split] += 1


def _table(namer: ProblemNamer, accepted: Sequence[_Accepted]) -> Table:
    """Return the rows of accepted problems."""
    domain, splits = namer.entry.name, [split for _, split, _ in accepted]
    draws = [each.candidate.draw for each in accepted]
    kinds = {draw[:-1]: place for place, draw in enumerate(draws)}
    said = _columns_of([draws[place] for place in kinds.values()])
    of = {kind: number for number, kind in enumerate(kinds)}
    kind = pa.array([of[draw[:-1]] for draw in draws], pa.int64())
    columns = {name: array.take(kind) for name, array in said.items()}
    numbers: dict[str, Sequence[Any]] = {
        "problem_id": [f"{domain}/{split}/{number:06d}" for _, split, number in accepted],
        "domain": [domain] * len(accepted),
        "split": splits,
        "index": [number for _, _, number in accepted],
    }
    columns |= {name: checked_array(GENERATED_PROBLEMS, name, values) for name, values in numbers.items()}
    drawn = pa.array([draw.number for draw in draws], pa.int64()).cast(pa.string())
    columns["seed_path"] = pc.binary_join_element_wise(columns["seed_path"], drawn, "/")
    columns |= _records([each.candidate for each in accepted])
    columns |= named(namer, splits, columns["seed_path"].to_pylist(), columns)
    return from_arrays(GENERATED_PROBLEMS, columns)


def _columns_of(draws: Sequence[Draw]) -> dict[str, Any]:
    """Return what the rows of draws say of their tasks and difficulties; of the seed path all but its end."""
    tasks = [draw.task for draw in draws]
    said: dict[str, Sequence[Any]] = {
        "task": [task.name for task in tasks],
        "init_configuration": [task.init for task in tasks],
        "goal_configuration": [task.goal for task in tasks],
        "tied": [task.tied for task in tasks],
        "strict": [task.strict for task in tasks],
        "difficulty": [draw.difficulty for draw in draws],
        "seed_path": ["/".join(draw.seed_path[:-1]) for draw in draws],
    }
    return {name: checked_array(GENERATED_PROBLEMS, name, values) for name, values in said.items()}


def _records(candidates: Sequence[ProblemCandidate]) -> dict[str, Any]:
    """Return what is stored of the problems of candidates, by column."""
    tables: dict[int, Table] = {}
    starts: dict[int, int] = {}
    places, rows = [], 0
    for candidate in candidates:
        record = candidate.record
        if isinstance(record, StoredRecord):
            table, place = record.table, record.place
        else:
            table, place = from_rows(CANDIDATES, [candidate_row(candidate)]), 0
        if id(table) not in tables:
            tables[id(table)], starts[id(table)] = table.select(KEPT), rows
            rows += table.num_rows
        places.append(starts[id(table)] + place)
    whole = pa.concat_tables(tables.values()).combine_chunks().take(pa.array(np.array(places, np.int64)))
    explicit = [candidate.record.explicit_only if candidate.record else 0 for candidate in candidates]
    found = {name: whole[name] for name in KEPT}
    return found | {"explicit_only": checked_array(GENERATED_PROBLEMS, "explicit_only", explicit)}


def _accepted(settings: Settings, entry: Entry, sampler: Sampler) -> Iterator[ProblemCandidate]:
    """Yield the accepted candidates, held-out ones first: loose keys they share belong to the test split."""
    given = from_files(entry)
    held = [each for each in given if _held_out(settings, entry, each)]
    apart, others = quotas(entry, settings.size, settings.held_out)
    accepted = chain(
        sampler.given(held, held_out=True),
        sampler.drawn(apart, held_out=True),
        sampler.given((each for each in given if each not in held), held_out=False),
        sampler.drawn(others, held_out=False),
    )
    if (first := next(accepted, None)) is not None:
        yield first
    elif len(sampler.rejected):
        raise _none_made(entry, sampler)
    yield from accepted


def _held_out(settings: Settings, entry: Entry, candidate: ProblemCandidate) -> bool:
    return is_held_out(entry, candidate.draw.task, settings.size, settings.held_out)


def _none_made(entry: Entry, sampler: Sampler) -> OrreryError:
    """Return the error that says why there is not one problem, by the first rejected candidate."""
    first = next(iter(sampler.rejected))
    why = ": ".join(filter(None, [first.reason, first.detail]))
    if first.draw.task == FROM_FILE:
        where, mend = entry.problem_files[first.draw.number], "mend it, or add another problem"
    else:
        where, mend = entry.generator_file, f"mend it, or the limits in {entry.folder / 'domain.yaml'}"
    problem = f"not one problem of {len(sampler.rejected)} can be used; the first: {why}"
    return OrreryError(str(where), problem, mend)
