"""What can be done, and what questions on reachability are about: every combination of objects is tried."""

from __future__ import annotations

from orrery.model import EQUAL
from orrery.planning.execution import applicable
from orrery.planning.universe import fluent_atoms, ground_steps


def instance(domain, step, atom):
    """The atom of an action schema under the arguments of a step."""
    names = [parameter.name for parameter in domain.action_named[step[0]].parameters]
    values = dict(zip(names, step[1:], strict=True))
    return (atom[0], *(values.get(each, each) for each in atom[1:]))


def actions(domain, problem):
    """The well-typed ground actions whose static preconditions and (in)equalities hold."""
    changed = {atom[0] for action in domain.actions for atom in action.add | action.delete}

    def allowed(step):
        for literal in domain.action_named[step[0]].preconditions:
            atom = instance(domain, step, literal.atom)
            if atom[0] == EQUAL and (atom[1] == atom[2]) != literal.positive:
                return False
            if atom[0] != EQUAL and atom[0] not in changed and (atom in problem.init) != literal.positive:
                return False
        return True

    return {step for step in ground_steps(domain, problem) if allowed(step)}


def applicable_steps(domain, problem, state):
    """The ground actions whose preconditions hold in the state, sorted."""
    return [step for step in ground_steps(domain, problem) if applicable(domain, state, step)]


def facts(domain, problem):
    """The well-typed facts of predicates that some action adds; repeats only if one adds them."""
    added = {atom[0] for action in domain.actions for atom in action.add}
    found = {atom for atom in fluent_atoms(domain, problem) if atom[0] in added}
    once = {atom for atom in found if len({*atom[1:]}) == len(atom[1:])}
    if once == found:
        return found
    made = {
        instance(domain, step, atom)
        for step in actions(domain, problem)
        for atom in domain.action_named[step[0]].add
    }
    return once | (found & made)
