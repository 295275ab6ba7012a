"""Breadth-first search over sets of facts, and grounding by trying every combination of objects."""

from itertools import product
from typing import NamedTuple

OPEN = "open"


class SetAction(NamedTuple):
    """A ground action."""

    step: tuple
    needs: frozenset
    add: frozenset
    delete: frozenset


def ground_actions(domain, problem):
    """The ground actions whose static conditions hold; their conditions are the other ones."""
    objects = {
        typed.name: [one.name for one in problem.objects if typed.name in domain.ancestors[one.types[0]]]
        for typed in domain.types
    }
    changing = {atom[0] for action in domain.actions for atom in action.add | action.delete}
    for action in domain.actions:
        names = [parameter.name for parameter in action.parameters]
        for values in product(*(objects[parameter.types[0]] for parameter in action.parameters)):
            bound = dict(zip(names, values, strict=True))
            needs = _bound((literal.atom for literal in action.preconditions), bound)
            if all(fact in problem.init for fact in needs if fact[0] not in changing):
                fluent = frozenset(fact for fact in needs if fact[0] in changing)
                add, delete = _bound(action.add, bound), _bound(action.delete, bound)
                yield SetAction((action.name, *values), fluent, add, delete - add)


def _bound(atoms, bound):
    return frozenset((atom[0], *(bound[variable] for variable in atom[1:])) for atom in atoms)


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
