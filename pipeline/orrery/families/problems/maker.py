"""Many draws at a time: problems that equal an earlier one are not built, and keys are made together.

What a generator's ``alike`` says of parameters (see ``Entry.alike``) is known before anything is built. Draws
of which it says the same give problems with equal loose keys, and with equal strict ones where nothing leaves
the goal's objects open. So the sampler will hardly want another: the later ones are *put off*, and made
where the sampler asks for them after all. Once they are built, problems are arrays of numbered facts, and
what is made of many draws is a table of candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from orrery.catalog import Alike, Entry, entry_of
from orrery.equivalence.certificates import Certifier
from orrery.families.problems.batch_keys import Keyed, KeyMaker, ToKey
from orrery.families.problems.candidates import (
    OUT_OF_LIMITS,
    ProblemCandidate,
    kept_candidate,
)
from orrery.families.problems.problem_arrays import Listed, ProblemArrays, ProblemWriter, SketchedFacts
from orrery.families.problems.quotas import Draw
from orrery.families.problems.schemas import CANDIDATES
from orrery.generator_check import check_generated
from orrery.model import Generated, Limits, OrreryError, ParameterError, Sketch, State, literals
from orrery.pddl.write import write_problem
from orrery.seeds import stream
from orrery.store.columns import Table, checked_array, from_arrays
from orrery.store.kinds import as_json

KEPT = 100_000  # signs of what was drawn last; some 10 MB
SIGN_BYTES = 8


class _Made(NamedTuple):
    """A problem to be keyed, and what ``alike`` says of it, with its hash; empty where it says nothing."""

    draw: Draw
    sign: str
    alike: Alike | None
    built: Generated | Sketch


class _NotMade(NamedTuple):
    """Why a draw has no problem; without a reason, it is put off."""

    sign: str = ""
    reason: str = ""
    detail: str = ""


class ProblemMaker:
    """Makes draws of one domain, the same whatever it made before: it remembers only what saves work."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to draw problems of a domain; ``seed`` is the root seed of the build."""
        self.entry, self.seed = entry, seed
        self._certifier = Certifier(entry.domain)
        self._keys = KeyMaker(entry, self._certifier)
        self._writer = ProblemWriter(entry.domain.name, self._certifier)
        self._fact = partial(entry.call, "fact")
        self._numbers = SketchedFacts(self._certifier, self._fact)
        self._limits: dict[str, Limits] = {}
        self._seen: dict[str, None] = {}

    def made(self, draws: Sequence[Draw], *, every: bool = False) -> list[ProblemCandidate]:
        """Return the candidates of the draws, in their order; see ``table``."""
        return list(map(kept_candidate, draws, self.table(draws, every=every).to_pylist()))

    def table(self, draws: Sequence[Draw], *, every: bool = False) -> Table:
        """Return the candidates of the draws, in their order, as a table of candidates.

        Unless ``every`` is asked for, a draw that is alike an earlier one may be put off.

        Raises:
            OrreryError: the generator fails, or makes a problem that is none of the domain.
        """
        begun = [self._begun(draw, every=every) for draw in draws]
        self._certifier.tidy()
        made = [each for each in begun if isinstance(each, _Made)]
        arrays, keyed = self._keyed(made)
        found = iter(keyed)
        keys = [next(found) if isinstance(each, _Made) else Keyed(*each[1:]) for each in begun]
        recorded = np.array([bool(each.strict) for each in keys], bool)
        kept = [place for place, each in enumerate(keyed) if each.strict]
        records = self._records([made[each] for each in kept], arrays.some(np.array(kept, np.int64)))
        place = pa.array(np.where(recorded, np.cumsum(recorded) - 1, len(kept)))
        said: dict[str, Sequence[Any]] = {
            "sign": [each.sign for each in begun],
            "reason": [each.reason for each in keys],
            "detail": [each.detail for each in keys],
            "made": recorded.tolist(),
            "strict_key": [each.strict for each in keys],
            "loose_key": [each.loose for each in keys],
            "goal_holds_initially": [each.holds for each in keys],
            "explicit_only": [0] * len(keys),
        }
        columns = {name: checked_array(CANDIDATES, name, values) for name, values in said.items()}
        return from_arrays(CANDIDATES, columns | {name: each.take(place) for name, each in records.items()})

    def _begun(self, draw: Draw, *, every: bool) -> _Made | _NotMade:
        """Return the problem of a draw, or why there is none (yet)."""
        entry, rng = self.entry, stream(self.seed, *draw.seed_path)
        if (limits := self._limits.get(draw.difficulty)) is None:
            limits = self._limits[draw.difficulty] = entry.limits(draw.difficulty)
        try:
            parameters = entry.draw(draw.task, limits, rng)
            alike = entry.alike(draw.task, parameters)
            sign = sign_of(draw.task.interchangeable, alike) if alike else ""
            if sign in self._seen and draw.number and not every:
                return _NotMade(sign)
            built = (
                entry.call("sketch", draw.task, parameters, rng, returns=Sketch)
                if entry.sketches
                else entry.build(draw.task, parameters, rng)
            )
        except ParameterError as error:
            return _NotMade("", OUT_OF_LIMITS, str(error))
        if draw.number == 0:
            self._check_first(draw, built)
        if sign:
            self._seen[sign] = None
            _forget_some(self._seen)
        return _Made(draw, sign, alike, built)

    def _check_first(self, draw: Draw, built: Generated | Sketch) -> None:
        """Refuse the first problem of a task if it is none of the domain, or its sketch is of another.

        Raises:
            OrreryError: it is so.
        """
        if isinstance(built, Generated):
            check_generated(self.entry, draw.task, built)
            return
        generated = self.entry.make(draw.task, draw.difficulty, stream(self.seed, *draw.seed_path))
        check_generated(self.entry, draw.task, generated)
        said = built.init, built.goal, built.closure
        init, goal, closure = (frozenset(map(self._fact, some)) for some in said)
        problem = generated.problem
        if not (
            [len(some) for some in said] == [len(init), len(goal), len(closure)]
            and (built.objects, init, literals(goal)) == (problem.objects, problem.init, problem.goal)
            and closure == generated.closure
            and _parameters(built) == _parameters(generated)
        ):
            where = f"{self.entry.generator_file}: {draw.task.name}"
            raise OrreryError(where, "'sketch' is not what 'build' makes", "mend the generator")

    def _sketched(self, sketches: Sequence[Sketch]) -> tuple[ProblemArrays, Listed]:
        """Return sketched problems as arrays, and their closures."""
        return ProblemArrays.of_sketches(self._certifier, sketches, self._numbers)

    def _state(self, some: Listed, number: int) -> State:
        """Return the facts of a problem in a list of many."""
        facts = self._certifier.facts.facts
        return frozenset(facts[fact] for fact in some.of_one(number))

    def _keyed(self, made: Sequence[_Made]) -> tuple[ProblemArrays, list[Keyed]]:
        """Return problems as arrays, and their keys."""
        linked = [(each.alike, each.draw.task.interchangeable) for each in made]
        if not self.entry.sketches:
            generated = [each.built for each in made if isinstance(each.built, Generated)]
            arrays = ProblemArrays.of(self._certifier, [each.problem for each in generated])
            to_key = [_of_generated(each, *said) for each, said in zip(generated, linked, strict=True)]
            return arrays, self._keys.keyed(to_key, arrays)
        arrays, closed = self._sketched([each.built for each in made if isinstance(each.built, Sketch)])
        to_key = [
            ToKey(
                each.draw.task.name,
                partial(arrays.problem, self._certifier, (each.draw.task.name, self.entry.name), number),
                partial(self._state, closed, number),
                *said,
            )
            for number, (each, said) in enumerate(zip(made, linked, strict=True))
        ]
        return arrays, self._keys.keyed(to_key, arrays, closed)

    def _records(self, made: Sequence[_Made], arrays: ProblemArrays) -> dict[str, Any]:
        """Return what is kept of problems, by column; after them an empty one."""
        init, goal = (sizes.tolist() for sizes in arrays.sizes())
        parameters = [_parameters(each.built) for each in made]
        lists = self._certifier.objects.lists
        said: dict[str, Sequence[Any]] = {
            "init_parameters": [init for init, _ in parameters] + [""],
            "goal_parameters": [goal for _, goal in parameters] + [""],
            "num_objects": [len(lists[number]) for number in arrays.objects.tolist()] + [0],
            "init_num_propositions": [*init, 0],
            "goal_num_propositions": [*goal, 0],
        }
        columns = {name: checked_array(CANDIDATES, name, values) for name, values in said.items()}
        written = self._written(made, arrays)
        return columns | {"problem_pddl": pa.concat_arrays([written, pa.array([""], written.type)])}

    def _written(self, made: Sequence[_Made], arrays: ProblemArrays) -> Any:
        """Return the PDDL of problems."""
        problems = [each.built.problem for each in made if isinstance(each.built, Generated)]
        if any(problem.costs or problem.metric for problem in problems):
            return pa.array(map(write_problem, problems), pa.string())
        names = [each.name for each in problems] or [each.draw.task.name for each in made]
        return self._writer.written(names, arrays)


