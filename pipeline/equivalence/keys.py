"""Canonical keys of problems.

Problems of one domain are strictly equivalent iff their strict keys are equal. Problems that are
equivalent up to a permutation of goal objects (placeholder rows) have equal loose keys; the converse
is for a verdict to decide. Keys depend on contents only: not on names or order of objects, the order
of facts, how the goal is spelled, the hash seed or the version of Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from pipeline.equivalence.canonical import BUDGET, Canonical, canonical
from pipeline.equivalence.closure import Budget, Closure, Rule, close
from pipeline.equivalence.graph import Layers, problem_graph
from pipeline.equivalence.outcome import Undecided
from pipeline.model import Domain, Problem

INIT, GOAL, AVOID, STATIC = "init", "goal", "avoid", "static"


@dataclass(frozen=True, slots=True)
class Keys:
    """The strict and the loose key, each 64 hexadecimal digits."""

    strict: str
    loose: str


def keys(
    domain: Domain,
    problem: Problem,
    rule: Rule | None = None,
    budget: Budget | None = None,
    symmetry: int = BUDGET,
) -> Keys | Undecided:
    """The problem's keys, unless a budget ends first.

    Args:
        domain: the problem's domain.
        problem: the problem.
        rule: the domain's ``close_goal``, see ``closure.close``.
        budget: limits of the goal closure.
        symmetry: limit of the canonical form, see ``canonical.canonical``.
    """
    return keys_of(domain, problem, close(domain, problem, rule, budget), symmetry)


def keys_of(domain: Domain, problem: Problem, closure: Closure, symmetry: int = BUDGET) -> Keys | Undecided:
    """The keys of a problem whose goal closure is known."""
    if not closure.decided:
        return Undecided(f"goal closure {closure.proof}")
    strict = _digest(domain, problem, closure, [strict_layers(problem, closure)], symmetry)
    if isinstance(strict, Undecided):
        return strict
    apart: list[Layers] = [{INIT: problem.init}, goal_layers(domain, problem, closure)]
    loose = _digest(domain, problem, closure, apart, symmetry)
    return loose if isinstance(loose, Undecided) else Keys(strict, loose)


def strict_layers(problem: Problem, closure: Closure) -> Layers:
    """The initial state and the closed goal; the goal is empty where the problem is unsolvable."""
    return {INIT: problem.init, GOAL: closure.positive, AVOID: closure.negative}


def goal_layers(domain: Domain, problem: Problem, closure: Closure) -> Layers:
    """The facts that no action changes, and the closed goal."""
    static = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    return {STATIC: static, GOAL: closure.positive, AVOID: closure.negative}


def _digest(
    domain: Domain, problem: Problem, closure: Closure, parts: list[Layers], symmetry: int
) -> str | Undecided:
    """The hash of the canonical forms of ``parts``, the domain's name and whether there is a plan."""
    forms = []
    for layers in parts:
        form = canonical(problem_graph(domain, problem, layers), symmetry)
        if not isinstance(form, Canonical):
            return form
        forms.append(form.certificate)
    return sha256(repr((domain.name, closure.solvable, forms)).encode()).hexdigest()
