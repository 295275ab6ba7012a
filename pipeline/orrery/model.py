"""The data types shared by all modules: domains, problems, plans and proofs.

Standard library only; nothing here reads files, solves or writes.
A *fact* (ground atom) is a tuple ``(predicate, object, ...)``; a *step* of a plan is a tuple
``(action, object, ...)``; a *state* is the frozenset of the facts that hold in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

Atom: TypeAlias = tuple[str, ...]
Step: TypeAlias = tuple[str, ...]
State: TypeAlias = frozenset[Atom]
Parameters: TypeAlias = dict[str, Any]
Limits: TypeAlias = Mapping[str, tuple[int, int]]
Row: TypeAlias = Mapping[str, Any]
"""A row of a table: values by column."""

OBJECT = "object"
EQUAL = "="


class OrreryError(Exception):
    """Bad input. The error states the place, the problem and how to fix it.

    ``code`` is the exit code of the command that fails: 2 usage, 3 data, 4 a tool is missing, 5 the work was
    only partly done, 6 a service does not answer.
    """

    code = 3

    def __init__(self, where: str, problem: str, mend: str = "") -> None:
        """Store the three parts separately so that reports can group by them."""
        self.where, self.problem, self.mend = where, problem, mend
        super().__init__(f"{where}: {problem}" + (f" ({mend})" if mend else ""))

    def __reduce__(self) -> tuple[type[OrreryError], tuple[str, str, str]]:
        """Pickle all parts of the error, so that a worker process can return it complete."""
        return type(self), (self.where, self.problem, self.mend)


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """Return a question that suggests similar names, or "" if no name is similar."""
    near = [f"'{name}'" for name in get_close_matches(word, [*options])]
    return f"did you mean {' or '.join(near)}?" if near else ""


def suggest(word: str, kind: str, names: Iterable[str]) -> str:
    """Return the fix for an unknown name: a question with similar names, and all names after their kind."""
    listed = [*names]
    return f"{did_you_mean(word, listed)} {kind}: {', '.join(listed) or 'none'}".lstrip()


class UsageError(OrreryError):
    """A command was called with a name or a value that does not exist or is not possible."""

    code = 2


class Incomplete(OrreryError):
    """A result could only be produced in part. The part that exists was written."""

    code = 5


class ToolMissing(OrreryError):
    """A planner or another program that the work needs is not installed."""

    code = 4


class ServiceError(OrreryError):
    """A service on a network, such as a Hub, a store or a cluster, that does not answer or refuses."""

    code = 6


class ParameterError(UsageError):
    """Parameters violate a constraint of a configuration; ``problem`` names the constraint."""


class TypedName(NamedTuple):
    """A name with its types: an object, constant, parameter (``?x``) or type with its parents.

    Several types mean ``(either ...)``.
    """

    name: str
    types: tuple[str, ...] = (OBJECT,)


class Literal(NamedTuple):  # three times as fast as a dataclass; there are millions
    """An atom or its negation; arguments may be objects or variables."""

    atom: Atom
    positive: bool = True

    def holds(self, state: State) -> bool:
        """Return whether a ground literal is true in ``state``; ``=`` compares the names."""
        true = self.atom[1] == self.atom[2] if self.atom[0] == EQUAL else self.atom in state
        return true == self.positive


def supertypes(types: Iterable[TypedName]) -> dict[str, frozenset[str]]:
    """Return the supertypes of each declared type, including itself and ``object``.

    Cycles are allowed: all types of a cycle are supertypes of each other.
    """
    parents = {typed.name: typed.types for typed in types}
    supertypes_of = {OBJECT: frozenset({OBJECT})}
    for name in parents:
        seen, todo = {OBJECT, name}, [name]
        while todo:
            above = [parent for parent in parents.get(todo.pop(), ()) if parent not in seen]
            seen.update(above)
            todo.extend(above)
        supertypes_of[name] = frozenset(seen)
    return supertypes_of


@dataclass(frozen=True, order=True, slots=True)
class Predicate:
    """A predicate (or a numeric function) and its typed parameters."""

    name: str
    parameters: tuple[TypedName, ...] = ()

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.parameters)


@dataclass(frozen=True, slots=True)
class Action:
    """A STRIPS action schema; preconditions and effects are positive or negative literals.

    ``cost`` is the increase of ``total-cost``: a number, a function term, or None if the action has none.
    A fact that is both added and deleted is added (PDDL 2.1, section 8).
    """

    name: str
    parameters: tuple[TypedName, ...]
    preconditions: frozenset[Literal]
    add: frozenset[Atom]
    delete: frozenset[Atom]
    cost: int | Atom | None = None


@dataclass(frozen=True)
class Domain:
    """Types, predicates and actions; ``types`` lists each declared type with its parents."""

    name: str
    requirements: tuple[str, ...]
    types: tuple[TypedName, ...]
    constants: tuple[TypedName, ...]
    predicates: tuple[Predicate, ...]
    actions: tuple[Action, ...]
    functions: tuple[Predicate, ...] = ()

    @cached_property
    def action_named(self) -> dict[str, Action]:
        """Actions by name."""
        return {action.name: action for action in self.actions}

    @cached_property
    def predicate_named(self) -> dict[str, Predicate]:
        """Predicates by name."""
        return {predicate.name: predicate for predicate in self.predicates}

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Names of the predicates that some action adds or deletes; the others are static."""
        return frozenset(atom[0] for action in self.actions for atom in action.add | action.delete)

    @cached_property
    def ancestors(self) -> dict[str, frozenset[str]]:
        """The supertypes of each type, including itself and ``object``."""
        return supertypes(self.types)

    def fits(self, types: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
        """Return whether an object of ``types`` is allowed where one of the ``wanted`` types is required."""
        return any(w in self.ancestors[t] for t in types for w in wanted)


@dataclass(frozen=True)
class Problem:
    """Objects, initial state and goal of one problem of a domain.

    ``costs`` contains the initial values of numeric functions, ``total-cost`` included.
    ``metric`` is true if the problem minimises ``total-cost``.
    """

    name: str
    domain: str
    objects: tuple[TypedName, ...]
    init: State
    goal: frozenset[Literal]
    costs: frozenset[tuple[Atom, int]] = frozenset()
    metric: bool = False

    @cached_property
    def goal_facts(self) -> State:
        """The facts of the positive goal literals."""
        return frozenset(literal.atom for literal in self.goal if literal.positive)

    def satisfied(self, state: State) -> bool:
        """Return whether the goal holds in ``state``."""
        return all(literal.holds(state) for literal in self.goal)


def literals(facts: Iterable[Atom]) -> frozenset[Literal]:
    """Return ``facts`` as positive literals, for use in a goal."""
    return frozenset(map(Literal, facts))


class Proof(StrEnum):
    """The proof of a stated fact about a planning task."""

    WITNESS = "witness"
    DELETE_RELAXATION = "delete-relaxation"
    H2 = "h2"
    EXHAUSTION = "exhaustion"
    UNSOLVABILITY = "unsolvability"
    ASTAR = "astar"


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps that lead from the initial state to the goal.

    ``optimal`` is the proof that no shorter plan exists (counted in actions), or None if that is not proven.
    ``planner`` is the name of the planner that found the plan.
    """

    steps: tuple[Step, ...]
    planner: str
    optimal: Proof | None = None


@dataclass(frozen=True, order=True, slots=True)
class ConfigurationPair:
    """An initial and a goal configuration: the kind of problem that a generator builds.

    ``tied``: the goal refers to the initial state. ``strict``: the goal names its objects.
    """

    init: str
    goal: str
    tied: bool = False
    strict: bool = False

    @property
    def name(self) -> str:
        """The name of the pair, for example ``staircase-to-stack``."""
        return f"{self.init}-to-{self.goal}"

    @property
    def interchangeable(self) -> bool:
        """Whether an abstract text may leave the objects of the goal unnamed (a placeholder row)."""
        return not (self.tied or self.strict)


WITH_EXPLICIT_GOAL = "with_explicit_goal"


def parameters_beside(parameters: Parameters, *, explicit_goal: bool) -> Parameters:
    """Return the parameters of an initial configuration for its text, given the kind of goal text.

    An explicit goal names objects. If the text of the initial state would not identify these objects, the
    generator stores additional parameters under ``WITH_EXPLICIT_GOAL``. They are included only for an
    explicit goal.
    """
    parameters_of_passage = {name: value for name, value in parameters.items() if name != WITH_EXPLICIT_GOAL}
    return (
        {**parameters_of_passage, **parameters.get(WITH_EXPLICIT_GOAL, {})}
        if explicit_goal
        else parameters_of_passage
    )


@dataclass(frozen=True)
class Generated:
    """The result of a generator: a problem and the parameters of its two configurations.

    The parameters are plain JSON values, with the names that the templates of ``templates/domains`` use.
    Those of the initial state may contain more under ``WITH_EXPLICIT_GOAL`` (see ``parameters_beside``).
    ``closure``: the fluent facts true in every reachable goal state, if the generator knows them from the
    construction. They equal the result of ``close_goal``, without its search.
    """

    problem: Problem
    task: ConfigurationPair
    init_parameters: Parameters = field(default_factory=dict)
    goal_parameters: Parameters = field(default_factory=dict)
    closure: State | None = None
