"""The interface of a scorer: one class for each kind of reply, in a file of ``scorers/``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from orrery.grading import RIGHT, WRONG, Score
from orrery.scoring.tally import Measures

UNDECIDED = "undecided"  # the verdict on a reply that no search within the limits proves right or wrong

DatasetRow: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = dict[str, Any]


def option(default: Any, help: str, **limits: float) -> Any:
    """Return a field of a scorer that is an option of its command, with ``limits`` for its value."""
    return field(default=default, metadata={"help": help, "limits": limits})


@dataclass(frozen=True)
class Scorer(ABC):
    """The scoring of one kind of reply.

    Tables name the file in ``scorers/`` as their ``scorer``, which also names the command. The docstring
    of the class is the command's help, and fields created with ``option`` are its options. Measured columns
    depend on the fields that ``repr`` shows, and on ``depends``.

    This module and the files of ``scorers/`` do not import Arrow at the top, because ``score`` is used in the
    base installation, which lacks it.
    """

    needed: ClassVar[tuple[str, ...]]  # required columns of the gold rows
    measures: ClassVar[Measures]
    corrects_right: ClassVar[bool] = False  # whether a right reply may have faults, and gets feedback on them
    block: ClassVar[int] = 500  # rows measured at once: some seconds of work, which an interruption loses

    root: Path = field(default=Path("."), repr=False)

    @classmethod
    def name(cls) -> str:
        """Return the name by which tables refer to this scorer: the name of its file."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def has_published_rule(cls) -> bool:
        """Return whether a paper states how replies are scored."""
        return cls.published_value is not Scorer.published_value

    @classmethod
    @abstractmethod
    def schema(cls) -> Any:
        """Return the schema of the table of scores: id, sample, and the columns that ``measure`` returns."""

    @classmethod
    def tables(cls, dataset: Path) -> tuple[str, ...]:
        """Return the tables that name this scorer, regardless of the content of ``dataset``."""
        from orrery.families import tables

        return tuple(sorted(name for name, table in tables().items() if table.scorer == cls.name()))

    @classmethod
    def answered(cls, dataset: Path) -> str:
        """Return the name of these tables in messages: that of the only table, or of the scorer."""
        names = cls.tables(dataset)
        return names[0] if len(names) == 1 else cls.name()

    @classmethod
    @abstractmethod
    def reads(cls, column: str) -> bool:
        """Return whether a column of the gold rows is read; other columns are not loaded."""

    @property
    def depends(self) -> Collection[Path]:
        """Files and folders that affect scores, in addition to the rows and predictions."""
        return ()

    @abstractmethod
    def score(self, reply: str, row: DatasetRow) -> Score:
        """Return the score of a reply to a row.

        Raises:
            ValueError, KeyError, TypeError, AttributeError, OrreryError: the row lacks a column or cannot be
                read. No reply raises.
        """

    @abstractmethod
    def measure(self, row: DatasetRow, reply: str, score: Score | None = None) -> Columns:
        """Return the columns of the table of scores for a reply to a row, without ``id`` and ``sample``.

        ``score`` is the score of the reply, if it is known: the columns of some scorers repeat it.

        Raises:
            OrreryError: the row cannot be used. No reply raises.
        """

    def measure_all(self, replies: Sequence[tuple[DatasetRow, str, Score | None]]) -> list[Columns]:
        """Return the columns of several replies, for scorers that are faster on several at once."""
        return list(starmap(self.measure, replies))

    def published_value(self, reply: str, row: DatasetRow, score: Score, figures: Columns) -> float | None:
        """Return the score by the rule of a paper, from 0 to 1; None if undecided, or without a rule.

        What a paper leaves open, such as the reading of a reply in prose, is done as in our scores.

        Args:
            reply: the whole reply.
            row: the row.
            score: the score by our rule.
            figures: the columns that ``measure`` returned.
        """
        return None

    def feedback(self, reply: str, row: DatasetRow, score: Score) -> str:
        """Return a message that asks for a better reply; empty if no message would be fair.

        As in Text2World (section 4.1), the message describes only the reply and reveals nothing about the
        right one. It is computed from the reply and from the columns in the prompt. "Wrong" alone would
        reveal much about a question with two answers, so a readable wrong answer gets no message.
        """
        return ""


def verdict_of(right: bool | None, reason: str, parts: Mapping[str, float]) -> Score:
    """Return the score of a readable reply; ``right`` is None if it is undecided."""
    verdict = {True: RIGHT, False: WRONG, None: UNDECIDED}[right]
    return Score(float(right is True), verdict, "" if right else reason, parts)


def message(root: Path, name: str, **values: Any) -> str:
    """Return the text of a template of ``templates/evals``."""
    from orrery.language.words import environment

    return environment(root / "templates").get_template(f"evals/{name}.j2").render(**values).strip()
