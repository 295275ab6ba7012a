"""Breadth-first search over sets of facts, after grounding by trying every combination of objects."""

from typing import NamedTuple

from tests import universe

OPEN = "open"


class SetAction(NamedTuple):
    """A ground action."""

    step: tuple
    needs: frozenset
    add: frozenset
    delete: frozenset


def ground_actions(domain, problem):
    """The ground actions whose static conditions hold; their conditions are the other ones, all positive."""
    for step, needs, add, delete in universe.possible_actions(domain, problem):
        yield SetAction(step, frozenset(literal.atom for literal in needs), add, delete - add)


def relaxed(actions, init):
    """The facts that are reached if actions delete nothing."""
    reached, size = set(init), -1
    while len(reached) != size:
        size = len(reached)
        for action in actions:
            if action.needs <= reached:
                reached |= action.add
    return reached


def layers(actions, init, most):
    """Yield sets of the states at 0, 1, 2, ... steps; None at the end if there are more than ``most``."""
    frequent = {}
    for action in actions:
        for fact in action.needs:
            frequent[fact] = frequent.get(fact, 0) + 1
    by_fact, always = {}, []
    for action in actions:
        if action.needs:
            by_fact.setdefault(min(action.needs, key=lambda fact: (frequent[fact], fact)), []).append(action)
        else:
            always.append(action)
    layer, seen = {frozenset(init)}, {frozenset(init)}
    while layer:
        yield layer
        following = set()
        for state in layer:
            for action in (*always, *(one for fact in state for one in by_fact.get(fact, ()))):
                if action.needs <= state:
                    following.add((state - action.delete) | action.add)
        layer = following - seen
        seen |= layer
        if len(seen) > most:
            yield None
            return


def fewest_steps(actions, problem, most):
    """The fewest steps to the goal; None: there is no way; ``OPEN``: not within ``most`` states."""
    goal = {literal.atom for literal in problem.goal}
    if not goal <= relaxed(actions, problem.init):
        return None
    for number, layer in enumerate(layers(actions, problem.init, most)):
        if layer is None:
            return OPEN
        if any(goal <= state for state in layer):
            return number
    return None
