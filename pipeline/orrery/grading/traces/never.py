"""Lines on literals that never hold, alone or together, in any reachable state.

They are proven by one induction for all. None of these conjunctions holds now. Each action that would make
one true, and whose unchanging preconditions hold, needs before it another one of them: its preconditions,
together with the literals of the conjunction that it does not make true, contain a reason of the line.

A supposition excludes actions: those that make a fact true, or those that are listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ..row import Atom
from .lines import Line, TraceFault, listed
from .world import GroundAction, Literal, World, holds, negated

Conjunction: TypeAlias = frozenset[Literal]


class Nevers:
    """The conjunctions that are said never to hold, with the reasons, and what follows from them."""

    def __init__(self, world: World) -> None:
        """Begin without a supposition."""
        self.world = world
        self.elements: dict[Conjunction, Line] = {}
        self.supposed: Literal | None = None
        self.excluded: frozenset[Atom] = frozenset()
        self.goal_excluded = False
        self.inapplicable: set[frozenset[Atom]] = set()  # actions that are never applicable together
        self._uses: list[tuple[Line, Conjunction]] = []

    @property
    def has_supposition(self) -> bool:
        """Whether actions are excluded."""
        return self.supposed is not None or bool(self.excluded)

    def add(self, line: Line) -> None:
        """Verify a line, except that its reasons are the conjunctions of other lines."""
        if line.form in ("suppose", "suppose_not"):
            self._suppose(line)
        elif line.form == "never":
            self._never(line)
        else:
            self._required(line)

    def _suppose(self, line: Line) -> None:
        if self.elements or self.has_supposition:
            raise TraceFault(f"line {line.number}: a supposition comes first, and alone")
        if line.form == "suppose_not":
            self.excluded = line.atoms("actions")
            return
        if holds(line.literal(), self.world.start):
            raise TraceFault(f"line {line.number}: it holds now")
        self.supposed = line.literal()

    def _never(self, line: Line) -> None:
        conjunction = line.literals("literals")
        if not conjunction or conjunction in self.elements:
            raise TraceFault(f"line {line.number}: says nothing new")
        if all(holds(literal, self.world.start) for literal in conjunction):
            raise TraceFault(f"line {line.number}: it holds now")
        reasons = line.reasons()
        unused = {*reasons}
        for step in self._makers(conjunction):
            action = self.world.action(step)
            before = _before(action, conjunction) if action else None
            if before is None:
                continue
            met = [reason for reason in reasons if reason <= before]
            if not met:
                raise TraceFault(f"line {line.number}: {listed([(step, True)])} does not need any of that")
            unused.difference_update(met)
        if unused:
            raise TraceFault(f"line {line.number}: no action needs {listed(sorted(unused.pop()))}")
        self.elements[conjunction] = line
        self._uses += [(line, reason) for reason in reasons]

    def _makers(self, conjunction: Conjunction) -> Iterable[Atom]:
        """Return the actions that make some literal of a conjunction true and are not excluded."""
        for literal in sorted(conjunction):
            for step in self.world.makers(literal):
                action = self.world.action(step)
                if step in self.excluded or (action and self.supposed and action.makes(self.supposed)):
                    continue
                yield step

    def _required(self, line: Line) -> None:
        needed = line.literals("literals")
        if line.form == "required_goal":
            if not needed <= self.world.goal:
                raise TraceFault(f"line {line.number}: the goal does not need that")
            self.goal_excluded = True
        else:
            subjects = line.atoms("subjects")
            actions = [self.world.action(step) for step in subjects]
            if not all(actions) or not needed <= {
                lit for action in actions if action for lit in action.needs
            }:
                raise TraceFault(f"line {line.number}: the actions do not need that")
            self.inapplicable.add(subjects)
        self._uses.append((line, needed))

    def finish(self) -> None:
        """Verify that every reason is a conjunction of some line.

        Raises:
            TraceFault: a reason has no line.
        """
        for line, conjunction in self._uses:
            if conjunction not in self.elements and conjunction != {self.supposed}:
                raise TraceFault(
                    f"line {line.number}: no line says that {listed(sorted(conjunction))} never holds"
                )

    def excludes(self, conjunction: Conjunction) -> bool:
        """Return whether the lines prove that a conjunction never holds."""
        return any(element <= conjunction for element in self.elements)


def _before(action: GroundAction, conjunction: Conjunction) -> Conjunction | None:
    """Return literals that hold before an action if a conjunction holds after it; None if that cannot be."""
    if any(action.makes(negated(literal)) for literal in conjunction):
        return None
    before = frozenset(action.needs).union(lit for lit in conjunction if not action.makes(lit))
    return None if any(negated(literal) in before for literal in before) else before
