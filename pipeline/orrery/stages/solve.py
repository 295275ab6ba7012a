"""Stage ``solve``: plans of all problems, and for some problems all proven results on several states.

The outputs in ``outputs/solutions/<domain>`` are ``solutions`` (one row per problem) and ``solved_states``
(one row per state with questions).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from orrery.catalog import entry_of
from orrery.config import Settings, SolveSize
from orrery.families.questions.deciding import (
    BEYOND,
    SolvedSize,
    barred,
    choose,
    decide_problem,
    is_small,
    more_wanted,
    only_examples,
    plan_states,
)
from orrery.families.questions.states import STATES
from orrery.model import Row
from orrery.parts import Tables, map_parts
from orrery.pddl.read import read_problem
from orrery.planning.grounding import Grounder
from orrery.planning.plans import Solver
from orrery.problems.horizon import horizon_of
from orrery.problems.schemas import GENERATED_PROBLEMS, SOLUTIONS
from orrery.problems.solutions import solution_row
from orrery.stages.inputs import parts_of
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table, from_rows
from orrery.store.lookup import RowSource, Span
from orrery.store.shards import count, read_batches, read_rows, write_tables
from orrery.workers import ALONE, Workers

STAGE = "solve"
SCHEMAS = (SOLUTIONS, STATES)
# Problems per part: few enough to occupy every worker, many enough to justify the files of a part.
LEAST, MOST, PARTS = 4, 100, 40
MORE = 2  # number of further problems with planned states, relative to those with solved states, per split
TOGETHER = 2  # problems per part with solved states, which take much longer
READ = ("problem_id", "problem_pddl")

Solved: TypeAlias = Callable[[], Iterator[Table]]
RowPairs: TypeAlias = list[tuple[Row, Row]]
"""Rows of problems, each with the row of its solution."""


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Solve every problem of the domain, then prove results on states of some; undecided ones are counted.

    Finished parts are kept next to the outputs until all are complete, so that a killed run resumes.
    """
    path = settings.outputs / "problems" / name / "problems.parquet"
    parts = parts_of(settings, STAGE, name, SCHEMAS)
    solve = partial(_solve, settings.root, name, settings.size.solve)
    solved = map_parts(solve, _spans(path), parts, workers, label=f"solve {name}", describe=str)
    size = settings.size.solve
    if not entry_of(settings.root, name).description.questions:
        size = only_examples(size)
    solutions_found = partial(parts.tables, solved, "solutions")

    def map_batches(make: Callable[..., Tables], rows: RowPairs, together: int) -> list[str]:
        """Return the parts that ``make`` makes of the rows, so many ``together``."""
        batches = [rows[start : start + together] for start in range(0, len(rows), together)]
        call = partial(make, settings.root, name, settings.seed, size)
        return map_parts(call, batches, parts, workers, label=f"solve {name}: states", describe=_describe)

    chosen = _chosen(settings.root, name, path, solutions_found, size)
    decided = map_batches(_decide_all, chosen, TOGETHER)
    undecided = _problems_without_states(path, chosen, solutions_found, size)
    further_problems = more_wanted(parts.tables(decided, "solved_states"), undecided, size)
    decided += map_batches(_decide_all, further_problems, TOGETHER)
    further_ids = {row["problem_id"] for row, _ in further_problems}
    undecided = [pair for pair in undecided if size.plan_states and pair[0]["problem_id"] not in further_ids]
    planned = map_batches(_plan_all, undecided, LEAST)
    folder = settings.outputs / "solutions" / name
    better = {
        row["problem_id"]: row for table in parts.tables(decided, "solutions") for row in table.to_pylist()
    }
    solutions = _replaced(solutions_found(), better)
    write_tables(folder / "solutions.parquet", SOLUTIONS, solutions, made_from=parts.fingerprint)
    states = parts.tables([*decided, *planned], "solved_states")
    write_tables(folder / "solved_states.parquet", STATES, states, made_from=parts.fingerprint)
    parts.discard()
    return _summary(name, folder)


STEP = Step(STAGE, "solutions", SCHEMAS, run)


