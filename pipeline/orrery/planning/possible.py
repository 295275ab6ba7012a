"""The universe of questions on reachability: actions that static facts allow, and facts that actions add.

An action belongs to the *universe* of a problem if its arguments are well typed, its static preconditions
hold in the problem, and its (in)equalities are satisfied. A fact belongs to it if some action adds its
predicate; if it mentions an object twice, some action of the universe must add this very fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from orrery.model import Atom, Domain, Problem, State, Step
from orrery.planning.grounding import Grounder
from orrery.planning.universe import fluent_atoms

NOTHING: State = frozenset()


def added_predicates(domain: Domain) -> frozenset[str]:
    """Return the names of the predicates that some action adds."""
    return frozenset(atom[0] for action in domain.actions for atom in action.add)


def possible_steps(domain: Domain, problem: Problem) -> list[Step]:
    """Return the ground actions of the universe, sorted by name and then by arguments.

    They are the instances of the actions without their fluent preconditions, found by joining static facts.
    """
    static_actions = []
    for action in domain.actions:
        static = frozenset(p for p in action.preconditions if p.atom[0] not in domain.fluents)
        static_actions.append(replace(action, preconditions=static, add=NOTHING, delete=NOTHING))
    grounder = Grounder(replace(domain, actions=tuple(static_actions)))
    return sorted(grounder.explore(problem).steps)


def possible_atoms(domain: Domain, problem: Problem) -> list[Atom]:
    """Return the facts of the universe, sorted."""
    added = added_predicates(domain)
    atoms = [atom for atom in fluent_atoms(domain, problem) if atom[0] in added]
    if any(map(names_twice, atoms)):
        added_by_some = added_facts(domain, possible_steps(domain, problem))
        return [atom for atom in atoms if not names_twice(atom) or atom in added_by_some]
    return atoms


def names_twice(atom: Atom) -> bool:
    """Return whether an object occurs twice in a fact or an action."""
    return len({*atom[1:]}) < len(atom) - 1


def added_facts(domain: Domain, steps: Iterable[Step]) -> set[Atom]:
    """Return the facts that some of the ground actions add."""
    facts: set[Atom] = set()
    for step in steps:
        action = domain.action_named[step[0]]
        values = dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))
        facts.update((atom[0], *[values.get(x, x) for x in atom[1:]]) for atom in action.add)
    return facts
