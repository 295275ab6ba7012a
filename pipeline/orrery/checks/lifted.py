"""Find applicable steps directly from the action schemas, one argument after another.

Nothing is grounded in advance. Arguments are chosen in turn. Each precondition is tested once its arguments
are all chosen; if it fails, the choice is dropped. A state with hundreds of objects takes milliseconds; a
test of every well-typed action would take minutes.

The actions and facts of reachability questions are also computed here, by another method than in the
questions: actions are chosen by their static preconditions alone, and each fact with a repeated object is
unified with the effects, one fact after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from orrery.checks.execution import has_cost
from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, State, Step
from orrery.planning.universe import names_of


@dataclass(frozen=True)
class _Schema:
    """An action; ``order`` has the positions of its parameters in the order of choice.

    ``due[n]`` are the preconditions whose arguments are all known after ``n`` choices.
    """

    action: Action
    names: tuple[Sequence[str], ...]
    order: tuple[int, ...]
    due: tuple[tuple[Literal, ...], ...]


class Lifted:
    """The actions of a problem, to find the applicable ones in any state."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        """Prepare the actions of ``domain`` for the objects of ``problem``."""
        actions = sorted(domain.actions, key=lambda action: action.name)
        self._schemas = [_schema(domain, problem, action) for action in actions]
        self._domain, self._problem = domain, problem

    def applicable(self, state: State) -> list[Step]:
        """Return every step applicable in ``state`` whose cost, if it is a function, has a value; sorted."""
        index = _Index(state)
        steps = (step for schema in self._schemas for step in _steps(schema, index))
        return sorted(step for step in steps if has_cost(self._domain, self._problem, step))


class _Index:
    """The facts of a state, indexed by name and position."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.standing: dict[tuple[str, int, str], set[Atom]] = {}
        self.named: dict[str, set[Atom]] = {}
        for fact in state:
            self.named.setdefault(fact[0], set()).add(fact)
            for place, name in enumerate(fact[1:], 1):
                self.standing.setdefault((fact[0], place, name), set()).add(fact)

    def fitting(self, atom: Atom, values: dict[str, str]) -> set[Atom]:
        """Return the facts that match the atom, looked up by the rarest of its known arguments."""
        arguments = [(place, values.get(name, name)) for place, name in enumerate(atom[1:], 1)]
        fitting_facts = [
            self.standing.get((atom[0], p, v), set()) for p, v in arguments if not v.startswith("?")
        ]
        return min(fitting_facts, key=len, default=self.named.get(atom[0], set()))


def _schema(domain: Domain, problem: Problem, action: Action) -> _Schema:
    names = tuple(names_of(domain, problem, parameter.types) for parameter in action.parameters)
    order = _order(action, names)
    chosen = [{action.parameters[i].name for i in order[:n]} for n in range(len(order) + 1)]
    ready = [[p for p in sorted(action.preconditions) if _variables(p.atom) <= bound] for bound in chosen]
    due = [tuple(p for p in now if p not in before) for before, now in zip([[], *ready], ready, strict=False)]
    return _Schema(action, names, order, tuple(due))


def _order(action: Action, names: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the parameters in order of choice: those linked to chosen ones first, then by few names."""
    positive = [_variables(p.atom) for p in action.preconditions if p.positive and p.atom[0] != EQUAL]
    remaining, order, bound = set(range(len(names))), [], set[str]()

    def cost(i: int) -> tuple[int, int, int]:
        mine = action.parameters[i].name
        ties = [len(variables - bound) for variables in positive if mine in variables]
        return min(ties, default=99), len(names[i]), i

    while remaining:
        best = min(remaining, key=cost)
        remaining.remove(best)
        order.append(best)
        bound.add(action.parameters[best].name)
    return tuple(order)


def _variables(atom: Atom) -> set[str]:
    return {argument for argument in atom[1:] if argument.startswith("?")}


def _steps(schema: _Schema, index: _Index) -> Iterator[Step]:
    if all(_true(literal, {}, index.state) for literal in schema.due[0]):
        yield from _extended(schema, index, {}, 0)


def _extended(schema: _Schema, index: _Index, values: dict[str, str], depth: int) -> Iterator[Step]:
    """Yield the steps whose first chosen arguments are ``values``."""
    if depth == len(schema.order):
        yield (schema.action.name, *(values[parameter.name] for parameter in schema.action.parameters))
        return
    place = schema.order[depth]
    variable = schema.action.parameters[place].name
    for name in _candidates(schema, index, values, place):
        values[variable] = name
        if all(_true(literal, values, index.state) for literal in schema.due[depth + 1]):
            yield from _extended(schema, index, values, depth + 1)
        del values[variable]


def _candidates(schema: _Schema, index: _Index, values: dict[str, str], place: int) -> Sequence[str]:
    """Return the names of the right type that match the facts of the rarest positive preconditions.

    The other preconditions are tested as soon as all their arguments are chosen.
    """
    variable = schema.action.parameters[place].name
    best: Sequence[str] = schema.names[place]
    for literal in schema.action.preconditions:
        if literal.positive and literal.atom[0] != EQUAL and variable in literal.atom:
            facts = index.fitting(literal.atom, values)
            if len(facts) < len(best):
                at = literal.atom.index(variable, 1)
                allowed = {fact[at] for fact in facts}
                best = [name for name in best if name in allowed]
    return best


def _true(literal: Literal, values: dict[str, str], state: State) -> bool:
    atom = (literal.atom[0], *(values.get(argument, argument) for argument in literal.atom[1:]))
    return Literal(atom, literal.positive).holds(state)


def actions_of(domain: Domain, problem: Problem) -> list[Step]:
    """Return the well-typed ground actions whose static preconditions and (in)equalities hold, sorted."""
    return _static_steps(domain, problem, domain.actions)


def _static_steps(domain: Domain, problem: Problem, actions: Iterable[Action]) -> list[Step]:
    """Return the instances of the actions whose static preconditions and (in)equalities hold, sorted."""
    static = tuple(
        replace(
            action,
            preconditions=frozenset(p for p in action.preconditions if p.atom[0] not in domain.fluents),
        )
        for action in actions
    )
    lasting = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    return Lifted(replace(domain, actions=static), problem).applicable(lasting)


def facts_of(domain: Domain, problem: Problem) -> list[Atom]:
    """Return the well-typed facts of predicates that some action adds, sorted.

    A fact with a repeated object is included only if some action of ``actions_of`` adds it.
    """
    added_predicates = {atom[0] for action in domain.actions for atom in action.add}
    facts = []
    for predicate in domain.predicates:
        if predicate.name in added_predicates:
            names = [names_of(domain, problem, parameter.types) for parameter in predicate.parameters]
            facts += [(predicate.name, *arguments) for arguments in product(*names)]
    return sorted(
        fact for fact in facts if len(set(fact[1:])) == len(fact) - 1 or _added(domain, problem, fact)
    )


def _added(domain: Domain, problem: Problem, fact: Atom) -> bool:
    """Return whether some action of ``actions_of`` adds ``fact``."""
    return any(
        _unifies(domain, problem, action, atom, fact) for action in domain.actions for atom in action.add
    )


def _unifies(domain: Domain, problem: Problem, action: Action, atom: Atom, fact: Atom) -> bool:
    """Return whether ``atom`` becomes ``fact`` in some instance of ``action`` that static facts allow."""
    if atom[0] != fact[0]:
        return False
    equal = frozenset(Literal((EQUAL, *pair)) for pair in zip(atom[1:], fact[1:], strict=True))
    unified = replace(action, preconditions=action.preconditions | equal)
    return bool(_static_steps(domain, problem, [unified]))
