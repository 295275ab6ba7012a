"""Make the rows of the accepted problems of a domain: splits, numbers, and names of their objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from orrery.catalog import Entry
from orrery.config import Settings
from orrery.language.names import renamed
from orrery.model import Generated, OrreryError
from orrery.pddl.write import parse_problem, write_problem
from orrery.problems.candidates import ProblemCandidate, candidates_from_files, ladder_candidates
from orrery.problems.quotas import FROM_FILE, LADDER, is_held_out, quotas, split_of
from orrery.problems.sampler import Sampler
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.store.columns import Table, from_rows
from orrery.store.kinds import as_json

ROWS_AT_A_TIME = 1000


def generated_tables(
    settings: Settings, entry: Entry, sampler: Sampler, counts: Counter[str]
) -> Iterator[Table]:
    """Yield the rows of the accepted problems; ``counts`` counts those of each split.

    Raises:
        OrreryError: no problem is accepted.
    """
    rows = _rows(settings, entry, sampler, counts)
    while batch := list(islice(rows, ROWS_AT_A_TIME)):
        yield from_rows(GENERATED_PROBLEMS, batch)


def _rows(
    settings: Settings, entry: Entry, sampler: Sampler, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the accepted problems, with names for their objects."""
    for candidate in _accepted(settings, entry, sampler):
        assert candidate.record is not None
        held_out = _is_held_out(settings, entry, candidate)
        split = "test" if held_out else split_of(entry, settings.size, candidate.record.loose_key)
        row = candidate.row(split, counts[split]) | {"seen": settings.composed.get(entry.name, "")}
        yield named(entry, settings.seed, row)
        counts[split] += 1


def named(entry: Entry, seed: int, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a generated problem with drawn names for its objects, and the source of the names."""
    problem = parse_problem(row["problem_pddl"])
    objects = entry.name_pools.kinded(problem.objects, problem.init)
    names = entry.names_of(objects, row["split"], seed, row["seed_path"])
    source = entry.name_pools.source_of([names.get(typed.name, typed.name) for typed in objects])
    if not names:
        return {**row, "names": source}
    parameters = (json.loads(row[side]) for side in ("init_parameters", "goal_parameters"))
    generated = renamed(Generated(problem, FROM_FILE, *parameters), names)
    return {
        **row,
        "names": source,
        "problem_pddl": write_problem(generated.problem),
        "init_parameters": as_json(generated.init_parameters),
        "goal_parameters": as_json(generated.goal_parameters),
    }


def _accepted(settings: Settings, entry: Entry, sampler: Sampler) -> Iterator[ProblemCandidate]:
    """Yield the accepted candidates, held-out ones first, as shared loose keys belong to the test split."""
    from_files = candidates_from_files(entry)
    held_out = [candidate for candidate in from_files if _is_held_out(settings, entry, candidate)]
    free = [candidate for candidate in from_files if candidate not in held_out]
    quotas_held_out, quotas_free = quotas(entry, settings.size, settings.held_out)
    long_plans = ladder_candidates(entry, settings.size.pose.bands, settings.seed)
    accepted = chain(
        sampler.accepted([*held_out, *long_plans], held_out=True),
        sampler.drawn(quotas_held_out, held_out=True),
        sampler.accepted(free, held_out=False),
        sampler.drawn(quotas_free, held_out=False),
    )
    if (first := next(accepted, None)) is not None:
        yield first
    elif sampler.rejected:
        raise _none_accepted(entry, sampler)
    yield from accepted


def _is_held_out(settings: Settings, entry: Entry, candidate: ProblemCandidate) -> bool:
    return candidate.draw.task == LADDER or is_held_out(
        entry, candidate.draw.task, settings.size, settings.held_out
    )


def _none_accepted(entry: Entry, sampler: Sampler) -> OrreryError:
    """Return the error for a domain without accepted problems; it names the first rejected candidate."""
    first = min(sampler.rejected, key=lambda candidate: candidate.draw)
    why = ": ".join(filter(None, [first.reason, first.detail]))
    if first.draw.task == FROM_FILE:
        place, mend = entry.problem_files[first.draw.number], "correct the file, or add another problem"
    else:
        place, mend = (
            entry.generator_file,
            f"correct the generator, or the limits in {entry.folder / 'domain.yaml'}",
        )
    problem = f"none of {len(sampler.rejected)} problems can be used; the first: {why}"
    return OrreryError(str(place), problem, mend)
