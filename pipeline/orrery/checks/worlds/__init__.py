"""Check the table ``world``: every dialogue is replayed and read, and a search decides its shortest plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

from orrery.checks import FamilyChecks, external_planner
from orrery.checks.bounds import searched_bounds
from orrery.checks.execution import applicable
from orrery.checks.external_planner import StatedPlan
from orrery.checks.inputs import MOST_SECONDS, CheckedProblem, CheckInputs
from orrery.checks.plans.columns import template_faults
from orrery.checks.problem_plans import domain_of
from orrery.checks.reading.contexts import PROSE, context_reader
from orrery.checks.reading.sentences import sentence_reader
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.sql import files_of, select
from orrery.checks.verdicts import Verdicts, differing, undecided
from orrery.checks.worlds.dialogue import Replay, faults_of, replayed
from orrery.checks.worlds.observations import ObservationReader
from orrery.families.worlds.schemas import IMPOSSIBLE, UNHELPFUL
from orrery.model import Row

OF_PROBLEM = (
    "domain",
    "domain_pddl",
    "problem_pddl",
    "difficulty",
    "names",
    "seen",
    "seed_path",
    "num_objects",
)
TEMPLATE_WITH_GOAL = "generation"  # of questions with rules, state and goal
SIMULATED = 1  # rows per domain whose actions unified-planning executes


@dataclass(frozen=True)
class WorldRow:
    """A row with its problem, and the episodes of its dialogues."""

    checked: CheckedProblem
    row: Row

    @cached_property
    def state(self) -> RecheckedState:
        """The search from the initial state."""
        checked = self.checked
        seconds = min(checked.inputs.seconds, MOST_SECONDS)
        return RecheckedState(checked.entry.domain, checked.problem, seconds, seconds)

    @cached_property
    def expert(self) -> Replay:
        """The episode of the shortest plan."""
        return replayed(self.checked.entry.domain, self.checked.problem, self.row["plan"])

    @cached_property
    def slip(self) -> Replay:
        """The episode with the slip."""
        return replayed(self.checked.entry.domain, self.checked.problem, self.row["slip_plan"])

    def costs(self, replay: Replay) -> list[int | None]:
        """Return the minimum number of actions to the goal from each state of an episode."""
        task, graph = self.state.task, self.state.visited
        return [graph.costs_to_go[graph.states.index(task.mask(state))] for state in replay.states]


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check all rows of a problem."""
    for row in checked.published("worlds"):
        world_row = WorldRow(checked, row)
        for name, check in CHECKS_OF_ROWS:
            verdicts.judge(name, row, partial(check, world_row))


def _check_columns(world_row: WorldRow) -> list[str]:
    """Return the columns that are not those of the problem."""
    row, origin, entry = world_row.row, world_row.checked.row, world_row.checked.entry
    faults = differing({"id": f"{origin['id']}/world", "problem_id": origin["id"]}, row)
    faults += [f"{name} is not that of its problem" for name in OF_PROBLEM if row[name] != origin[name]]
    if domain_of(row["domain_pddl"]) != entry.domain:
        faults.append("domain_pddl is not the domain")
    return faults


def _check_templates(world_row: WorldRow) -> list[str]:
    """Return a fault if the stored wordings are not those of the domain."""
    entry = world_row.checked.entry
    return template_faults(world_row.row, entry.domain, entry.words)


def _check_size(world_row: WorldRow) -> list[str]:
    """Return the numbers that a search contradicts."""
    graph, row = world_row.state.visited, world_row.row
    if not graph.complete:
        return [undecided("the states of the world")]
    dead_ends = sum(cost is None for cost in graph.costs_to_go)
    bounds = None if graph.cost is None else searched_bounds(graph.cost)
    wanted = {"h_star": graph.cost, "horizon": bounds, "num_states": graph.size, "num_dead_ends": dead_ends}
    return differing(wanted, row)


