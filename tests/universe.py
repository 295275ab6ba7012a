"""What can be done, by definition: every combination of objects is tried, without the code that grounds."""

from __future__ import annotations

from itertools import product

from orrery.model import EQUAL, OBJECT, Literal
from orrery.planning.execution import applicable, progress
from orrery.planning.universe import fluent_atoms, ground_steps


def supertypes(domain, name):
    parents = {typed.name: typed.types for typed in domain.types}
    above = {name, OBJECT}
    while more := {parent for kind in above for parent in parents.get(kind, ())} - above:
        above |= more
    return above


def choices(domain, problem, parameter):
    """The names that fit a parameter."""
    return [
        typed.name
        for typed in (*domain.constants, *problem.objects)
        if any(supertypes(domain, kind) & set(parameter.types) for kind in typed.types)
    ]


def ground_actions(domain, problem):
    """Every well-typed ground action: its step, and its preconditions, adds and deletes as facts."""
    for action in domain.actions:
        names = [parameter.name for parameter in action.parameters]
        for arguments in product(*(choices(domain, problem, p) for p in action.parameters)):
            values = dict(zip(names, arguments, strict=True))

            def bind(atom, values=values):
                return (atom[0], *(values.get(argument, argument) for argument in atom[1:]))

            needs = [Literal(bind(literal.atom), literal.positive) for literal in action.preconditions]
            yield (action.name, *arguments), needs, {*map(bind, action.add)}, {*map(bind, action.delete)}


def true_in(state, literals):
    """Whether all literals hold in a state, by set membership alone."""
    facts = {*state, *((EQUAL, literal.atom[1], literal.atom[1]) for literal in literals if literal.atom[1:])}
    return all((literal.atom in facts) == literal.positive for literal in literals)


def possible_actions(domain, problem):
    """The ground actions whose static preconditions and (in)equalities hold; those are left out of them."""
    for step, needs, add, delete in ground_actions(domain, problem):
        fluent = [literal for literal in needs if literal.atom[0] in domain.fluents]
        if all(literal.holds(problem.init) for literal in needs if literal not in fluent):
            yield step, fluent, add, delete


def actions(domain, problem):
    """The steps of the possible actions."""
    return {step for step, *_ in possible_actions(domain, problem)}


def applicable_steps(domain, problem, state):
    """The ground actions whose preconditions hold in the state, sorted."""
    return [step for step in ground_steps(domain, problem) if applicable(domain, state, step)]


def walk(domain, problem, rng, length):
    """The steps of a random walk of at most so many, and the states that it goes through."""
    steps, states = [], [problem.init]
    while len(steps) < length and (options := applicable_steps(domain, problem, states[-1])):
        steps.append(rng.choice(options))
        states.append(progress(domain, states[-1], steps[-1]))
    return steps, states


def facts(domain, problem):
    """The well-typed facts of predicates that some action adds; repeats only if one adds them."""
    added = {atom[0] for action in domain.actions for atom in action.add}
    found = {atom for atom in fluent_atoms(domain, problem) if atom[0] in added}
    once = {atom for atom in found if len({*atom[1:]}) == len(atom[1:])}
    if once == found:
        return found
    return once | (found & {atom for _, _, add, _ in possible_actions(domain, problem) for atom in add})


def relaxed(domain, problem):
    """Steps and facts of the delete relaxation, to a fixpoint.

    A negative precondition counts only where its fact is initially true and of a predicate that no
    action deletes.
    """
    instances = list(ground_actions(domain, problem))
    deleted = {atom[0] for action in domain.actions for atom in action.delete}
    lasting = {fact for fact in problem.init if fact[0] not in deleted}

    def may_hold(literal, reached):
        if literal.positive or literal.atom[0] == EQUAL:
            return literal.holds(reached)
        return literal.atom not in lasting

    reached, steps = set(problem.init), set()
    while new := [
        (step, add)
        for step, needs, add, _ in instances
        if step not in steps and all(may_hold(literal, reached) for literal in needs)
    ]:
        for step, add in new:
            steps.add(step)
            reached |= add
    return steps, reached
