"""Lines on literals that never hold, alone or together, in any reachable state.

They are proven by one induction for all. None of these conjunctions holds now. Each action that would make
one true, and whose unchanging preconditions hold, needs before it another one of them: its preconditions,
together with the literals of the conjunction that it does not make true, contain a reason of the line.

A supposition excludes actions: those that make a fact true, or those that are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ..problem import ActionEffects, GradedProblem, holds, negated
from ..row import Atom, Literal
from .lines import TraceFault, TraceLine, listed

Conjunction: TypeAlias = frozenset[Literal]


class Nevers:
    """The conjunctions that are said never to hold, with the reasons, and what follows from them."""

    def __init__(self, problem: GradedProblem) -> None:
        """Begin without a supposition."""
        self.problem = problem
        self.elements: dict[Conjunction, TraceLine] = {}
        self.supposed: Literal | None = None
        self.excluded: frozenset[Atom] = frozenset()
        self.goal_excluded = False
        self.inapplicable: set[frozenset[Atom]] = set()  # actions that are never applicable together
        self._idle: set[Atom] = set()  # excluded actions that have not mattered
        self._uses: list[tuple[TraceLine, Conjunction]] = []
        self._required_lines: list[tuple[TraceLine, Conjunction]] = []

    @property
    def has_supposition(self) -> bool:
        """Whether actions are excluded."""
        return self.supposed is not None or bool(self.excluded)

    def add(self, line: TraceLine) -> None:
        """Verify a line, except that its reasons are the conjunctions of other lines."""
        if line.form in ("suppose", "suppose_not"):
            self._suppose(line)
        elif line.form == "never":
            self._never(line)
        else:
            self._required(line)

    def _suppose(self, line: TraceLine) -> None:
        if self.elements or self.has_supposition:
            raise TraceFault(f"line {line.number}: a supposition comes first, and alone")
        if line.form == "suppose_not":
            self.excluded = line.atoms("actions")
            if not self.excluded or not all(map(self.problem.is_possible, self.excluded)):
                raise TraceFault(f"line {line.number}: is not about actions that are possible")
            self._idle = {*self.excluded}
            return
        if holds(line.literal(), self.problem.start):
            raise TraceFault(f"line {line.number}: it holds now")
        self.supposed = line.literal()

    def _never(self, line: TraceLine) -> None:
        conjunction = line.literals("literals")
        if not conjunction or conjunction in self.elements:
            raise TraceFault(f"line {line.number}: says nothing new")
        if all(holds(literal, self.problem.start) for literal in conjunction):
            raise TraceFault(f"line {line.number}: it holds now")
        reasons = line.reasons()
        idle = {*reasons}
        for step in makers(self.problem, conjunction, self.supposed):
            action = self.problem.action(step)
            needed = before(action, conjunction) if action else None
            if needed is None:
                continue
            met = [reason for reason in reasons if reason <= needed]
            if not met and step not in self.excluded:
                raise TraceFault(f"line {line.number}: {listed([(step, True)])} does not need any of that")
            if not met:
                self._idle.discard(step)
            elif len(met) == 1 and step not in self.excluded:
                idle.discard(met[0])
        if idle:
            needless = listed(sorted(min(idle, key=sorted)))
            raise TraceFault(f"line {line.number}: {needless} is not needed as a reason")
        self.elements[conjunction] = line
        self._uses += [(line, reason) for reason in reasons]

    def _required(self, line: TraceLine) -> None:
        needed = line.literals("literals")
        if line.form == "required_goal":
            if not needed.issubset(self.problem.goal):
                raise TraceFault(f"line {line.number}: the goal does not need that")
            self.goal_excluded = True
        else:
            subjects = line.atoms("subjects")
            actions = [self.problem.action(step) for step in subjects]
            if not all(actions) or not needed <= {
                lit for action in actions if action for lit in action.needs
            }:
                raise TraceFault(f"line {line.number}: the actions do not need that")
            self.inapplicable.add(subjects)
        self._required_lines.append((line, needed))

    def finish(self) -> None:
        """Verify that every reason is a conjunction of some line, and that nothing is said without need.

        Raises:
            TraceFault: a reason has no line, or a line, except the first, is no reason.
        """
        if self._idle:
            raise TraceFault(f"{listed([(min(self._idle), True)])} is excluded without need")
        for line, needed in self._required_lines:
            if needed != next(iter(self.elements), None):
                raise TraceFault(f"line {line.number}: is not what the first line excludes")
        used = {conjunction for _, conjunction in self._uses}
        for place, (conjunction, line) in enumerate(self.elements.items()):
            if place and conjunction not in used:
                raise TraceFault(f"line {line.number}: is not needed")
        for line, conjunction in self._uses:
            if conjunction not in self.elements and conjunction != {self.supposed}:
                raise TraceFault(
                    f"line {line.number}: no line says that {listed(sorted(conjunction))} never holds"
                )

    def excludes(self, conjunction: Conjunction) -> bool:
        """Return whether the first line proves that a conjunction never holds."""
        return bool(self.elements) and next(iter(self.elements)) <= conjunction


def makers(problem: GradedProblem, conjunction: Conjunction, supposed: Literal | None) -> Iterator[Atom]:
    """Yield the actions that make some literal of a conjunction true, but not the supposed one."""
    for literal in sorted(conjunction):
        for step in problem.makers(literal):
            action = problem.action(step)
            if not (action and supposed and action.makes(supposed)):
                yield step


def before(action: ActionEffects, conjunction: Conjunction) -> Conjunction | None:
    """Return literals that hold before an action if a conjunction holds after it; None if that cannot be."""
    if any(action.makes(negated(literal)) for literal in conjunction):
        return None
    needed = frozenset(action.needs).union(lit for lit in conjunction if not action.makes(lit))
    return None if any(negated(literal) in needed for literal in needed) else needed
