"""Check plans of minimum cost by relaxation over all edges of visited states, or by Fast Downward's A*."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from orrery.checks.plans import stored_plan
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.plans.searched import Prices, least_cost
from orrery.checks.plans.stored_plan import plan_reply
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing, undecided
from orrery.model import Proof, Row

EVERY_STEP = 10_000  # exceeds the cost of every plan, so that the number of steps is minimized first
SHARE = 0.5  # minimum share of rows whose actions have different costs


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
    faults = stored_plan.check(view)
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
