"""Traces of plan tasks, by their group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from orrery.grading.plans.tasks.plan import TASKS
from orrery.grading.problem import written
from orrery.grading.row import Literal, action_sequence, costs_of, value
from orrery.grading.traces.lines import listed, literals_in
from orrery.model import Row, Step
from orrery.seeds import stream
from orrery.traces.case import Case, NoTrace, answer
from orrery.traces.claims import excluded
from orrery.traces.closure import RelaxedClosure
from orrery.traces.cuts import Cut, cuts_of_bound
from orrery.traces.invariants import Induction
from orrery.traces.sentences import facts
from orrery.traces.simulation import simulate, without

MOST_LINES = 120


def _plan_answer(steps: Iterable[Step]) -> list[str]:
    return ["[PLAN]", *(facts([step]) for step in steps), "[PLAN END]"]


def _plan(case: Case, row: Row) -> list[str]:
    steps = action_sequence(row, "plan")
    return [*_carried_out(case, steps), *_plan_answer(steps)]


def _carried_out(case: Case, steps: Sequence[Step]) -> list[str]:
    simulation = simulate(case.problem, steps)
    simulation.add_goal()
    return simulation.lines


def _execution(case: Case, row: Row) -> list[str]:
    simulation = simulate(case.problem, action_sequence(row, "given_actions"))
    state = sorted(fact for fact in simulation.state if fact[0] in case.problem.domain.fluents)
    return [*simulation.lines, answer(", ".join(facts([fact]) for fact in state) or "None")]


def _verification(case: Case, row: Row) -> list[str]:
    simulation = simulate(case.problem, action_sequence(row, "given_actions"))
    simulation.add_goal()
    if simulation.is_plan:
        return [*simulation.lines, answer("valid")]
    place = f"step {simulation.failed}" if simulation.failed else "end"
    return [*simulation.lines, answer(f"invalid, {place}, {', '.join(map(written, simulation.unmet))}")]


def _causality(case: Case, row: Row) -> list[str]:
    steps, number = action_sequence(row, "given_actions"), int(value(row, "step"))
    if value(row, "question_type") == "fails":
        simulation = simulate(case.problem, steps, [number])
        return [without([number]), *simulation.lines, answer(str(simulation.failed))]
    (literal,) = literals_in([value(row, "fact")])
    verb = "holds" if literal[0] in case.problem.start else "does not hold"
    touches = [
        f"Step {place}: {facts([step])} {_effect_on(case, step, literal)}."
        for place, step in enumerate(steps[: number - 1], 1)
    ]
    return [f"At first {listed([literal])} {verb}.", *touches, answer(str(value(row, "answer")))]


def _effect_on(case: Case, step: Step, literal: Literal) -> str:
    """Return what a step does to a fact."""
    action = case.problem.action(step)
    if action is None:
        raise ValueError(f"{step} is no action of the problem")
    if literal[0] in action.adds:
        return f"makes {listed([literal])} true"
    if literal[0] in action.deletes:
        return f"makes {listed([literal])} false"
    return f"leaves {listed([literal])} as it is"


def _solvability(case: Case, row: Row) -> list[str]:
    if value(row, "solvable"):
        return _plan(case, row)
    lines = excluded(Induction(case.problem, case.closure), case.problem.goal, "The goal")
    if not lines:
        raise NoTrace("the proof by induction has too many lines, or there is none")
    return [*lines, answer("none")]


def _optimal(case: Case, row: Row) -> list[str]:
    steps = action_sequence(row, "plan")
    return [*bounded(case, steps, costs_of(row)), *_plan_answer(steps)]


def bounded(case: Case, steps: Sequence[Step], cost_of: Callable[[Step], int]) -> list[str]:
    """Return the lines that carry out a plan, and prove that no plan costs less.

    Raises:
        NoTrace: landmark cuts do not prove it, or with too many lines.
    """
    costs = [cost_of(step) for step in steps]
    cuts = cuts_of_bound(case.task, cost_of, sum(costs), stream(0, "cuts", str(sorted(case.task.facts))))
    if cuts is None:
        raise NoTrace("landmark cuts do not prove that no plan costs less")
    lines = [*_carried_out(case, steps), f"The steps cost {_sum(costs)}."]
    for cut in cuts:
        lines += _cut_lines(case, cut)
        if len(lines) > MOST_LINES:
            raise NoTrace("the proof that no plan costs less has too many lines")
    return [*lines, f"Every plan costs at least {_sum([cut.counted for cut in cuts])}."]


def _cut_lines(case: Case, cut: Cut) -> list[str]:
    induction = Induction(case.problem, RelaxedClosure(case.task, cut.steps), excluded=cut.steps)
    lines = excluded(induction, case.problem.goal, "The goal")
    if not lines:
        raise NoTrace("the proof that no plan costs less has too many lines")
    verb = "are" if len(induction.used) > 1 else "is"
    supposition = f"Suppose that {facts(induction.used)} {verb} never done."
    return [supposition, *lines, f"So one of these actions is needed; of its cost, {cut.counted} counts."]


def _sum(terms: Sequence[int]) -> str:
    return f"{' + '.join(map(str, terms)) or '0'} = {sum(terms)}"


TRACES: Mapping[str, Callable[[Case, Row], list[str]]] = {
    **{f"plan_{task}": _plan for task in TASKS},
    "plan_optimal": _optimal,
    "plan_execution": _execution,
    "plan_verification": _verification,
    "plan_causality": _causality,
    "plan_solvability": _solvability,
}
