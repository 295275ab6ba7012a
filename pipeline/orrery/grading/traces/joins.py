"""Lines that collect the applicable ground actions of a schema, condition after condition.

A line ``(stack ?x ?y): (holding ?x) leaves (stack b1 ?y).`` replaces the partly bound actions of a schema by
those that a condition leaves. All conditions are used once, unless no action is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..grounded import GroundedProblem, Literal, holds
from ..pddl import conditions_of
from ..row import Atom
from .lines import TraceFault, TraceLine, listed


class Joins:
    """The partly bound actions that are left, by schema, and the conditions that are unused."""

    def __init__(self, world: GroundedProblem) -> None:
        """Begin with no schema."""
        self.world = world
        self.remaining: dict[str, frozenset[Atom]] = {}
        self._unused: dict[str, set[Literal]] = {}

    def add(self, line: TraceLine) -> None:
        """Verify a line.

        Raises:
            TraceFault: the condition leaves other actions, or is none of the schema.
        """
        told = line.atom("pattern")
        if told[0] not in self.world.problem.domain.definitions:
            raise TraceFault(f"line {line.number}: there is no action {told[0]}")
        pattern, conditions = lifted_action(self.world, told[0])
        if told != pattern:
            raise TraceFault(f"line {line.number}: the action is {listed([(pattern, True)])}")
        before = self.remaining.get(told[0], frozenset([pattern]))
        unused = self._unused.setdefault(told[0], {*conditions})
        if line.form == "expand":
            if line.parts["variable"] not in pattern:
                raise TraceFault(f"line {line.number}: the action has no {line.parts['variable']}")
            left = expanded(self.world, pattern, before, line.parts["variable"])
        else:
            if line.literal() not in unused:
                raise TraceFault(f"line {line.number}: is no condition that is still unused")
            unused.discard(line.literal())
            left = matching(self.world, pattern, before, line.literal())
        if left != line.atoms("rest"):
            raise TraceFault(f"line {line.number}: leaves {listed((atom, True) for atom in sorted(left))}")
        self.remaining[told[0]] = left

    def applicable(self) -> frozenset[Atom]:
        """Return the applicable actions of all schemas.

        Raises:
            TraceFault: the lines do not say what is left of some schema.
        """
        for name in self.world.problem.domain.definitions:
            left = self.remaining.get(name)
            is_bound = left is not None and not any(is_variable(term) for atom in left for term in atom)
            if left is None or (left and (self._unused[name] or not is_bound)):
                raise TraceFault(f"the trace does not finish the action {name}")
        return frozenset().union(*self.remaining.values())


def lifted_action(world: GroundedProblem, name: str) -> tuple[Atom, frozenset[Literal]]:
    """Return an action schema with its variables, and its lifted conditions."""
    domain = world.problem.domain
    schema = conditions_of(domain, name)
    declared = domain.definitions[name].get(":parameters", [])
    variables = tuple(str(word) for word in declared if str(word).startswith("?"))
    terms = (*variables, *schema.constants)
    signed = zip(schema.atoms[:2], (True, False), strict=True)
    return (name, *variables), frozenset((atom(terms), sign) for atoms, sign in signed for atom in atoms)


def is_variable(term: str) -> bool:
    """Return whether a term is a variable."""
    return term.startswith("?")


def expanded(world: GroundedProblem, pattern: Atom, atoms: Iterable[Atom], variable: str) -> frozenset[Atom]:
    """Return partly bound actions with each object of its types for a variable."""
    place = pattern.index(variable)
    names = world.objects_of(world.problem.domain.parameters[pattern[0]][place - 1])
    return frozenset(
        (*atom[:place], name, *atom[place + 1 :])
        for atom in atoms
        for name in (names if atom[place] == variable else [atom[place]])
    )


def matching(
    world: GroundedProblem, pattern: Atom, atoms: Iterable[Atom], literal: Literal
) -> frozenset[Atom]:
    """Return the partly bound actions for which a condition may hold initially, with the objects for that.

    Raises:
        TraceFault: the condition is negative, and has a variable without an object.
    """
    left = set[Atom]()
    for atom in atoms:
        values = dict(zip(pattern[1:], atom[1:], strict=True))
        lifted = (literal[0][0], *(values.get(term, term) for term in literal[0][1:]))
        if not any(map(is_variable, lifted)):
            if holds((lifted, literal[1]), world.start):
                left.add(atom)
        elif literal[1]:
            left.update(_bound(world, lifted, atom, pattern))
        else:
            raise TraceFault("a negative condition names a variable that has no object yet")
    return frozenset(left)


def _bound(world: GroundedProblem, lifted: Atom, atom: Atom, pattern: Atom) -> Iterator[Atom]:
    """Yield an action with the objects of each initial fact that a lifted condition matches."""
    parameters = world.problem.domain.parameters[pattern[0]]
    for fact in world.start_by_predicate.get(lifted[0], ()):
        if len(fact) != len(lifted):
            continue
        values: dict[str, str] = {}
        matches = all(
            values.setdefault(term, name) == name if is_variable(term) else term == name
            for term, name in zip(lifted[1:], fact[1:], strict=True)
        )
        longer = (atom[0], *(values.get(term, term) for term in atom[1:]))
        places = [place for place, term in enumerate(pattern[1:]) if term in values]
        if matches and not any(
            world.problem.misfit([parameters[place]], [longer[place + 1]]) for place in places
        ):
            yield longer
