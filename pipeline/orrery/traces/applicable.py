"""Lines that collect the applicable actions of each schema, the most selective condition first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from orrery.grading.traces.grounded import GroundedProblem, Literal
from orrery.grading.traces.joins import expanded, is_variable, lifted_action, matching
from orrery.grading.traces.lines import listed
from orrery.model import Atom
from orrery.traces.sentences import facts

Joined: TypeAlias = "list[tuple[Literal | str, frozenset[Atom]]]"


def applicable_lines(world: GroundedProblem) -> Iterator[str]:
    """Yield the lines on all actions of the domain."""
    for name in world.problem.domain.definitions:
        yield from _schema_lines(world, name)


def _schema_lines(world: GroundedProblem, name: str) -> Iterator[str]:
    """Yield the lines on a schema: each condition with the partly bound actions that it leaves."""
    pattern, conditions = lifted_action(world, name)
    used = _joined(world, pattern, sorted(conditions))
    for condition, left in _minimal(world, pattern, used):
        text = condition if isinstance(condition, str) else listed([condition])
        yield f"{facts([pattern])}: {text} leaves {facts(left)}."


def _minimal(world: GroundedProblem, pattern: Atom, used: Joined) -> Joined:
    """Return joins without the conditions that are not needed to see that no action is left."""
    if used and not used[-1][1]:
        for condition, _ in used[:-1]:
            if isinstance(condition, str):
                continue
            fewer = _joined(
                world, pattern, [each for each, _ in used if each != condition and not isinstance(each, str)]
            )
            if fewer and not fewer[-1][1]:
                return _minimal(world, pattern, fewer)
    return used


def _joined(world: GroundedProblem, pattern: Atom, unused: list[Literal]) -> Joined:
    """Return each condition with the partly bound actions that it leaves, the most selective one first.

    A variable that no positive condition binds, ``any ?x``, gets all objects of its types.
    """
    left = frozenset([pattern])
    joined: Joined = []
    while left and (unused or _open(left)):
        usable = [literal for literal in unused if _is_usable(literal, pattern, left)]
        choices = {literal: matching(world, pattern, left, literal) for literal in usable}
        if choices:
            literal = min(choices, key=lambda each: (len(choices[each]), each))
            unused = [each for each in unused if each != literal]
            left = choices[literal]
            joined.append((literal, left))
        else:
            variable = next(term for term in pattern if term in _open(left))
            left = expanded(world, pattern, left, variable)
            joined.append((f"any {variable}", left))
    return joined


def _open(actions: frozenset[Atom]) -> set[str]:
    """Return the variables that are left in partly bound actions."""
    return {term for action in actions for term in action if is_variable(term)}


def _is_usable(literal: Literal, pattern: Atom, left: frozenset[Atom]) -> bool:
    """Return whether the facts of the state bind a condition, or its variables have objects."""
    bound = {*pattern} - _open(left)
    variables = [term for term in literal[0] if is_variable(term)]
    return all(term in bound for term in variables) or (literal[1] and literal[0][0] != "=")
