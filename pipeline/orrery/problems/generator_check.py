"""Check the result of a generator. `orrery sample` does so as well, in an installation without Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from orrery.catalog import Entry
from orrery.model import EQUAL, ConfigurationPair, Generated, OrreryError, Problem
from orrery.pddl.read import PddlError, read_problem
from orrery.pddl.write import write_atom, write_literal, write_problem


def check_generated(entry: Entry, task: ConfigurationPair, generated: Generated) -> None:
    """Check the result of a generator for a task: the problem and the closure must fit the domain.

    Raises:
        OrreryError: they do not; the message names the generator and the fault.
    """
    try:
        _check_made(entry, task, generated.problem)
        _check_closure(entry, generated)
        for parameters in (generated.init_parameters, generated.goal_parameters):
            json.dumps(parameters, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, LookupError, AttributeError) as error:  # values of other types
        place = f"{entry.generator_file}: {task.name}"
        problem = f"generates a problem that cannot be written: {type(error).__name__}: {error}"
        raise OrreryError(
            place, problem, "give names as strings, facts as tuples of names, parameters as JSON values"
        ) from error


def check_repeated(
    entry: Entry, task: ConfigurationPair, generated: Generated, make: Callable[[], Generated]
) -> None:
    """Check that a generator makes the same problem again from the same random stream.

    Raises:
        OrreryError: it does not.
    """
    if make() != generated:
        place = f"{entry.generator_file}: {task.name}"
        fault = "makes another problem from the same random stream"
        raise OrreryError(place, fault, "draw only from `rng`, and read no clock, file or system randomness")


def _check_made(entry: Entry, task: ConfigurationPair, problem: Problem) -> None:
    """Refuse a problem that differs from its own PDDL after reading: a misspelt fact, an unlisted object."""
    place, domain = f"{entry.generator_file}: {task.name}", entry.domain
    try:
        read = replace(read_problem(write_problem(problem), domain, place), name=problem.name)
    except PddlError as error:
        raise OrreryError(
            place, f"generates a problem that cannot be read: {error.problem}", error.mend
        ) from error
    if compared := sorted(literal for literal in problem.goal if literal.atom[0] == EQUAL):
        fault = f"makes a goal that asks for {write_literal(compared[0])}"
        raise OrreryError(place, fault, "remove comparisons of objects from the goal")
    if read != problem:
        fault = f"makes a problem that its PDDL does not express exactly: {_difference(problem, read)}"
        raise OrreryError(place, fault, "write names in lowercase, and objects and their types as tuples")


def _difference(built: Problem, read: Problem) -> str:
    """Return the first part of a problem that differs from its PDDL, with one element."""
    parts = ("domain", "objects", "init", "goal", "costs", "metric")
    part = next(part for part in parts if getattr(built, part) != getattr(read, part))
    built_part, back = getattr(built, part), getattr(read, part)
    lost = [value for value in built_part if value not in back] if part in parts[1:5] else []
    return f"'{part}' has {lost[0] if lost else built_part!r:.80}"


def _check_closure(entry: Entry, generated: Generated) -> None:
    """Refuse a closure with unknown predicates, or one that differs from that of the domain's rule."""
    ruled = entry.closure_rule(generated.problem) if entry.closure_rule else None
    closure = ruled or generated.closure or ()
    arities = {predicate.name: predicate.arity for predicate in entry.domain.predicates}
    if unknown := sorted(fact for fact in closure if arities.get(fact[0]) != len(fact) - 1):
        place, fact = f"{entry.generator_file}: close_goal", write_atom(unknown[0])
        raise OrreryError(place, f"gives {fact}, which is not a fact of the domain", "correct the generator")
    if generated.closure is not None and generated.closure != ruled:
        place, problem = (
            f"{entry.generator_file}: build",
            "gives a closure that differs from the one of close_goal",
        )
        raise OrreryError(place, problem, "correct the generator")
