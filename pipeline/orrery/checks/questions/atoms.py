"""Facts and actions that a row names in PDDL, read for a problem."""

from __future__ import annotations

from orrery.checks.execution import ill_typed
from orrery.checks.rechecked_state import RecheckedState
from orrery.model import Atom, OrreryError, Step
from orrery.pddl.write import parse_atom, write_atom


def step_of(text: str, rechecked: RecheckedState) -> Step:
    """Return the ground action that ``text`` names; raise OrreryError where it names none."""
    step = parse_atom(text)
    well_typed([step], rechecked)
    if write_atom(step) != text:
        raise OrreryError("claim", f"'{text}' is not written as actions are")
    return step


def well_typed(steps: list[Step], rechecked: RecheckedState) -> None:
    """Raise OrreryError where some step is no ground action of the problem."""
    if faults := ill_typed(rechecked.domain, rechecked.problem, steps):
        raise OrreryError("claim", faults[0])


def fact_of(text: str, rechecked: RecheckedState) -> Atom:
    """Return the well-typed fact that ``text`` names; raise OrreryError where it names none."""
    fact = parse_atom(text)
    if write_atom(fact) != text or not is_fact(fact, rechecked):
        raise OrreryError("claim", f"'{text}' is no fact of the problem")
    return fact


def is_fact(fact: Atom, rechecked: RecheckedState) -> bool:
    """Return whether ``fact`` is a ground atom of the domain whose arguments are of the right types."""
    predicate = rechecked.domain.predicate_named.get(fact[0]) if fact else None
    if predicate is None or predicate.arity != len(fact) - 1:
        return False
    pairs = zip(fact[1:], predicate.parameters, strict=True)
    return all(
        rechecked.domain.fits(rechecked.types.get(name, ()), parameter.types) for name, parameter in pairs
    )