def _spans(problems: Path) -> list[Span]:
    """Return all problems as spans of one size."""
    total = count(problems, GENERATED_PROBLEMS)
    size = max(LEAST, min(MOST, total // PARTS))
    return list(Span(RowSource(problems, READ), range(total)).pieces(size))


def _chosen(root: Path, name: str, problems: Path, solutions: Solved, size: SolveSize) -> RowPairs:
    """Return the problems with questions, each with its solution."""
    source, grounder = RowSource(problems, READ), Grounder(entry_of(root, name).domain)

    def fits(number: int) -> bool:
        return is_small(grounder, source.rows([number]).to_pylist()[0], size.max_facts)

    rows = read_rows(problems, GENERATED_PROBLEMS, ["split", "difficulty"])
    levels = ((row["split"], row["difficulty"]) for row in rows)
    solved = (
        SolvedSize(row["solvable"], row["num_facts"])
        for table in solutions()
        for row in table.select(SolvedSize._fields).to_pylist()
    )
    numbers = choose(levels, solved, size.max_facts, size.problems_with_questions, fits)
    return list(zip(source.rows(numbers).to_pylist(), _rows(solutions(), numbers), strict=True))


def _problems_without_states(
    problems: Path, chosen: RowPairs, solutions: Solved, size: SolveSize
) -> RowPairs:
    """Return some suitable problems whose states are not solved, each with its solution."""
    if not (chosen and (size.plan_states or size.extra_problems)):
        return []
    chosen_ids = {row["problem_id"] for row, _ in chosen}
    by_split: dict[str, list[int]] = defaultdict(list)
    columns = ["problem_id", "split", "difficulty"]
    for number, row in enumerate(read_rows(problems, GENERATED_PROBLEMS, columns)):
        if row["problem_id"] not in chosen_ids and row["difficulty"] not in BEYOND:
            by_split[row["split"]].append(number)
    most = MORE * size.problems_with_questions
    numbers = sorted(
        n
        for split_numbers in by_split.values()
        for n in split_numbers[:: max(1, len(split_numbers) // most)][:most]
    )
    rows = RowSource(problems, READ).rows(numbers).to_pylist()
    pairs = zip(rows, _rows(solutions(), numbers), strict=True)
    return [pair for pair in pairs if pair[1]["num_facts"] and pair[1]["num_facts"] <= size.max_facts]


def _rows(tables: Iterator[Table], numbers: list[int]) -> Iterator[Row]:
    """Yield the rows with these ascending numbers, counted over all tables."""
    first, ascending = 0, list(numbers)
    for table in tables:
        places = [number - first for number in ascending if first <= number < first + len(table)]
        yield from table.take(places).to_pylist() if places else ()
        first += len(table)


def _describe(chosen: RowPairs) -> str:
    return "states of " + ", ".join(row["problem_id"] for row, _ in chosen)


def _replaced(tables: Iterator[Table], better: Mapping[str, Row]) -> Iterator[Table]:
    """Yield the solutions, with rows replaced by those of ``better``."""
    for table in tables:
        names = table.column("problem_id").to_pylist()
        if better.keys().isdisjoint(names):
            yield table
        else:
            rows = [better.get(row["problem_id"], row) for row in table.to_pylist()]
            yield from_rows(SOLUTIONS, rows)


def _summary(name: str, folder: Path) -> StageSummary:
    outcomes: Counter[str] = Counter()
    undecided = []
    for table in read_batches(folder / "solutions.parquet", columns=["problem_id", "outcome", "solvable"]):
        outcomes.update(table.column("outcome").to_pylist())
        undecided += [row for row in table.to_pylist() if row["solvable"] is None]
    rows = read_rows(folder / "solved_states.parquet", columns=["undecided", "planned"])
    states = [row["undecided"] for row in rows if not row["planned"]]
    return StageSummary(
        STAGE,
        name,
        {**dict(sorted(outcomes.items())), "states": len(states)},
        {"not everything about the state is decided": sum(map(bool, states))},
        tuple(
            f"{row['problem_id']}: neither solved nor proven unsolvable: {row['outcome']}"
            for row in undecided
        ),
    )


def _solve(root: Path, name: str, size: SolveSize, span: Span) -> Tables:
    """Return the rows of some problems, by table."""
    entry = entry_of(root, name)
    solver = Solver(Grounder(entry.domain), entry.planner, max_states=size.max_states, seconds=size.seconds)
    rows = []
    for row in span.rows().to_pylist():
        problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
        search = solver.find(problem)
        solution = solution_row(row["problem_id"], search)
        horizon = horizon_of(entry, solver.grounder, problem, solution, search.task)
        rows.append({**solution, "horizon": horizon})
    return {"solutions": rows}


def _decide_all(root: Path, name: str, seed: int, size: SolveSize, chosen: RowPairs) -> dict[str, list[Row]]:
    """Return the rows of the states of some problems, and the updated rows of these problems, by table."""
    entry = entry_of(root, name)
    grounder, barriers = Grounder(entry.domain), entry.description.barriers
    tables: dict[str, list[Row]] = {"solutions": [], "solved_states": []}
    for row, solution in chosen:
        solved_row, states = decide_problem(grounder, seed, size, row, solution, barriers)
        problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
        horizon = horizon_of(entry, grounder, problem, solved_row)
        tables["solutions"].append({**solved_row, "horizon": horizon})
        tables["solved_states"] += states
    return tables


def _plan_all(root: Path, name: str, seed: int, size: SolveSize, problems: RowPairs) -> dict[str, list[Row]]:
    """Return the rows of states on the plans of some problems, and of their barred states, by table."""
    entry = entry_of(root, name)
    grounder, barriers = Grounder(entry.domain), entry.description.barriers
    states = list[Row]()
    for row, solution in problems:
        planned = plan_states(grounder, seed, size.plan_states, row, solution)
        states += [*planned, *barred(grounder, seed, size, row, barriers, len(planned))]
    return {"solved_states": states}
