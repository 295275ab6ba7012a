"""The least cost of a plan where actions cost different numbers, by Fast Downward's A*."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from orrery.model import Step
from orrery.planning.fast_downward import binary, read_plan, write_sas
from orrery.planning.process import run
from orrery.planning.task import PlanningTask, is_plan

NOTHING: Mapping[str, int] = MappingProxyType({})
SEARCH = "astar(lmcut(), verbosity=silent)"
PLAN_FILE = "sas_plan"
MEGABYTES = 2048
UNIT, USED = "begin_metric\n0\nend_metric", "begin_metric\n1\nend_metric"
BEGIN, END = "begin_operator\n", "\n1\nend_operator"


class Prices(NamedTuple):
    """Costs by action, those added for objects, and what every step costs besides."""

    actions: Mapping[str, int]
    objects: Mapping[str, int] = NOTHING
    each: int = 0

    def of(self, step: Step) -> int:
        """Return what a step costs."""
        added = [cost for name, cost in self.objects.items() if name in step[1:]]
        return self.actions[step[0]] + sum(added) + self.each


def least_cost(task: PlanningTask, prices: Prices, seconds: float) -> int | None:
    """Return the cost of the plan that A* finds to be cheapest; None where it finds none in time."""
    if task.is_goal(task.init):
        return 0
    text = priced(write_sas(task), prices)
    command = [str(binary()), "--internal-plan-file", PLAN_FILE, "--search", SEARCH]
    ended = run(command, feed=text, seconds=seconds, megabytes=MEGABYTES, keep=[PLAN_FILE])
    if ended.timed_out or ended.code != 0 or PLAN_FILE not in ended.files:
        return None
    steps = read_plan(ended.files[PLAN_FILE])
    return sum(map(prices.of, steps)) if is_plan(task, steps) else None


def priced(text: str, prices: Prices) -> str:
    """Return the text of a task in which every action costs one with what they cost instead."""
    head, *operators = text.replace(UNIT, USED, 1).split(BEGIN)
    return BEGIN.join([head, *(_priced(operator, prices) for operator in operators)])


def _priced(operator: str, prices: Prices) -> str:
    step = tuple(operator.split("\n", 1)[0].split(" "))
    before, _, after = operator.rpartition(END)
    return f"{before}\n{prices.of(step)}\nend_operator{after}"
