"""Grounding by delete-relaxed reachability.

Reached facts are joined with the preconditions of each action; every new fact triggers the
joins it takes part in (semi-naive evaluation, as in the Datalog exploration of Helmert, "Concise
finite-domain representations for PDDL planning tasks", 2009). The result contains exactly the ground
actions whose positive preconditions the relaxation reaches. Negative preconditions prune only if
no action could ever make them true, which keeps the relaxation sound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from orrery.model import EQUAL, Action, Atom, Domain, Literal, Problem, State, Step
from orrery.planning.task import GroundAction, PlanningTask
from orrery.planning.universe import names_of

GROUNDERS_KEPT = 64


class FactIndex:
    """Facts by predicate and by the values at any positions; each index is built at first use."""

    def __init__(self, facts: Iterable[Atom]) -> None:
        """Start with ``facts``."""
        self._by_predicate: dict[str, list[Atom]] = defaultdict(list)
        self._indexes: dict[str, dict[tuple[int, ...], dict[tuple[str, ...], list[Atom]]]] = defaultdict(dict)
        for fact in facts:
            self.add(fact)

    def add(self, fact: Atom) -> None:
        """Add a new fact to every index of its predicate."""
        self._by_predicate[fact[0]].append(fact)
        for positions, index in self._indexes[fact[0]].items():
            index[tuple([fact[p] for p in positions])].append(fact)

    def matching(self, predicate: str, positions: tuple[int, ...], values: tuple[str, ...]) -> list[Atom]:
        """Return the facts of ``predicate`` with ``values`` at ``positions``."""
        if not positions:
            return self._by_predicate[predicate]
        indexes = self._indexes[predicate]
        if positions not in indexes:
            index: dict[tuple[str, ...], list[Atom]] = defaultdict(list)
            for fact in self._by_predicate[predicate]:
                index[tuple([fact[p] for p in positions])].append(fact)
            indexes[positions] = index
        return indexes[positions].get(values, [])


@dataclass(frozen=True, slots=True)
class Match:
    """How to match one precondition: ``bound`` positions are looked up, ``free`` positions bind parameters.

    Both pair a position of the atom with a parameter's slot, or (bound) with a constant's name.
    """

    predicate: str
    bound_positions: tuple[int, ...]
    bound_slots: tuple[int | str, ...]
    free: tuple[tuple[int, int], ...]


Order = tuple[Match | int, ...]
"""Matches, then the slots that no precondition binds."""


def slots_of(action: Action) -> dict[str, int]:
    """Return each parameter's position."""
    return {parameter.name: slot for slot, parameter in enumerate(action.parameters)}


def positive_preconditions(action: Action) -> list[Atom]:
    """Return the positive preconditions that facts can match, sorted."""
    return sorted(p.atom for p in action.preconditions if p.positive and p.atom[0] != EQUAL)


def _match(atom: Atom, slots: dict[str, int], bound: set[int]) -> Match:
    """Return the match of ``atom`` if the slots ``bound`` have values; a repeated variable binds once."""
    looked_up: list[tuple[int, int | str]] = []
    free: list[tuple[int, int]] = []
    for position, argument in enumerate(atom[1:], start=1):
        slot: int | str = slots.get(argument, argument)
        if isinstance(slot, str) or slot in bound:
            looked_up.append((position, slot))
        else:
            free.append((position, slot))
    positions, values = tuple(p for p, _ in looked_up), tuple(s for _, s in looked_up)
    return Match(atom[0], positions, values, tuple(free))


def order_from(action: Action, trigger: Atom | None, fluents: frozenset[str]) -> Order:
    """Return the order of matches: ``trigger``, then always most bound and fewest free, statics first."""
    slots = slots_of(action)
    unmatched = [atom for atom in positive_preconditions(action) if atom != trigger]
    bound: set[int] = set()
    order: list[Match | int] = []
    current = trigger
    while current is not None or unmatched:
        if current is None:
            current = min(unmatched, key=lambda atom: _weight(_match(atom, slots, bound), fluents))
            unmatched.remove(current)
        match = _match(current, slots, bound)
        order.append(match)
        bound |= {slot for _, slot in match.free}
        current = None
    return (*order, *(slot for slot in slots.values() if slot not in bound))


def _weight(match: Match, fluents: frozenset[str]) -> tuple[bool, int, bool]:
    return not match.bound_positions and bool(match.free), len(match.free), match.predicate in fluents


_Row = Sequence[str]
"""The values of an action's parameters, then the constants of its atoms."""

_Instantiate = Callable[[_Row], Atom]


@dataclass(frozen=True, slots=True)
class _LiftedAction:
    """An action with functions for its ground atoms; ``barred`` are facts that are never deleted."""

    action: Action
    words: tuple[str, ...]
    needs: tuple[_Instantiate, ...]
    forbids: tuple[_Instantiate, ...]
    barred: tuple[_Instantiate, ...]
    equalities: tuple[tuple[int | str, int | str, bool], ...]
    add: tuple[_Instantiate, ...]
    delete: tuple[_Instantiate, ...]
    unconditional: Order | None
    triggers: tuple[tuple[str, Order], ...]


