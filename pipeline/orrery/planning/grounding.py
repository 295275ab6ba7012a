"""Grounding by delete-relaxed reachability.

Reached facts are joined with the preconditions of each action; every new fact triggers the
joins it takes part in (semi-naive evaluation, as in the Datalog exploration of Helmert, "Concise
finite-domain representations for PDDL planning tasks", 2009). The result contains exactly the ground
actions whose positive preconditions the relaxation reaches. Negative preconditions prune only if
no action could ever make them true, which keeps the relaxation sound. An action whose cost is a function
without a value is not applicable (PDDL 2.1, section 8) and is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, State, Step
from orrery.planning.task import GroundAction, PlanningTask
from orrery.planning.universe import names_of

MOST_GROUNDERS = 8  # domains whose sorted preconditions are kept

Values: TypeAlias = dict[str, str]
"""The objects of an action's parameters; a constant, and the name of a predicate or action, is itself."""
GroundAtom: TypeAlias = Callable[[Values], Atom]
"""Makes a ground atom from values."""


class _FactIndex:
    """Facts by predicate, and by the name at each position; the first one is that of the predicate."""

    def __init__(self) -> None:
        self._columns: dict[str, list[dict[str, list[Atom]]]] = {}

    def add(self, fact: Atom) -> None:
        """Add a new fact."""
        if fact[0] not in self._columns:
            self._columns[fact[0]] = [defaultdict(list) for _ in fact]
        for column, name in zip(self._columns[fact[0]], fact, strict=True):
            column[name].append(fact)

    def candidates(self, atom: Atom, values: Values) -> Sequence[Atom]:
        """Return the facts with one known name of ``atom``: the one that the fewest facts have."""
        columns = self._columns.get(atom[0], ())
        lists = [
            column.get(values[term], ())
            for column, term in zip(columns, atom, strict=False)
            if term in values
        ]
        return min(lists, key=len, default=())


@dataclass(frozen=True, slots=True)
class _LiftedAction:
    """An action with its preconditions by sort; ``constants`` are the names that are no parameters.

    ``positive`` are those that facts can match, of which ``fluent`` can change. The others are made from
    values: ``needed`` are the fluent ones, ``barred`` those of ``forbidden`` that are never deleted.
    """

    action: Action
    positive: list[Atom]
    fluent: list[Atom]
    step: GroundAtom
    needed: list[GroundAtom]
    forbidden: list[GroundAtom]
    barred: list[GroundAtom]
    add: list[GroundAtom]
    delete: list[GroundAtom]
    equalities: list[Literal]
    constants: Values


class _GroundedAction(NamedTuple):  # several times as fast as a frozen dataclass
    """A ground action: its schema, its objects, and the facts that it adds."""

    schema: _LiftedAction
    values: Values
    added: list[Atom]


def _schema(action: Action, fluents: frozenset[str], deletable: frozenset[str]) -> _LiftedAction:
    literals = sorted(literal for literal in action.preconditions if literal.atom[0] != EQUAL)
    positive = [literal.atom for literal in literals if literal.positive]
    forbidden = [literal.atom for literal in literals if not literal.positive]
    fluent = [atom for atom in positive if atom[0] in fluents]
    parameters = [parameter.name for parameter in action.parameters]
    step = (action.name, *parameters)
    atoms = {step} | {literal.atom for literal in action.preconditions} | action.add | action.delete
    return _LiftedAction(
        action,
        positive,
        fluent,
        step=_maker(step),
        needed=list(map(_maker, fluent)),
        forbidden=list(map(_maker, forbidden)),
        barred=[_maker(atom) for atom in forbidden if atom[0] not in deletable],
        add=list(map(_maker, action.add)),
        delete=list(map(_maker, action.delete)),
        equalities=[literal for literal in action.preconditions if literal.atom[0] == EQUAL],
        constants={term: term for atom in atoms for term in atom if term not in parameters},
    )


def _maker(atom: Atom) -> GroundAtom:
    """Return the function that replaces the parameters of an atom; one of a single name stays as it is."""
    return itemgetter(*atom) if len(atom) > 1 else lambda _: atom


class Grounder:
    """Grounds problems of one domain; the preconditions are sorted once."""

    def __init__(self, domain: Domain) -> None:
        """Prepare the schemas of ``domain``."""
        self.domain = domain
        deletable = frozenset(atom[0] for action in domain.actions for atom in action.delete)
        self._schemas = [_schema(action, domain.fluents, deletable) for action in domain.actions]

    def ground(self, problem: Problem) -> PlanningTask:
        """Return the planning task of ``problem``."""
        return self.explore(problem).task()

    def explore(self, problem: Problem) -> Explored:
        """Return the result of the delete relaxation."""
        return Explored(self.domain, problem, self._schemas)


def ground(domain: Domain, problem: Problem) -> PlanningTask:
    """Return the planning task of one problem. The last domains have a ``Grounder`` for all calls."""
    return _grounder(domain).ground(problem)


@lru_cache(maxsize=MOST_GROUNDERS)
def _grounder(domain: Domain) -> Grounder:
    return Grounder(domain)


