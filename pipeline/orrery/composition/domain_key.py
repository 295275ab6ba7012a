"""A key of a domain that is equal for two domains exactly if one is the other with other names.

The domain is written as the facts of a problem, whose objects are its types, predicates, actions, parameters
and literals, and the canonical form of that problem's graph is hashed.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from orrery.equivalence.canonical import canonical_graph
from orrery.model import OBJECT, Action, Atom, Domain, Predicate, Problem, TypedName

LAYER = "init"
MARKS = ("type", "predicate", "action", "parameter", "literal")
RELATIONS = ("below", "of-type", "has-parameter", "needs", "forbids", "adds", "deletes", "states")
MOST_ARGUMENTS = 8
ARGUMENTS = tuple(f"argument-{place}" for place in range(MOST_ARGUMENTS))
PLACES = tuple(f"place-{place}" for place in range(MOST_ARGUMENTS))

_PAIR = (TypedName("?x"), TypedName("?y"))
STRUCTURE = Domain(
    "structure",
    (),
    (),
    (),
    (
        *(Predicate(mark, _PAIR[:1]) for mark in MARKS),
        *(Predicate(relation, _PAIR) for relation in (*RELATIONS, *ARGUMENTS, *PLACES)),
    ),
    (),
)


def domain_key(domain: Domain) -> str:
    """Return the key: names of types, predicates, actions and variables and all orders make no difference.

    Raises:
        Undecided: the graph is too symmetric for the budget of the canonical form.
    """
    facts = frozenset(_facts(domain))
    names = sorted({name for fact in facts for name in fact[1:]})
    problem = Problem("domain", STRUCTURE.name, tuple(map(TypedName, names)), facts, frozenset())
    form = canonical_graph(STRUCTURE, problem, {LAYER: facts}).form
    return sha256(repr(form.certificate).encode()).hexdigest()


def _facts(domain: Domain) -> Iterator[Atom]:
    for typed in (TypedName(OBJECT, ()), *domain.types):
        yield ("type", f"type {typed.name}")
        yield from (("below", f"type {typed.name}", f"type {parent}") for parent in typed.types)
    for predicate in domain.predicates:
        name = f"predicate {predicate.name}"
        yield ("predicate", name)
        for place, parameter in enumerate(predicate.parameters):
            yield from ((PLACES[place], name, f"type {kind}") for kind in parameter.types)
    for action in domain.actions:
        yield from _action_facts(action)


def _action_facts(action: Action) -> Iterator[Atom]:
    name = f"action {action.name}"
    yield ("action", name)
    for parameter in action.parameters:
        variable = f"{name} {parameter.name}"
        yield from (("parameter", variable), ("has-parameter", name, variable))
        yield from (("of-type", variable, f"type {kind}") for kind in parameter.types)
    literals = [
        *(("needs" if one.positive else "forbids", one.atom) for one in action.preconditions),
        *(("adds", atom) for atom in action.add),
        *(("deletes", atom) for atom in action.delete),
    ]
    for number, (relation, atom) in enumerate(sorted(literals)):
        literal = f"{name} literal {number}"
        yield from (
            ("literal", literal),
            (relation, name, literal),
            ("states", literal, f"predicate {atom[0]}"),
        )
        yield from ((ARGUMENTS[place], literal, f"{name} {term}") for place, term in enumerate(atom[1:]))
