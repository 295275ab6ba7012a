"""Search the initial states of a problem's rows once for all of them.

Rows on one state differ in their goals. Therefore, the plain search of the checks visits the states once,
within its limits; Fast Downward decides the rest. ``None`` means undecided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import heappop, heappush
from types import MappingProxyType
from typing import NamedTuple

from orrery.checks.breadth_first_search import SharedSearches, StateGraph
from orrery.checks.compiled_query import Condition
from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Domain, Problem, State, Step
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
    """Costs by action, additional costs by object, and a constant cost of every step."""

    actions: Mapping[str, int]
    objects: Mapping[str, int] = NOTHING
    per_step: int = 0

    def of(self, step: Step) -> int:
        """Return the cost of a step."""
        added = [cost for name, cost in self.objects.items() if name in step[1:]]
        return self.actions[step[0]] + sum(added) + self.per_step


def least_cost(task: PlanningTask, prices: Prices, seconds: float) -> int | None:
    """Return the cost of the cheapest plan by A*; None if A* finds no plan in time."""
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
    """Return the text of a task with the real costs of its actions in place of unit costs."""
    head, *operators = text.replace(UNIT, USED, 1).split(BEGIN)
    return BEGIN.join([head, *(_priced(operator, prices) for operator in operators)])


def _priced(operator: str, prices: Prices) -> str:
    step = tuple(operator.split("\n", 1)[0].split(" "))
    before, _, after = operator.rpartition(END)
    return f"{before}\n{prices.of(step)}\nend_operator{after}"


class ProvenNumber(NamedTuple):
    """The result of a search: a number, or None if no number exists; unknown unless ``decided``."""

    decided: bool
    number: int | None = None


UNKNOWN = ProvenNumber(False)


class SharedState(RecheckedState):
    """A state with a goal; the visited states are shared with other goals."""

    def __init__(self, domain: Domain, problem: Problem, seconds: float, searches: SharedSearches) -> None:
        """Store the shared searches."""
        super().__init__(domain, problem, seconds, seconds, searches=searches)

    def fewest(self) -> ProvenNumber:
        """Return the minimum number of actions to the goal."""
        number = self.h_star
        if number is None and self.solvable is not False:
            return UNKNOWN
        return ProvenNumber(True, number)

    def reaches(self, state: State) -> bool | None:
        """Return whether exactly this state is reachable."""
        task = self.task
        if any(fact not in task.bit and fact not in task.statics for fact in state):
            return False
        if not task.statics <= state:
            return False
        mask = task.mask(state)
        return self.can_hold(Condition(mask, ~mask & ((1 << len(task.facts)) - 1)))

    def cheapest(self, prices: Prices) -> ProvenNumber:
        """Return the minimum cost of a plan."""
        if self.visited.complete:
            return ProvenNumber(True, _least_cost(self.visited, prices))
        answer = least_cost(self.task, prices, self._seconds)
        return UNKNOWN if answer is None else ProvenNumber(True, answer)

    def kept_at_most(self, steps: frozenset[Step]) -> int | None:
        """Return the maximum number of ``steps`` in one shortest plan; None if some states are unexpanded."""
        graph, layered = self.visited, self.visited.layered()
        if layered is None:
            return None
        wanted = [action.step in steps for action in self.task.actions]
        most = [0] * graph.size
        for source, action, target in layered:
            most[target] = max(most[target], most[source] + wanted[action])
        return max(most[goal] for goal in graph.goals if graph.depths[goal] == graph.cost)


def _least_cost(graph: StateGraph, prices: Prices) -> int | None:
    """Return the minimum cost of a path to a goal state (Dijkstra's algorithm); None if there is no path."""
    costs = [prices.of(action.step) for action in graph.task.actions]
    successors: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for source, action, target in graph.transitions():
        successors[source].append((costs[action], target))
    goals, queue, closed = set(graph.goals), [(0, 0)], set[int]()
    while queue:
        cost, state = heappop(queue)
        if state in goals:
            return cost
        if state not in closed:
            closed.add(state)
            for added, target in successors[state]:
                if target not in closed:
                    heappush(queue, (cost + added, target))
    return None


class Searched:
    """The initial states of the rows of one problem."""

    def __init__(self, domain: Domain, seconds: float, searches: SharedSearches | None = None) -> None:
        """Prepare the searches; ``seconds`` limits a planner call, and all calls for one goal."""
        self.domain, self.seconds = domain, seconds
        self._searches = SharedSearches() if searches is None else searches
        self._states: dict[tuple[object, ...], SharedState] = {}
        self._met: set[tuple[object, ...]] = set()

    def state(self, problem: Problem) -> SharedState:
        """Return the search results for a problem under plain names; its name is ignored."""
        key = _key(problem)
        if key not in self._states:
            self._states[key] = SharedState(self.domain, problem, self.seconds, self._searches)
        return self._states[key]

    def is_new(self, problem: Problem) -> bool:
        """Return whether this is the first question on this problem; its name is ignored."""
        is_seen = _key(problem) in self._met
        self._met.add(_key(problem))
        return not is_seen


def _key(problem: Problem) -> tuple[object, ...]:
    return frozenset(problem.objects), problem.init, problem.goal
