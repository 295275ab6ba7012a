"""Lines that carry out steps from the initial state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from orrery.grading.problem import GradedProblem, holds
from orrery.grading.row import Literal
from orrery.grading.traces.lines import listed
from orrery.model import Atom, Step
from orrery.traces import sentences


@dataclass
class Simulation:
    """The lines of some steps, the state after them, and the step that failed."""

    problem: GradedProblem
    state: set[Atom]
    lines: list[str] = field(default_factory=list)
    failed: int | None = None  # the number of the step
    unmet: list[Literal] = field(default_factory=list)  # what did not hold at that step, or of the goal

    @property
    def is_plan(self) -> bool:
        """Whether nothing has failed."""
        return self.failed is None and not self.unmet

    def add_goal(self) -> None:
        """Add the line on the goal, unless a step failed."""
        if self.failed is None:
            goal = sorted({*self.problem.goal})
            self.unmet = [literal for literal in goal if not holds(literal, self.state)]
            self.lines.append(sentences.needs("The goal", goal, self.unmet))

    def add_condition(self, step: Step) -> bool:
        """Add the line on the conditions of an action in the present state; return whether they hold."""
        action = self.problem.action(step)
        if action is None:
            raise ValueError(f"{step} is no action of the problem")
        unmet = [literal for literal in action.needs if not holds(literal, self.state)]
        self.lines.append(sentences.needs(sentences.facts([step]), action.needs, unmet))
        return not unmet

    def add_facts(self, literals: Sequence[Literal]) -> bool:
        """Add a line on each literal in the present state; return whether all hold."""
        for literal in literals:
            verb = "holds" if holds(literal, self.state) else "does not hold"
            self.lines.append(f"{listed([literal])} {verb} here.")
        return all(holds(literal, self.state) for literal in literals)


def simulate(problem: GradedProblem, steps: Sequence[Step], omitted: Collection[int] = ()) -> Simulation:
    """Return the simulation of steps up to the first that fails; ``omitted`` are numbers left out."""
    simulation = Simulation(problem, set(problem.start))
    for number, step in enumerate(steps, 1):
        if number in omitted:
            continue
        action = problem.action(step)
        if action is None:
            raise ValueError(f"{step} is no action of the problem")
        simulation.unmet = [literal for literal in action.needs if not holds(literal, simulation.state)]
        if simulation.unmet:
            subject = f"Step {number}: {sentences.facts([step])}"
            simulation.lines.append(sentences.needs(subject, action.needs, simulation.unmet))
            simulation.failed = number
            break
        simulation.lines.append(sentences.step(number, step, action, simulation.state))
        simulation.state -= action.deletes
        simulation.state |= action.adds
    return simulation


def without(omitted: Sequence[int]) -> str:
    """Return the line that announces a simulation without one step or two."""
    return f"Without step{'s' if len(omitted) > 1 else ''} {' and '.join(map(str, omitted))}:"
