"""Small random planning tasks, made straight from masks: no domain file, no grounding."""

import random
from dataclasses import replace

from hypothesis import strategies as st

from orrery.model import Domain, Problem
from orrery.planning.task import GroundAction, PlanningTask

DOMAIN = Domain("random", (), (), (), (), ())


def task_of(facts, actions, init, goal_positive, goal_negative=0):
    """A task over ``facts`` numbered facts; ``actions`` are (positive, negative, add, delete)."""
    return PlanningTask(
        domain=DOMAIN,
        problem=Problem("random", "random", (), frozenset(), frozenset()),
        facts=tuple((f"p{index:03}",) for index in range(facts)),
        actions=tuple(
            GroundAction((f"a{index:03}",), positive, negative, add, delete & ~add)
            for index, (positive, negative, add, delete) in enumerate(actions)
        ),
        init=init,
        goal_positive=goal_positive,
        goal_negative=goal_negative,
        statics=frozenset(),
    )


@st.composite
def tasks(draw, *, facts=7, actions=16, stride=1):
    """Tasks of up to ``facts`` facts that can change, so of at most 2 ** facts states.

    ``stride`` spreads those facts over several words. All comes from a seed, not from draws of its own:
    hypothesis would take most of the time, and prefers tasks in which nothing happens.
    """
    rng = random.Random(draw(st.integers(0, 2**32)))
    size = rng.randint(min(3, facts), facts)

    def some(least, most):
        return sum(1 << fact * stride for fact in rng.sample(range(size), rng.randint(least, most)))

    drawn = [
        (some(0, 2), some(0, rng.randint(0, 1)), some(0, 2), some(0, 2))
        for _ in range(rng.randint(1, actions))
    ]
    return task_of((size - 1) * stride + 1, drawn, some(0, 2), some(0, 3), some(0, rng.randint(0, 1)))


def masks_task(seed):
    """A random task of masks with more facts than a word has bits, and goals of both signs."""
    rng = random.Random(seed)

    def facts(least, most):
        return sum(1 << 13 * fact for fact in rng.sample(range(6), rng.randint(least, most)))

    actions = [(facts(0, 2), facts(0, 1), facts(1, 2), facts(0, 2)) for _ in range(rng.randint(1, 12))]
    return task_of(70, actions, facts(0, 2), facts(1, 3), facts(0, rng.randint(0, 1)))


def without_deletes(task):
    """The delete relaxation as a task."""
    actions = (action._replace(negative=0, delete=0) for action in task.actions)
    return replace(task, actions=tuple(actions), goal_negative=0)
