"""Write PDDL in sorted order: equal domains and problems give equal bytes, and reading inverts writing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orrery.model import EQUAL, OBJECT, Action, Atom, Domain, Literal, Predicate, Problem, TypedName


def write_atom(atom: Atom) -> str:
    """Return an atom as PDDL, for example ``(on a b)``."""
    return f"({' '.join(atom)})"


def parse_atom(text: str) -> Atom:
    """Parse a fact or step written by ``write_atom``."""
    return tuple(text.strip("()").split())


def write_literal(literal: Literal) -> str:
    """Return a literal as PDDL: ``(on a b)`` or ``(not (on a b))``."""
    return write_atom(literal.atom) if literal.positive else f"(not {write_atom(literal.atom)})"


def write_typed(names: Iterable[TypedName], *, always: bool = False) -> str:
    """Return ``a - t b - (either u v)``; without types if everything is an object, unless ``always``."""
    names = tuple(names)
    if not always and all(typed.types == (OBJECT,) for typed in names):
        return " ".join(typed.name for typed in names)
    return " ".join(f"{typed.name} - {write_type(typed.types)}" for typed in names)


def parse_typed(text: str) -> tuple[TypedName, ...]:
    """Parse names written by ``write_typed``."""
    if " - " not in text:
        return tuple(map(TypedName, text.split()))
    listed = re.findall(r"(\S+) - (?:\(either ([^)]*)\)|(\S+))", text)
    return tuple(
        TypedName(name, tuple((alternatives or single).split())) for name, alternatives, single in listed
    )


def write_type(types: tuple[str, ...]) -> str:
    """Return a type: its name, or ``(either a b)``."""
    return types[0] if len(types) == 1 else f"(either {' '.join(types)})"


def write_domain(domain: Domain) -> str:
    """Return the domain as PDDL: declarations in their own order, literals sorted."""
    lines = [f"(define (domain {domain.name})"]
    if domain.requirements:
        lines.append(f"  (:requirements {' '.join(domain.requirements)})")
    if domain.types:
        lines.append(f"  (:types {write_typed(domain.types)})")
    if domain.constants:
        lines.append(f"  (:constants {write_typed(domain.constants)})")
    if domain.predicates:
        lines.append(f"  (:predicates {' '.join(map(write_signature, domain.predicates))})")
    if domain.functions:
        lines.append(f"  (:functions {' '.join(f'{write_signature(f)} - number' for f in domain.functions)})")
    lines.extend(write_action(action) for action in domain.actions)
    return "\n".join(lines) + ")\n"


def write_signature(symbol: Predicate | Action) -> str:
    """Return a predicate or action with its parameters: ``(on ?a - t ?b - t)``."""
    return f"({symbol.name}{' ' if symbol.parameters else ''}{write_typed(symbol.parameters)})"


def write_action(action: Action) -> str:
    """Return one ``(:action ...)`` block."""
    effects = [write_atom(atom) for atom in sorted(action.add)]
    effects += [f"(not {write_atom(atom)})" for atom in sorted(action.delete)]
    if action.cost is not None:
        cost = action.cost if isinstance(action.cost, int) else write_atom(action.cost)
        effects.append(f"(increase (total-cost) {cost})")
    preconditions = [write_literal(literal) for literal in sorted(action.preconditions)]
    return (
        f"  (:action {action.name}\n"
        f"    :parameters ({write_typed(action.parameters)})\n"
        f"    :precondition {_and(preconditions)}\n"
        f"    :effect {_and(effects)})"
    )


def _and(parts: list[str]) -> str:
    return f"(and {' '.join(parts)})" if parts else "(and)"


def write_problem(problem: Problem) -> str:
    """Return the problem as PDDL: objects in their own order, facts sorted."""
    # Sorting strings is faster and gives the same order, as names contain no character below the space.
    facts = sorted(map(" ".join, problem.init))
    facts += [f"= {write_atom(term)} {value}" for term, value in sorted(problem.costs)]
    literals = sorted([(" ".join(atom), positive) for atom, positive in problem.goal])
    goal = [inside if positive else f"not ({inside})" for inside, positive in literals]
    metric = "\n  (:metric minimize (total-cost))" if problem.metric else ""
    return (
        f"(define (problem {problem.name})\n"
        f"  (:domain {problem.domain})\n"
        f"  (:objects {write_typed(problem.objects)})\n"
        f"  (:init {_enclosed(facts)})\n"
        f"  (:goal (and{' ' if goal else ''}{_enclosed(goal)})){metric})\n"
    )


def _enclosed(parts: list[str]) -> str:
    return f"({') ('.join(parts)})" if parts else ""


def _inner(facts: str) -> list[str]:
    return facts[1:-1].split(") (") if facts else []


def parse_literal(text: str) -> Literal:
    """Parse the text of a literal without its outer parentheses."""
    denied = text.startswith("not (")
    return Literal(tuple(text[len("not (") : -1].split() if denied else text.split()), not denied)


def parse_problem(text: str) -> Problem:
    """Parse a problem written by ``write_problem``, by its lines, without any check."""
    head, domain, objects, init, goal, *closing_lines = text.split("\n")
    # A metric follows the goal, or the problem ends.
    closing = len("))") if len(closing_lines) > 1 else len(")))")
    facts = [tuple(fact.split()) for fact in _inner(init[len("  (:init ") : -1])]
    costs = re.findall(r"\(= (\([^()]*\)) (\d+)\)", init)
    return Problem(
        name=head.removeprefix("(define (problem ").removesuffix(")"),
        domain=domain.removeprefix("  (:domain ").removesuffix(")"),
        objects=parse_typed(objects[len("  (:objects ") : -1]),
        init=frozenset(fact for fact in facts if fact[0] != EQUAL),
        goal=frozenset(map(parse_literal, _inner(goal[len("  (:goal (and ") : -closing]))),
        costs=frozenset((parse_atom(term), int(value)) for term, value in costs),
        metric="(:metric " in text,
    )
