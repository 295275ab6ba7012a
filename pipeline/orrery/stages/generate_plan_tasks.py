"""Stage ``generate-plan-tasks``: plan tasks with proven answers, to ``outputs/plans/<domain>``.

States are processed in waves, until every task has the required number of rows, or no new ones. Parts
are kept until the stage is finished, so that a killed run resumes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from orrery.catalog import SPLITS
from orrery.config import Settings
from orrery.families.plans.choosing import Chosen, choose
from orrery.families.plans.posing import CANDIDATES, STAGE, pose_all, states_in_turn
from orrery.families.plans.tasks import PLANS, plan_tasks
from orrery.families.questions.asking import in_turn
from orrery.families.questions.states import (
    PROBLEM_AT,
    SOLUTION_AT,
    STATE_AT,
    STATES,
    SomeStates,
    numbered,
    with_full_states,
)
from orrery.model import Row
from orrery.parts import Parts, map_parts
from orrery.planning.barriers import BARRED
from orrery.problems.problem_keys import splits_by_key
from orrery.problems.quotas import LADDER
from orrery.problems.schemas import GENERATED_PROBLEMS, REJECTS, SOLUTIONS
from orrery.stages.inputs import parts_of
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.columns import Table, from_rows
from orrery.store.files import replacing
from orrery.store.lookup import RowSource
from orrery.store.shards import write_tables
from orrery.workers import ALONE, Workers

EACH = 12  # states per part: about two seconds of work, which a kill costs; a part has a file per table
# Tasks on problems with long plans, whose states are not enumerated.
LONG_TASKS = (
    "causality",
    "execution",
    "generalization",
    "generation",
    "replanning",
    "reuse",
    "verification",
)
FIRST = 6  # minimum number of states of each split in the first wave; each further wave has twice as many
VAIN = 2  # a task is dropped after this many waves without a new row
SCHEMAS = (*PLANS.values(), REJECTS, CANDIDATES)


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Generate every task on the states of a domain, with as many rows of each as the size allows."""
    all_states, size = _states(settings, name), settings.size.pose
    parts = parts_of(settings, STAGE, name, SCHEMAS)
    states = {
        split: [row for row in all_states.rows if row["split"] == split and row["task"] != LADDER.name]
        for split in SPLITS
    }
    long_plans = [row for row in all_states.rows if row["task"] == LADDER.name]
    owners = splits_by_key(settings.outputs / "problems" / name / "problems.parquet", name, settings.root)
    tasks_by_split = {split: tuple(plan_tasks()) for split in SPLITS if states[split] and size.rows}
    names, start, length = list[str](), 0, max(FIRST, size.rows)
    chosen = [choose(name, [], size, owners)]  # before the first wave and after each

    def posed(rows: Sequence[Row], tasks: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the parts with the rows of the tasks on some states."""
        pose = partial(with_full_states, partial(pose_all, settings.root, settings.seed, size, tasks))
        return map_parts(
            pose, replace(all_states, rows=rows).batches(EACH), parts, workers,
            label=f"generate-plan-tasks {name}", describe=partial(_describe, tasks),
        )  # fmt: skip

    while wave := [row for split in tasks_by_split for row in states[split][start : start + length]]:
        start, length = start + length, 2 * length
        names += posed(wave, tasks_by_split)
        chosen.append(choose(name, parts.tables(names, "candidates"), size, owners))
        tasks_by_split = _lacking(tasks_by_split, chosen, size.rows)
    if long_plans:
        names += posed(long_plans, {"test": LONG_TASKS})
        chosen.append(choose(name, parts.tables(names, "candidates"), size, owners))
    return _write(settings, name, parts, names, chosen[-1])


def _states(settings: Settings, name: str) -> SomeStates:
    """Return the states of a domain in the order of processing."""
    paths = {
        PROBLEM_AT: settings.outputs / "problems" / name / "problems.parquet",
        STATE_AT: settings.outputs / "solutions" / name / "solved_states.parquet",
        SOLUTION_AT: settings.outputs / "solutions" / name / "solutions.parquet",
    }
    problems = list(
        numbered(paths[PROBLEM_AT], GENERATED_PROBLEMS, ["problem_id", "domain", "split", "task"], PROBLEM_AT)
    )
    columns = ["problem_id", "state_id", "source", "planned"]
    states = [row for row in numbered(paths[STATE_AT], STATES, columns, STATE_AT) if row["source"] != BARRED]
    solutions = numbered(paths[SOLUTION_AT], SOLUTIONS, ["problem_id", "solvable", "num_states"], SOLUTION_AT)
    solved = {row["problem_id"]: row for row in solutions}
    files = {name: RowSource(path) for name, path in paths.items()}
    return SomeStates(states_in_turn(in_turn(problems, states), problems, solved), files)


def _lacking(
    tasks_by_split: Mapping[str, Sequence[str]], last: Sequence[Chosen], rows: int
) -> dict[str, tuple[str, ...]]:
    """Return, by split, the tasks that lack rows and got some in the ``last`` waves."""
    before, *_, after = (chosen.counts for chosen in last[-VAIN - 1 :])
    lacking_by_split = {}
    for split, names in tasks_by_split.items():
        cells = [(name, (f"plan_{name}", split)) for name in names]
        lacking = tuple(
            name
            for name, cell in cells
            if after[cell] < rows and (len(last) <= VAIN or before[cell] < after[cell])
        )
        if lacking:
            lacking_by_split[split] = lacking
    return lacking_by_split


def _describe(tasks_by_split: Mapping[str, Sequence[str]], states: SomeStates) -> str:
    tasks = "; ".join(f"{split}: {', '.join(names)}" for split, names in tasks_by_split.items())
    return f"{states} of {tasks}"


def _write(settings: Settings, name: str, parts: Parts, names: Sequence[str], chosen: Chosen) -> StageSummary:
    counts, reasons = dict[str, int](), Counter[str]()
    with replacing(settings.outputs / "plans" / name) as folder:
        for task, schema in PLANS.items():
            table = f"plan_{task}"
            counts[task] = write_tables(
                folder / f"{table}.parquet",
                schema,
                chosen.of(table, parts.tables(names, table)),
                made_from=parts.fingerprint,
            )
        left_out = [
            {
                "stage": STAGE, "domain": name, "item": f"{table}/{number}",
                "reason": f"{table.removeprefix('plan_')}: {rule}", "detail": "",
            }
            for (table, rule), count in sorted(chosen.left_out.items())
            for number in range(count)
        ]  # fmt: skip
        rejects = chain(parts.tables(names, "rejects"), [from_rows(REJECTS, left_out)])
        path, counted = folder / "rejects.parquet", _counted(rejects, reasons)
        write_tables(path, REJECTS, counted, made_from=parts.fingerprint)
    parts.discard()
    return StageSummary(STAGE, name, counts, dict(reasons))


STEP = Step(STAGE, "plans", (*PLANS.values(), REJECTS), run)


def _counted(rejects: Iterable[Table], reasons: Counter[str]) -> Iterator[Table]:
    """Yield tables of rejects, and count them by reason."""
    for table in rejects:
        reasons.update(table["reason"].to_pylist())
        yield table
