"""Candidates: the results of draws, each a problem with its keys or the reason of its rejection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from orrery.problems.quotas import Draw
from orrery.problems.schemas import CANDIDATES, reject
from orrery.store.columns import Table, from_rows


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

    A candidate with neither is postponed (see ``maker``). ``sign`` is equal for draws that the generator
    declares alike before it builds them; empty if it declares nothing.
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
