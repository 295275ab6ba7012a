"""A domain and its renamed copies are known as one; other domains are not."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence.domain_isomorphism import same_declarations, translation
from orrery.language.renamed_domain import NAMES as VOCABULARIES
from orrery.language.renamed_domain import vocabulary_of
from orrery.model import OBJECT, Literal, TypedName
from orrery.pddl.read import read_domain
from orrery.pddl.write import write_domain
from tests.effort import examples
from tests.every_domain import CATALOG, ROOT, easy_problems, entry
from tests.pddl.random_pddl import tasks


def renamer(domain, rng):
    """New names for everything a domain declares, and how to put a problem into them."""
    declared = (*domain.types, *domain.constants, *domain.predicates, *domain.functions, *domain.actions)
    names = {symbol.name: f"n{rng.randrange(10**9)}" for symbol in declared}
    names |= {OBJECT: OBJECT, "total-cost": "total-cost"}

    def new(name):
        return f"{name}x" if name.startswith("?") else names.get(name, name)

    def atom(fact):
        return tuple(map(new, fact))

    def literals(stated):
        return frozenset(Literal(atom(literal.atom), literal.positive) for literal in stated)

    def typed(typed_names):
        return tuple(TypedName(new(each.name), atom(each.types)) for each in typed_names)

    def action(original):
        return replace(
            original,
            name=new(original.name),
            parameters=typed(original.parameters),
            preconditions=literals(original.preconditions),
            add=frozenset(map(atom, original.add)),
            delete=frozenset(map(atom, original.delete)),
            cost=atom(original.cost) if isinstance(original.cost, tuple) else original.cost,
        )

    def signatures(symbols):
        return tuple(replace(p, name=new(p.name), parameters=typed(p.parameters)) for p in symbols)

    renamed = replace(
        domain,
        name="mystery",
        requirements=(":strips",),
        types=typed(domain.types),
        constants=typed(domain.constants),
        predicates=signatures(domain.predicates),
        functions=signatures(domain.functions),
        actions=tuple(map(action, domain.actions)),
    )

    def problem(original):
        return replace(
            original,
            domain="mystery",
            objects=tuple(TypedName(each.name, atom(each.types)) for each in original.objects),
            init=frozenset(map(atom, original.init)),
            goal=literals(original.goal),
            costs=frozenset((atom(term), value) for term, value in original.costs),
        )

    return renamed, problem


@examples(100)
@given(tasks(), st.integers(0, 2**32))
def test_a_renamed_problem_is_put_back(task, seed):
    domain, problem = task
    renamed, put = renamer(domain, random.Random(seed))
    translated = translation(renamed, domain)
    assert translated is not None
    assert translated.problem(put(problem)) == problem


@pytest.mark.parametrize("name", CATALOG.names)
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_obfuscated_vocabularies(name, vocabulary):
    domain = entry(name).domain
    words = vocabulary_of(domain, vocabulary, ROOT / "templates", 3)
    renamed = read_domain(write_domain(words.domain))
    for problem in easy_problems(name, 4):
        view = words.of(problem)
        put_back = translation(renamed, domain).problem(view.problem(problem))
        objects = {typed.name: view.tables.objects[typed.name] for typed in problem.objects}
        wanted = frozenset((fact[0], *(objects.get(o, o) for o in fact[1:])) for fact in problem.init)
        assert put_back.init == wanted
        assert put_back.domain == name


def test_constants_in_another_order():
    text = "(define (domain d) (:constants {}) (:predicates (p ?x)) (:action a :effect (and {})))"
    first_domain = read_domain(text.format("a b c", "(p a) (not (p b))"))
    second_domain = read_domain(text.format("x y z", "(p z) (not (p x))"))
    assert translation(second_domain, first_domain).tables.objects == {"x": "b", "y": "c", "z": "a"}


def test_no_two_of_our_domains_are_alike():
    for first_name in CATALOG.names:
        for second_name in CATALOG.names:
            assert (translation(entry(first_name).domain, entry(second_name).domain) is not None) == (
                first_name == second_name
            )


BASE = (
    "(define (domain d) (:types t u) (:constants k - t) (:predicates (p ?x - t) (q ?x ?y))"
    " (:action a :parameters (?x - t ?y) :precondition (and (p ?x) (not (q ?x ?y))) :effect (q ?x k)))"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(:types t u)", "(:types t - u u)"),
        ("k - t", "k - u"),
        ("(p ?x - t)", "(p ?x)"),
        ("(not (q ?x ?y))", "(q ?x ?y)"),
        ("(not (q ?x ?y))", "(not (q ?y ?x))"),
        (":effect (q ?x k)", ":effect (q k ?x)"),
        (":effect (q ?x k)", ":effect (not (q ?x k))"),
        ("(?x - t ?y)", "(?x - t ?y - u)"),
        (":action a", ":action b :parameters () :effect ()) (:action a"),
    ],
)
def test_what_differs_in_more_than_names_is_not_alike(old, new):
    base = read_domain(BASE)
    changed = BASE.replace(old, new)
    if changed == BASE:
        pytest.fail(f"{old} does not stand in the text")
    assert translation(read_domain(changed), base) is None
    assert translation(base, read_domain(changed)) is None


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_order_of_declarations_and_names_of_actions_do_not_count(name):
    domain, rng = entry(name).domain, random.Random(name)

    def shuffled(items):
        return tuple(rng.sample(items, len(items)))

    changed_domain = replace(
        domain,
        name="mine",
        requirements=(":adl",),
        types=shuffled(domain.types),
        constants=shuffled(domain.constants),
        predicates=shuffled(domain.predicates),
        actions=tuple(
            replace(renamed_action, name=f"do-{renamed_action.name}")
            for renamed_action in shuffled(domain.actions)
        ),
    )
    for problem in easy_problems(name, 2):
        translated = translation(changed_domain, domain).problem(replace(problem, domain="mine"))
        assert translated == problem
    swapped = replace(
        changed_domain, predicates=tuple(replace(p, name=f"{p.name}x") for p in changed_domain.predicates)
    )
    assert not same_declarations(swapped, domain)


def test_an_object_named_like_a_constant_is_not_translated():
    renamed, _ = renamer(read_domain(BASE), random.Random(1))
    translated = translation(renamed, read_domain(BASE))
    problem = easy_problems("gripper", 1)[0]
    clash = replace(problem, objects=(TypedName("k"),))
    assert translated.problem(clash) is None
