"""The key of a domain against renaming, reordering, single changes, and VF2 of networkx."""

from dataclasses import replace
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.composition.domain_key import domain_key
from orrery.model import EQUAL, OBJECT, Action, Literal, Predicate, TypedName
from orrery.pddl.renaming import symbol_names
from tests.composition.compositions import kept
from tests.effort import by_day, examples, slow
from tests.every_domain import CATALOG, entry

OURS = ("blocksworld", "ferry", "gripper", "logistics", "visitall", "grid")
NAMES = [name for name in OURS if name in CATALOG.names]


def domains():
    return [*(entry(name).domain for name in NAMES), *(kept(index).domain for index in range(2))]


def some_domain():
    return st.integers(0, len(NAMES) + 1).map(lambda place: domains()[place])


def with_variables(action, new):
    """The action with other names of its variables."""

    def atom(one):
        return (one[0], *(new.get(term, term) for term in one[1:]))

    return Action(
        action.name,
        tuple(TypedName(new[one.name], one.types) for one in action.parameters),
        frozenset(Literal(atom(one.atom), one.positive) for one in action.preconditions),
        frozenset(map(atom, action.add)),
        frozenset(map(atom, action.delete)),
    )


@st.composite
def disguised(draw):
    """A domain, and the same one with other names and in another order."""
    domain = draw(some_domain())
    names = [one.name for one in (*domain.types, *domain.predicates, *domain.actions)]
    names = sorted(set(names) - {OBJECT})
    new_names = (f"n{n}" for n in draw(st.permutations(range(len(names)))))
    other = symbol_names(dict(zip(names, new_names, strict=True))).domain(domain, domain.name)
    actions = []
    for action in draw(st.permutations(other.actions)):
        variables = [one.name for one in action.parameters]
        new = draw(st.permutations(range(len(variables))))
        action = with_variables(action, dict(zip(variables, (f"?v{n}" for n in new), strict=True)))
        actions.append(replace(action, parameters=tuple(draw(st.permutations(action.parameters)))))
    return domain, replace(
        other,
        name="other",
        types=tuple(draw(st.permutations(other.types))),
        predicates=tuple(draw(st.permutations(other.predicates))),
        actions=tuple(actions),
    )


@given(disguised())
@examples(100)
def test_names_and_orders_make_no_difference(pair):
    first, second = map(domain_key, pair)
    assert first == second


def changes(action):
    """The action with one literal or parameter changed, with what was changed."""
    for literal in sorted(action.preconditions):
        yield "condition", replace(action, preconditions=action.preconditions - {literal})
        turned = Literal(literal.atom, not literal.positive)
        yield "sign", replace(action, preconditions=action.preconditions - {literal} | {turned})
        if len(literal.atom) > 2:
            swapped = Literal((literal.atom[0], *literal.atom[:0:-1]), literal.positive)
            yield "arguments", replace(action, preconditions=action.preconditions - {literal} | {swapped})
    for atom in sorted(action.add):
        yield "effect", replace(action, add=action.add - {atom})
        yield "moved", replace(action, add=action.add - {atom}, delete=action.delete | {atom})
    for atom in sorted(action.delete):
        yield "effect", replace(action, delete=action.delete - {atom})
    for number, one in enumerate(action.parameters):
        further = TypedName("?further", one.types)
        yield "parameter", replace(action, parameters=(*action.parameters, further))
        other = TypedName(one.name, ("another-type",))
        parameters = (*action.parameters[:number], other, *action.parameters[number + 1 :])
        yield "type", replace(action, parameters=parameters)


def changed(domain):
    """Every domain with a single change of an action, of the arity of a predicate, or of a type."""
    with_type = replace(domain, types=(*domain.types, TypedName("another-type")))
    yield "types", with_type
    for place, action in enumerate(domain.actions):
        for what, other in changes(action):
            base = with_type if what == "type" else domain
            yield what, replace(base, actions=(*domain.actions[:place], other, *domain.actions[place + 1 :]))
    for place, predicate in enumerate(domain.predicates):
        longer = Predicate(predicate.name, (*predicate.parameters, TypedName("?further")))
        predicates = (*domain.predicates[:place], longer, *domain.predicates[place + 1 :])
        yield "predicate", replace(domain, predicates=predicates)


