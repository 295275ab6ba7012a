"""Claims of yes/no questions and of options, decided from their formal form alone.

Applicability, progression, sequences and removals are executed on sets of facts; what is reachable and
what every plan makes true is asked of the state's plain search and of Fast Downward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import Any, TypeAlias

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.sequences import VERDICTS, ill_typed, occurrences, verdict, without
from orrery.checks.world import RecheckedState
from orrery.model import Atom, OrreryError, Step
from orrery.pddl.write import parse_atom, write_atom
from orrery.semantics.execution import check_plan

Claim: TypeAlias = Mapping[str, Any]

KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "app": frozenset({"action"}),
        "prog": frozenset({"action", "facts"}),
        "reach": frozenset({"facts"}),
        "areach": frozenset({"actions"}),
        "val": frozenset({"sequence", "says"}),
        "just": frozenset({"plan", "remove", "at"}),
        "land": frozenset({"fact"}),
    }
)


def holds(claim: Claim, kind: str, world: RecheckedState) -> bool | None:
    """Whether a claim of ``kind`` is true; None where that stays undecided.

    Raises:
        OrreryError: the claim is none of this kind, or speaks of what the problem does not have.
    """
    if claim.get("kind") != kind or claim.keys() != KEYS[kind] | {"kind"}:
        raise OrreryError("claim", f"{dict(claim)} is no claim of kind {kind}")
    routes: Mapping[str, Callable[[Claim, RecheckedState], bool | None]] = {
        "app": _app, "prog": _prog, "reach": _reach, "areach": _areach,
        "val": _val, "just": _just, "land": _land,
    }  # fmt: skip
    return routes[kind](claim, world)


def _app(claim: Claim, world: RecheckedState) -> bool:
    return _step(claim["action"], world) in world.steps


def _prog(claim: Claim, world: RecheckedState) -> bool:
    step = _step(claim["action"], world)
    if step not in world.steps:
        raise OrreryError("claim", f"{claim['action']} is not applicable")
    after = world.after(step)
    return all(_fact(text, world) in after for text in claim["facts"])


def _reach(claim: Claim, world: RecheckedState) -> bool | None:
    facts = [_fact(text, world) for text in claim["facts"]]
    if any(fact not in world.task.bit and fact not in world.task.statics for fact in facts):
        return False
    return world.can_hold(Condition(world.task.mask(facts)))


def _areach(claim: Claim, world: RecheckedState) -> bool | None:
    steps = [_step(text, world) for text in claim["actions"]]
    if any(step not in world.task.action_of for step in steps):
        return False
    together = [needs(world.task.action_of[step]) for step in steps]
    return world.can_hold(Condition(*(reduce(or_, masks) for masks in zip(*together, strict=True))))


def _val(claim: Claim, world: RecheckedState) -> bool:
    if claim["says"] not in VERDICTS:
        raise OrreryError("claim", f"says '{claim['says']}', which means nothing")
    steps = [parse_atom(text) for text in claim["sequence"]]
    _known([step for step in steps if step[0] in world.domain.action_named], world)
    return verdict(world.domain, world.problem, steps) == str(claim["says"])


def _just(claim: Claim, world: RecheckedState) -> bool:
    plan, part = ([parse_atom(text) for text in claim[key]] for key in ("plan", "remove"))
    if not check_plan(world.domain, world.problem, plan).valid:
        raise OrreryError("claim", "the plan is not valid")
    if len(part) not in (1, 2) or list(claim["at"]) != occurrences(plan, part) or not claim["at"]:
        raise OrreryError("claim", f"{claim['remove']} does not stand at {claim['at']} in the plan")
    left = [without(plan, start, len(part)) for start in claim["at"]]
    verdicts = {check_plan(world.domain, world.problem, steps).valid for steps in left}
    if len(verdicts) > 1:
        raise OrreryError("claim", f"{claim['remove']} can be removed here, but not there")
    return verdicts == {True}


def _land(claim: Claim, world: RecheckedState) -> bool | None:
    fact = _fact(claim["fact"], world)
    if fact in world.problem.init | world.problem.goal_facts:
        raise OrreryError("claim", f"{claim['fact']} holds now, or is part of the goal")
    if not world.solvable:
        if world.solvable is None:
            return None
        raise OrreryError("claim", "there is no plan")
    return world.is_landmark(fact)


def _step(text: str, world: RecheckedState) -> Step:
    """The ground action that ``text`` names; raises OrreryError where it names none."""
    step = parse_atom(text)
    _known([step], world)
    if write_atom(step) != text:
        raise OrreryError("claim", f"'{text}' is not written as actions are")
    return step


def _known(steps: list[Step], world: RecheckedState) -> None:
    if faults := ill_typed(world.domain, world.problem, steps):
        raise OrreryError("claim", faults[0])


def _fact(text: str, world: RecheckedState) -> Atom:
    """The well-typed fact that ``text`` names; raises OrreryError where it names none."""
    fact = parse_atom(text)
    if write_atom(fact) != text or not is_fact(fact, world):
        raise OrreryError("claim", f"'{text}' is no fact of the problem")
    return fact


def is_fact(fact: Atom, world: RecheckedState) -> bool:
    """Whether ``fact`` is a ground atom of the domain whose arguments are of the right types."""
    predicate = world.domain.predicate_named.get(fact[0]) if fact else None
    if predicate is None or predicate.arity != len(fact) - 1:
        return False
    pairs = zip(fact[1:], predicate.parameters, strict=True)
    return all(world.domain.fits(world.types.get(name, ()), each.types) for name, each in pairs)
