"""Decide one state again, for all questions about it.

A lifted execution and a breadth-first search decide small state spaces; Fast Downward decides the rest.
``None`` means undecided, and callers must report it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from orrery.checks.breadth_first_search import MOST_STATES, StateGraph, explore
from orrery.checks.compiled_query import ANY, Condition, any_of, each_of, one_of_first
from orrery.checks.execution import applicable, is_plan, successor
from orrery.checks.lifted import Lifted, actions_of, facts_of
from orrery.checks.reachability import Pairs, ReachedSamples
from orrery.checks.relaxation import landmark_bound
from orrery.model import Atom, Domain, Problem, State, Step
from orrery.planning.fast_downward import OPTIMAL, SOONEST, solve
from orrery.planning.grounding import ground
from orrery.planning.outcome import PlannerOutcome, PlannerResult
from orrery.planning.task import PlanningTask, run, union

SHORTEST_TIME = 4  # limit of a search for a shortest plan, in calls; no allowance limits it
HALF, SHORT = 0.5, 0.2  # fraction of the limit of a call, for calls that must not use the time of all others
TASKS_CACHED = 16
SPENT = PlannerResult(PlannerOutcome.OUT_OF_TIME, detail="nothing is left of the time for this state")


@lru_cache(maxsize=TASKS_CACHED)
def grounded(domain: Domain, problem: Problem) -> PlanningTask:
    """Return the ground task of a problem, cached because several checks use it in turn."""
    return ground(domain, problem)


class RecheckedState:
    """A problem whose initial state is the state of the questions.

    ``seconds`` limits one planner call, and ``allowance`` all of them together, in processor time. ``most``
    limits the states of the breadth-first search. A visited state is reachable. If ``plain``, the search also
    proves that facts are unreachable and plans are shortest; otherwise, only Fast Downward does.
    """

    def __init__(
        self,
        domain: Domain,
        problem: Problem,
        seconds: float,
        allowance: float,
        *,
        most: int = MOST_STATES,
        plain: bool = True,
    ) -> None:
        """Prepare the recheck; searches start when a check needs them."""
        self.domain, self.problem, self.most, self.plain = domain, problem, most, plain
        self.seconds, self._seconds_left = seconds, allowance
        self._can_hold: dict[Condition, bool | None] = {}
        self._facts_of_plans: list[int] = []
        self._is_landmark: dict[Atom, bool | None] = {}

    @cached_property
    def types(self) -> dict[str, tuple[str, ...]]:
        """The types of every object and constant."""
        return {typed.name: typed.types for typed in (*self.domain.constants, *self.problem.objects)}

    @cached_property
    def lifted(self) -> Lifted:
        """The action schemas, prepared to find the applicable actions in any state."""
        return Lifted(self.domain, self.problem)

    @cached_property
    def universe(self) -> list[Step]:
        """The actions that types, static facts and (in)equalities allow, sorted."""
        return actions_of(self.domain, self.problem)

    @cached_property
    def facts(self) -> list[Atom]:
        """The facts that actions could add, sorted."""
        return facts_of(self.domain, self.problem)

    @cached_property
    def steps(self) -> list[Step]:
        """The applicable steps in the state, computed on its set of facts, sorted."""
        return self.lifted.applicable(self.problem.init)

    def after(self, step: Step) -> State:
        """Return the state after an applicable step."""
        return successor(self.domain, self.problem.init, step)

    @cached_property
    def task(self) -> PlanningTask:
        """The ground task."""
        return grounded(self.domain, self.problem)

    @property
    def measures(self) -> dict[str, int]:
        """The columns of rows with sizes of the problem."""
        return {
            "num_objects": len(self.problem.objects),
            "num_facts": len(self.task.facts),
            "num_actions": len(self.task.actions),
            "num_applicable_actions": len(self.steps),
        }

    @cached_property
    def visited(self) -> StateGraph:
        """The states that a breadth-first search visits."""
        return explore(self.task, self.most)

    @cached_property
    def space(self) -> StateGraph:
        """The states of the search if it may prove unreachability; otherwise, the first few states."""
        return self.visited if self.plain else explore(self.task, 1)

    @cached_property
    def samples(self) -> ReachedSamples:
        """States that are known to be reachable."""
        return ReachedSamples(self.task, self.visited)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of facts that may be true together."""
        return Pairs(self.task)

    def call_planner(
        self, task: PlanningTask, *, optimal: bool = False, forbidden: Atom | None = None, share: float = 1
    ) -> PlannerResult:
        """Call Fast Downward on a task if time is left.

        ``share`` is the fraction of the limit of a call.
        """
        if self._seconds_left <= 0:
            return SPENT
        limit = min(self.seconds * share, self._seconds_left)
        planner = OPTIMAL if optimal else SOONEST
        answer = solve(task, planner=planner, forbidden=forbidden, seconds=limit)
        self._seconds_left -= answer.seconds
        return answer

    def search_shortest(self, task: PlanningTask) -> PlannerResult:
        """Search for a shortest plan by A* with LM-cut, with the time limit of the search that is checked."""
        return solve(task, planner=OPTIMAL, seconds=self.seconds * SHORTEST_TIME)

    # ---- states ----

    def can_hold(self, condition: Condition) -> bool | None:
        """Return whether some reachable state satisfies the condition."""
        if self.samples.satisfy(condition):
            return True
        if self.space.complete:
            return False
        if condition not in self._can_hold:
            self._can_hold[condition] = not self.pairs.exclude(condition) and self._search_for(condition)
        return self._can_hold[condition]

    def _search_for(self, condition: Condition) -> bool | None:
        """Return whether a search finds a state that satisfies the condition.

        Greedy search finds distant states quickly, but may miss near ones. A wider breadth-first search finds
        most near ones, and A* the others. Without time left, there is no search.
        """
        task = replace(self.task, goal_positive=condition.positive, goal_negative=condition.negative)
        if not self.samples.is_wide:
            is_found = self._record(self.call_planner(task, share=SHORT))
            if is_found is not None or self._seconds_left <= 0:
                return is_found
        return self.samples.widen(condition) or self._record(self.call_planner(task, optimal=True))

    def none_can_hold(self, conditions: Sequence[Condition]) -> bool | None:
        """Return whether no reachable state satisfies any of the conditions, by one call for all of them."""
        unseen = self.samples.unseen(conditions)
        if len(unseen) < len(set(conditions)):
            return False
        unproven = (
            []
            if self.space.complete
            else [condition for condition in unseen if not self._is_excluded(condition)]
        )
        if not unproven:
            return True
        is_reached = self.call_planner(any_of(self.task, unproven)).solvable
        if is_reached is False:
            self._can_hold |= dict.fromkeys(unproven, False)
        return None if is_reached is None else not is_reached

    def _is_excluded(self, condition: Condition) -> bool:
        """Return whether an earlier call, or pairs of facts, prove that no state satisfies the condition."""
        return self._can_hold.get(condition) is False or self.pairs.exclude(condition)

    def visit(self, conditions: Sequence[Condition]) -> bool:
        """Return whether one plan visits states for each of the conditions, and record those states."""
        return bool(self._record(self.call_planner(each_of(self.task, conditions), share=SHORT)))

    def _record(self, answer: PlannerResult) -> bool | None:
        """Return whether the planner found a plan, and record the states and facts along it."""
        if answer.plan is not None:
            states = run(self.task, [step for step in answer.plan.steps if step[0] != ANY])
            assert states is not None, "a plan of the planner is executed before it is an answer"
            self._add_states(states)
        return answer.solvable

    def take_plan(self, steps: Sequence[Step]) -> None:
        """Record what the steps of a stored plan reach; inapplicable steps are ignored."""
        if states := run(self.task, steps):
            self._add_states(states)

    def _add_states(self, states: Sequence[int]) -> None:
        """Record the states along a path; if it leads to the goal, also the facts along it.

        A complete search has recorded all states.
        """
        if not self.visited.complete:
            self.samples.add(states)
        if self.task.is_goal(states[-1]):
            self._facts_of_plans.append(union(states))

    # ---- plans ----

    @cached_property
    def h_star(self) -> int | None:
        """The minimum number of actions to the goal; None if there is no plan, or if it is undecided."""
        if self.plain and (self.space.complete or self.space.cost is not None):
            return self.space.cost
        return len(self.shortest.plan.steps) if self.shortest.plan else None

    @cached_property
    def landmark_bound(self) -> int:
        """A lower bound on the number of actions to the goal, by counting landmarks."""
        return landmark_bound(self.task)

    @cached_property
    def shortest(self) -> PlannerResult:
        """The result of A* for the goal."""
        answer = self.search_shortest(self.task)
        self._record(answer)
        return answer

    @cached_property
    def solvable(self) -> bool | None:
        """Whether a plan exists."""
        if self.plain and (self.space.complete or self.space.cost is not None):
            return self.space.cost is not None
        if self._facts_of_plans:
            return True
        has_plan = self._record(self.call_planner(self.task, share=HALF))
        goal = Condition(self.task.goal_positive, self.task.goal_negative)
        if has_plan is None and self.pairs.exclude(goal):
            return False
        return self.shortest.solvable if has_plan is None else has_plan

    def is_landmark(self, fact: Atom) -> bool | None:
        """Return whether every plan makes the fact true at some time; the problem must have a plan."""
        bit = self.task.bit.get(fact)
        if bit is None:
            return fact in self.task.statics
        if self.space.complete:
            return bool(bit & self.space.landmarks)
        if any(not bit & facts for facts in self._facts_of_plans):
            return False
        if fact not in self._is_landmark:
            is_avoidable = self._record(self.call_planner(self.task, forbidden=fact, share=SHORT))
            self._is_landmark[fact] = None if is_avoidable is None else not is_avoidable
        return self._is_landmark[fact]

    def lead_away(self, steps: Sequence[Step]) -> bool | None:
        """Return whether none of the applicable steps begins a shortest plan, by one call for all of them.

        The shortest length must be decided.
        """
        if not steps:
            return True
        if self._first_steps is not None:
            return self._first_steps.isdisjoint(steps)
        answer = self.search_shortest(one_of_first(self.task, steps))
        if answer.plan is None:
            return True if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None
        return self.h_star is not None and len(answer.plan.steps) > self.h_star

    def leads_on(self, step: Step) -> bool | None:
        """Return whether the applicable step begins a shortest plan.

        The shortest length must be decided.
        """
        if self._first_steps is not None:
            return step in self._first_steps
        if self.h_star is None:
            return None
        if self.shortest.plan and self._may_come_first(step, self.shortest.plan.steps):
            return True
        leads_away = self.lead_away([step])
        return None if leads_away is None else not leads_away

    @cached_property
    def _first_steps(self) -> frozenset[Step] | None:
        """The first steps of shortest plans by the breadth-first search; None if it does not decide them."""
        first = self.space.first_actions if self.plain else None
        return None if first is None else frozenset(self.task.actions[action].step for action in first)

    def _may_come_first(self, step: Step, plan: tuple[Step, ...]) -> bool:
        """Return whether the plan remains valid if its first occurrence of the step is moved to the front."""
        if step not in plan or not applicable(self.domain, self.problem.init, step):
            return False
        place = plan.index(step)
        return is_plan(self.domain, self.problem, (step, *plan[:place], *plan[place + 1 :]))
