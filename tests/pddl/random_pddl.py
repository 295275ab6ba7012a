"""Random domains and problems of the subset, for the tests of reading and of grounding."""

from itertools import product

from hypothesis import strategies as st

from orrery.model import EQUAL, OBJECT, Action, Domain, Literal, Predicate, Problem, TypedName

REQUIREMENTS = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":equality",
    ":action-costs",
    ":numeric-fluents",
)


def some(values, most, least=0):
    """``least`` to ``most`` of ``values``, as far as there are, each at most once."""
    if not values:
        return st.just([])
    least = min(least, len(set(values)))
    return st.lists(st.sampled_from(values), min_size=least, max_size=most, unique=True)


@st.composite
def typed_names(draw, prefix, types, most, least=0, either=False):
    """Numbered names with a type each; with ``either`` now and then with several."""
    choice = st.sampled_from(types).map(lambda name: (name,))
    if either and len(types) > 1:
        choice |= st.lists(st.sampled_from(types), min_size=2, max_size=2, unique=True).map(sorted).map(tuple)
    chosen = draw(st.lists(choice, min_size=least, max_size=most))
    return tuple(TypedName(f"{prefix}{number}", types) for number, types in enumerate(chosen))


def fitting(domain, names, wanted):
    """The names that may stand where ``wanted`` is asked, whichever of their types is meant."""
    return [typed.name for typed in names if all(domain.fits((name,), wanted) for name in typed.types)]


def atoms(domain, predicates, names):
    """Every well-typed atom of ``predicates`` over ``names``."""
    return [
        (predicate.name, *arguments)
        for predicate in predicates
        for arguments in product(*(fitting(domain, names, p.types) for p in predicate.parameters))
    ]


def equalities(names):
    return [(EQUAL, name.name, second.name) for name in names for second in names]


def signed(values, most):
    """A conjunction of literals of both signs; now and then one that contradicts itself."""
    if not values:
        return st.just(frozenset())
    return st.lists(
        st.builds(Literal, st.sampled_from(values), st.sampled_from([True, True, False])), max_size=most
    ).map(frozenset)


@st.composite
def domains(draw, either=True, mixed=True, lively=False):
    """A domain; ``mixed`` lets ``object`` stand beside declared types, which other readers refuse.

    A ``lively`` one has several actions that add something, so that there is something to ground.
    """
    parents = draw(st.lists(st.integers(-1, 2), max_size=2 if lively else 3))
    names = [f"t{number}" for number in range(len(parents))]
    # A parent may be declared after its child.
    order = draw(st.permutations(range(len(parents))))
    declared = [
        TypedName(names[number], (names[parents[number]] if 0 <= parents[number] < number else OBJECT,))
        for number in order
    ]
    types = [*names, OBJECT] if mixed or not names else names
    domain = Domain("d", REQUIREMENTS, tuple(declared), draw(typed_names("k", types, 2)), (), ())
    arguments = typed_names("?x", types, 2, either=either)
    signatures = draw(st.lists(arguments, min_size=1, max_size=4))
    predicates = tuple(Predicate(f"p{number}", parameters) for number, parameters in enumerate(signatures))
    functions = draw(
        st.just(())
        | st.lists(arguments, max_size=2).map(
            lambda signatures: (
                Predicate("total-cost"),
                *(Predicate(f"f{i}", p) for i, p in enumerate(signatures)),
            )
        )
    )
    shell = Domain("d", REQUIREMENTS, domain.types, domain.constants, predicates, (), functions)
    count = draw(st.integers(2, 4) if lively else st.integers(0, 3))
    actions = tuple(draw(action(shell, f"a{number}", types, either, lively)) for number in range(count))
    return Domain("d", REQUIREMENTS, shell.types, shell.constants, predicates, actions, functions)


@st.composite
def action(draw, domain, name, types, either, lively):
    parameters = draw(typed_names("?y", types, 3, either=either))
    names = (*parameters, *domain.constants)
    everything = atoms(domain, domain.predicates, names)
    preconditions = draw(signed(everything, 3)) | draw(st.just(frozenset()) | signed(equalities(names), 1))
    cost = st.none()
    if domain.functions:
        terms = atoms(domain, domain.functions[1:], names)
        cost |= st.integers(0, 9) | (st.sampled_from(terms) if terms else st.none())
    add, delete = draw(some(everything, 3, least=lively)), draw(some(everything, 3))
    return Action(name, parameters, preconditions, frozenset(add), frozenset(delete), draw(cost))


@st.composite
def problems(draw, domain, most=4, mixed=True, lively=False):
    """A problem of ``domain``; every function has its value."""
    names = [typed.name for typed in domain.types]
    types = [*names, OBJECT] if mixed or not names else names
    objects = draw(typed_names("o", types, most, least=2 * lively))
    everything = (*objects, *domain.constants)
    facts = atoms(domain, domain.predicates, everything)
    goal = draw(signed(facts, 3)) | draw(st.just(frozenset()) | signed(equalities(everything), 1))
    terms = atoms(domain, domain.functions, everything)
    costs = frozenset((term, 0 if term == ("total-cost",) else draw(st.integers(0, 9))) for term in terms)
    metric = bool(domain.functions) and draw(st.booleans())
    return Problem("x", "d", objects, frozenset(draw(some(facts, 8, least=3 * lively))), goal, costs, metric)


@st.composite
def tasks(draw, either=True, mixed=True, most=4, lively=False):
    """A domain and a problem of it."""
    domain = draw(domains(either, mixed, lively))
    return domain, draw(problems(domain, most, mixed, lively))
