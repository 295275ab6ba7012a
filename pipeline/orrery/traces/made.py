"""The trace of a row, by its group: its lines and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from orrery.grading.pddl import GradedProblem, UngradedConstruct
from orrery.grading.row import action_sequence, atom_of, structured_value, value
from orrery.grading.symbols import problem_of
from orrery.grading.traces.lines import listed, literals_of
from orrery.grading.traces.world import Literal, World, written
from orrery.model import Row, Step
from orrery.traces.applicable import applicable_lines
from orrery.traces.sentences import facts
from orrery.traces.simulation import Simulation, simulate, without

Lines: TypeAlias = "list[str]"
Claim: TypeAlias = Mapping[str, Any]


_UNTRACED = ("reach", "areach", "land", "nexta")


class NoTrace(Exception):
    """A row has no trace; the message says why."""


def trace_of(row: Row) -> str:
    """Return the trace of a row, which ends with a correct answer.

    Raises:
        NoTrace: there is no short derivation, or the PDDL is outside the subset that is executed.
    """
    group = str(value(row, "group"))
    try:
        world = _world(problem_of(row))
        if value(row, "kind") in _UNTRACED:
            raise NoTrace("questions of this kind have no traces")
        if value(row, "claim") is not None:
            lines = _claim_trace(world, row)
        elif value(row, "claims") is not None:
            lines = _choice_trace(world, row)
        elif group in _OPEN:
            lines = _OPEN[group](world, row)
        else:
            raise NoTrace(f"rows of the group {group} have no traces")
    except UngradedConstruct as construct:
        raise NoTrace(str(construct)) from construct
    return "\n".join(lines)


@lru_cache(maxsize=16)
def _world(problem: GradedProblem) -> World:
    return World(problem)


def _answer(text: str) -> str:
    return f"ANSWER: {text}"


def _plan_answer(steps: Iterable[Step]) -> Lines:
    return ["[PLAN]", *(facts([step]) for step in steps), "[PLAN END]"]


def _steps(row: Row, column: str) -> list[Step]:
    return action_sequence(row, column)


def _claim_trace(world: World, row: Row) -> Lines:
    claim = structured_value(row, "claim")
    lines, truth = _CLAIMS[claim["kind"]](world, claim)
    return [*lines, f"So the claim is {'true' if truth else 'false'}.", _answer("yes" if truth else "no")]


def _choice_trace(world: World, row: Row) -> Lines:
    claims, labels = structured_value(row, "claims"), structured_value(row, "choices")["label"]
    if claims[0]["kind"] == "val":
        return _sequence_choice(world, claims, labels)
    if claims[0]["kind"] == "prog":
        return _effects_choice(world, claims, labels)
    lines: Lines = []
    right = []
    for label, claim in zip(labels, claims, strict=True):
        of_claim, truth = _CLAIMS[claim["kind"]](world, claim)
        lines += [f"Option {label}:", *of_claim, _on_option(label, truth)]
        right += [label] if truth else []
    return [*lines, _answer(" ".join(right))]


def _on_option(label: str, truth: bool) -> str:
    return f"So option {label} is {'right' if truth else 'wrong'}."


def _effects_choice(world: World, claims: list[Claim], labels: list[str]) -> Lines:
    """Return the trace of a choice between claims on facts after one action."""
    lines, _ = _on_progress(
        world, {**claims[0], "facts": sorted({fact for claim in claims for fact in claim["facts"]})}
    )
    truths = [_on_progress(world, claim)[1] for claim in claims]
    conclusions = [_on_option(label, truth) for label, truth in zip(labels, truths, strict=True)]
    return [*lines, *conclusions, _answer(labels[truths.index(True)])]


def _sequence_choice(world: World, claims: list[Claim], labels: list[str]) -> Lines:
    """Return the trace of a choice between claims on one sequence."""
    truths = {label: _on_sequence(world, claim) for label, claim in zip(labels, claims, strict=True)}
    (label,) = (label for label, (_, truth) in truths.items() if truth)
    return [*truths[label][0], _on_option(label, True), _answer(label)]


def _on_applicable(world: World, claim: Claim) -> tuple[Lines, bool]:
    simulation = Simulation(world, set(world.start))
    return simulation.lines, simulation.add_condition(atom_of(claim["action"]))


def _on_progress(world: World, claim: Claim) -> tuple[Lines, bool]:
    simulation = simulate(world, [atom_of(claim["action"])])
    literals = _literals(claim["facts"])
    return simulation.lines, simulation.add_facts(literals)


def _on_sequence(world: World, claim: Claim) -> tuple[Lines, bool]:
    """Return the lines on a sequence of actions, and whether the claim on it is true."""
    steps = [atom_of(step) for step in claim["sequence"]]
    names = world.problem.domain.definitions
    foreign = [(number, step) for number, step in enumerate(steps, 1) if step[0] not in names]
    if foreign:
        lines = [f"Step {number}: there is no action {facts([step])}." for number, step in foreign[:1]]
        return lines, claim["says"] == "invalid"
    simulation = simulate(world, steps)
    simulation.add_goal()
    if simulation.failed:
        return ["Every step is an action of this domain.", *simulation.lines], claim["says"] == "inapplicable"
    return simulation.lines, claim["says"] == ("plan" if simulation.is_plan else "applicable")


def _on_removal(world: World, claim: Claim) -> tuple[Lines, bool]:
    """Return the lines on a plan without a part; all occurrences of the part give the same answer."""
    start, width = claim["at"][0], len(claim["remove"])
    omitted = range(start + 1, start + width + 1)
    simulation = simulate(world, [atom_of(step) for step in claim["plan"]], omitted)
    simulation.add_goal()
    return [without(omitted), *simulation.lines], simulation.is_plan


def _literals(texts: Iterable[str]) -> list[Literal]:
    return [literal for text in texts for literal in literals_of(str(text).lower())]


def _applicable(world: World, row: Row) -> Lines:
    answer = structured_value(row, "answer")
    return [*applicable_lines(world), _answer(", ".join(answer) or "None")]


def _progression(world: World, row: Row) -> Lines:
    names = world.problem.domain.parameters
    asked = [atom for atom, _ in literals_of(str(value(row, "question_pddl")).lower()) if atom[0] in names]
    action = next((step for step in asked if world.action(step)), None)
    if action is None:
        raise NoTrace("the action of the question is not found")
    simulation = simulate(world, [action])
    answer = structured_value(row, "answer")
    parts = (f"{name}: {', '.join(answer[name]) or 'None'}" for name in ("pos", "neg"))
    return [*simulation.lines, _answer("; ".join(parts))]


def _validation(world: World, row: Row) -> Lines:
    simulation = simulate(world, _steps(row, "sequence"))
    number = simulation.failed or 0
    index = f"Counted from 0, step {number} has the index {number - 1}."
    return [*simulation.lines, index, _answer(str(number - 1))]


def _justification(world: World, row: Row) -> Lines:
    plan = _steps(row, "plan")
    start, removed = structured_value(row, "positions")[0], structured_value(row, "answer")[0]
    omitted = range(start + 1, start + len(removed))
    simulation = simulate(world, plan, omitted)
    simulation.add_goal()
    remaining = [step for number, step in enumerate(plan, 1) if number not in omitted]
    answer = " ".join(facts([step]) for step in remaining) or "None"
    return [without(omitted), *simulation.lines, _answer(answer)]


def _plan(world: World, row: Row) -> Lines:
    steps = _steps(row, "plan")
    simulation = simulate(world, steps)
    simulation.add_goal()
    return [*simulation.lines, *_plan_answer(steps)]


def _execution(world: World, row: Row) -> Lines:
    simulation = simulate(world, _steps(row, "given_actions"))
    state = [fact for fact in simulation.state if fact[0] in world.fluents]
    return [*simulation.lines, _answer(", ".join(facts([fact]) for fact in sorted(state)) or "None")]


def _verification(world: World, row: Row) -> Lines:
    simulation = simulate(world, _steps(row, "given_actions"))
    simulation.add_goal()
    if simulation.is_plan:
        return [*simulation.lines, _answer("valid")]
    place = f"step {simulation.failed}" if simulation.failed else "end"
    unmet = ", ".join(map(written, simulation.unmet))
    return [*simulation.lines, _answer(f"invalid, {place}, {unmet}")]


def _causality(world: World, row: Row) -> Lines:
    steps, number = _steps(row, "given_actions"), int(value(row, "step"))
    if value(row, "question_type") == "fails":
        simulation = simulate(world, steps, [number])
        return [without([number]), *simulation.lines, _answer(str(simulation.failed))]
    (literal,) = _literals([value(row, "fact")])
    verb = "holds" if literal[0] in world.start else "does not hold"
    lines = [f"At first {listed([literal])} {verb}."]
    for place, step in enumerate(steps[: number - 1], 1):
        lines.append(f"Step {place}: {facts([step])} {_effect_on(world, step, literal)}.")
    return [*lines, _answer(str(value(row, "answer")))]


def _effect_on(world: World, step: Step, literal: Literal) -> str:
    action = world.action(step)
    if action is None:
        raise ValueError(f"{step} is no action of the problem")
    if literal[0] in action.adds:
        return f"makes {listed([literal])} true"
    return f"{'makes' if literal[0] in action.deletes else 'leaves'} {listed([literal])} " + (
        "false" if literal[0] in action.deletes else "as it is"
    )


_CLAIMS: Mapping[str, Callable[[World, Claim], tuple[Lines, bool]]] = {
    "app": _on_applicable,
    "prog": _on_progress,
    "val": _on_sequence,
    "just": _on_removal,
}
_OPEN: Mapping[str, Callable[[World, Row], Lines]] = {
    "applicable_actions_gen": _applicable,
    "progression_gen": _progression,
    "validation_gen": _validation,
    "action_justification_gen": _justification,
    "plan_generation": _plan,
    "plan_reuse": _plan,
    "plan_replanning": _plan,
    "plan_reformulation": _plan,
    "plan_generalization": _plan,
    "plan_execution": _execution,
    "plan_verification": _verification,
    "plan_causality": _causality,
}
