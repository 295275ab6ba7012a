"""The two problems of a comparison: their closures, shapes and keys, each computed at first use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from orrery.equivalence.canonical import CanonicalGraph, canonical_graph
from orrery.equivalence.closure import (
    Budget,
    Closure,
    Rule,
    Steps,
    close,
    close_quickly,
    positively,
    shared_facts,
)
from orrery.equivalence.graph import Layers, Undecided
from orrery.equivalence.keys import (
    AVOID,
    GOAL,
    INIT,
    Keys,
    goal_key,
    goal_layers,
    init_key,
    strict_key,
    strict_layers,
)
from orrery.model import Atom, Domain, Problem, State


@dataclass(frozen=True)
class ComparedProblem:
    """A problem with cached results. Properties raise ``Undecided`` if a budget is exceeded.

    ``stored`` contains the problem's keys if they were computed before, ``plan`` a plan if one is known.
    """

    domain: Domain
    problem: Problem
    rule: Rule | None
    budget: Budget
    stored: Keys | None = None
    plan: Steps | None = None

    @cached_property
    def quick(self) -> Closure | None:
        """The closure if it needs no search."""
        return close_quickly(self.domain, self.problem, self.rule)

    @cached_property
    def closure(self) -> Closure:
        """The goal closure, by search if necessary."""
        closure = self.quick or close(self.domain, self.problem, self.rule, self.budget)
        if not closure.decided:
            raise Undecided(f"goal closure {closure.proof}")
        return closure

    @cached_property
    def signed(self) -> tuple[State, State]:
        """The positive and negative facts of the goal that some action can change."""
        moving = [literal for literal in self.problem.goal if literal.atom[0] in self.domain.fluents]
        wanted = frozenset(literal.atom for literal in moving if literal.positive)
        return wanted, frozenset(literal.atom for literal in moving if not literal.positive)

    def may_close_to(self, facts: State) -> bool:
        """Return whether the closure may be ``facts`` renamed, with an empty N; False is proven.

        The rule's closure of the positive literals is a subset of the closure. If it has as many facts, N
        must be empty, but it is not if some state with these facts violates a negative literal.
        """
        if self.rule and (least := self.rule(positively(self._moving))) is not None:
            if not _numbers(least) <= _numbers(facts):
                return False
            if len(least) == len(facts):
                return not any(self._reaches(least, fact) for fact in self.signed[1])
        shared = shared_facts(self.domain, self.problem, self.budget, self.plan)
        return shared is None or _numbers(facts) <= _numbers(shared)

    def _reaches(self, facts: State, fact: Atom) -> bool:
        """Return whether the rule proves that a state with ``facts`` and ``fact`` is reachable."""
        extended = positively(self._moving, *facts, fact)
        return self.rule is not None and self.rule(extended) is not None

    @property
    def _moving(self) -> Problem:
        """The problem without goal literals that no action can change."""
        fluents = self.domain.fluents
        goal = frozenset(literal for literal in self.problem.goal if literal.atom[0] in fluents)
        return replace(self.problem, goal=goal)

    @cached_property
    def strict(self) -> CanonicalGraph:
        """The initial state with the closed goal."""
        return self._shape(strict_layers(self.problem, self.closure))

    @cached_property
    def init(self) -> CanonicalGraph:
        """The initial state."""
        return self._shape({INIT: self.problem.init})

    @cached_property
    def goal(self) -> CanonicalGraph:
        """The closed goal with the static facts."""
        return self._shape(goal_layers(self.domain, self.problem, self.closure))

    @cached_property
    def spelled(self) -> CanonicalGraph:
        """The initial state with the goal as written, without static literals."""
        wanted, unwanted = self.signed
        return self._shape({INIT: self.problem.init, GOAL: wanted, AVOID: unwanted})

    @property
    def settled(self) -> bool:
        """Whether the strict key needs no search."""
        return self.stored is not None or self.quick is not None

    @cached_property
    def strict_key(self) -> str:
        """The strict key."""
        if self.stored is not None:
            return self.stored.strict
        return strict_key(self.domain, self.closure, self.strict.form)

    @cached_property
    def init_key(self) -> str:
        """The first half of the loose key."""
        if self.stored is not None:
            return self.stored.init
        return init_key(self.domain, self.init.form)

    @cached_property
    def goal_key(self) -> str:
        """The second half of the loose key."""
        if self.stored is not None:
            return self.stored.goal
        return goal_key(self.domain, self.closure, self.goal.form)

    def _shape(self, layers: Layers) -> CanonicalGraph:
        return canonical_graph(self.domain, self.problem, layers)


def _numbers(facts: State) -> Counter[str]:
    """Return the number of facts of each predicate."""
    return Counter([fact[0] for fact in facts])
