"""Small random tasks with a domain of their own, so that there are well-typed facts and actions to decide."""

import random

from pipeline.model import Action, Domain, Literal, Predicate, Problem
from pipeline.semantics.grounding import ground


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
