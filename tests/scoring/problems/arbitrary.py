"""Small problems as models might write them: facts at random, or a sound problem with facts changed."""

from dataclasses import replace
from itertools import product

from orrery.model import OBJECT, Literal, Problem, TypedName
from tests.every_domain import CATALOG, drawn, entry
from tests.plain_search import PlainSearch

NAMES = tuple(name for name in CATALOG.names if entry(name).description.texts)


def atoms(domain, objects):
    """Every well-typed atom."""
    return [
        (predicate.name, *arguments)
        for predicate in domain.predicates
        for arguments in product(
            *([o.name for o in objects if domain.fits(o.types, p.types)] for p in predicate.parameters)
        )
    ]


def objects_of(domain, rng):
    """Two or three objects, or one or two of each type."""
    if not domain.types:
        return tuple(TypedName(name) for name in "abc"[: rng.randint(2, 3)])
    kinds = sorted({p.types for action in domain.actions for p in action.parameters if p.types != (OBJECT,)})
    return tuple(TypedName(f"{k[0]}{n}", k) for k in kinds for n in range(rng.randint(1, 2)))


def made_up(name, rng):
    """Facts and goal at random."""
    domain = entry(name).domain
    objects = objects_of(domain, rng)
    possible = atoms(domain, objects)
    # Static facts are likely: where nothing is a room, or linked, there is nothing to do.
    init = frozenset(fact for fact in possible if rng.random() < (0.3 if fact[0] in domain.fluents else 0.7))
    return Problem("made-up", name, objects, init, goal_of(domain, possible, rng))


def goal_of(domain, atoms, rng):
    """One to three literals, now and then of facts that no action changes."""
    moving = [fact for fact in atoms if fact[0] in domain.fluents or rng.random() < 0.05]
    chosen = rng.sample(moving, min(len(moving), rng.randint(1, 3)))
    return frozenset(Literal(fact, rng.random() < 0.85) for fact in chosen)


def changed(name, rng):
    """An easy problem with some facts of both sides left out, added or replaced."""
    domain = entry(name).domain
    generated = drawn(name, rng.choice(entry(name).tasks), "easy", rng.randrange(10_000))
    if generated is None or len(generated.problem.objects) > 12:
        return None
    problem = generated.problem
    possible = [
        fact for fact in atoms(domain, problem.objects) if fact[0] in domain.fluents or rng.random() < 0.1
    ]
    init, goal = set(problem.init), set(problem.goal_facts)
    for side, times in ((init, rng.randint(0, 2)), (goal, rng.randint(0, 3))):
        for _ in range(times):
            if side and rng.random() < 0.6:
                side.discard(rng.choice(sorted(side)))
            if rng.random() < 0.6:
                side.add(rng.choice(possible))
    literals = frozenset(Literal(fact, rng.random() < 0.95) for fact in sorted(goal))
    return replace(problem, init=frozenset(init), goal=literals)


def has_plan(domain, problem, most=3000):
    """By plain search; None beyond ``most`` states."""
    search = PlainSearch(domain, problem, most)
    return any(map(problem.satisfied, search.after)) or (False if search.complete else None)
