"""A derivation: lines about one sequence of steps from the initial state, each verified by itself.

Each form of lines has a method, which verifies a line and records what it establishes. The
conclusions of a trace read these records only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from types import MappingProxyType

from ..problem import ActionEffects, GradedProblem, holds
from ..row import Atom, Literal
from .joins import Joins
from .lines import TraceFault, TraceLine, listed
from .never import Nevers


class Derivation:
    """What the lines of a derivation establish."""

    def __init__(
        self, problem: GradedProblem, label: str = "", omitted: frozenset[int] = frozenset()
    ) -> None:
        """Begin in the initial state.

        Args:
            problem: the problem.
            label: the option that the derivation is about, if it is about one.
            omitted: the numbers of steps that are left out of the given ones.
        """
        self.problem, self.label, self.omitted = problem, label, omitted
        self.number = 0  # of the last step
        self.state = set(problem.start)
        self.seen: set[Atom] = set(problem.start)  # the facts of all states so far
        self.steps: list[Atom] = []
        self.changes: tuple[frozenset[Literal], frozenset[Literal]] = (frozenset(), frozenset())
        self.failed: tuple[int, Atom, frozenset[Literal]] | None = None
        self.foreign: dict[int, Atom] = {}
        self.all_known = False
        self.goal: frozenset[Literal] | None = None  # the literals that do not hold; None: not examined
        self.facts: dict[Literal, bool] = {}
        self.conditions: dict[Atom, bool] = {}
        self.avoided: set[Literal] = set()
        self.traced: dict[Literal, list[tuple[int, Atom, bool | None]]] = {}
        self.joins = Joins(problem)
        self.nevers = Nevers(problem)
        self.costs: tuple[int, ...] | None = None
        self.counts = 0  # of the cost of each action of the supposition, in the lower bound
        self.index: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no line has been read."""
        return not (
            self.steps or self.failed or self.foreign or self.goal is not None or self.facts
            or self.conditions or self.traced or self.joins.remaining or self.nevers.elements
        )  # fmt: skip

    @property
    def is_plan(self) -> bool:
        """Whether the steps are shown to reach the goal."""
        return self.failed is None and self.goal == frozenset()

    def add(self, line: TraceLine) -> None:
        """Verify a line.

        Raises:
            TraceFault: it is not true.
        """
        _VERIFIERS[line.form](self, line)

    def _action(self, line: TraceLine) -> ActionEffects:
        action = self.problem.action(line.atom())
        if action is None:
            raise TraceFault(f"line {line.number}: {line.parts['action']} is no action of the problem")
        _expect(line, "needs", action.needs)
        return action

    def _unmet(self, line: TraceLine, literals: Iterable[Literal]) -> frozenset[Literal]:
        """Return the literals that do not hold, after comparison with those that the line names."""
        unmet = frozenset(literal for literal in literals if not holds(literal, self.state))
        if unmet != line.literals("unmet"):
            mistake = f"{listed(sorted(unmet))} {'do' if len(unmet) > 1 else 'does'} not hold"
            raise TraceFault(f"line {line.number}: {mistake if unmet else 'all of it holds'}")
        if "unmet" in line.parts and not unmet:
            raise TraceFault(f"line {line.number}: names nothing that does not hold")
        return unmet

    def _next(self, line: TraceLine) -> None:
        number = int(line.parts["number"])
        expected = next(place for place in count(self.number + 1) if place not in self.omitted)
        if number != expected or self.failed or self.goal is not None:
            raise TraceFault(f"line {line.number}: step {number} is not the next one")
        self.number = number

    def _step(self, line: TraceLine) -> None:
        self._next(line)
        action = self._action(line)
        self._unmet(line, action.needs)
        true, false = frozenset(action.adds - self.state), frozenset(action.deletes & self.state)
        _expect(line, "true", ((atom, True) for atom in true), "true_too")
        _expect(line, "false", ((atom, True) for atom in false), "false_too")
        self.state -= action.deletes
        self.state |= action.adds
        self.seen |= action.adds
        self.changes = frozenset((atom, True) for atom in true), frozenset((atom, True) for atom in false)
        self.steps.append(line.atom())
        self.facts, self.conditions = {}, {}

    def _failure(self, line: TraceLine) -> None:
        self._next(line)
        unmet = self._unmet(line, self._action(line).needs)
        self.failed = int(line.parts["number"]), line.atom(), unmet

    def _foreign(self, line: TraceLine) -> None:
        if line.atom()[0] in self.problem.domain.definitions:
            raise TraceFault(f"line {line.number}: the domain has an action {line.atom()[0]}")
        number = int(line.parts["number"])
        if number in self.foreign:
            raise TraceFault(f"line {line.number}: step {number} is named twice")
        self.foreign[number] = line.atom()

    def _known(self, _: TraceLine) -> None:
        self.all_known = True

    def _condition(self, line: TraceLine) -> None:
        self.conditions[line.atom()] = not self._unmet(line, self._action(line).needs)

    def _goal(self, line: TraceLine) -> None:
        _expect(line, "needs", self.problem.goal)
        self.goal = self._unmet(line, self.problem.goal)

    def _fact(self, line: TraceLine) -> None:
        true = holds(line.literal(), self.state)
        if true != (line.parts["value"] == "holds"):
            raise TraceFault(f"line {line.number}: it {'holds' if true else 'does not hold'}")
        self.facts[line.literal()] = true

    def _avoided(self, line: TraceLine) -> None:
        atom, positive = line.literal()
        if not positive or atom in self.seen:
            raise TraceFault(f"line {line.number}: it held")
        self.avoided.add((atom, positive))

    def _at_first(self, line: TraceLine) -> None:
        literal = line.literal()
        is_told = line.parts["value"] == "holds"
        if holds(literal, self.problem.start) != is_told or literal in self.traced:
            raise TraceFault(f"line {line.number}: is not so")
        self.traced[literal] = []

    def _touch(self, line: TraceLine) -> None:
        """Verify what a step does to a fact; the state does not matter."""
        literal, number = line.literal(), int(line.parts["number"])
        action = self.problem.action(line.atom())
        if action is None or len(self.traced.get(literal, ())) + 1 != number or literal not in self.traced:
            raise TraceFault(f"line {line.number}: step {number} is not the next one")
        atom, positive = literal
        effect = positive if atom in action.adds else not positive if atom in action.deletes else None
        told = {"true": True, "false": False}.get(line.parts.get("value", ""))
        if effect != told:
            raise TraceFault(f"line {line.number}: the step has another effect on {listed([literal])}")
        self.traced[literal].append((number, line.atom(), effect))

    def _join(self, line: TraceLine) -> None:
        self.joins.add(line)

    def _never(self, line: TraceLine) -> None:
        if self.steps:
            raise TraceFault(f"line {line.number}: is said of the initial state, and stands behind steps")
        self.nevers.add(line)

    def _costs(self, line: TraceLine) -> None:
        if self.costs is not None:
            raise TraceFault(f"line {line.number}: the costs are stated twice")
        self.costs = added(line)

    def _cut(self, line: TraceLine) -> None:
        if not self.nevers.excluded or not self.nevers.goal_excluded or self.counts:
            raise TraceFault(f"line {line.number}: no supposition excludes the goal")
        self.counts = int(line.parts["number"])

    def _index(self, line: TraceLine) -> None:
        if not self.failed or (self.failed[0], self.failed[0] - 1) != (
            int(line.parts["number"]),
            int(line.parts["index"]),
        ):
            raise TraceFault(f"line {line.number}: is not the index of the step that fails")
        self.index = int(line.parts["index"])


