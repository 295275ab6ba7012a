"""Make candidates of draws: each a problem with its keys, or the reason of its rejection.

Problems equal to an earlier one up to names are not built. The generator's ``alike`` (see ``Entry.alike``)
compares parameters before anything is built. Draws that are alike give problems with equal loose keys, and
with equal strict keys if no objects of the goal are open. So the sampler hardly ever accepts a second one.
The later ones are *postponed* (``put_off``): they are built only if the sampler requests them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from orrery.catalog import Alike, Entry, entry_of
from orrery.model import Generated, ParameterError
from orrery.pddl.write import write_problem
from orrery.problems.generator_check import check_generated, check_repeated
from orrery.problems.problem_keys import KeyMaker, Rejection
from orrery.problems.quotas import FROM_FILE, LADDER, Draw
from orrery.problems.schemas import CANDIDATES, reject
from orrery.seeds import stream
from orrery.store.columns import Table, from_rows
from orrery.store.kinds import as_json

OUT_OF_LIMITS = "parameters out of limits"
SIGN_BYTES = 8


class Record(NamedTuple):
    """A problem as stored in its row, with plain values named as the columns."""

    strict_key: str
    loose_key: str
    goal_holds_initially: int
    explicit_only: int
    init_parameters: str
    goal_parameters: str
    problem_pddl: str
    num_objects: int
    init_num_propositions: int
    goal_num_propositions: int


EMPTY_RECORD = Record("", "", 0, 0, "", "", "", 0, 0, 0)


class ProblemCandidate(NamedTuple):
    """The result of a draw: a problem with its keys, or the reason of its rejection.

    A candidate with neither is postponed. ``sign`` is equal for draws that the generator declares alike
    before it builds them; empty if it declares nothing.
    """

    draw: Draw
    record: Record | None
    reason: str = ""
    detail: str = ""
    sign: str = ""

    @property
    def put_off(self) -> bool:
        """Whether the problem is not built yet."""
        return self.record is None and not self.reason

    def row(self, split: str, number: int) -> dict[str, Any]:
        """Return the row of the accepted problem with this number in its split."""
        draw, record = self.draw, self.record
        assert record is not None
        return {
            "problem_id": f"{draw.domain}/{split}/{number:06d}",
            "domain": draw.domain,
            "split": split,
            "task": draw.task.name,
            "init_configuration": draw.task.init,
            "goal_configuration": draw.task.goal,
            "tied": draw.task.tied,
            "strict": draw.task.strict,
            "difficulty": draw.difficulty,
            "index": number,
            "seed_path": "/".join(draw.seed_path),
            **record._asdict(),
        }

    def reject(self, stage: str) -> dict[str, Any]:
        """Return the row of the rejected problem."""
        return reject(stage, self.draw.domain, "/".join(self.draw.seed_path), self.reason, self.detail)


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
            check_repeated(self.entry, draw.task, generated, lambda: self._made(draw))
        if sign:
            self._signs.add(sign)
        return keyed(self._keys, draw, generated, alike, sign)

    def _made(self, draw: Draw) -> Generated:
        """Return the problem of a draw."""
        rng = stream(self.seed, *draw.seed_path)
        return self.entry.make(draw.task, draw.difficulty, rng)


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


def ladder_candidates(entry: Entry, bands: Mapping[int, int], seed: int) -> list[ProblemCandidate]:
    """Return problems with long plans, with their keys, as many of each band as wanted.

    There are none if the generator has no function ``ladder``.

    Raises:
        OrreryError: the generator fails, or its result is not a problem of the domain.
    """
    keys = KeyMaker(entry)
    wanted = [band for band, count in sorted(bands.items()) for _ in range(count)] if entry.has_ladder else []
    places = Counter[int]()
    candidates = []
    for band in wanted:
        draw = Draw(entry.name, f"{LADDER.init}-{band}", LADDER, places[band])
        places[band] += 1
        try:
            generated = Generated(entry.ladder(band, stream(seed, *draw.seed_path)), LADDER)
        except ParameterError as error:
            candidates.append(ProblemCandidate(draw, None, OUT_OF_LIMITS, str(error)))
            continue
        check_generated(entry, LADDER, generated)
        candidates.append(keyed(keys, draw, generated))
    return candidates


@cache
def problem_maker(root: Path, name: str, seed: int) -> ProblemMaker:
    """Return the maker of a domain, one per process."""
    return ProblemMaker(entry_of(root, name), seed)


def candidates_table(candidates: Iterable[ProblemCandidate]) -> Table:
    """Return candidates as a table, without their draws."""
    return from_rows(
        CANDIDATES,
        (
            {
                "sign": candidate.sign,
                "reason": candidate.reason,
                "detail": candidate.detail,
                "made": candidate.record is not None,
                **(candidate.record or EMPTY_RECORD)._asdict(),
            }
            for candidate in candidates
        ),
    )


def candidates_of(draws: Iterable[Draw], table: Table) -> Iterator[ProblemCandidate]:
    """Yield the candidates of draws from their table."""
    for draw, row in zip(draws, table.to_pylist(), strict=True):
        record = Record(*(row[name] for name in Record._fields)) if row["made"] else None
        yield ProblemCandidate(draw, record, row["reason"], row["detail"], row["sign"])
