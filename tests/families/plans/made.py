"""Sources on small problems of every domain, and the rows that the tasks make of them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from orrery.families.drafts import Draft, Rejected
from orrery.families.plans.posing import drafts_of
from orrery.families.plans.source import Source, in_vocabulary, neutral_name
from orrery.families.plans.space import space_of
from orrery.families.plans.tasks import plan_tasks
from orrery.families.questions.state_record import StateRecord
from orrery.model import ParameterError
from orrery.planning.grounding import Grounder
from orrery.seeds import stream
from tests.every_domain import ROOT, difficulties, entry

MOST_STATES = 1500
SEED = 5


@cache
def sources(name, count=4):
    """Sources on easy problems of a domain that have a plan of two steps at least and few states."""
    place, sources_made = entry(name), []
    level = "easy" if "easy" in difficulties(name) else difficulties(name)[0]
    grounder = Grounder(place.domain)
    for number in range(40):
        if len(sources_made) == count:
            break
        task = place.tasks[number % len(place.tasks)]
        rng = stream(SEED, "plans", name, number)
        try:
            generated = place.make(task, level, rng)
        except ParameterError:
            continue
        source = source_on(place, generated, grounder, f"{name}/train/{number:06d}")
        if source is not None:
            sources_made.append(source)
    return tuple(sources_made)


def source_on(place, generated, grounder, problem_id, most=MOST_STATES):
    problem, task = generated.problem, generated.task
    planning = grounder.ground(problem)
    space = space_of(planning, most)
    if space is None:
        return None
    distances = space.distances(space.found.goal)
    if distances[0] < 2:
        return None
    plan = tuple(space.shortest(0, distances, stream(SEED, problem.name)))
    record = StateRecord(
        place.domain,
        replace(problem, name=neutral_name(problem)),
        problem_id,
        solvable=True,
        h_star=len(plan),
        plan=plan,
        plan_optimal=True,
    )
    row = {
        "split": "train",
        "task": task.name,
        "goal_configuration": task.goal,
        "goal_parameters": json.dumps(generated.goal_parameters),
    }
    return Source(place, record, row, place.words, "plain", SEED, most)


def of_six_blocks():
    """Yield sources of blocksworld with six blocks, which have 7,057 states."""
    place = entry("blocksworld")
    grounder = Grounder(place.domain)
    for number in range(60):
        rng = stream(SEED, "six blocks", number)
        generated = place.make(place.tasks[number % len(place.tasks)], "medium", rng)
        if len(generated.problem.objects) == 6:
            source = source_on(place, generated, grounder, f"blocksworld/train/{number:06d}", 10_000)
            if source is not None:
                yield source


def obfuscated(source, name="meaningless"):
    return in_vocabulary(source, name, ROOT / "templates")


@cache
def made(name, task):
    """All that a task makes of the sources of a domain, plain and obfuscated: (source, draft or reject)."""
    plain_sources = []
    for plain in sources(name):
        for source in (plain, obfuscated(plain)):
            rng = stream(SEED, source.name, task)
            plain_sources += [(source, draft) for draft in drafts_of(source, plan_tasks()[task], rng)]
    return tuple(plain_sources)


def rows(name, task):
    """The rows that a task makes of a domain, with their sources."""
    return [(s, row) for s, draft in made(name, task) if isinstance(draft, Draft) for row in draft.rows]


def rules(name, task):
    """The rules by which rows were rejected."""
    return {draft.reason for _, draft in made(name, task) if isinstance(draft, Rejected)}
