"""Stage ``pose``: plan tasks whose answers are proven, to ``outputs/plans/<domain>``.

States are asked about in waves, until every task has as many rows as the size says or no state is left. Parts
are kept until the stage is done, so that a killed run resumes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from orrery.catalog import SPLITS, entry_of
from orrery.config import Settings
from orrery.engine import fingerprint, map_parts
from orrery.families.plans.choosing import Chosen, choose
from orrery.families.plans.examples import splits_by_key
from orrery.families.plans.posing import CANDIDATES, STAGE, pose_all, states_in_turn
from orrery.families.plans.schemas import PLANS
from orrery.families.plans.tasks import plan_tasks
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS, SOLUTIONS
from orrery.families.questions.asking import in_turn
from orrery.families.questions.states import STATES
from orrery.stages.summary import StageSummary
from orrery.store.columns import from_rows
from orrery.store.parts import Parts
from orrery.store.shards import read_rows, replacing, write_tables

EACH = 6  # states a part
FIRST, OF_ROWS = (
    12,
    5,
)  # states of the first wave, or so many for each row; each further one has twice as many
VAIN = 2  # waves that gave a task no row, after which it is not asked again
SCHEMAS = (*PLANS.values(), REJECTS, CANDIDATES)

Row: TypeAlias = Mapping[str, Any]


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Pose every task on the states of a domain, as many rows of each as the size allows."""
    states, parts, size = _states(settings, name), _parts(settings, name), settings.size.pose
    owners = splits_by_key(settings.outputs / "problems" / name / "problems.parquet", name, settings.root)
    splits = [split for split in SPLITS if any(row["split"] == split for row in states)]
    wanted = {split: tuple(plan_tasks()) for split in splits} if size.rows else {}
    vain: Counter[tuple[str, str]] = Counter()
    made, start, length = list[str](), 0, max(FIRST, OF_ROWS * size.rows)
    chosen = choose(name, [], size, owners)
    while any(wanted.values()) and start < len(states):
        wave, start = states[start : start + length], start + length
        length *= 2
        pose = partial(pose_all, settings.root, settings.seed, size, wanted)
        batches = [wave[first : first + EACH] for first in range(0, len(wave), EACH)]
        describe = partial(_describe, wanted)
        made += map_parts(batches, pose, parts, jobs=jobs, label=f"pose {name}", describe=describe)
        before, chosen = chosen, choose(name, parts.tables(made, "candidates"), size, owners)
        wanted = _lacking(wanted, before, chosen, size.rows, vain)
    return _write(settings, name, parts, made, chosen)


def _states(settings: Settings, name: str) -> list[dict[str, Any]]:
    """Read the states of a domain in the order in which they are asked about."""
    problems = list(read_rows(settings.outputs / "problems" / name / "problems.parquet", GENERATED_PROBLEMS))
    solutions = settings.outputs / "solutions" / name
    decided = in_turn(problems, read_rows(solutions / "states.parquet", STATES))
    solved = {row["problem_id"]: row for row in read_rows(solutions / "solutions.parquet", SOLUTIONS)}
    return states_in_turn(decided, problems, solved)


def _parts(settings: Settings, name: str) -> Parts:
    """Return where finished parts are kept: under what they are made from."""
    templates, entry = settings.root / "templates", entry_of(settings.root, name)
    sources = [
        settings.outputs / "problems" / name / "problems.parquet",
        settings.outputs / "solutions" / name,
        entry.folder,
        entry.generator_file,
        templates / "plans",
        templates / "questions" / "context.j2",
        templates / "texts" / "shapes.j2",
        templates / "domains" / f"{name}.j2",
        templates / "vocabularies",
    ]
    size = settings.size.pose.model_dump(mode="json")
    made_from = fingerprint([each for each in sources if each.exists()], seed=settings.seed, size=size)
    return Parts.under(settings.unfinished / STAGE / name, made_from, SCHEMAS)


def _lacking(
    wanted: Mapping[str, Sequence[str]],
    before: Chosen,
    after: Chosen,
    rows: int,
    vain: Counter[tuple[str, str]],
) -> dict[str, tuple[str, ...]]:
    """Return by split the tasks that lack rows and that more states may give some."""
    found = {}
    for split, names in wanted.items():
        lacking = []
        for name in names:
            cell = (f"plan_{name}", split)
            vain[cell] = 0 if after.counts[cell] > before.counts[cell] else vain[cell] + 1
            if after.counts[cell] < rows and vain[cell] < VAIN:
                lacking.append(name)
        found[split] = tuple(lacking)
    return found


def _describe(wanted: Mapping[str, Sequence[str]], rows: Sequence[Row]) -> str:
    first, last = rows[0], rows[-1]
    tasks = "; ".join(f"{split}: {', '.join(names)}" for split, names in wanted.items())
    return f"{_item(first)} to {_item(last)} of {tasks}"


def _item(row: Row) -> str:
    return f"{row['problem_id']}/{row.get('state_id', 'initial')}"


def _write(settings: Settings, name: str, parts: Parts, made: Sequence[str], chosen: Chosen) -> StageSummary:
    counts = {}
    with replacing(settings.outputs / "plans" / name) as folder:
        for task, schema in PLANS.items():
            table = f"plan_{task}"
            counts[task] = write_tables(
                folder / f"{table}.parquet", schema, chosen.of(table, parts.tables(made, table))
            )
        rejects = [row for part in parts.tables(made, "rejects") for row in part.to_pylist()]
        rejects += [
            {
                "stage": STAGE, "domain": name, "item": f"{table}/{number}",
                "reason": f"{table.removeprefix('plan_')}: {rule}", "detail": "",
            }
            for (table, rule), count in sorted(chosen.left_out.items())
            for number in range(count)
        ]  # fmt: skip
        write_tables(folder / "rejects.parquet", REJECTS, [from_rows(REJECTS, rejects)])
    parts.discard()
    return StageSummary(STAGE, name, counts, dict(Counter(row["reason"] for row in rejects)))
