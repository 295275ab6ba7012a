"""Small random tasks with a domain of their own, so that there are well-typed facts and actions to decide."""

import random
from dataclasses import replace
from itertools import product

from orrery.model import Action, Domain, Literal, Predicate, Problem, TypedName
from orrery.planning.grounding import ground
from orrery.planning.task import applicable, progress


def random_task(seed, *, facts=6, actions=9):
    """A task over facts without arguments, preconditions of both signs included."""
    rng = random.Random(seed)
    names = [(f"p{index}",) for index in range(facts)]

    def some(least, most):
        return frozenset(rng.sample(names, rng.randint(least, most)))

    def literals(positive, negative):
        return frozenset({Literal(n) for n in positive} | {Literal(n, positive=False) for n in negative})

    drawn = tuple(
        Action(f"a{index}", (), literals(some(1, 2), some(0, rng.randint(0, 1))), some(1, 2), some(0, 2))
        for index in range(actions)
    )
    domain = Domain("d", (), (), (), tuple(Predicate(name) for (name,) in names), drawn)
    return ground(domain, Problem(f"x{seed}", "d", (), some(1, 2), literals(some(1, 2), ())))


THINGS = tuple(TypedName(f"t{index}", ("thing",)) for index in range(4))
PLACES = tuple(TypedName(f"l{index}", ("place",)) for index in range(2))
SYMBOLS = tuple(
    Predicate(name, tuple(TypedName(f"?{i}", (kind,)) for i, kind in enumerate(kinds)))
    for name, kinds in {"p": ["thing"], "at": ["thing", "place"], "here": ["place"], "free": []}.items()
)


def object_task(seed):
    """A task of four things and two places, in which many are alike."""
    rng = random.Random(seed)

    def atoms(arguments, least, most):
        atoms_possible = [
            (symbol.name, *arguments_tried)
            for symbol in SYMBOLS
            for arguments_tried in product(
                *([a.name for a in arguments if a.types == p.types] for p in symbol.parameters)
            )
        ]
        return frozenset(rng.sample(atoms_possible, min(len(atoms_possible), rng.randint(least, most))))

    def action(index):
        parameters = (TypedName("?x", ("thing",)), TypedName("?l", ("place",)), TypedName("?m", ("place",)))
        parameters = parameters[: rng.randint(1, 3)]
        needs = {Literal(atom) for atom in atoms(parameters, 1, 2)}
        needs |= {Literal(atom, positive=False) for atom in atoms(parameters, 0, 1)}
        return Action(
            f"a{index}", parameters, frozenset(needs), atoms(parameters, 1, 2), atoms(parameters, 1, 2)
        )

    types = (TypedName("thing"), TypedName("place"))
    domain = Domain("d", (), types, (), SYMBOLS, tuple(map(action, range(rng.randint(3, 5)))))
    start = {("free",), ("here", "l0"), *(("p", typed.name) for typed in THINGS[: rng.randint(0, 3)])}
    start |= {("at", typed.name, rng.choice(PLACES).name) for typed in THINGS}
    problem = Problem(f"o{seed}", "d", (*THINGS, *PLACES), frozenset(start), frozenset())
    return ground(domain, replace(problem, goal=_goal(ground(domain, problem), rng)))


def _goal(task, rng):
    """Some facts that hold together after some steps; now and then one more, which may not hold with them."""
    mask = task.init
    for _ in range(rng.randint(1, 25)):
        if choices := applicable(task, mask):
            mask = progress(mask, rng.choice(choices))
    wanted = rng.sample(sorted(task.facts_of(mask & ~task.init)), min(3, (mask & ~task.init).bit_count()))
    return frozenset(map(Literal, [*wanted, *rng.sample(task.facts, rng.randint(0, 3) // 3)]))
