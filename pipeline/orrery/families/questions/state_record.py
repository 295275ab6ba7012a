"""The record of a state with its proven values; questions are made from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from orrery.families.drafts import Rejected
from orrery.model import Atom, Domain, OrreryError, Problem, Step
from orrery.pddl.write import write_domain, write_problem
from orrery.planning.grounding import ground
from orrery.planning.possible import possible_atoms, possible_steps
from orrery.planning.task import GroundAction, PlanningTask, applicable, progress, run

DOMAINS_KEPT = 64

Shared = TypeVar("Shared")


class Kept(dict[Hashable, Any]):
    """A cache of results, with any keys."""

    def once(self, key: Hashable, make: Callable[[], Shared]) -> Shared:
        """Return the result of ``make``, which is called only once for a key."""
        if key not in self:
            self[key] = make()
        return cast(Shared, self[key])


@dataclass(frozen=True)
class StateRecord:
    """A state for questions, with its proven values.

    The initial state of ``problem`` is this state. ``source`` tells its origin (``initial``, ``plan``,
    ``diverse``, ``walk``), and ``step`` the number of steps before it. Facts and actions are mapped to how
    they are known; None replaces a set that is not fully decided.

    ``landmarks`` and ``not_landmarks`` partition the candidates: facts of the universe (see
    ``planning.possible``) that are true neither now nor in the goal. ``plan`` is a valid plan from the state;
    None if none is known. ``optimal_first_actions`` and ``not_optimal_first_actions`` partition the
    applicable actions: those that begin some shortest plan, and the others. ``reachable_actions`` are
    applicable in some reachable state; ``unreachable_actions`` are the other actions of the universe, or None
    if there are too many to list. ``num_steps`` is the size of the universe.
    """

    domain: Domain
    problem: Problem
    problem_id: str
    source: str = "initial"
    step: int = 0
    solvable: bool | None = None
    h_star: int | None = None
    landmarks: Mapping[Atom, str] | None = None
    not_landmarks: Mapping[Atom, str] | None = None
    unreachable_facts: Mapping[Atom, str] | None = None
    plan: tuple[Step, ...] | None = None
    plan_optimal: bool = False
    optimal_first_actions: Mapping[Step, str] | None = None
    not_optimal_first_actions: Mapping[Step, str] | None = None
    reachable_actions: frozenset[Step] | None = None
    unreachable_actions: Mapping[Step, str] | None = None
    num_steps: int | None = None
    num_unreachable_actions: int | None = None
    num_states: int | None = None
    difficulty: str = ""
    names: str = ""
    seen: str = ""
    seed_path: str = ""

    @cached_property
    def kept(self) -> Kept:
        """Results for this state that several kinds and formats use."""
        return Kept()

    @cached_property
    def domain_pddl(self) -> str:
        """The domain as PDDL."""
        return domain_text(self.domain)

    @cached_property
    def problem_pddl(self) -> str:
        """The problem as PDDL; its initial state is this state."""
        return write_problem(self.problem)

    @cached_property
    def context_pddl(self) -> str:
        """The replacement of a context in words: domain and problem in PDDL."""
        return f"{self.domain_pddl}\n{self.problem_pddl}".strip()

    @cached_property
    def task(self) -> PlanningTask:
        """The planning task from this state."""
        return ground(self.domain, self.problem)

    @cached_property
    def applicable(self) -> list[GroundAction]:
        """The actions applicable in this state, sorted by step."""
        return applicable(self.task, self.task.init)

    @cached_property
    def possible_actions(self) -> frozenset[Step]:
        """The actions of the universe: those that static facts and inequalities allow."""
        return frozenset(possible_steps(self.domain, self.problem))

    @cached_property
    def possible_facts(self) -> frozenset[Atom]:
        """The facts of the universe: those that some action could add."""
        return frozenset(possible_atoms(self.domain, self.problem))

    def refuse_without_way(self) -> None:
        """Raise a reject unless the goal is known to be reachable, and does not hold already."""
        if not self.solvable:
            raise Rejected("no plan is known" if self.solvable is None else "unsolvable")
        if self.problem.satisfied(self.problem.init):
            raise Rejected("the goal holds already")

    def refuse_without_plan(self) -> None:
        """Raise a reject unless a plan of some steps is known."""
        self.refuse_without_way()
        if self.plan is None:
            raise Rejected("no plan is known")

    @cached_property
    def effective_plan(self) -> tuple[GroundAction, ...]:
        """The plan without steps whose effects all hold already; empty if there is no plan."""
        return self.without_idle_steps(self.plan or ())

    def without_idle_steps(self, plan: Iterable[Step]) -> tuple[GroundAction, ...]:
        """Return the actions of a plan of the problem without those whose effects all hold already."""
        mask, actions = self.task.init, list[GroundAction]()
        for action in (self.task.action_of[step] for step in plan):
            if (after := progress(mask, action)) != mask:
                actions.append(action)
                mask = after
        return tuple(actions)

    @cached_property
    def trajectory(self) -> list[int]:
        """The states along the effective plan, from this state on.

        Raises:
            OrreryError: there is no plan, or it does not reach the goal.
        """
        masks = run(self.task, [action.step for action in self.effective_plan])
        if self.plan is None or masks is None or not self.task.is_goal(masks[-1]):
            state_name = f"{self.problem_id}/{self.source}-{self.step}"
            raise OrreryError(
                state_name, "has a plan that does not reach the goal", "run `orrery solve` again"
            )
        return masks

    @cached_property
    def measures(self) -> dict[str, Any]:
        """The columns of every row on the origin of the state and the size of the task."""
        return {
            "domain": self.domain.name,
            "problem_id": self.problem_id,
            "state_source": self.source,
            "state_step": self.step,
            "difficulty": self.difficulty,
            "names": self.names,
            "num_objects": len(self.problem.objects),
            "num_facts": len(self.task.facts),
            "num_actions": len(self.task.actions),
            "num_states": self.num_states,
            "num_applicable_actions": len(self.applicable),
            "h_star": self.h_star,
            "seen": self.seen,
            "seed_path": self.seed_path,
        }


@lru_cache(maxsize=DOMAINS_KEPT)
def domain_text(domain: Domain) -> str:
    """Return a domain as PDDL, cached in each process."""
    return write_domain(domain)
