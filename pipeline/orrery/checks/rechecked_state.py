"""One state that questions are asked about, and what is found out about it for all of them.

What can be decided plainly is: by lifted execution, and by a plain search where the space is small.
The rest goes to Fast Downward. ``None`` stands for what stays undecided; whoever asks must say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from orrery.checks import universe
from orrery.checks.compiled_query import ANY, Condition, any_of, each_of, one_of_first
from orrery.checks.lifted import Lifted
from orrery.checks.pairs import Pairs
from orrery.checks.projections import Projections
from orrery.checks.reached_samples import ReachedFrom, ReachedSamples
from orrery.checks.space import MOST_STATES, Spaces, StateGraph, explore
from orrery.checks.tour import tour
from orrery.model import Atom, Domain, Problem, State, Step
from orrery.planners.fast_downward import solve
from orrery.planners.outcome import Answer, PlannerOutcome
from orrery.semantics.execution import applicable, check_plan, progress
from orrery.semantics.grounding import Grounder
from orrery.semantics.progression import run
from orrery.semantics.task import PlanningTask, union

HALF, SHORT = 0.5, 0.2  # of a call's limit, where many are made, or one must not take the time of all
TRIED = 2  # other states of a problem to which a way is looked for
WAY = 5_000_000  # the work of that, in the units of a tour
DOMAINS_KEPT = 64
TASKS_KEPT = 16
SPENT = Answer(PlannerOutcome.OUT_OF_TIME, detail="nothing is left of the time for this state")


@lru_cache(maxsize=DOMAINS_KEPT)
def grounder_of(domain: Domain) -> Grounder:
    """Return the grounder of a domain: to prepare it takes longer than to ground a small problem."""
    return Grounder(domain)


@lru_cache(maxsize=TASKS_KEPT)
def grounded(domain: Domain, problem: Problem) -> PlanningTask:
    """Return the ground task of a problem, which several checks look at one after another."""
    return grounder_of(domain).ground(problem)


class RecheckedState:
    """A problem whose initial state is the state asked about.

    ``seconds`` limits a planner call and ``allowance`` all of them together, in processor time; ``most`` the
    states of the plain search. What it visits needs no second opinion. ``plain``: it also shows what is
    not there; otherwise Fast Downward has to. What is reached from ``others``, states of the same problem,
    is reached from this one as well where a plan leads to them.
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
        spaces: Spaces | None = None,
        others: Sequence[ReachedFrom] = (),
    ) -> None:
        """Prepare the recheck; searches start when a check needs them, and are shared by ``spaces``."""
        self.domain, self.problem, self.most, self.plain = domain, problem, most, plain
        self._spaces = Spaces() if spaces is None else spaces
        self._others = [each for each in reversed(others) if each.is_of(domain, problem)][:TRIED]
        self._seconds, self._left = seconds, allowance
        self._held: dict[Condition, bool | None] = {}
        self._toured = set[Condition]()
        self._plans: list[int] = []
        self._landmark: dict[Atom, bool | None] = {}

    @cached_property
    def types(self) -> dict[str, tuple[str, ...]]:
        """The types of every object and constant."""
        return {typed.name: typed.types for typed in (*self.domain.constants, *self.problem.objects)}

    @cached_property
    def lifted(self) -> Lifted:
        """The actions, ready to be tried on any state."""
        return Lifted(self.domain, self.problem)

    @cached_property
    def universe(self) -> list[Step]:
        """The actions that types, static facts and (in)equalities allow, sorted."""
        return universe.actions_of(self.domain, self.problem)

    @cached_property
    def facts(self) -> list[Atom]:
        """The facts that actions could add, sorted."""
        return universe.facts_of(self.domain, self.problem)

    @cached_property
    def steps(self) -> list[Step]:
        """The steps applicable in the state, sorted; found on the set of its facts."""
        return self.lifted.applicable(self.problem.init)

    def after(self, step: Step) -> State:
        """Return the state after an applicable step."""
        return progress(self.domain, self.problem.init, step)

    @cached_property
    def task(self) -> PlanningTask:
        """The ground task."""
        return grounded(self.domain, self.problem)

    @cached_property
    def visited(self) -> StateGraph:
        """The states that a plain search visits."""
        return self._spaces.explore(self.task, self.most)

    @cached_property
    def space(self) -> StateGraph:
        """The states of the plain search, where it may also prove that something is unreachable."""
        return self.visited if self.plain else explore(self.task, 1)

    @cached_property
    def seen(self) -> ReachedSamples:
        """States that are reached, and what holds in them."""
        return ReachedSamples(self.task, self.visited)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of facts that may hold together."""
        return Pairs(self.task)

    @cached_property
    def projections(self) -> Projections:
        """Small parts of the task that show what can never hold."""
        return Projections(self.task)

    def asked(
        self, task: PlanningTask, *, optimal: bool = False, forbidden: Atom | None = None, share: float = 1
    ) -> Answer:
        """Call Fast Downward on a task while time is left.

        ``share`` is the fraction of the limit of a call.
        """
        if self._left <= 0:
            return SPENT
        limit = min(self._seconds * share, self._left)
        answer = solve(task, optimal=optimal, forbidden=forbidden, soonest=True, seconds=limit)
        self._left -= answer.seconds
        return answer

    # ---- states ----

    def can_hold(self, condition: Condition) -> bool | None:
        """Return whether some reachable state satisfies ``condition``."""
        if self.seen.met(condition):
            return True
        if self.space.complete:
            return False
        if condition not in self._held:
            self._held[condition] = not self._excluded(condition) and self._is_found(condition)
        return self._held[condition]

    def _is_found(self, condition: Condition) -> bool | None:
        """Return whether a search finds a state that satisfies ``condition``.

        Greedy search finds far states at once and passes by near ones. Where it did that, a wider plain
        search sees most of those, and A* reaches the others. Once the allowance is spent nothing is searched.
        """
        positive, negative = condition
        wanted = replace(self.task, goal_positive=positive, goal_negative=negative)
        if not self.seen.wide:
            greedy = self._visiting(self.asked(wanted, share=SHORT))
            if greedy is not None or self._left <= 0:
                return greedy
            self.seen.widen()
        return self.seen.met(condition) or self._visiting(self.asked(wanted, optimal=True))

    def none_can_hold(self, conditions: Sequence[Condition]) -> bool | None:
        """Return whether no reachable state satisfies any of ``conditions``, by one call for all of them."""
        waiting = self._unseen_nearby(conditions)
        if len(waiting) < len(set(conditions)):
            return False
        left = [] if self.space.complete else [each for each in waiting if not self._never(each)]
        if not left:
            return True
        reached = self.asked(any_of(self.task, left)).solvable
        if reached is False:
            self._held |= dict.fromkeys(left, False)
        return None if reached is None else not reached

    def _never(self, condition: Condition) -> bool:
        """Return whether earlier calls, pairs or a projection show that no state satisfies the condition."""
        return self._held.get(condition) is False or self._excluded(condition)

    def _excluded(self, condition: Condition) -> bool:
        return self.pairs.exclude(condition) or self.projections.exclude(condition)

    def visit(self, conditions: Sequence[Condition]) -> bool:
        """Return whether one plan visits states for each of ``conditions``, and record those states."""
        return bool(self._visiting(self.asked(each_of(self.task, conditions), share=SHORT)))

    def unseen(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return those of ``conditions`` that no state seen satisfies, also of those on a tour past them."""
        waiting = self._unseen_nearby(conditions)
        new = [] if self.visited.complete else [each for each in waiting if each not in self._toured]
        if new:
            self._toured.update(new)
            self.seen.add_tour(tour(self.task, new))
        return self.seen.unseen(waiting)

    def _unseen_nearby(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return those of ``conditions`` that neither the plain search nor other states' checks saw."""
        waiting = self.seen.unseen(conditions)
        if waiting and not self.visited.complete:
            self._take_over()
        return self.seen.unseen(waiting)

    def _take_over(self) -> None:
        """Take what is reached from one of the other states, if a plan leads there; once."""
        while self._others:
            other = self._others.pop(0)
            if self._leads_to(other.problem.init):
                self.seen.take_over(other)
                self._others = []

    def _leads_to(self, state: State) -> bool:
        """Return whether the plain search visits exactly this state, or a way to it is found soon."""
        task = self.task
        if not task.statics <= state or any(fact not in task.bit for fact in state - task.statics):
            return False
        positive = task.mask(state)
        exactly = Condition(positive, ~positive & ((1 << len(task.facts)) - 1))
        if len(self.visited.meeting(*exactly)):
            return True
        way = tour(task, [exactly], WAY)
        self.seen.add(way.states)
        return bool(way.met)

    def _visiting(self, answer: Answer) -> bool | None:
        """Return whether a plan was found; record the states along it."""
        if answer.plan is not None:
            steps = (step for step in answer.plan.steps if step[0] != ANY)
            self.seen.add(run(self.task, steps) or [])
        return answer.solvable

    def reached(self) -> list[ReachedFrom]:
        """Return what was found from here, for other states; nothing where a plain search sees it all."""
        looked_far = "seen" in self.__dict__ and not self.visited.complete
        return [self.seen.found()] if looked_far else []

    # ---- plans ----

    @cached_property
    def h_star(self) -> int | None:
        """The fewest actions to the goal; None where there is no plan, or the budget ended."""
        if self.plain and (self.space.complete or self.space.cost is not None):
            return self.space.cost
        return len(self.shortest.plan.steps) if self.shortest.plan else None

    @cached_property
    def shortest(self) -> Answer:
        """The answer of A* for the goal."""
        answer = self.asked(self.task, optimal=True, share=HALF)
        self._planned(answer)
        return answer

    @cached_property
    def solvable(self) -> bool | None:
        """Whether there is a plan."""
        if self.plain and (self.space.complete or self.space.cost is not None):
            return self.space.cost is not None
        if self._plans:
            return True
        known = self._planned(self.asked(self.task, share=HALF))
        if known is None and self._excluded(Condition(self.task.goal_positive, self.task.goal_negative)):
            return False
        return self.shortest.solvable if known is None else known

    def take_plan(self, steps: Sequence[Step]) -> None:
        """Take a plan that another found; steps that are none show nothing."""
        masks = run(self.task, steps)
        if masks is not None and self.task.is_goal(masks[-1]):
            self._plans.append(union(masks))

    def _planned(self, answer: Answer) -> bool | None:
        """Return whether a plan was found; record the facts along it."""
        if answer.plan is not None:
            self._plans.append(union(run(self.task, answer.plan.steps) or []))
        return answer.solvable

    def is_landmark(self, fact: Atom) -> bool | None:
        """Return whether every plan makes ``fact`` true at some time; the problem must have a plan."""
        bit = self.task.bit.get(fact)
        if bit is None:
            return fact in self.task.statics
        if self.space.complete:
            return bool(bit & self.space.landmarks)
        if any(not bit & seen for seen in self._plans):
            return False
        if fact not in self._landmark:
            avoided = self._planned(self.asked(self.task, forbidden=fact, share=SHORT))
            self._landmark[fact] = None if avoided is None else not avoided
        return self._landmark[fact]

    def lead_away(self, steps: Sequence[Step]) -> bool | None:
        """Return whether none of the applicable ``steps`` begins a shortest plan, by one call for all.

        The shortest plan must be known.
        """
        if not steps:
            return True
        if self.plain and self.space.openers is not None:
            return not any(self.task.actions[n].step in set(steps) for n in self.space.openers)
        answer = self.asked(one_of_first(self.task, steps), optimal=True)
        if answer.plan is None:
            return True if answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN else None
        return self.h_star is not None and len(answer.plan.steps) > self.h_star

    def leads_on(self, step: Step) -> bool | None:
        """Return whether the applicable ``step`` begins a shortest plan.

        The shortest length must be known.
        """
        if self.plain and self.space.openers is not None:
            return any(self.task.actions[n].step == step for n in self.space.openers)
        if self.h_star is None:
            return None
        if self.shortest.plan and self._moved_first(step, self.shortest.plan.steps):
            return True
        away = self.lead_away([step])
        return None if away is None else not away

    def _moved_first(self, step: Step, plan: tuple[Step, ...]) -> bool:
        """Return whether the plan stays valid when its first ``step`` is moved to the front."""
        if step not in plan or not applicable(self.domain, self.problem.init, step):
            return False
        at = plan.index(step)
        return check_plan(self.domain, self.problem, (step, *plan[:at], *plan[at + 1 :])).valid
