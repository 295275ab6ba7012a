"""Whether what a generator made is a problem of its domain: it is read back from its own PDDL."""

from __future__ import annotations

import json
from dataclasses import replace

from orrery.catalog import Entry
from orrery.model import EQUAL, ConfigurationPair, Generated, OrreryError, Problem
from orrery.pddl.read import PddlError, read_problem
from orrery.pddl.write import write_atom, write_literal, write_problem


def check_generated(entry: Entry, task: ConfigurationPair, generated: Generated) -> None:
    """Refuse what a generator made for a task, if problem or closure of the goal are none of the domain.

    Raises:
        OrreryError: it is so; the message names the generator and what is wrong.
    """
    try:
        _check_made(entry, task, generated.problem)
        _check_closure(entry, generated)
        for parameters in (generated.init_parameters, generated.goal_parameters):
            json.dumps(parameters, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, LookupError, AttributeError) as error:  # values of other kinds
        where = f"{entry.generator_file}: {task.name}"
        problem = f"generates a problem that cannot be written: {type(error).__name__}: {error}"
        raise OrreryError(
            where, problem, "give names as strings, facts as tuples of names, parameters as JSON values"
        ) from error


def _check_made(entry: Entry, task: ConfigurationPair, problem: Problem) -> None:
    """Refuse a problem that does not come back from its own PDDL: a fact misspelt, an object not listed."""
    where, domain = f"{entry.generator_file}: {task.name}", entry.domain
    try:
        read = replace(read_problem(write_problem(problem), domain, where), name=problem.name)
    except PddlError as error:
        raise OrreryError(
            where, f"generates a problem that cannot be read: {error.problem}", error.mend
        ) from error
    if compared := sorted(literal for literal in problem.goal if literal.atom[0] == EQUAL):
        fault = f"makes a goal that asks for {write_literal(compared[0])}"
        raise OrreryError(where, fault, "remove comparisons of objects from the goal")
    if read != problem:
        fault = f"makes a problem that its PDDL does not express exactly: {_difference(problem, read)}"
        raise OrreryError(where, fault, "write names in lowercase, and objects and their types as tuples")


def _difference(built: Problem, read: Problem) -> str:
    """Return the first part of a problem that does not come back from its PDDL, with one thing in it."""
    parts = ("domain", "objects", "init", "goal", "costs", "metric")
    part = next(part for part in parts if getattr(built, part) != getattr(read, part))
    built_part, back = getattr(built, part), getattr(read, part)
    lost = [value for value in built_part if value not in back] if part in parts[1:5] else []
    return f"'{part}' has {lost[0] if lost else built_part!r:.80}"


def _check_closure(entry: Entry, generated: Generated) -> None:
    """Refuse a closure that holds facts of no predicate of the domain, or is not that of its rule."""
    ruled = entry.closure_rule(generated.problem) if entry.closure_rule else None
    closure = ruled or generated.closure or ()
    arities = {predicate.name: predicate.arity for predicate in entry.domain.predicates}
    if unknown := sorted(fact for fact in closure if arities.get(fact[0]) != len(fact) - 1):
        where, fact = f"{entry.generator_file}: close_goal", write_atom(unknown[0])
        raise OrreryError(where, f"gives {fact}, which is not a fact of the domain", "correct the generator")
    if generated.closure is not None and generated.closure != ruled:
        where, problem = (
            f"{entry.generator_file}: build",
            "gives a closure that differs from the one of close_goal",
        )
        raise OrreryError(where, problem, "correct the generator")
