"""Stage ``generate-worlds``: problems to act in with dialogues, to ``outputs/worlds/<domain>``.

A world is a problem of the build whose reachable states are all known and that has a plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from orrery.catalog import SPLITS
from orrery.config import Settings
from orrery.families.drafts import Rejected
from orrery.families.problems import solved_problems
from orrery.families.worlds import FOLDER
from orrery.families.worlds.schemas import WORLD
from orrery.model import Row
from orrery.pddl.write import write_atom
from orrery.problems.horizon import searched
from orrery.seeds import stream
from orrery.stages.inputs import StageInputs
from orrery.stages.over_domains import Step
from orrery.stages.summary import StageSummary
from orrery.store.kinds import table_name
from orrery.store.shards import write
from orrery.workers import ALONE, Workers, map_items
from orrery.worlds.dialogues import expert, slip
from orrery.worlds.episode import World
from orrery.worlds.world_problem import WorldProblem

STAGE = "generate-worlds"
OF_PROBLEM = (
    "domain",
    "problem_id",
    "difficulty",
    "names",
    "seen",
    "problem_pddl",
    "num_objects",
    "seed_path",
)


def run(settings: Settings, name: str, workers: Workers = ALONE) -> StageSummary:
    """Write the worlds of a domain, at most as many per split as the size allows."""
    problems = list(_chosen(settings, name))
    make = partial(_row, settings.root, name, settings.seed, settings.size.worlds.max_states)
    results = list(map_items(make, problems, workers, label=f"{STAGE} {name}", describe=_describe))
    rows = [result for result in results if not isinstance(result, str)]
    made_from = StageInputs.of(settings, STAGE).fingerprint(name)
    path = settings.outputs / FOLDER / name / f"{table_name(WORLD)}.parquet"
    write(path, WORLD, rows, made_from=made_from)
    reasons = Counter(result for result in results if isinstance(result, str))
    return StageSummary(STAGE, name, {"worlds": len(rows)}, dict(reasons))


STEP = Step(STAGE, FOLDER, (WORLD,), run)


def _chosen(settings: Settings, name: str) -> Iterator[Row]:
    """Yield the problems of each split that become worlds, of all difficulties in turn."""
    size = settings.size.worlds
    found = list(_decided(settings, name, size.max_states)) if size.rows else []
    for split in SPLITS:
        of_split = [problem for problem in found if problem["split"] == split]
        difficulties = dict.fromkeys(problem["difficulty"] for problem in of_split)
        by_difficulty = [[one for one in of_split if one["difficulty"] == d] for d in difficulties]
        yield from [one for one in chain(*zip_longest(*by_difficulty)) if one][: size.rows]


def _decided(settings: Settings, name: str, most: int) -> Iterator[Row]:
    """Yield the problems with a shortest plan whose states are all known and at most ``most``."""
    for problems, solutions in solved_problems(settings, name):
        for problem, solution in zip(problems.to_pylist(), solutions.to_pylist(), strict=True):
            states, length = solution["num_states"], solution["plan_cost"]
            if solution["optimal"] and length and states is not None and states <= most:
                yield problem


def _row(root: Path, name: str, seed: int, most: int, problem: Row) -> dict[str, Any] | str:
    """Return the row of a world, or the reason why there is none."""
    posed = WorldProblem(root, name, problem["problem_id"], problem["problem_pddl"], most)
    world = World(posed)
    try:
        course = expert(world)
        repaired = slip(world, stream(seed, STAGE, problem["problem_id"]))
    except Rejected as rejected:
        return rejected.reason
    return {
        **{column: problem[column] for column in OF_PROBLEM},
        "id": f"{problem['problem_id']}/{table_name(WORLD)}",
        "first_observation": world.first_observation,
        "goal_text": posed.texts.goal,
        "domain_pddl": posed.graded_row["domain_pddl"],
        "nl_templates": posed.graded_row["nl_templates"],
        "h_star": world.steps_at_best,
        "horizon": searched(len(course.steps))._asdict(),
        "num_states": len(posed.oracle.states),
        "num_dead_ends": posed.oracle.num_dead_ends,
        "expert": course.messages,
        "plan": _written(course.steps),
        "slip": repaired.dialogue.messages,
        "slip_plan": _written(repaired.dialogue.steps),
        "slip_kind": repaired.kind,
        "slip_step": repaired.place,
    }


def _written(steps: Sequence[tuple[str, ...]]) -> list[str]:
    return [write_atom(step) for step in steps]


def _describe(problem: Row) -> str:
    return str(problem["problem_id"])
