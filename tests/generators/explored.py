"""What the tests of generators for questions share: whole state spaces, explored once, and what they show."""

from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from orrery.planning.task import applicable, progress


def explored(place, problem, limit=200_000):
    """All reachable states; fails the calling test where there are more than ``limit``."""
    space = explore(ground(place.domain, problem), limit=limit)
    assert space.complete
    return space


def solvable(place, problem):
    """Whether some reachable state satisfies the goal."""
    return bool(explored(place, problem).goal.any())


def reached(place, problem):
    """The facts that hold in some reachable state."""
    space = explored(place, problem)
    return frozenset(space.task.facts_of(space.reached_facts()))


def idle(place, problem):
    """The actions that change nothing in some reachable state where they are applicable."""
    space = explored(place, problem, 20_000)
    masks = (space.mask(index) for index in range(len(space)))
    steps = ((mask, action) for mask in masks for action in applicable(space.task, mask))
    return {action.step[0] for mask, action in steps if progress(mask, action) == mask}
