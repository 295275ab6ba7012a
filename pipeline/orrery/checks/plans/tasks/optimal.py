"""Check plans of minimum cost by shortest paths in the whole state space."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import rustworkx

from orrery.checks.breadth_first_search import explore
from orrery.checks.plans.plan_row import PlanRow, plan_reply, stored_plan_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing, undecided
from orrery.model import Proof, Row, Step

EVERY_STEP = 10_000  # exceeds the cost of every plan, so that the number of steps is minimized first
SHARE = 0.5  # minimum share of rows whose actions have different costs

NOTHING: Mapping[str, int] = MappingProxyType({})
MOST_TESTS = 1_000_000_000  # so that the number of states alone limits the search


class Prices(NamedTuple):
    """Costs by action, additional costs by object, and a constant cost of every step."""

    actions: Mapping[str, int]
    objects: Mapping[str, int] = NOTHING
    per_step: int = 0

    def of(self, step: Step) -> int:
        """Return the cost of a step."""
        added = [cost for name, cost in self.objects.items() if name in step[1:]]
        return self.actions[step[0]] + sum(added) + self.per_step


def _faults(view: PlanRow) -> list[str]:
    row, prices = view.row, _prices(view.row)
    if (
        prices.actions.keys() != view.domain.action_named.keys()
        or min(prices.actions.values(), default=0) < 1
    ):
        return ["action_costs are not those of all actions, 1 at least"]
    names = {typed.name for typed in view.problem.objects}
    if not prices.objects.keys() <= names or min(prices.objects.values(), default=1) < 1:
        return ["object_costs are not those of objects, 1 at least"]
    faults = stored_plan_faults(view)
    spent = sum(map(prices.of, view.steps("plan")))
    faults += [] if row["cost"] == spent else [f"cost is {row['cost']}, the plan costs {spent}"]
    faults += differing({"proof": str(Proof.EXHAUSTION)}, row)
    plain = _plain(view, prices)
    least, short = (least_cost(view.state, p) for p in (plain, plain._replace(per_step=EVERY_STEP)))
    if least is None or short is None:
        has_no_plan = view.state.solvable is False
        return [*faults, "there is no plan" if has_no_plan else undecided("the least cost")]
    return faults + differing({"cost": least, "costs_matter": short % EVERY_STEP > least}, row)


def _prices(row: Row) -> Prices:
    return Prices(_numbers(row["action_costs"]), _numbers(row["object_costs"]))


def _numbers(text: str) -> dict[str, int]:
    return {str(name): int(cost) for name, cost in json.loads(text).items()}


def _plain(view: PlanRow, prices: Prices) -> Prices:
    """Return the prices under plain names."""
    names = view.plain_names
    objects = {names.objects[name]: cost for name, cost in prices.objects.items()}
    return Prices({names.actions[name]: cost for name, cost in prices.actions.items()}, objects)


def least_cost(searched: RecheckedState, prices: Prices) -> int | None:
    """Return the minimum cost of a plan; None if there is no plan, or if it is undecided."""
    task, visited = searched.task, explore(searched.task, searched.most, MOST_TESTS)
    if task.is_goal(task.init):
        return 0
    if not visited.complete:
        return None
    costs = [prices.of(action.step) for action in task.actions]
    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(visited.states)
    graph.add_edges_from(
        [(source, target, costs[action]) for source, action, target in visited.transitions()]
    )
    lengths = rustworkx.dijkstra_shortest_path_lengths(graph, 0, float)
    return min((int(lengths[goal]) for goal in visited.goals), default=None)


def _content(view: PlanRow) -> QuestionContent:
    prices = _prices(view.row)
    priced = (*prices.actions.items(), *prices.objects.items())
    return QuestionContent(costs=priced, said=(None, bool(prices.objects)))


def _note(row: Row) -> bool:
    """Return whether the actions of the row have different costs."""
    return len({*_prices(row).actions.values()}) > 1 or bool(_prices(row).objects)


def _across(noted: Sequence[Any]) -> list[str]:
    return ["costs are all alike in more than half of the rows"] * (sum(noted) < SHARE * len(noted))


CHECK = TaskCheck(
    ("plan", "plan_length", "cost", "action_costs", "object_costs", "costs_matter", "proof"),
    _faults,
    plan_reply,
    content=_content,
    note=_note,
    across=_across,
)
