"""Decide what the plan tables state beyond a state and its goal: costs of plans, reached states, used steps.

The plain search of the checks visits the states within its limits; Fast Downward decides the rest. ``None``
means undecided, or for a cost perhaps that there is no plan, which ``RecheckedState.solvable`` tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import rustworkx

from orrery.checks.compiled_query import Condition
from orrery.checks.rechecked_state import RecheckedState
from orrery.model import State, Step
from orrery.planning.fast_downward import binary, read_plan, write_sas
from orrery.planning.process import run
from orrery.planning.task import PlanningTask, applicable, is_plan, progress
from orrery.planning.task import run as run_steps

NOTHING: Mapping[str, int] = MappingProxyType({})
SEARCH = "astar(lmcut(), verbosity=silent)"
PLAN_FILE = "sas_plan"
MEGABYTES = 2048
UNIT, USED = "begin_metric\n0\nend_metric", "begin_metric\n1\nend_metric"
BEGIN, END = "begin_operator\n", "\n1\nend_operator"


class Prices(NamedTuple):
    """Costs by action, additional costs by object, and a constant cost of every step."""

    actions: Mapping[str, int]
    objects: Mapping[str, int] = NOTHING
    per_step: int = 0

    def of(self, step: Step) -> int:
        """Return the cost of a step."""
        added = [cost for name, cost in self.objects.items() if name in step[1:]]
        return self.actions[step[0]] + sum(added) + self.per_step


def least_cost(searched: RecheckedState, prices: Prices) -> int | None:
    """Return the minimum cost of a plan; None if there is no plan, or if it is undecided."""
    task, visited = searched.task, searched.visited
    if task.is_goal(task.init):
        return 0
    if not visited.complete:
        return _cost_by_planner(task, prices, searched.seconds)
    costs = [prices.of(action.step) for action in task.actions]
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(visited.states)
    graph.add_edges_from(
        [(source, target, costs[action]) for source, action, target in visited.transitions()]
    )
    lengths = rustworkx.dijkstra_shortest_path_lengths(graph, 0, float)
    return min((int(lengths[goal]) for goal in visited.goals), default=None)


def _cost_by_planner(task: PlanningTask, prices: Prices, seconds: float) -> int | None:
    """Return the cost of the cheapest plan by A*; None if A* finds no plan in time."""
    text = priced(write_sas(task), prices)
    command = [str(binary()), "--internal-plan-file", PLAN_FILE, "--search", SEARCH]
    ended = run(command, feed=text, seconds=seconds, megabytes=MEGABYTES, keep=[PLAN_FILE])
    if ended.timed_out or ended.code != 0 or PLAN_FILE not in ended.files:
        return None
    steps = read_plan(ended.files[PLAN_FILE])
    return sum(map(prices.of, steps)) if is_plan(task, steps) else None


def priced(text: str, prices: Prices) -> str:
    """Return the text of a task with the real costs of its actions in place of unit costs."""
    head, *operators = text.replace(UNIT, USED, 1).split(BEGIN)
    return BEGIN.join([head, *(_priced(operator, prices) for operator in operators)])


def _priced(operator: str, prices: Prices) -> str:
    step = tuple(operator.split("\n", 1)[0].split(" "))
    before, _, after = operator.rpartition(END)
    return f"{before}\n{prices.of(step)}\nend_operator{after}"


def reaches(searched: RecheckedState, state: State, steps: Sequence[Step]) -> bool | None:
    """Return whether exactly this state is reachable, for example by two actions after ``steps``."""
    task = searched.task
    if not task.statics <= state or any(fact not in task.bit for fact in state - task.statics):
        return False
    mask = task.mask(state)
    states = run_steps(task, steps)
    if states is not None and mask in _after_two(task, states[-1]):
        return True
    return searched.can_hold(Condition(mask, ~mask & ((1 << len(task.facts)) - 1)))


def _after_two(task: PlanningTask, mask: int) -> Iterator[int]:
    """Yield the states after one action, and after two."""
    nearest = [progress(mask, action) for action in applicable(task, mask)]
    yield from nearest
    for state in nearest:
        yield from (progress(state, action) for action in applicable(task, state))


def most_used(searched: RecheckedState, steps: frozenset[Step]) -> int | None:
    """Return the maximum number of ``steps`` in one shortest plan; None if some states are unexpanded."""
    graph, layered = searched.visited, searched.visited.layered()
    if layered is None:
        return None
    wanted = [action.step in steps for action in searched.task.actions]
    most = [0] * graph.size
    for source, action, target in layered:
        most[target] = max(most[target], most[source] + wanted[action])
    return max(most[goal] for goal in graph.nearest_goals)
