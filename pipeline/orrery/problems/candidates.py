"""Make candidates of draws: each a problem with its keys, or the reason of its rejection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from orrery.catalog import Entry
from orrery.model import Generated, ParameterError
from orrery.pddl.write import write_problem
from orrery.problems.generator_check import check_generated, check_repeated
from orrery.problems.problem_keys import Rejection, problem_keys
from orrery.problems.quotas import FROM_FILE, LADDER, Draw
from orrery.problems.schemas import CANDIDATES, reject
from orrery.seeds import stream
from orrery.store.columns import Table, from_rows
from orrery.store.kinds import as_json

OUT_OF_LIMITS = "parameters out of limits"


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
    """The result of a draw: a problem with its keys, or the reason of its rejection."""

    draw: Draw
    record: Record | None
    reason: str = ""
    detail: str = ""

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


def draw_candidate(entry: Entry, draw: Draw, seed: int) -> ProblemCandidate:
    """Return the candidate of one draw; ``seed`` is the root seed of the build.

    Raises:
        OrreryError: the generator fails, or its result is not a problem of the domain.
    """

    def generate() -> Generated:
        return entry.make(draw.task, draw.difficulty, stream(seed, *draw.seed_path))

    try:
        generated = generate()
    except ParameterError as error:
        return ProblemCandidate(draw, None, OUT_OF_LIMITS, str(error))
    if draw.number == 0:  # report a fault of the generator early; validation checks all problems
        check_generated(entry, draw.task, generated)
        check_repeated(entry, draw.task, generated, generate)
    return keyed(entry, draw, generated)


def keyed(entry: Entry, draw: Draw, generated: Generated) -> ProblemCandidate:
    """Return a problem as a candidate with its keys, or as a rejected one."""
    outcome = problem_keys(entry, generated)
    if isinstance(outcome, Rejection):
        return ProblemCandidate(draw, None, outcome.reason, outcome.detail)
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
    return ProblemCandidate(draw, record)


def candidates_from_files(entry: Entry) -> list[ProblemCandidate]:
    """Return the problems in PDDL files, with their keys, in the order of their names.

    Raises:
        PddlError: a file cannot be read, or is not a problem of the domain.
    """
    return [
        keyed(
            entry, Draw(entry.name, "file", FROM_FILE, number), Generated(entry.problem_of(path), FROM_FILE)
        )
        for number, path in enumerate(entry.problem_files)
    ]


def ladder_candidates(entry: Entry, bands: Mapping[int, int], seed: int) -> list[ProblemCandidate]:
    """Return problems with long plans, with their keys, as many of each band as wanted.

    There are none if the generator has no function ``ladder``.

    Raises:
        OrreryError: the generator fails, or its result is not a problem of the domain.
    """
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
        candidates.append(keyed(entry, draw, generated))
    return candidates


def candidates_table(candidates: Iterable[ProblemCandidate]) -> Table:
    """Return candidates as a table, without their draws."""
    return from_rows(
        CANDIDATES,
        (
            {
                "reason": candidate.reason,
                "detail": candidate.detail,
                **(candidate.record or EMPTY_RECORD)._asdict(),
            }
            for candidate in candidates
        ),
    )


def candidates_of(draws: Iterable[Draw], table: Table) -> Iterator[ProblemCandidate]:
    """Yield the candidates of draws from their table."""
    for draw, row in zip(draws, table.to_pylist(), strict=True):
        record = None if row["reason"] else Record(*(row[name] for name in Record._fields))
        yield ProblemCandidate(draw, record, row["reason"], row["detail"])