@dataclass(frozen=True, slots=True)
class _GroundedSchema:
    """A ground action: its schema, its row, and the facts that it adds."""

    schema: _LiftedAction
    row: list[str]
    added: tuple[Atom, ...]


_GroundedSchemas = dict[Step, _GroundedSchema]


def _instantiate(atom: Atom, places: dict[str, int]) -> _Instantiate:
    """Return the function that makes the ground atom of a row; ``places`` are positions in the row."""
    if len(atom) == 1:
        return lambda _: atom
    return itemgetter(*[places[word] for word in atom])  # a tuple, which several items give


def _schema(action: Action, fluents: frozenset[str], deletable: frozenset[str]) -> _LiftedAction:
    slots = slots_of(action)
    positive = positive_preconditions(action)
    fluent = [atom for atom in positive if atom[0] in fluents]
    literals = sorted(action.preconditions)
    equal = [(p.atom[1], p.atom[2], p.positive) for p in literals if p.atom[0] == EQUAL]
    forbidden = [p.atom for p in literals if not p.positive and p.atom[0] != EQUAL]
    atoms = [*fluent, *forbidden, *action.add, *action.delete]
    # A predicate never has the name of a parameter, because parameters begin with "?".
    words = sorted({word for atom in atoms for word in atom if word not in slots})
    places = slots | {word: place for place, word in enumerate(words, start=len(slots))}

    def made(atoms: Iterable[Atom]) -> tuple[_Instantiate, ...]:
        return tuple([_instantiate(atom, places) for atom in atoms])

    return _LiftedAction(
        action,
        tuple(words),
        needs=made(fluent),
        forbids=made(forbidden),
        barred=made(atom for atom in forbidden if atom[0] not in deletable),
        equalities=tuple(
            (slots.get(first, first), slots.get(second, second), sign) for first, second, sign in equal
        ),
        add=made(sorted(action.add)),
        delete=made(sorted(action.delete)),
        unconditional=None if fluent else order_from(action, None, fluents),
        triggers=tuple((atom[0], order_from(action, atom, fluents)) for atom in fluent),
    )


class Grounder:
    """Grounds problems of one domain; the join orders are computed once."""

    def __init__(self, domain: Domain) -> None:
        """Prepare the schemas of ``domain``."""
        self.domain = domain
        deletable = frozenset(atom[0] for action in domain.actions for atom in action.delete)
        self._schemas = [_schema(action, domain.fluents, deletable) for action in domain.actions]

    def ground(self, problem: Problem) -> PlanningTask:
        """Return the planning task of ``problem``."""
        return self.explore(problem).task()

    def explore(self, problem: Problem) -> Explored:
        """Return the result of the delete relaxation.

        It takes half the time of grounding; the rest is the task.
        """
        exploration = _Exploration(self.domain, problem)
        instances = exploration.run(self._schemas)
        return Explored(self.domain, problem, exploration.reached, instances)


@dataclass(frozen=True, slots=True)
class Explored:
    """The facts that the delete relaxation of a problem reaches, and the ground actions, unsorted."""

    domain: Domain
    problem: Problem
    facts: set[Atom]
    _found: _GroundedSchemas

    @property
    def steps(self) -> Iterable[Step]:
        """The ground actions by name and arguments."""
        return self._found.keys()

    def task(self) -> PlanningTask:
        """Return the planning task."""
        return _task(self.domain, self.problem, self._found)


def ground(domain: Domain, problem: Problem) -> PlanningTask:
    """Return the planning task of one problem; for many problems of a domain use a ``Grounder``."""
    return Grounder(domain).ground(problem)