class Explored:
    """The facts that the delete relaxation of a problem reaches, and the ground actions, unsorted."""

    def __init__(self, domain: Domain, problem: Problem, schemas: Sequence[_LiftedAction]) -> None:
        """Find every reached ground action."""
        self.domain, self.problem, self.facts = domain, problem, set(problem.init)
        self.index = _FactIndex()
        self.valued = frozenset(term for term, _ in problem.costs)
        self.instances: dict[Step, _GroundedAction] = {}
        kinds = {parameter.types for action in domain.actions for parameter in action.parameters}
        names = {types: frozenset(names_of(domain, problem, types)) for types in kinds}
        self.allowed = {a.name: {p.name: names[p.types] for p in a.parameters} for a in domain.actions}
        self._run(schemas)

    def _run(self, schemas: Sequence[_LiftedAction]) -> None:
        triggers: dict[str, list[tuple[_LiftedAction, Atom]]] = defaultdict(list)
        queue: list[Atom] = []
        for fact in self.problem.init:
            if fact[0] in self.domain.fluents:
                queue.append(fact)
            else:
                self.index.add(fact)
        for schema in schemas:
            if not schema.fluent:
                queue += self._enter(schema, schema.constants, schema.positive)
            for atom in schema.fluent:
                triggers[atom[0]].append((schema, atom))
        for fact in queue:  # the list grows during the loop
            # Added only now, so that an instance is found only by the last of its facts.
            self.index.add(fact)
            for schema, atom in triggers[fact[0]]:
                values = self._unified(schema, atom, fact, schema.constants)
                if values is not None:
                    unmatched = [other for other in schema.positive if other is not atom]
                    queue += self._enter(schema, values, unmatched)

    def _enter(self, schema: _LiftedAction, values: Values, atoms: Sequence[Atom]) -> list[Atom]:
        """Record the instances with these ``values``; return the newly reached facts."""
        new: list[Atom] = []
        for complete in self._completions(schema, values, atoms):
            step = schema.step(complete)
            if step in self.instances or not self._permits(schema, complete):
                continue
            added = [atom(complete) for atom in schema.add]
            self.instances[step] = _GroundedAction(schema, complete, added)
            unreached = [fact for fact in added if fact not in self.facts]
            self.facts.update(unreached)
            new += unreached
        return new

    def _completions(self, schema: _LiftedAction, values: Values, atoms: Sequence[Atom]) -> Iterator[Values]:
        """Yield ``values`` with all parameters for which every one of ``atoms`` is a reached fact.

        The atom that the fewest facts may match is matched first.
        """
        partial, unmatched = [values], [*atoms]
        while unmatched and partial:
            known = partial[0]
            if len(unmatched) > 1:
                unmatched.sort(key=lambda atom: len(self.index.candidates(atom, known)), reverse=True)
            atom = unmatched.pop()
            partial = [
                unified
                for known in partial
                for fact in self.index.candidates(atom, known)
                if (unified := self._unified(schema, atom, fact, known)) is not None
            ]
        for known in partial:
            free = [parameter.name for parameter in schema.action.parameters if parameter.name not in known]
            for names in product(*[self.allowed[schema.action.name][parameter] for parameter in free]):
                yield {**known, **dict(zip(free, names, strict=True))} if free else known

    def _unified(self, schema: _LiftedAction, atom: Atom, fact: Atom, values: Values) -> Values | None:
        """Return ``values`` with the objects for which ``atom`` is ``fact``; None if it cannot be."""
        unified, allowed = values.copy(), self.allowed[schema.action.name]
        for term, name in zip(atom, fact, strict=True):
            if term not in unified and name in allowed[term]:
                unified[term] = name
            elif unified.get(term) != name:
                return None
        return unified

    def _permits(self, schema: _LiftedAction, values: Values) -> bool:
        """Return whether equalities hold, the cost has a value and no forbidden fact is permanently true."""
        for (_, first, second), positive in schema.equalities:
            if (values[first] == values[second]) != positive:
                return False
        cost = schema.action.cost
        if isinstance(cost, tuple) and (cost[0], *[values.get(t, t) for t in cost[1:]]) not in self.valued:
            return False
        return self.problem.init.isdisjoint([atom(values) for atom in schema.barred])

    @property
    def steps(self) -> Iterable[Step]:
        """The ground actions by name and arguments."""
        return self.instances.keys()

    def task(self) -> PlanningTask:
        """Return the task, with bit masks for the ground actions."""
        domain, problem = self.domain, self.problem
        statics = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
        goal = [literal for literal in problem.goal if not _settled(literal, statics)]
        facts = set(problem.init - statics).union(literal.atom for literal in goal)
        for instance in self.instances.values():
            facts.update(instance.added)
        bit = {fact: 1 << index for index, fact in enumerate(sorted(facts))}
        return PlanningTask(
            domain=domain,
            problem=problem,
            facts=tuple(bit),
            actions=tuple(_ground_action(step, self.instances[step], bit) for step in sorted(self.instances)),
            init=sum(bit[fact] for fact in problem.init if fact in bit),
            goal_positive=sum({bit[g.atom] for g in goal if g.positive or g.atom[0] == EQUAL}),
            goal_negative=sum({bit[g.atom] for g in goal if not g.positive and g.atom[0] != EQUAL}),
            statics=statics - bit.keys(),
        )


def _settled(literal: Literal, statics: State) -> bool:
    """Return whether a goal literal holds in every state, by the static facts or by equality alone.

    A false equality stays in the goal as a fact that no state contains.
    """
    if literal.positive or literal.atom[0] == EQUAL:
        return literal.holds(statics)
    return False


def _ground_action(step: Step, instance: _GroundedAction, bit: dict[Atom, int]) -> GroundAction:
    schema, values = instance.schema, instance.values
    positive, forbidden, add, deleted = (
        _mask(atoms, values, bit) for atoms in (schema.needed, schema.forbidden, schema.add, schema.delete)
    )
    return GroundAction(step, positive, forbidden, add, deleted & ~add)


def _mask(atoms: Iterable[GroundAtom], values: Values, bit: dict[Atom, int]) -> int:
    """Return the bits of ground atoms; a fact without a bit is never true, so it is omitted."""
    mask = 0
    for atom in atoms:
        mask |= bit.get(atom(values), 0)
    return mask
