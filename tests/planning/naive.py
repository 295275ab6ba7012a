"""Grounding and execution by their definitions, without a line of the orrery's own grounding."""

from itertools import product

from orrery.model import EQUAL, OBJECT


def supertypes(domain, name):
    parents = {typed.name: typed.types for typed in domain.types}
    supertypes_found = {name, OBJECT}
    while (
        parents_more := {parent for kind in supertypes_found for parent in parents.get(kind, ())}
        - supertypes_found
    ):
        supertypes_found |= parents_more
    return supertypes_found


def everything(domain, problem):
    return [*domain.constants, *problem.objects]


def choices(domain, problem, parameter):
    """The names that fit a parameter."""
    return [
        typed.name
        for typed in everything(domain, problem)
        if any(supertypes(domain, kind) & set(parameter.types) for kind in typed.types)
    ]


def bind(atom, values):
    return (atom[0], *(values.get(argument, argument) for argument in atom[1:]))


def ground_actions(domain, problem):
    """Every well-typed ground action: its step, and its preconditions, adds and deletes as facts."""
    for action in domain.actions:
        names = [parameter.name for parameter in action.parameters]
        for arguments in product(*(choices(domain, problem, p) for p in action.parameters)):
            values = dict(zip(names, arguments, strict=True))
            yield (
                (action.name, *arguments),
                [(bind(literal.atom, values), literal.positive) for literal in action.preconditions],
                {bind(atom, values) for atom in action.add},
                {bind(atom, values) for atom in action.delete},
            )


def true_in(fact, state):
    return fact[1] == fact[2] if fact[0] == EQUAL else fact in state


def relaxed(domain, problem):
    """Steps and facts of the delete relaxation, to a fixpoint.

    A negative precondition counts only where its fact is initially true and of a predicate that no
    action deletes.
    """
    instances = list(ground_actions(domain, problem))
    deleted = {atom[0] for action in domain.actions for atom in action.delete}
    lasting = {fact for fact in problem.init if fact[0] not in deleted}

    def may_hold(fact, positive, reached):
        if positive or fact[0] == EQUAL:
            return true_in(fact, reached) == positive
        return fact not in lasting

    reached, steps = set(problem.init), set()
    while True:
        new = [
            (step, add)
            for step, needs, add, _ in instances
            if step not in steps and all(may_hold(fact, positive, reached) for fact, positive in needs)
        ]
        if not new:
            return steps, reached
        for step, add in new:
            steps.add(step)
            reached |= add


def successors(domain, problem, state):
    """Applicable steps with the states they lead to."""
    return {
        step: frozenset((state - delete) | add)
        for step, needs, add, delete in ground_actions(domain, problem)
        if all(true_in(fact, state) == positive for fact, positive in needs)
    }


def is_goal(problem, state):
    return all(true_in(literal.atom, state) == literal.positive for literal in problem.goal)


def reachable_states(domain, problem, limit):
    """All reachable states, or None beyond ``limit``."""
    reached, todo = {problem.init}, [problem.init]
    while todo:
        for state in successors(domain, problem, todo.pop()).values():
            if state not in reached:
                reached.add(state)
                todo.append(state)
        if len(reached) > limit:
            return None
    return reached
