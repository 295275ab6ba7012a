"""What the pddl package makes of a text, put in the terms of our model, so that readings can be compared."""

from dataclasses import dataclass, replace

from orrery.model import EQUAL, OBJECT, Action, Domain, Literal, Predicate, Problem, TypedName


@dataclass(frozen=True)
class Reading:
    """A domain and a problem without what other readers do not keep: the order of declarations."""

    types: frozenset
    predicates: frozenset
    functions: frozenset
    actions: frozenset
    things: frozenset
    init: frozenset
    goal: frozenset
    costs: frozenset
    metric: bool


def unordered(typed_names):
    """Parameters in their order, the alternatives of their types in none."""
    return tuple((typed.name, frozenset(typed.types)) for typed in typed_names)


def reading(domain: Domain, problem: Problem) -> Reading:
    signatures = [
        frozenset((p.name, unordered(p.parameters)) for p in them)
        for them in (domain.predicates, domain.functions)
    ]
    return Reading(
        types=frozenset(unordered(domain.types)),
        predicates=signatures[0],
        functions=signatures[1],
        actions=frozenset((replace(a, parameters=()), unordered(a.parameters)) for a in domain.actions),
        things=frozenset(unordered((*domain.constants, *problem.objects))),
        init=problem.init,
        goal=problem.goal,
        costs=problem.costs,
        metric=problem.metric,
    )


def from_package(domain, problem) -> Reading:
    predicates = tuple(_package_signature(predicate) for predicate in domain.predicates)
    functions = tuple(_package_signature(function) for function in domain.functions)
    types = tuple(TypedName(str(name), (str(parent or OBJECT),)) for name, parent in domain.types.items())
    constants = tuple(_package_typed(constant, "") for constant in (*domain.constants, *problem.objects))
    ours = Domain(
        "", (), types, constants, predicates, tuple(map(_package_action, domain.actions)), functions
    )
    init, costs = set(), set()
    for item in problem.init:
        if type(item).__module__.endswith("functions"):
            function, value = item.operands
            costs.add((_package_atom(function), int(value.value)))
        else:
            init.add(_package_atom(item))
    goal = frozenset(_package_literal(part) for part in _package_parts(problem.goal))
    metric = problem.metric is not None
    return reading(ours, Problem("", "", (), frozenset(init), goal, frozenset(costs), metric))


def _package_typed(term, mark):
    return TypedName(mark + str(term.name), tuple(map(str, term.type_tags)) or (OBJECT,))


def _package_signature(predicate):
    return Predicate(str(predicate.name), tuple(_package_typed(term, "?") for term in predicate.terms))


def _package_term(term):
    return ("?" if type(term).__name__ == "Variable" else "") + str(term.name)


def _package_atom(atom):
    if type(atom).__name__ == "EqualTo":
        return (EQUAL, _package_term(atom.left), _package_term(atom.right))
    return (str(atom.name), *map(_package_term, atom.terms))


def _package_literal(formula):
    if type(formula).__name__ == "Not":
        return Literal(_package_atom(formula.argument), False)
    return Literal(_package_atom(formula))


def _package_parts(formula):
    """The parts of a conjunction; the package reads ``()`` as an empty disjunction."""
    if formula is None:
        return []
    if type(formula).__name__ in {"And", "Or"}:
        return [part for operand in formula.operands for part in _package_parts(operand)]
    return [formula]


def _package_action(action):
    effects = _package_parts(action.effect)
    costs = [part for part in effects if type(part).__name__ == "Increase"]
    effects = [_package_literal(part) for part in effects if part not in costs]
    cost = None
    if costs:
        amount = costs[0].operands[1]
        cost = int(amount.value) if type(amount).__name__ == "NumericValue" else _package_atom(amount)
    return Action(
        str(action.name),
        tuple(_package_typed(parameter, "?") for parameter in action.parameters),
        frozenset(_package_literal(part) for part in _package_parts(action.precondition)),
        frozenset(effect.atom for effect in effects if effect.positive),
        frozenset(effect.atom for effect in effects if not effect.positive),
        cost,
    )
