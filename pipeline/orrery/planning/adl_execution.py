"""Execute ADL plans on sets of facts: any conditions, conditional effects, quantifiers.

The code follows the definition (PDDL 2.1, section 8), without grounding. Costs do not matter, but a step
whose cost is a function without a value is not applicable. Other numbers, time, derived predicates and
probabilities are not supported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from orrery.model import Atom, State, Step, TypedName
from orrery.pddl.adl import (
    AND,
    ARITHMETIC,
    EXISTS,
    FORALL,
    IMPLY,
    NOT,
    OR,
    WHEN,
    AdlAction,
    AdlDomain,
    Formula,
)
from orrery.pddl.conjuncts import conjuncts
from orrery.pddl.faults import FaultLog, SourceText
from orrery.pddl.formulas import conjunction, typed_list
from orrery.pddl.recover import recover
from orrery.pddl.soundness import ancestors
from orrery.pddl.tree import Node, Tree
from orrery.planning.execution import PlanVerdict

Values = Mapping[str, str]


class Outside(Exception):
    """An unsupported construct; the message names it."""


@dataclass(frozen=True)
class AdlProblem:
    """Objects, initial facts and goal of a problem, as far as they could be read.

    ``domain`` is the problem's name for its domain, ``valued`` are the functions that have a value.
    """

    name: str
    domain: str
    objects: tuple[TypedName, ...]
    init: State
    goal: tuple[Formula, ...]
    valued: frozenset[Atom] = frozenset()


@lru_cache(maxsize=64)
def read_adl_problem(text: str) -> AdlProblem:
    """Return the last problem in ``text``; of the numbers in its initial state only the functions are kept.

    Raises:
        Outside: there is no problem, or no goal.
    """
    notes = FaultLog(SourceText(text))
    lists = [node for node in recover(SourceText(text)).lists if node.head == "define"]
    sections = {item.head: item for node in lists[-1:] for item in node if isinstance(item, Node)}
    if "problem" not in sections or ":goal" not in sections:
        raise Outside("a text without a problem that has a goal")
    init = sections.get(":init", Node(0))[1:]
    facts = frozenset(tuple(map(str, item)) for item in init if _is_fact(item))
    valued = frozenset(
        tuple(map(str, item[1]))
        for item in init
        if isinstance(item, Node) and item.head == "=" and len(item) == 3 and isinstance(item[1], Node)
    )
    goal = [item for item in sections[":goal"][1:] if isinstance(item, Node)]
    objects = sections.get(":objects", Node(0))
    return AdlProblem(
        _second(sections["problem"]),
        _second(sections.get(":domain", Node(0))),
        typed_list(notes, objects[1:], objects, "object"),
        facts,
        conjunction(notes, goal[0]) if goal else (),
        valued,
    )


def _is_fact(item: Tree) -> bool:
    if not isinstance(item, Node) or item.head in ("", "=", NOT):
        return False
    return all(isinstance(part, str) for part in item)


def _second(node: Node) -> str:
    return node[1] if len(node) > 1 and isinstance(node[1], str) else ""


def check_adl_plan(domain: AdlDomain, problem: AdlProblem, steps: Iterable[Step]) -> PlanVerdict:
    """Return whether ``steps`` lead from the initial state to the goal.

    Raises:
        Outside: a construct that cannot be executed.
    """
    world = AdlSimulator(domain, problem.objects)
    state = problem.init
    for index, step in enumerate(steps):
        action = domain.action_named.get(step[0]) if step else None
        if action is None:
            return PlanVerdict(False, index, f"the domain has no action '{' '.join(step[:1])}'")
        values = world.values(action, step)
        if isinstance(values, str):
            return PlanVerdict(False, index, values)
        if not all(world.holds(formula, state, values) for formula in action.preconditions):
            return PlanVerdict(False, index, f"'{' '.join(step)}' is not applicable")
        if missing := [term for term in _costs(action, values) if term not in problem.valued]:
            reason = f"the cost of '{' '.join(step)}', '{' '.join(missing[0])}', has no value"
            return PlanVerdict(False, index, reason)
        state = world.progress(action, state, values)
    if all(world.holds(formula, state, {}) for formula in problem.goal):
        return PlanVerdict(True)
    return PlanVerdict(False, None, "the goal does not hold")


def _costs(action: AdlAction, values: Values) -> Iterator[Atom]:
    """Yield the functions that a step adds to the total cost."""
    for formula in action.effects:
        match formula:
            case Formula(head="increase", parts=(Formula(head="total-cost"), Formula() as cost)):
                if not cost.formulas and cost.head not in ARITHMETIC:
                    yield (cost.head, *[values.get(str(part), str(part)) for part in cost.parts])


class AdlSimulator:
    """Evaluates formulas over objects with types, and executes actions."""

    def __init__(self, domain: AdlDomain, objects: Iterable[TypedName]) -> None:
        """Store the types of the domain's constants and of ``objects``.

        Raises:
            Outside: a derived predicate, constraint, or an action of another kind than ``:action``.
        """
        if domain.other:
            raise Outside(domain.other[0].head)
        if kinds := sorted({action.kind for action in domain.actions} - {":action"}):
            raise Outside(kinds[0])
        self.above = ancestors(domain.types)
        self.types = {typed.name: typed.types for typed in (*objects, *domain.constants)}

    def fits(self, name: str, wanted: tuple[str, ...]) -> bool:
        """Return whether an object is of one of the ``wanted`` types."""
        types = self.types.get(name, ())
        return any(set(wanted) & self.above.get(kind, frozenset({kind, "object"})) for kind in types)

    def values(self, action: AdlAction, step: Step) -> Values | str:
        """Return the values of the parameters, or why the step is not an action of the problem."""
        if len(step) - 1 != len(action.parameters):
            return f"'{step[0]}' takes {len(action.parameters)} arguments, found {len(step) - 1}"
        for parameter, name in zip(action.parameters, step[1:], strict=True):
            if not self.fits(name, parameter.types):
                return f"'{name}' does not fit parameter {parameter.name} of '{step[0]}'"
        return dict(zip((parameter.name for parameter in action.parameters), step[1:], strict=True))

    def _bound(self, formula: Formula, values: Values) -> Iterator[Values]:
        """Yield ``values`` with every assignment of the variables of a quantifier."""
        choices = [[n for n in sorted(self.types) if self.fits(n, v.types)] for v in formula.variables]
        for names in product(*choices):
            yield {**values, **{v.name: n for v, n in zip(formula.variables, names, strict=True)}}

    def holds(self, formula: Formula, state: State, values: Values) -> bool:
        """Return whether a condition is true."""
        head, parts = formula.head, formula.formulas
        if head == AND:
            return all(self.holds(part, state, values) for part in parts)
        if head == OR:
            return any(self.holds(part, state, values) for part in parts)
        if head == NOT:
            return not self.holds(parts[0], state, values)
        if head == IMPLY:
            return not self.holds(parts[0], state, values) or self.holds(parts[1], state, values)
        if head == FORALL:
            return all(self.holds(parts[0], state, inner) for inner in self._bound(formula, values))
        if head == EXISTS:
            return any(self.holds(parts[0], state, inner) for inner in self._bound(formula, values))
        atom = self._atom(formula, values)
        return atom[1] == atom[2] if head == "=" and len(atom) == 3 else atom in state

    def _atom(self, formula: Formula, values: Values) -> Atom:
        if formula.formulas or formula.head in ("<", ">", "<=", ">=", WHEN, "oneof", "probabilistic"):
            raise Outside(formula.head)
        return (formula.head, *(values.get(str(part), str(part)) for part in formula.parts))

    def progress(self, action: AdlAction, state: State, values: Values) -> State:
        """Return the successor state: evaluate all conditions, apply delete effects, then add effects."""
        added: set[Atom] = set()
        deleted: set[Atom] = set()
        for formula in conjuncts(action.effects):
            self._change(formula, state, values, added, deleted)
        return (state - deleted) | added

    def _change(
        self, formula: Formula, state: State, values: Values, added: set[Atom], deleted: set[Atom]
    ) -> None:
        head, parts = formula.head, formula.formulas
        if head == FORALL:
            for inner in self._bound(formula, values):
                self._change(parts[0], state, inner, added, deleted)
        elif head == WHEN:
            if self.holds(parts[0], state, values):
                self._change(parts[1], state, values, added, deleted)
        elif head == "increase" and parts and parts[0].head == "total-cost":
            return
        elif head == NOT:
            deleted.add(self._atom(parts[0], values))
        else:
            added.add(self._atom(formula, values))
