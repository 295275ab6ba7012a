"""Traces of open questions on states, by their group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from orrery.grading.pddl import conditions_of
from orrery.grading.problem import GradedProblem
from orrery.grading.row import Literal, action_sequence, atom_of, structured_value, value
from orrery.grading.traces.joins import expanded, is_variable, matching
from orrery.grading.traces.lines import listed, literals_in, literals_of
from orrery.model import Atom, Row
from orrery.seeds import stream
from orrery.traces.case import Case, NoTrace, answer
from orrery.traces.claims import inapplicable, landmark, unreachable
from orrery.traces.plans import bounded
from orrery.traces.sentences import facts
from orrery.traces.simulation import simulate, without

Joined: TypeAlias = "list[tuple[Literal | str, frozenset[Atom]]]"
TRIED = 8  # answers of which the one with the shortest derivation is taken


def applicable_lines(problem: GradedProblem) -> Iterator[str]:
    """Yield the lines on all actions of the domain."""
    for name in problem.domain.definitions:
        yield from _schema_lines(problem, name)


def _schema_lines(problem: GradedProblem, name: str) -> Iterator[str]:
    """Yield the lines on a schema: each condition with the partly bound actions that it leaves."""
    schema = conditions_of(problem.domain, name)
    pattern = (name, *schema.parameters)
    used = _joined(problem, pattern, sorted({*schema.needs}))
    for condition, left in _minimal(problem, pattern, used):
        text = condition if isinstance(condition, str) else listed([condition])
        yield f"{facts([pattern])}: {text} leaves {facts(left)}."


def _minimal(problem: GradedProblem, pattern: Atom, used: Joined) -> Joined:
    """Return joins without the conditions that are not needed to see that no action is left."""
    if used and not used[-1][1]:
        for condition, _ in used[:-1]:
            if isinstance(condition, str):
                continue
            fewer = _joined(
                problem,
                pattern,
                [each for each, _ in used if each != condition and not isinstance(each, str)],
            )
            if fewer and not fewer[-1][1]:
                return _minimal(problem, pattern, fewer)
    return used


def _joined(problem: GradedProblem, pattern: Atom, unused: list[Literal]) -> Joined:
    """Return each condition with the partly bound actions that it leaves, the most selective one first.

    A variable that no positive condition binds, ``any ?x``, gets all objects of its types.
    """
    left = frozenset([pattern])
    joined: Joined = []
    while left and (unused or _open(left)):
        usable = [literal for literal in unused if _is_usable(literal, pattern, left)]
        choices = {literal: matching(problem, pattern, left, literal) for literal in usable}
        if choices:
            literal = min(choices, key=lambda each: (len(choices[each]), each))
            unused = [each for each in unused if each != literal]
            left = choices[literal]
            joined.append((literal, left))
        else:
            variable = next(term for term in pattern if term in _open(left))
            left = expanded(problem, pattern, left, variable)
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


def _applicable(case: Case, row: Row) -> list[str]:
    actions = structured_value(row, "answer")
    return [*applicable_lines(case.problem), answer(", ".join(actions) or "None")]


def _progression(case: Case, row: Row) -> list[str]:
    names = case.problem.domain.parameters
    asked = [atom for atom, _ in literals_of(str(value(row, "question_pddl")).lower()) if atom[0] in names]
    action = next((step for step in asked if case.problem.action(step)), None)
    if action is None:
        raise NoTrace("the action of the question is not found")
    effects = structured_value(row, "answer")
    parts = (f"{name}: {', '.join(effects[name]) or 'None'}" for name in ("pos", "neg"))
    return [*simulate(case.problem, [action]).lines, answer("; ".join(parts))]


def _validation(case: Case, row: Row) -> list[str]:
    simulation = simulate(case.problem, action_sequence(row, "sequence"))
    number = simulation.failed or 0
    index = f"Counted from 0, step {number} has the index {number - 1}."
    return [*simulation.lines, index, answer(str(number - 1))]


def _justification(case: Case, row: Row) -> list[str]:
    plan = action_sequence(row, "plan")
    start, removed = structured_value(row, "positions")[0], structured_value(row, "answer")[0]
    omitted = range(start + 1, start + len(removed))
    simulation = simulate(case.problem, plan, omitted)
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
