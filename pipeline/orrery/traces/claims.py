"""Derivations of claims, by the kind of question: their lines, and whether the claim is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from orrery.grading.row import Literal, atom_of
from orrery.grading.traces.lines import literals_in
from orrery.model import Step
from orrery.traces.case import Case, NoTrace
from orrery.traces.closure import RelaxedClosure
from orrery.traces.invariants import Induction, Unproven
from orrery.traces.sentences import facts, never
from orrery.traces.simulation import Simulation, simulate, without

Claim: TypeAlias = Mapping[str, Any]
Derived: TypeAlias = "tuple[list[str], bool]"


def derive(case: Case, claim: Claim) -> Derived:
    """Return the lines that decide a claim, and whether it is true.

    Raises:
        NoTrace: there is no short derivation.
    """
    return _BY_KIND[claim["kind"]](case, claim)


def _app(case: Case, claim: Claim) -> Derived:
    simulation = simulate(case.problem, ())
    return simulation.lines, simulation.add_condition(atom_of(claim["action"]))


def _prog(case: Case, claim: Claim) -> Derived:
    simulation = simulate(case.problem, [atom_of(claim["action"])])
    return simulation.lines, simulation.add_facts(literals_in(claim["facts"]))


def _val(case: Case, claim: Claim) -> Derived:
    steps = [atom_of(step) for step in claim["sequence"]]
    names = case.problem.domain.definitions
    foreign = [(number, step) for number, step in enumerate(steps, 1) if step[0] not in names]
    if foreign:
        number, step = foreign[0]
        return [f"Step {number}: there is no action {facts([step])}."], claim["says"] == "invalid"
    simulation = simulate(case.problem, steps)
    simulation.add_goal()
    if simulation.failed:
        return ["Every step is an action of this domain.", *simulation.lines], claim["says"] == "inapplicable"
    return simulation.lines, claim["says"] == ("plan" if simulation.is_plan else "applicable")


def _just(case: Case, claim: Claim) -> Derived:
    """Return the lines on a plan without a part; all occurrences of the part give the same answer."""
    start, width = claim["at"][0], len(claim["remove"])
    omitted = range(start + 1, start + width + 1)
    simulation = simulate(case.problem, [atom_of(step) for step in claim["plan"]], omitted)
    simulation.add_goal()
    return [without(omitted), *simulation.lines], simulation.is_plan


def _reach(case: Case, claim: Claim) -> Derived:
    literals = literals_in(claim["facts"])
    lines = unreachable(case, literals)
    if lines:
        return lines, False
    simulation = _simulated(case, literals)
    return simulation.lines, simulation.add_facts(literals)


def _areach(case: Case, claim: Claim) -> Derived:
    steps = [atom_of(step) for step in claim["actions"]]
    lines = inapplicable(case, steps)
    if lines:
        return lines, False
    simulation = _simulated(case, _needs(case, steps))
    holds = [simulation.add_condition(step) for step in steps]
    return simulation.lines, all(holds)


def _land(case: Case, claim: Claim) -> Derived:
    (literal,) = literals_in([claim["fact"]])
    lines = landmark(case, literal)
    if lines:
        return lines, True
    simulation = simulate(case.problem, case.way_to(case.problem.goal, literal))
    simulation.add_goal()
    return [*simulation.lines, f"{facts([literal[0]])} never held on this way."], False


def _simulated(case: Case, literals: list[Literal]) -> Simulation:
    return simulate(case.problem, case.way_to(literals))


def _needs(case: Case, steps: list[Step]) -> list[Literal]:
    """Return the preconditions of actions."""
    actions = [case.problem.action(step) for step in steps]
    if not all(actions):
        raise NoTrace("an action is none of the problem")
    return [literal for action in actions if action for literal in action.needs]


def unreachable(case: Case, literals: list[Literal]) -> list[str]:
    """Return the lines that prove that literals never hold together; none if the proofs at hand do not."""
    return excluded(Induction(case.problem, case.closure), literals)


def inapplicable(case: Case, steps: list[Step]) -> list[str]:
    """Return the lines that prove that actions are never applicable in one state; none if there are none."""
    return excluded(Induction(case.problem, case.closure), _needs(case, steps), facts(steps))


def landmark(case: Case, literal: Literal) -> list[str]:
    """Return the lines that prove that every plan makes a fact true; none if there are none."""
    bit = case.task.bit.get(literal[0], 0)
    closure = RelaxedClosure(case.task, {action.step for action in case.task.actions if action.add & bit})
    lines = excluded(Induction(case.problem, closure, supposed=literal), case.problem.goal, "The goal")
    return [f"Suppose that {facts([literal[0]])} never becomes true.", *lines] if lines else []


def excluded(induction: Induction, literals: Any, subject: str = "") -> list[str]:
    """Return the lines of an induction, and that a subject needs what it excludes; none if unproven."""
    try:
        chosen = induction.exclude(literals)
    except Unproven:
        return []
    verb = "need" if subject.count("(") > 1 else "needs"
    sentence = never(sorted(chosen)).replace(" never", ", which never", 1)
    return [*induction.lines(), *([f"{subject} {verb} {sentence}."] if subject else [])]


_BY_KIND: Mapping[str, Callable[[Case, Claim], Derived]] = {
    "app": _app,
    "prog": _prog,
    "val": _val,
    "just": _just,
    "reach": _reach,
    "areach": _areach,
    "land": _land,
}