def _of_generated(generated: Generated, alike: Alike | None, interchangeable: bool) -> ToKey:
    """Return a problem as it is to be keyed."""
    problem, closure = generated.problem, generated.closure
    known: Callable[[], State] | None = None if closure is None else partial(frozenset, closure)
    return ToKey(problem.name, lambda: problem, known, alike, interchangeable)


def _parameters(generated: Generated | Sketch) -> tuple[str, str]:
    """Return the parameters of init and goal as JSON; those of a tied goal are often the same."""
    init, goal = generated.init_parameters, generated.goal_parameters
    said = as_json(init)
    return said, said if goal is init else as_json(goal)


def sign_of(interchangeable: bool, alike: Alike) -> str:
    """Return a hash of what ``alike`` says of the parameters of a task."""
    return blake2b(repr((interchangeable, *alike)).encode(), digest_size=SIGN_BYTES).hexdigest()


def _forget_some(known: dict[str, None]) -> None:
    """Drop the older half of what is remembered once that is too much."""
    if len(known) > KEPT:
        for each in list(islice(known, KEPT // 2)):
            del known[each]


@cache
def problem_maker(root: Path, name: str, seed: int) -> ProblemMaker:
    """Return the maker of a domain, one in each process."""
    return ProblemMaker(entry_of(root, name), seed)
