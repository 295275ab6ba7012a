"""Make candidates of draws. Problems equal to an earlier one up to names are not built.

The generator's ``alike`` (see ``Entry.alike``) compares parameters before anything is built. Draws that are
alike give problems with equal loose keys, and with equal strict keys if no objects of the goal are open. So
the sampler hardly ever accepts a second one. The later ones are *postponed* (``put_off``): they are built
only if the sampler requests them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

from orrery.catalog import Alike, Entry, entry_of
from orrery.model import (
    EQUAL,
    ConfigurationPair,
    Generated,
    OrreryError,
    ParameterError,
    Problem,
)
from orrery.pddl.read import PddlError, read_problem
from orrery.pddl.write import write_atom, write_literal, write_problem
from orrery.problems.candidates import ProblemCandidate, Record
from orrery.problems.problem_keys import KeyMaker, Rejection
from orrery.problems.quotas import FROM_FILE, Draw
from orrery.seeds import stream
from orrery.store.kinds import as_json

OUT_OF_LIMITS = "parameters out of limits"
SIGN_BYTES = 8


class ProblemMaker:
    """Makes candidates of one domain. Earlier draws affect only which ones are postponed."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Create the maker for a domain; ``seed`` is the root seed of the build."""
        self.entry, self.seed = entry, seed
        self._keys = KeyMaker(entry)
        self._signs: set[str] = set()

    def candidates(self, draws: Sequence[Draw], *, put_off: bool = True) -> list[ProblemCandidate]:
        """Return the candidates of the draws, in order.

        With ``put_off``, a draw that is alike an earlier one may be postponed.

        Raises:
            OrreryError: the generator fails, or its result is not a problem of the domain.
        """
        return [self._candidate(draw, put_off) for draw in draws]

    def _candidate(self, draw: Draw, put_off: bool) -> ProblemCandidate:
        """Return the candidate of a draw."""
        rng = stream(self.seed, *draw.seed_path)
        try:
            parameters = self.entry.draw(draw.task, self.entry.limits(draw.difficulty), rng)
            alike = self.entry.alike(draw.task, parameters)
            sign = sign_of(draw.task.interchangeable, alike) if alike else ""
            if sign in self._signs and draw.number and put_off:
                return ProblemCandidate(draw, None, sign=sign)
            generated = self.entry.build(draw.task, parameters, rng)
        except ParameterError as error:
            return ProblemCandidate(draw, None, OUT_OF_LIMITS, str(error))
        if draw.number == 0:  # report a fault of the generator early; validation checks all problems
            check_generated(self.entry, draw.task, generated)
        if sign:
            self._signs.add(sign)
        return keyed(self._keys, draw, generated, alike, sign)


def keyed(
    keys: KeyMaker, draw: Draw, generated: Generated, alike: Alike | None = None, sign: str = ""
) -> ProblemCandidate:
    """Return a problem as a candidate with its keys, or as a rejected one."""
    outcome = keys.keys(generated, alike)
    if isinstance(outcome, Rejection):
        return ProblemCandidate(draw, None, outcome.reason, outcome.detail, sign)
    problem = generated.problem
    record = Record(
        strict_key=outcome.strict,
        loose_key=outcome.loose,
        goal_holds_initially=int(outcome.goal_holds),
        explicit_only=0,
        init_parameters=as_json(generated.init_parameters),
        goal_parameters=as_json(generated.goal_parameters),
        problem_pddl=write_problem(problem),
        num_objects=len(problem.objects),
        init_num_propositions=len(problem.init),
        goal_num_propositions=len(problem.goal),
    )
    return ProblemCandidate(draw, record, sign=sign)


def sign_of(interchangeable: bool, alike: Alike) -> str:
    """Return a hash of the values of ``alike``, for tasks with or without open goal objects."""
    return blake2b(repr((interchangeable, *alike)).encode(), digest_size=SIGN_BYTES).hexdigest()


def draw_candidate(entry: Entry, draw: Draw, seed: int) -> ProblemCandidate:
    """Return the candidate of one draw.

    Raises:
        OrreryError: the generator fails, or its result is not a problem of the domain.
    """
    return ProblemMaker(entry, seed).candidates([draw])[0]


def candidates_from_files(entry: Entry) -> list[ProblemCandidate]:
    """Return the problems in PDDL files, with their keys, in the order of their names.

    Raises:
        PddlError: a file cannot be read, or is not a problem of the domain.
    """
    keys = KeyMaker(entry)
    return [
        keyed(keys, Draw(entry.name, "file", FROM_FILE, number), Generated(entry.problem_of(path), FROM_FILE))
        for number, path in enumerate(entry.problem_files)
    ]


@cache
def problem_maker(root: Path, name: str, seed: int) -> ProblemMaker:
    """Return the maker of a domain, one per process."""
    return ProblemMaker(entry_of(root, name), seed)


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