class _Exploration:
    """One relaxed exploration: the reached facts and the ground instances."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self.init = problem.init
        self.fluents = domain.fluents
        self.reached = set(problem.init)
        self.index = FactIndex(sorted(fact for fact in problem.init if fact[0] not in self.fluents))
        type_lists = {parameter.types for action in domain.actions for parameter in action.parameters}
        self.names = {types: names_of(domain, problem, types) for types in type_lists}
        allowed = {types: frozenset(names) for types, names in self.names.items()}
        self.allowed = {
            a.name: [allowed[parameter.types] for parameter in a.parameters] for a in domain.actions
        }

    def run(self, schemas: list[_LiftedAction]) -> _GroundedSchemas:
        """Return every reached ground action."""
        instances: _GroundedSchemas = {}
        queue = sorted(fact for fact in self.init if fact[0] in self.fluents)
        triggered: dict[str, list[tuple[_LiftedAction, Order]]] = {}
        for schema in schemas:
            if schema.unconditional is not None:
                queue.extend(self._enter(schema, schema.unconditional, None, instances))
            for predicate, order in schema.triggers:
                triggered.setdefault(predicate, []).append((schema, order))
        for fact in queue:  # the list grows during the loop
            # Added only now, so that an instance is found only by the last of its facts.
            self.index.add(fact)
            for schema, order in triggered.get(fact[0], ()):
                queue.extend(self._enter(schema, order, fact, instances))
        return instances

    def _enter(
        self, schema: _LiftedAction, order: Order, fact: Atom | None, instances: _GroundedSchemas
    ) -> list[Atom]:
        """Record the instances that ``order`` finds from ``fact``; return the newly reached facts."""
        new: list[Atom] = []
        name, count, reached = schema.action.name, len(schema.action.parameters), self.reached
        for row in self._join(schema, order, fact):
            step = (name, *row[:count])
            if step in instances or not self._permitted(schema, row):
                continue
            added = tuple([instantiate(row) for instantiate in schema.add])
            instances[step] = _GroundedSchema(schema, row, added)
            for added_fact in added:
                if added_fact not in reached:
                    reached.add(added_fact)
                    new.append(added_fact)
        return new

    def _join(self, schema: _LiftedAction, order: Order, fact: Atom | None) -> list[list[str]]:
        """Return the rows for which every match of ``order`` finds a reached fact."""
        parameters = schema.action.parameters
        partial: list[list[str]] = [[*[""] * len(parameters), *schema.words]]
        allowed = self.allowed[schema.action.name]
        for position, part in enumerate(order):
            if isinstance(part, int):
                names = self.names[parameters[part].types]
                partial = [_with(values, part, name) for values in partial for name in names]
            elif position == 0 and fact is not None:
                partial = _extend(part, partial[0], [fact], allowed) if _fits(part, fact) else []
            else:
                partial = [new for values in partial for new in self._extensions(part, values, allowed)]
        return partial

    def _extensions(self, match: Match, values: list[str], allowed: list[frozenset[str]]) -> list[list[str]]:
        looked_up = tuple([values[s] if isinstance(s, int) else s for s in match.bound_slots])
        facts = self.index.matching(match.predicate, match.bound_positions, looked_up)
        return _extend(match, values, facts, allowed) if match.free else ([values] if facts else [])

    def _permitted(self, schema: _LiftedAction, row: _Row) -> bool:
        """Return whether equalities hold and no forbidden fact is permanently true."""
        for first, second, sign in schema.equalities:
            same = _value(first, row) == _value(second, row)
            if same != sign:
                return False
        return not any(instantiate(row) in self.init for instantiate in schema.barred)


def _value(slot: int | str, row: _Row) -> str:
    return row[slot] if isinstance(slot, int) else slot


def _fits(match: Match, fact: Atom) -> bool:
    """Return whether a fact has the constants that a match looks for."""
    looked_up = zip(match.bound_positions, match.bound_slots, strict=True)
    return not match.bound_positions or all(fact[position] == word for position, word in looked_up)


def _with(values: list[str], slot: int, name: str) -> list[str]:
    changed = values.copy()
    changed[slot] = name
    return changed


def _extend(
    match: Match, values: list[str], facts: list[Atom], allowed: list[frozenset[str]]
) -> list[list[str]]:
    """Return ``values`` with the free slots bound by each of ``facts`` whose objects fit the types."""
    extended = []
    for fact in facts:
        changed = values.copy()
        for position, slot in match.free:
            name = fact[position]
            if name not in allowed[slot] or changed[slot] not in ("", name):
                break
            changed[slot] = name
        else:
            extended.append(changed)
    return extended


def _task(domain: Domain, problem: Problem, instances: _GroundedSchemas) -> PlanningTask:
    """Return the task with bit masks for the instances found."""
    statics = frozenset(fact for fact in problem.init if fact[0] not in domain.fluents)
    goal = [literal for literal in problem.goal if not _settled(literal, statics)]
    facts = set(problem.init - statics).union(literal.atom for literal in goal)
    for instance in instances.values():
        facts.update(instance.added)
    bit = {fact: 1 << index for index, fact in enumerate(sorted(facts))}
    return PlanningTask(
        domain=domain,
        problem=problem,
        facts=tuple(bit),
        actions=tuple(_ground_action(step, instances[step], bit) for step in sorted(instances)),
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


def _ground_action(step: Step, instance: _GroundedSchema, bit: dict[Atom, int]) -> GroundAction:
    schema, row = instance.schema, instance.row
    add = 0
    for fact in instance.added:
        add |= bit[fact]
    positive, negative = _mask(schema.needs, row, bit), _mask(schema.forbids, row, bit)
    return GroundAction(step, positive, negative, add, _mask(schema.delete, row, bit) & ~add)


def _mask(atoms: tuple[_Instantiate, ...], row: _Row, bit: dict[Atom, int]) -> int:
    """Return the bits of the instances; a fact without a bit is never true, so it is omitted."""
    mask = 0
    for instantiate in atoms:
        mask |= bit.get(instantiate(row), 0)
    return mask


@lru_cache(maxsize=GROUNDERS_KEPT)
def grounder_of(domain: Domain) -> Grounder:
    """Return the grounder of a domain, cached in each process because its preparation is slow."""
    return Grounder(domain)