_VERIFIERS: Mapping[str, Callable[[Derivation, TraceLine], None]] = MappingProxyType(
    {
        "step": Derivation._step,
        "failure": Derivation._failure,
        "foreign": Derivation._foreign,
        "known": Derivation._known,
        "condition": Derivation._condition,
        "goal": Derivation._goal,
        "fact": Derivation._fact,
        "avoided": Derivation._avoided,
        "at_first": Derivation._at_first,
        **dict.fromkeys(("touch", "untouched"), Derivation._touch),
        **dict.fromkeys(("join", "expand"), Derivation._join),
        **dict.fromkeys(("never", "suppose", "suppose_not", "required", "required_goal"), Derivation._never),
        "costs": Derivation._costs,
        "cut": Derivation._cut,
        "index": Derivation._index,
    }
)


class TraceRead:
    """The derivations of a trace, and its conclusions on options and on the claim (the option ``""``)."""

    def __init__(self, problem: GradedProblem) -> None:
        """Begin without lines."""
        self.derivations = [Derivation(problem)]
        self.verdicts: dict[str, bool] = {}
        self.bound: tuple[int, ...] | None = None
        self._problem = problem

    def add(self, line: TraceLine) -> None:
        """Verify a line, and begin a derivation where it says so."""
        current = self.derivations[-1]
        if line.form == "option":
            self._begin(Derivation(self._problem, line.parts["label"]))
        elif line.form == "without":
            numbers = frozenset(int(line.parts[part]) for part in ("first", "second") if part in line.parts)
            self._begin(Derivation(self._problem, current.label, numbers))
        elif line.form in ("claim", "choice"):
            self._conclude(line)
        elif line.form == "bound":
            self.bound = added(line)
        else:
            if line.form in ("suppose", "suppose_not") and not current.is_empty:
                self._begin(Derivation(self._problem, current.label))
            self.derivations[-1].add(line)

    def _begin(self, derivation: Derivation) -> None:
        if self.derivations[-1].is_empty:
            self.derivations.pop()
        self.derivations.append(derivation)

    def _conclude(self, line: TraceLine) -> None:
        label = line.parts.get("label", "")
        current = self.derivations[-1]
        if label in self.verdicts or current.is_empty or current.label not in (label, ""):
            raise TraceFault(f"line {line.number}: nothing was derived for this")
        self.verdicts[label] = line.parts["value"] in ("true", "right")

    def finish(self) -> None:
        """Verify what depends on later lines."""
        for derivation in self.derivations:
            derivation.nevers.finish()


def added(line: TraceLine) -> tuple[int, ...]:
    """Return the terms of the sum of a line.

    Raises:
        TraceFault: they have another sum.
    """
    terms = tuple(map(int, line.parts["sum"].split(" + ")))
    if sum(terms) != int(line.parts["number"]):
        raise TraceFault(f"line {line.number}: the sum is {sum(terms)}")
    return terms


def _expect(line: TraceLine, part: str, literals: Iterable[Literal], second: str = "") -> None:
    """Compare the literals of a part with those expected; ``second`` is another name of the part.

    Raises:
        TraceFault: they differ.
    """
    told, expected = line.literals(part) | (line.literals(second) if second else frozenset()), {*literals}
    if told != expected:
        word = {"needs": "needs", "true": "makes true", "false": "makes false"}[part]
        raise TraceFault(f"line {line.number}: it {word} {listed(sorted(expected))}")