def graph(domain):
    """A graph of the domain for VF2, made otherwise than the key's."""
    made = nx.DiGraph()
    made.add_node(EQUAL, label="equality")
    for typed in (TypedName(OBJECT, ()), *domain.types):
        made.add_node(("type", typed.name), label="type")
    for typed in domain.types:
        made.add_edges_from((("type", typed.name), ("type", up)) for up in typed.types)
    for predicate in domain.predicates:
        made.add_node(predicate.name, label=f"predicate {predicate.arity}")
        for place, parameter in enumerate(predicate.parameters):
            made.add_node((predicate.name, place), label=f"place {place}")
            made.add_edge(predicate.name, (predicate.name, place))
            made.add_edges_from(((predicate.name, place), ("type", kind)) for kind in parameter.types)
    for action in domain.actions:
        _add_action(made, action)
    return made


def _add_action(made, action):
    made.add_node(("action", action.name), label="action")
    for parameter in action.parameters:
        variable = (action.name, parameter.name)
        made.add_node(variable, label="variable")
        made.add_edge(("action", action.name), variable)
        made.add_edges_from((variable, ("type", kind)) for kind in parameter.types)
    parts = [(f"condition {one.positive}", one.atom) for one in action.preconditions]
    parts += [("add", atom) for atom in action.add] + [("delete", atom) for atom in action.delete]
    for part, atom in parts:
        literal = (action.name, part, atom)
        made.add_node(literal, label=part)
        made.add_edges_from([(("action", action.name), literal), (literal, atom[0])])
        for place, term in enumerate(atom[1:]):
            argument = (*literal, place)
            made.add_node(argument, label=f"argument {place}")
            made.add_edges_from([(literal, argument), (argument, (action.name, term))])


def refined(made):
    """Labels of the nodes after some rounds of adding those of their neighbours; else VF2 takes too long."""
    hashes = nx.weisfeiler_lehman_subgraph_hashes(made.to_undirected(), node_attr="label", iterations=5)
    return {node: f"{made.nodes[node]['label']} {rounds[-1]}" for node, rounds in hashes.items()}


def isomorphic(first, second):
    one, two = graph(first), graph(second)
    for made in (one, two):
        nx.set_node_attributes(made, refined(made), "label")
    labels = [sorted(nx.get_node_attributes(made, "label").values()) for made in (one, two)]
    return labels[0] == labels[1] and nx.is_isomorphic(one, two, node_match=lambda a, b: a == b)


MOST_OF_A_KIND = 8
REMOVING = {"condition", "effect", "parameter", "predicate", "types"}


@by_day(2)
@pytest.mark.parametrize("place", range(len(NAMES) + 2))
def test_a_single_change_gives_another_key_unless_it_is_a_renaming(place):
    domain = domains()[place]
    key, counted = domain_key(domain), {}
    for what, other in some_changes(domain):
        different = domain_key(other) != key
        counted[what] = counted.get(what, 0) + different
        if what in REMOVING:
            assert different, what
        else:
            assert different != isomorphic(domain, other), what
    assert counted.keys() >= {"condition", "sign", "effect", "parameter", "type", "predicate"}
    assert all(counted.values()), counted


def some_changes(domain):
    """Up to ``MOST_OF_A_KIND`` changes of each kind, spread over the domain."""
    by_kind = {}
    for what, other in changed(domain):
        by_kind.setdefault(what, []).append(other)
    for what, others in by_kind.items():
        yield from ((what, other) for other in others[:: 1 + len(others) // MOST_OF_A_KIND])


@given(disguised(), st.data())
@examples(25)
def test_pairs_are_judged_as_vf2_does(pair, data):
    first, second = pair
    others = [other for _, other in changed(second)]
    other = data.draw(st.sampled_from([second, *others]))
    assert (domain_key(first) == domain_key(other)) == isomorphic(first, other)


@slow
def test_our_domains_and_compositions_differ():
    listed = domains()
    for first, second in combinations(listed, 2):
        assert (domain_key(first) == domain_key(second)) == isomorphic(first, second)
    assert len({domain_key(kept(index).domain) for index in range(2)}) == 2
