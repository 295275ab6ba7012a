"""Lines that collect the applicable ground actions of a schema, condition after condition.

A line ``(stack ?x ?y): (holding ?x) leaves (stack b1 ?y).`` replaces the partly bound actions of a schema by
those that a condition leaves. All conditions are used once, unless no action is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..pddl import conditions_of
from ..problem import GradedProblem, holds, substituted
from ..row import Atom, Literal
from .lines import TraceFault, TraceLine, listed


class Joins:
    """The partly bound actions that are left, by schema, and the conditions that are unused."""

    def __init__(self, problem: GradedProblem) -> None:
        """Begin with no schema."""
        self.problem = problem
        self.remaining: dict[str, frozenset[Atom]] = {}
        self._unused: dict[str, set[Literal]] = {}

    def add(self, line: TraceLine) -> None:
        """Verify a line.

        Raises:
            TraceFault: the condition leaves other actions, or is none of the schema.
        """
        told = line.atom("pattern")
        if told[0] not in self.problem.domain.definitions:
            raise TraceFault(f"line {line.number}: there is no action {told[0]}")
        schema = conditions_of(self.problem.domain, told[0])
        pattern = (told[0], *schema.parameters)
        if told != pattern:
            raise TraceFault(f"line {line.number}: the action is {listed([(pattern, True)])}")
        before = self.remaining.get(told[0], frozenset([pattern]))
        unused = self._unused.setdefault(told[0], {*schema.needs})
        if line.form == "expand":
            if line.parts["variable"] not in pattern:
                raise TraceFault(f"line {line.number}: the action has no {line.parts['variable']}")
            left = expanded(self.problem, pattern, before, line.parts["variable"])
        else:
            if line.literal() not in unused:
                raise TraceFault(f"line {line.number}: is no condition that is still unused")
            unused.discard(line.literal())
            left = matching(self.problem, pattern, before, line.literal())
        if left != line.atoms("rest"):
            raise TraceFault(f"line {line.number}: leaves {listed((atom, True) for atom in sorted(left))}")
        self.remaining[told[0]] = left

    def applicable(self) -> frozenset[Atom]:
        """Return the applicable actions of all schemas.

        Raises:
            TraceFault: the lines do not say what is left of some schema.
        """
        for name in self.problem.domain.definitions:
            left = self.remaining.get(name)
            is_bound = left is not None and not any(is_variable(term) for atom in left for term in atom)
            if left is None or (left and (self._unused[name] or not is_bound)):
                raise TraceFault(f"the trace does not finish the action {name}")
        return frozenset().union(*self.remaining.values())


def is_variable(term: str) -> bool:
    """Return whether a term is a variable."""
    return term.startswith("?")


def expanded(problem: GradedProblem, pattern: Atom, atoms: Iterable[Atom], variable: str) -> frozenset[Atom]:
    """Return partly bound actions with each object of its types for a variable."""
    place = pattern.index(variable)
    names = problem.objects_of(problem.domain.parameters[pattern[0]][place - 1])
    return frozenset(
        (*atom[:place], name, *atom[place + 1 :])
        for atom in atoms
        for name in (names if atom[place] == variable else [atom[place]])
    )


def matching(
    problem: GradedProblem, pattern: Atom, atoms: Iterable[Atom], literal: Literal
) -> frozenset[Atom]:
    """Return the partly bound actions for which a condition may hold initially, with the objects for that.

    Raises:
        TraceFault: the condition is negative, and has a variable without an object.
    """
    left = set[Atom]()
    for atom in atoms:
        lifted, positive = substituted(literal, dict(zip(pattern, atom, strict=True)))
        if not any(map(is_variable, lifted)):
            if holds((lifted, positive), problem.start):
                left.add(atom)
        elif positive:
            left.update(_bound(problem, lifted, atom, pattern))
        else:
            raise TraceFault("a negative condition names a variable that has no object yet")
    return frozenset(left)


def _bound(problem: GradedProblem, lifted: Atom, atom: Atom, pattern: Atom) -> Iterator[Atom]:
    """Yield an action with the objects of each initial fact that a lifted condition matches."""
    parameters = problem.domain.parameters[pattern[0]]
    for fact in problem.start_by_predicate.get(lifted[0], ()):
        if len(fact) != len(lifted):
            continue
        values: dict[str, str] = {}
        matches = all(
            values.setdefault(term, name) == name if is_variable(term) else term == name
            for term, name in zip(lifted[1:], fact[1:], strict=True)
        )
        longer = (atom[0], *(values.get(term, term) for term in atom[1:]))
        places = [place for place, term in enumerate(pattern[1:]) if term in values]
        if matches and not any(problem.misfit([parameters[place]], [longer[place + 1]]) for place in places):
            yield longer
