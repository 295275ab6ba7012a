"""The interface of a scorer: one class for each kind of prediction, in a file of ``scorers/``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from orrery.families import tables
from orrery.scoring.tally import Measures
from orrery.store.kinds import Schema

DatasetRow: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = dict[str, Any]


def option(default: Any, help: str, **limits: float) -> Any:
    """Return a field of a scorer that is an option of its command, with ``limits`` for its value."""
    return field(default=default, metadata={"help": help, "limits": limits})


@dataclass(frozen=True)
class Scorer(ABC):
    """The scoring of one kind of prediction.

    Tables name the file in ``scorers/`` as their ``grader``, which gives the command its name; the docstring
    of the class is its help, and fields made with ``option`` are its options. Scores depend on the fields
    that ``repr`` shows, and on ``depends``.
    """

    needed: ClassVar[tuple[str, ...]]  # columns of the rows that are answered
    schema: ClassVar[Schema]  # of the table of scores: id, sample, and the columns that ``score`` gives
    measures: ClassVar[Measures]
    block: ClassVar[int] = 500  # rows scored at once: some seconds' work, lost by an interruption

    root: Path = field(default=Path("."), repr=False)

    @classmethod
    def grader(cls) -> str:
        """Return what the records of tables call this scorer: the name of its file."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def tables(cls, dataset: Path) -> tuple[str, ...]:
        """Return the tables whose records name this scorer, whether ``dataset`` has them or not."""
        return tuple(sorted(name for name, table in tables().items() if table.grader == cls.grader()))

    @classmethod
    def answered(cls, dataset: Path) -> str:
        """Return what messages call these tables: the name of the only one, or that of the scorer."""
        found = cls.tables(dataset)
        return found[0] if len(found) == 1 else cls.grader()

    @classmethod
    @abstractmethod
    def reads(cls, column: str) -> bool:
        """Return whether a column of these rows is read; others stay on disk."""

    @property
    def depends(self) -> Collection[Path]:
        """Files and folders, besides the rows and predictions, that scores depend on."""
        return ()

    @abstractmethod
    def score(self, row: DatasetRow, reply: str) -> Columns:
        """Return the score of a reply to a row, without ``id`` and ``sample``.

        Raises:
            OrreryError: the row cannot be used. No reply raises.
        """

    def score_all(self, replies: Sequence[tuple[DatasetRow, str]]) -> list[Columns]:
        """Return the scores of replies to rows, where scoring several at once is cheaper."""
        return [self.score(row, reply) for row, reply in replies]
