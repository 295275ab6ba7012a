"""Draw problems, each from its own random stream, with its keys or the reason why it is rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from orrery.catalog import Entry
from orrery.equivalence.keys import keys, spelled_keys
from orrery.equivalence.permuted import goal_holds_permuted
from orrery.equivalence.undecided import Undecided
from orrery.families.problems.quotas import FROM_FILE, Draw
from orrery.families.problems.schemas import reject
from orrery.generator_check import check_generated
from orrery.model import Generated, ParameterError
from orrery.pddl.write import write_problem
from orrery.seeds import stream
from orrery.store.columns import Table
from orrery.store.kinds import as_json

OUT_OF_LIMITS = "parameters out of limits"
GOAL_HOLDS = "goal holds initially"
NO_KEY = "key undecided"
NOT_KNOWN = "undecided whether the goal holds initially"


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


NO_RECORD = Record("", "", 0, 0, "", "", "", 0, 0, 0)


class StoredRecord(NamedTuple):
    """A problem that stands in a row of a table of candidates, with what decides whether it is accepted."""

    strict_key: str
    loose_key: str
    explicit_only: int
    table: Table
    place: int


class ProblemCandidate(NamedTuple):
    """The result of a draw: a problem with its keys, or the reason why it is rejected.

    Neither, where it is put off (see ``maker``). ``sign`` is equal for draws of which the generator says,
    before it builds them, that they are alike; empty where it does not say so of any.
    """

    draw: Draw
    record: Record | StoredRecord | None
    reason: str = ""
    detail: str = ""
    sign: str = ""

    @property
    def put_off(self) -> bool:
        """Whether it is still to be made."""
        return self.record is None and not self.reason

    def row(self, split: str, number: int) -> dict[str, Any]:
        """Write the row of the accepted problem: the ``number``-th of its split."""
        draw, record = self.draw, self.record
        assert isinstance(record, Record)
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
        """Write the row of the rejected problem."""
        return reject(stage, self.draw.domain, "/".join(self.draw.seed_path), self.reason, self.detail)


def candidate_row(candidate: ProblemCandidate) -> dict[str, Any]:
    """Return a row of ``CANDIDATES``; without a record its values are empty."""
    record = candidate.record or NO_RECORD
    assert isinstance(record, Record)
    said = {"sign": candidate.sign, "reason": candidate.reason, "detail": candidate.detail}
    return {**said, "made": candidate.record is not None, **record._asdict()}


def kept_candidate(draw: Draw, row: Mapping[str, Any]) -> ProblemCandidate:
    """Return the candidate of a draw from its row."""
    record = Record(*(row[name] for name in Record._fields)) if row["made"] else None
    return ProblemCandidate(draw, record, row["reason"], row["detail"], row["sign"])


def stored_candidates(draws: Iterable[Draw], table: Table) -> Iterator[ProblemCandidate]:
    """Yield the candidates of draws, whose rows stay in the table."""
    columns = ("made", "strict_key", "loose_key", "explicit_only", "reason", "detail", "sign")
    rows = zip(draws, *(table[name].to_pylist() for name in columns), strict=True)
    for place, (draw, made, strict, loose, explicit, reason, detail, sign) in enumerate(rows):
        record = StoredRecord(strict, loose, explicit, table, place) if made else None
        yield ProblemCandidate(draw, record, reason, detail, sign)


class KeptCandidates:
    """The candidates of some draws in finished parts, which are read each time they are asked for."""

    def __init__(
        self, tables: Callable[[Sequence[str] | None], Iterator[Table]], draws: Sequence[list[Draw]]
    ) -> None:
        """Name what reads the tables of the parts, some columns or all, and the draws of each part."""
        self._tables, self._draws = tables, draws

    def __iter__(self) -> Iterator[ProblemCandidate]:
        """Yield the candidates, a part at a time."""
        for table, draws in zip(self._tables(None), self._draws, strict=True):
            yield from stored_candidates(draws, table)

    def all_of(self, column: str) -> Iterator[str]:
        """Yield what they have in a column of texts, where it is not empty."""
        for table in self._tables([column]):
            yield from filter(None, table.column(column).to_pylist())


def draw_candidate(entry: Entry, draw: Draw, seed: int) -> ProblemCandidate:
    """Return the problem of ``draw``, unless its goal holds at first.

    Raises:
        OrreryError: the generator fails, or makes a problem that is none of the domain.
    """
    made = made_for(entry, draw, seed)
    return made if isinstance(made, ProblemCandidate) else keyed(entry, draw, made)


def made_for(entry: Entry, draw: Draw, seed: int) -> Generated | ProblemCandidate:
    """Return what the generator makes for ``draw``, or the candidate that says why it cannot.

    The first problem of each task is read back from its PDDL, so that a fault of the generator shows
    at once; the other problems of a build are only checked when they are validated.
    """
    rng = stream(seed, *draw.seed_path)
    try:
        generated = entry.make(draw.task, draw.difficulty, rng)
    except ParameterError as error:
        return ProblemCandidate(draw, None, reason=OUT_OF_LIMITS, detail=str(error))
    if draw.number == 0:
        check_generated(entry, draw.task, generated)
    return generated


def keyed(entry: Entry, draw: Draw, generated: Generated) -> ProblemCandidate:
    """Return the problem with its keys, unless nothing is to be done in it or something stays undecided."""
    problem = generated.problem
    if problem.satisfied(problem.init):
        return ProblemCandidate(draw, None, reason=GOAL_HOLDS, detail=problem.name)
    has_texts = entry.description.texts
    found = (
        keys(entry.domain, problem, rule=entry.closure_rule)
        if has_texts
        else spelled_keys(entry.domain, problem)
    )
    if isinstance(found, Undecided):
        return ProblemCandidate(draw, None, reason=NO_KEY, detail=found.reason)
    # Only texts that leave the objects of the goal open can find it true at the start.
    holds = has_texts and draw.task.interchangeable and goal_holds_permuted(entry.domain, problem)
    if isinstance(holds, Undecided):
        return ProblemCandidate(draw, None, reason=NOT_KNOWN, detail=holds.reason)
    return ProblemCandidate(draw, recorded(generated, found.strict, found.loose, holds))


def recorded(generated: Generated, strict: str, loose: str, holds: bool) -> Record:
    """Return what is kept of a problem with these keys."""
    problem = generated.problem
    return Record(
        strict_key=strict,
        loose_key=loose,
        goal_holds_initially=int(holds),
        explicit_only=0,
        init_parameters=as_json(generated.init_parameters),
        goal_parameters=as_json(generated.goal_parameters),
        problem_pddl=write_problem(problem),
        num_objects=len(problem.objects),
        init_num_propositions=len(problem.init),
        goal_num_propositions=len(problem.goal),
    )


def from_files(entry: Entry) -> list[ProblemCandidate]:
    """Return the problems given as PDDL files, keyed, in the order of their names.

    Raises:
        PddlError: a file cannot be read, or holds no problem of the domain.
    """
    found = []
    for number, path in enumerate(entry.problem_files):
        generated = Generated(entry.problem_of(path), FROM_FILE)
        found.append(keyed(entry, Draw(entry.name, "file", FROM_FILE, number), generated))
    return found
