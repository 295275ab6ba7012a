"""The table ``problems``: generated problems joined with their solutions, in pieces, by columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Family
from orrery.families import Table as PublishedTable
from orrery.model import OrreryError
from orrery.pddl.write import write_domain
from orrery.problems.schemas import GENERATED_PROBLEMS, PROBLEMS, REJECTS, SOLUTIONS
from orrery.store.columns import Table, from_arrays
from orrery.store.shards import read_batches

PIECE = 1000  # problems per piece
# Columns that a published table takes from problems or solutions, by their names there.
FROM_PROBLEM = {
    **{name: name for name in ("domain", "task", "difficulty", "problem_pddl", "num_objects")},
    **{
        name: name
        for name in ("init_num_propositions", "goal_num_propositions", "seed_path", "names", "seen")
    },
    **{name: name for name in ("strict_key", "loose_key", "problem_id")},
    "init": "init_configuration",
    "goal": "goal_configuration",
}
FROM_SOLUTION = ("plan", "plan_cost", "horizon", "planner", "planner_version", "solvable")

Arrays: TypeAlias = dict[str, Any]


def problem_rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a split, domain by domain; always all columns."""
    for name in settings.all_domains:
        for problems, solutions in solved_problems(settings, name):
            chosen = pc.equal(problems["split"], split)
            problems, solutions = problems.filter(chosen), solutions.filter(chosen)
            grounded = {column: solutions[column] for column in ("num_facts", "num_actions", "num_states")}
            common = problem_columns(settings, name, problems, solutions)
            yield from_arrays(PROBLEMS, {**common, "id": problems["problem_id"], **grounded})


def solved_problems(settings: Settings, name: str) -> Iterator[tuple[Table, Table]]:
    """Yield the problems of a domain with their solutions; the rows correspond.

    Raises:
        OrreryError: the solutions belong to other problems.
    """
    path = _path(settings, "solutions", name)
    solutions = read_batches(path, SOLUTIONS, size=PIECE)
    for problems in read_batches(_path(settings, "problems", name), GENERATED_PROBLEMS, size=PIECE):
        solved = next(solutions, None)
        if solved is None or not solved["problem_id"].equals(problems["problem_id"]):
            raise OrreryError(str(path), "has solutions for other problems", "run `dvc repro`")
        yield problems, solved


def of_split(rows: Table, name: str, split: str) -> Table:
    """Return the rows on problems of a split of a domain, by the ids of problems."""
    return rows.filter(pc.starts_with(rows["problem_id"], f"{name}/{split}/"))


def _path(settings: Settings, stage: str, name: str) -> Path:
    """Return the main table of a stage; it has the name of the stage's folder."""
    return settings.outputs / stage / name / f"{stage}.parquet"


def problem_columns(settings: Settings, name: str, problems: Table, solutions: Table) -> Arrays:
    """Return the common columns of all published tables on problems of the domain ``name``."""
    domain_pddl = write_domain(entry_of(settings.root, name).domain)
    lower, upper = (pc.struct_field(solutions["horizon"], bound) for bound in ("lower", "upper"))
    is_shortest = pc.fill_null(pc.equal(lower, upper), False)
    return {
        **{column: problems[source_column] for column, source_column in FROM_PROBLEM.items()},
        **{column: solutions[column] for column in FROM_SOLUTION},
        # The result is JSON with sorted keys.
        "parameters": pc.binary_join_element_wise(
            '{"goal":', problems["goal_parameters"], ',"init":', problems["init_parameters"], "}", ""
        ),
        "domain_pddl": pa.repeat(domain_pddl, problems.num_rows),
        "plan_optimal": is_shortest,
        "h_star": pc.if_else(is_shortest, lower, pa.scalar(None, pa.int32())),
    }


FAMILY = Family(
    tables=(PublishedTable(PROBLEMS, problem_rows, apart=("strict_key", "loose_key")),),
    intermediate=(GENERATED_PROBLEMS, REJECTS, SOLUTIONS),
)
