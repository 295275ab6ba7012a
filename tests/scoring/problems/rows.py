"""Rows of text_to_pddl drawn from the generators, and problems that say the same, or not, in other words."""

import random
from dataclasses import replace

from orrery.equivalence.keys import keys
from orrery.model import Literal, TypedName
from orrery.pddl.write import write_domain, write_problem
from orrery.scoring.problems.pairs import DomainKnowledge
from orrery.scoring.problems.reader import read_both
from tests.every_domain import CATALOG, drawn, entry

NAMES = tuple(name for name in CATALOG.names if entry(name).description.texts)


def read_output(text, domain, *, ignore_types=False):
    """What is read of an output, as it stands or ignoring added types."""
    reading = read_both(text, domain)
    return reading.relaxed if ignore_types else reading.plain


def known(name):
    place = entry(name)
    return DomainKnowledge(place.domain, place.planner, place.closure_rule)


def row_of(name, generated, number):
    """The row of a generated problem, with its keys."""
    place, problem, task = entry(name), generated.problem, generated.task
    problem_keys = keys(place.domain, problem, place.closure_rule)
    return {
        "id": f"{name}/{number}",
        "domain": name,
        "domain_pddl": write_domain(place.domain),
        "problem_pddl": write_problem(problem),
        "is_placeholder": int(task.interchangeable),
        "open_objects": [typed.name for typed in problem.objects],
        "strict_key": problem_keys.strict,
        "loose_key": problem_keys.loose,
        "solvable": True,
        "init": task.init,
        "goal": task.goal,
        "init_is_abstract": number % 2,
        "goal_is_abstract": number // 2 % 2,
        "init_num_propositions": len(problem.init),
        "goal_num_propositions": len(problem.goal),
    }


def rows(name, count):
    """Rows and their problems, the tasks of the domain taking turns."""
    tasks = entry(name).tasks
    for number in range(count):
        generated = drawn(name, tasks[number % len(tasks)], "easy", number)
        if generated is not None:
            yield row_of(name, generated, number), generated.problem


def renamed(problem, rng):
    """The problem with its objects renamed and in another order."""
    names = [f"x{number}" for number in range(len(problem.objects))]
    rng.shuffle(names)
    new = {typed.name: name for typed, name in zip(problem.objects, names, strict=True)}

    def atom(fact):
        return fact[0], *(new.get(name, name) for name in fact[1:])

    objects = [TypedName(new[typed.name], typed.types) for typed in problem.objects]
    rng.shuffle(objects)
    return replace(
        problem,
        objects=tuple(objects),
        init=frozenset(map(atom, problem.init)),
        goal=frozenset(Literal(atom(g.atom), g.positive) for g in problem.goal),
    )


def without_a_fact(problem, rng):
    """One initial fact less: never equivalent."""
    return replace(problem, init=problem.init - {rng.choice(sorted(problem.init))})


def with_another_object(problem):
    """One object more: never equivalent."""
    return replace(problem, objects=(*problem.objects, TypedName("one-more", problem.objects[0].types)))


def stream_of(seed):
    return random.Random(seed)
