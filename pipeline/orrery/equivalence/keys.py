"""Canonical keys of problems.

Problems of one domain are strictly equivalent iff their strict keys are equal. Problems that are
equivalent up to a permutation of goal objects (placeholder rows) have equal loose keys; the converse
needs a verdict. Keys depend only on contents: not on names or order of objects, the order
of facts, the wording of the goal, the hash seed or the version of Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from orrery.equivalence.canonical import Canonical, canonical
from orrery.equivalence.closure import Budget, Closure, Rule, close
from orrery.equivalence.graph import Layers, Undecided, problem_graph
from orrery.model import Domain, Problem

INIT, GOAL, AVOID, STATIC = "init", "goal", "avoid", "static"
_HALF = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """The strict and the loose key, each 64 hexadecimal digits.

    The first half of the loose key represents the initial state, the second the closed goal with
    the static facts.
    """

    strict: str
    loose: str

    @property
    def init(self) -> str:
        """The part of the loose key for the initial state."""
        return self.loose[:_HALF]

    @property
    def goal(self) -> str:
        """The part of the loose key for the closed goal, and for solvability."""
        return self.loose[_HALF:]


def keys(
    domain: Domain,
    problem: Problem,
    rule: Rule | None = None,
    budget: Budget | None = None,
) -> Keys:
    """Return the problem's keys.

    Args:
        domain: the problem's domain.
        problem: the problem.
        rule: the domain's ``close_goal``, see ``closure.close``.
        budget: limits of the goal closure.

    Raises:
        Undecided: a budget was exceeded.
    """
    return keys_of(domain, problem, close(domain, problem, rule, budget))


def spelled_strict_key(domain: Domain, problem: Problem) -> str:
    """Return the strict key of the goal as written, for problems without a text.

    Equal keys mean problems that are equal up to the names of objects, so that no problem is in two
    splits. Problems with equivalent but differently written goals have different keys. The key never equals
    one of ``keys``.
    """
    closure = as_spelled(domain, problem)
    form = form_of(domain, problem, strict_layers(problem, closure))
    return strict_key(domain, closure, form)


def as_spelled(domain: Domain, problem: Problem) -> Closure:
    """Return the goal's own fluent literals in place of its closure."""
    fluents = domain.fluents
    facts = {
        sign: frozenset(g.atom for g in problem.goal if g.positive == sign and g.atom[0] in fluents)
        for sign in (True, False)
    }
    return Closure(None, "as spelled", facts[True], facts[False])


def keys_of(domain: Domain, problem: Problem, closure: Closure) -> Keys:
    """Return the keys of a problem with a known goal closure."""
    if not closure.decided:
        raise Undecided(f"goal closure {closure.proof}")
    parts: list[Layers] = [
        strict_layers(problem, closure),
        {INIT: problem.init},
        goal_layers(domain, problem, closure),
    ]
    strict, init, goal = (form_of(domain, problem, layers) for layers in parts)
    loose = init_key(domain, init) + goal_key(domain, closure, goal)
    return Keys(strict_key(domain, closure, strict), loose)


def form_of(domain: Domain, problem: Problem, layers: Layers) -> Canonical:
    """Return the canonical form of the graph of a problem with these layers."""
    return canonical(problem_graph(domain, problem, layers))


def strict_layers(problem: Problem, closure: Closure) -> Layers:
    """Return the initial state and the closed goal; the goal is empty if the problem is unsolvable."""
    return {INIT: problem.init, GOAL: closure.positive, AVOID: closure.negative}


def goal_layers(domain: Domain, problem: Problem, closure: Closure) -> Layers:
    """Return the static facts, and the closed goal."""
    fluents = domain.fluents
    static = [fact for fact in problem.init if fact[0] not in fluents]
    return {STATIC: static, GOAL: closure.positive, AVOID: closure.negative}


def strict_key(domain: Domain, closure: Closure, form: Canonical) -> str:
    """Return the strict key from the form of the strict layers."""
    return _digest(domain, closure.solvable, form)


def init_key(domain: Domain, form: Canonical) -> str:
    """Return the first half of the loose key from the form of the initial state."""
    return _digest(domain, None, form)[:_HALF]


def goal_key(domain: Domain, closure: Closure, form: Canonical) -> str:
    """Return the second half of the loose key from the form of the goal layers."""
    return _digest(domain, closure.solvable, form)[:_HALF]


def _digest(domain: Domain, solvable: bool | None, form: Canonical) -> str:
    """Return the hash of the domain's name, the solvability, and a canonical form."""
    return sha256(f"{domain.name} {solvable} {form.certificate}".encode()).hexdigest()