def _check_opening(world_row: WorldRow) -> list[str]:
    """Return where the first observation differs from the problem, or ends with another goal than stated."""
    row, checked = world_row.row, world_row.checked
    reader = context_reader(checked.entry.words, checked.entry.domain, "plans")
    read = reader.check(
        row["first_observation"], TEMPLATE_WITH_GOAL, checked.problem, world_row.state.task.action_of,
        style=PROSE, answered=True,
    )  # fmt: skip
    goal = row["goal_text"]
    faults = read.faults + ["has a wording that occurs in test splits only"] * read.held_out
    ends = row["first_observation"].endswith(f"\n{goal}") and "\n" not in goal
    return faults if ends else [*faults, "goal_text is not the end of the first observation"]


def _check_dialogues(world_row: WorldRow) -> list[str]:
    """Return where the dialogues differ from the execution of their actions."""
    row, checked, entry = world_row.row, world_row.checked, world_row.checked.entry
    reader, opening = ObservationReader(sentence_reader(entry.words, entry.domain)), row["first_observation"]
    episodes = {"expert": world_row.expert, "slip": world_row.slip}
    return [
        f"{name}: {fault}"
        for name, replay in episodes.items()
        for fault in faults_of(reader, entry.domain, checked.problem, opening, row[name], replay)
    ]


def _check_course(world_row: WorldRow) -> list[str]:
    """Return where the episodes are longer than a shortest plan, except for the stated slip."""
    if not world_row.state.visited.complete:
        return [undecided("the shortest plans of the world")]
    faults, row = list[str](), world_row.row
    if off := _off_course(world_row, world_row.expert):
        faults.append(f"expert: reply {off[0]} is on no shortest plan")
    if (off := _off_course(world_row, world_row.slip)) != [row["slip_step"]]:
        return [*faults, f"slip: the replies {off} are on no shortest plan, slip_step is {row['slip_step']}"]
    state, step = world_row.slip.states[off[0] - 1], world_row.slip.steps[off[0] - 1]
    possible = applicable(world_row.checked.entry.domain, state, step)
    return faults + differing({"slip_kind": UNHELPFUL if possible else IMPOSSIBLE}, row)


def _off_course(world_row: WorldRow, replay: Replay) -> list[int]:
    """Return the numbers of the actions after which the goal is no nearer, counted from 1."""
    costs = world_row.costs(replay)
    if None in costs:
        raise ValueError("an episode passes a dead end")
    pairs = enumerate(pairwise(costs), 1)
    return [number for number, (before, after) in pairs if (after or 0) != (before or 0) - 1]


CHECKS_OF_ROWS = (
    ("world columns", _check_columns),
    ("world columns", _check_templates),
    ("world size", _check_size),
    ("world opening", _check_opening),
    ("world dialogues", _check_dialogues),
    ("world course", _check_course),
)


def check_sample(inputs: CheckInputs) -> Verdicts:
    """Return the results of unified-planning on the episodes of some rows of each domain."""
    return external_planner.check_plans("world simulator", _sample(inputs), inputs.seconds)


def _sample(inputs: CheckInputs) -> Iterator[StatedPlan]:
    """Yield the episodes of rows drawn by their ids, ``SIMULATED`` per domain.

    An impossible slip must not be part of a plan; without it, the rest must be one.
    """
    statement = f"""
        SELECT domain, domain_pddl, id, problem_pddl, plan, slip_plan, slip_step, slip_kind FROM rows
        QUALIFY row_number() OVER (PARTITION BY domain ORDER BY md5(id)) <= {SIMULATED}
    """
    if not (paths := files_of(inputs.dataset, "world")):
        return
    for domain, domain_pddl, name, problem_pddl, expert, slip, place, kind in select(
        statement, {"rows": paths}
    ):
        stated = partial(StatedPlan, domain, domain_pddl, name, problem_pddl)
        yield stated(expert)
        yield stated(slip, kind == UNHELPFUL)
        if kind == IMPOSSIBLE:
            yield stated([*slip[: place - 1], *slip[place:]])


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "world columns": ("problem_id", *OF_PROBLEM, "nl_templates"),
        "world size": ("h_star", "horizon", "num_states", "num_dead_ends"),
        "world opening": ("first_observation", "goal_text"),
        "world dialogues": ("expert", "plan", "slip", "slip_plan"),
        "world course": ("slip_kind", "slip_step"),
    },
    problem=check_problem,
    rows=check_sample,
)
