"""Traces of open questions on states, by their group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orrery.grading.row import action_sequence, atom_of, structured_value, value
from orrery.grading.traces.lines import literals_of
from orrery.model import Row
from orrery.seeds import stream
from orrery.traces.applicable import applicable_lines
from orrery.traces.case import Case, NoTrace, answer, literals_in
from orrery.traces.claims import inapplicable, landmark, unreachable
from orrery.traces.plans import bounded
from orrery.traces.sentences import facts
from orrery.traces.simulation import simulate, without

TRIED = 8  # answers of which the one with the shortest derivation is taken


def _applicable(case: Case, row: Row) -> list[str]:
    actions = structured_value(row, "answer")
    return [*applicable_lines(case.world), answer(", ".join(actions) or "None")]


def _progression(case: Case, row: Row) -> list[str]:
    names = case.world.problem.domain.parameters
    asked = [atom for atom, _ in literals_of(str(value(row, "question_pddl")).lower()) if atom[0] in names]
    action = next((step for step in asked if case.world.action(step)), None)
    if action is None:
        raise NoTrace("the action of the question is not found")
    effects = structured_value(row, "answer")
    parts = (f"{name}: {', '.join(effects[name]) or 'None'}" for name in ("pos", "neg"))
    return [*simulate(case.world, [action]).lines, answer("; ".join(parts))]


def _validation(case: Case, row: Row) -> list[str]:
    simulation = simulate(case.world, action_sequence(row, "sequence"))
    number = simulation.failed or 0
    index = f"Counted from 0, step {number} has the index {number - 1}."
    return [*simulation.lines, index, answer(str(number - 1))]


def _justification(case: Case, row: Row) -> list[str]:
    plan = action_sequence(row, "plan")
    start, removed = structured_value(row, "positions")[0], structured_value(row, "answer")[0]
    omitted = range(start + 1, start + len(removed))
    simulation = simulate(case.world, plan, omitted)
    simulation.add_goal()
    remaining = [step for number, step in enumerate(plan, 1) if number not in omitted]
    text = " ".join(facts([step]) for step in remaining) or "None"
    return [without(omitted), *simulation.lines, answer(text)]


def _shortest(row: Row, texts: list[str], derive: Callable[[str], list[str]]) -> list[str]:
    """Return the shortest derivation for one of several right answers, with the answer."""
    if not texts:
        raise NoTrace("the answer is None: every candidate would need a derivation")
    tried = stream(0, "traces", str(value(row, "id"))).sample(texts, min(TRIED, len(texts)))
    derivations = [(lines, text) for text in tried if (lines := derive(text))]
    if not derivations:
        raise NoTrace("the proof by induction has too many lines, or there is none")
    lines, text = min(derivations, key=lambda pair: (len(pair[0]), pair))
    return [*lines, answer(text)]


def _unreachable_fact(case: Case, row: Row) -> list[str]:
    texts = [f"({text.strip('()')})" for text in structured_value(row, "answer")]
    return _shortest(row, texts, lambda text: unreachable(case, literals_in([text])))


def _unreachable_action(case: Case, row: Row) -> list[str]:
    texts = structured_value(row, "answer")
    return _shortest(row, texts, lambda text: inapplicable(case, [atom_of(text)]))


def _landmark(case: Case, row: Row) -> list[str]:
    texts = [f"({text.strip('()')})" for text in structured_value(row, "answer")["yes"]]
    return _shortest(row, texts, lambda text: landmark(case, literals_in([text])[0]))


def _next_action(case: Case, row: Row) -> list[str]:
    first = {atom_of(text) for text in structured_value(row, "answer")["yes"]}
    steps = case.shortest_plan(int(structured_value(row, "answer")["opt"]))
    if not steps or steps[0] not in first:
        raise NoTrace("a small search finds no shortest plan")
    return [*bounded(case, steps, lambda _: 1), answer(facts(steps[:1]))]


TRACES: Mapping[str, Callable[[Case, Row], list[str]]] = {
    "applicable_actions_gen": _applicable,
    "progression_gen": _progression,
    "validation_gen": _validation,
    "action_justification_gen": _justification,
    "reachable_atom_gen": _unreachable_fact,
    "reachable_action_gen": _unreachable_action,
    "landmarks_gen": _landmark,
    "goal_closer_gen": _next_action,
}
