"""Ask for a plan for a large problem, given small solved problems of the same structure.

No renaming of a shown plan solves the large problem: each has fewer steps than every plan of the large one.
Each example belongs to one split: that of an isomorphic problem of the domain, or, if there is none, the
split that its key determines. Rows of a split show only examples of this split.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache

import pyarrow as pa

from orrery.catalog import SPLITS, Entry
from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import LENGTH, PLAN, plan_row, plan_task, planned
from orrery.families.plans.source import PLAIN, Source, is_guessed, neutral_name
from orrery.families.plans.space import space_of
from orrery.families.plans.words import SolvedExample
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import ParameterError, Problem, Step
from orrery.pddl.write import write_atom, write_problem
from orrery.planning.grounding import ground
from orrery.problems.problem_keys import kept_key, splits_by_key
from orrery.problems.quotas import LADDER
from orrery.seeds import digest, stream
from orrery.store.kinds import STRING, STRINGS, column

SHOWN = 2  # minimum number of examples; there may be one more
DRAWN = 40  # maximum number of problems drawn from a task
MOST_STATES = 20_000
LEAST_STEPS = 3
LADDER_STEPS = (6, 20)  # of examples for problems with long plans
KEPT = 4096


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield rows with examples of the same task that have fewer objects and steps than the source."""
    if source.record.source != "initial":
        raise Rejected("not_the_initial_state")
    if source.record.plan is None:  # ``source.plan`` would ground it
        raise Rejected("no_plan_known")
    fewest = source.h_star
    if fewest is None and source.is_long and source.horizon is not None:
        fewest = source.horizon.lower
    if fewest is None:
        raise Rejected("plan_length_unproven")
    count, place = rng.choice((SHOWN, SHOWN + 1)), (source.row["task"], source.seed, source.row["split"])
    objects = len(source.problem.objects)
    examples_drawn = solved_examples(source.entry, *place, objects, fewest, count)
    if len(examples_drawn) < SHOWN:
        raise Rejected("no_smaller_examples")
    named = [
        _in_vocabulary(source, problem, steps)
        for problem, steps in sorted(examples_drawn, key=lambda example: len(example[1]))
    ]
    examples = [SolvedExample(source.with_problem(problem), plan) for problem, plan in named]
    plan, space = source.plan or (), source.space
    if space is not None and source.distances is not None:
        plan = tuple(space.shortest(0, source.distances, rng))
        if is_guessed(space, 0, source.goal_states, len(plan)):
            raise Rejected("random_walk_solves")
    columns = {
        "given_examples": [
            {"problem_pddl": write_problem(problem), "plan": list(map(write_atom, steps))}
            for problem, steps in named
        ],
        **planned(plan),
    }
    yield Draft((plan_row(source, "generalization", rng, (examples,), columns, h_star=source.h_star),))


def solved_examples(
    entry: Entry, task: str, seed: int, split: str, objects: int, steps: int, wanted: int
) -> list[tuple[Problem, tuple[Step, ...]]]:
    """Return ``wanted`` examples of a task and split with fewer than ``objects`` objects and ``steps`` steps.

    They are in the order of drawing, which depends only on the seed, the domain and the task. No two are
    isomorphic.
    """
    examples, keys = list[tuple[Problem, tuple[Step, ...]]](), set[str]()
    for number in range(DRAWN):
        if len(examples) == wanted:
            break
        problem = _draw_problem(entry, task, seed, number)
        if problem is None or len(problem.objects) >= objects:
            continue
        key = _key(entry, task, seed, number)
        if not key or key in keys or split != _split_of(entry, key):
            continue
        keys.add(key)
        plan = _plan(entry, task, seed, number)
        if plan is not None and LEAST_STEPS <= len(plan) < steps:
            examples.append((problem, plan))
    return examples


@lru_cache(maxsize=KEPT)
def _draw_problem(entry: Entry, task: str, seed: int, number: int) -> Problem | None:
    """Return problem ``number`` of a task; None if there is none."""
    rng = stream(seed, "generalization", entry.name, task, number)
    if task == LADDER.name:
        return entry.ladder(rng.randint(*LADDER_STEPS), rng)
    pair = next((candidate for candidate in entry.tasks if candidate.name == task), None)
    if pair is None or not entry.description.difficulties:
        return None
    easiest = next(iter(entry.description.difficulties))
    try:
        return entry.make(pair, easiest, rng).problem
    except ParameterError:  # no parameters fit the limits
        return None


@lru_cache(maxsize=KEPT)
def _key(entry: Entry, task: str, seed: int, number: int) -> str | None:
    """Return the key of a drawn problem; None if a budget was used up."""
    problem = _draw_problem(entry, task, seed, number)
    return kept_key(entry.domain, problem) if problem else None


@lru_cache(maxsize=KEPT)
def _plan(entry: Entry, task: str, seed: int, number: int) -> tuple[Step, ...] | None:
    """Return a shortest plan of a drawn problem; None if there is none, or there are too many states.

    If the task is that of problems with long plans, it is the plan of the domain's planner, if there is one.
    """
    drawn = _draw_problem(entry, task, seed, number)
    if drawn and task == LADDER.name and entry.planner and (steps := entry.planner(drawn)):
        return tuple(steps)
    planning = ground(entry.domain, drawn) if drawn else None
    space = space_of(planning, MOST_STATES) if planning else None
    if space is None or planning is None:
        return None
    distances = space.distances(space.found.goal)
    rng = stream(seed, "example plan", entry.name, task, number)
    return tuple(space.shortest(0, distances, rng)) if distances[0] >= 0 else None


def _split_of(entry: Entry, key: str) -> str:
    """Return the split of a problem; if the domain has no isomorphic problem, the key determines it."""
    share = "test" if entry.description.test_only else SPLITS[digest("example", key)[0] % len(SPLITS)]
    return _splits(entry).get(key) or share


@lru_cache(maxsize=8)
def _splits(entry: Entry) -> dict[str, str]:
    """Return the splits of the domain's problems by key; empty if no problems were generated."""
    path = entry.root / "outputs" / "problems" / entry.name / "problems.parquet"
    return splits_by_key(path, entry.name, entry.root) if path.exists() else {}


def _in_vocabulary(
    source: Source, problem: Problem, plan: tuple[Step, ...]
) -> tuple[Problem, tuple[Step, ...]]:
    """Return problem and plan of an example under the names of the source's vocabulary."""
    if source.vocabulary == PLAIN:
        return replace(problem, name=neutral_name(problem)), plan
    vocabulary = vocabulary_of(source.entry.domain, source.vocabulary, source.words.templates, source.seed)
    renamed = vocabulary.of(problem)
    return renamed.problem(problem), tuple(map(renamed.tables.step, plan))


_EXAMPLE = pa.struct(
    [pa.field("problem_pddl", STRING, nullable=False), pa.field("plan", STRINGS, nullable=False)]
)
EXAMPLES = pa.list_(pa.field("element", _EXAMPLE, nullable=False))
TASK = plan_task(
    name="generalization",
    subject="Small solved problems of one structure are shown; a plan for a larger one is wanted",
    draw=_draw,
    columns=(
        column("given_examples", EXAMPLES, "The solved problems"),
        PLAN,
        LENGTH,
    ),
)
