"""A reward of a model's replies, in the shape that TRL's trainers call."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

from orrery.grading import Score
from orrery.library.judging import score
from orrery.model import OrreryError, UsageError
from orrery.scoring.scorer import UNDECIDED

Row: TypeAlias = Mapping[str, Any]
Listener: TypeAlias = Callable[[Row, Score], object]

UNPARSED = "unparsed"
NAME = "orrery_reward"
ROWS_KEPT = 512  # rows read from JSON at a time; a group of generations asks for the same one


class Reward:
    """A reward function: called with completions and the columns of their rows, it returns their rewards.

    A right reply earns 1.0, any other 0.0. It serves TRL's ``GRPOTrainer(reward_funcs=...)`` and what calls
    functions alike, needs no more than the base installation, can be pickled, and may be called in threads.
    No completion makes it raise.

    ``counts`` says what was seen since it was made, by table and verdict. Workers count for themselves.
    """

    def __init__(
        self,
        *,
        undecided: float | None = 0.0,
        format_share: float = 0.0,
        on_score: Listener | None = None,
        root: Path | str | None = None,
    ) -> None:
        """Choose what is given for replies that are neither right nor wrong.

        Args:
            undecided: the reward where a budget ended before a reply was proven right or wrong: no reward
                unless given. None leaves the reply out of what is learned (TRL 1.16 takes it out of the
                group's baseline; releases that do not know None fail). Such replies are counted.
            format_share: the part of the reward, from 0 to 1, that a wrong reply earns if an answer can be
                read from it. 0 unless given, for a model can take it without solving anything.
            on_score: called with the row and the score of each completion, as ``Curriculum.report`` is.
            root: the folder with domains and generators; that of the installation unless given.

        Raises:
            UsageError: a reward is no number, or the share is not from 0 to 1.
        """
        if undecided is not None and not math.isfinite(undecided):
            raise UsageError(f"undecided {undecided}", "is not a reward", "give a number, or None")
        if not 0 <= format_share <= 1:
            raise UsageError(
                f"format_share {format_share}", "must be between 0 and 1", "give a share of the reward"
            )
        self.__name__ = NAME  # by which trainers log it
        self.undecided, self.format_share, self.on_score = undecided, format_share, on_score
        self.root = None if root is None else Path(root)
        self._counts, self._lock = Counter[tuple[str, str]](), Lock()

    def __call__(
        self,
        completions: Sequence[Any],
        row: Sequence[str | Row] | None = None,
        table: Sequence[str] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the reward of each completion.

        Args:
            completions: replies, as strings or lists of messages; of messages the last one of the assistant
                counts.
            row: the row of each, as JSON text or a mapping: the column ``row`` of ``orrery.examples``.
            table: the table of each, which names its scorer and by which it is counted.
            columns: whatever else trainers pass; of these ``log_metric`` of TRL is told the shares of
                undecided and unparsed replies.

        Raises:
            UsageError: there is not one row for each completion.
            OrreryError: a row lacks what its scorer reads.
        """
        rows = _each(row, len(completions), "row")
        names = _each(table, len(completions), "table") if table is not None else [""] * len(completions)
        scores = [self.score(*request) for request in zip(completions, rows, names, strict=True)]
        if scores and callable(log := columns.get("log_metric")):
            for verdict in (UNDECIDED, UNPARSED):
                share = sum(request.verdict == verdict for request in scores) / len(scores)
                log(f"{NAME}/{verdict}", share)
        return [self.value(request) for request in scores]

    def score(self, completion: Any, row: str | Row, table: str = "") -> Score:
        """Return the score of one completion, and count it.

        Args:
            completion: the reply, as a string or a list of messages.
            row: its row, as JSON text or a mapping.
            table: the name of its table, by which it is counted; told from the row unless given.

        Raises:
            OrreryError: the row lacks what its scorer reads.
        """
        about = _read(row) if isinstance(row, str) else row
        result = score(text_of(completion), about, table or None, root=self.root)
        with self._lock:
            self._counts[table, result.verdict] += 1
        if self.on_score is not None:
            self.on_score(about, result)
        return result

    def value(self, score: Score) -> float | None:
        """Return the reward that a score earns; None where it is to be left out."""
        if score.verdict == UNDECIDED:
            return self.undecided
        if score.verdict == UNPARSED:
            return 0.0
        return max(score.value, self.format_share)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """How many replies got each verdict, by table: ``right``, ``wrong``, ``unparsed``, ``undecided``."""
        with self._lock:
            counted = sorted(self._counts.items())
        by_table: dict[str, dict[str, int]] = {}
        for (table, verdict), number in counted:
            by_table.setdefault(table, {})[verdict] = number
        return by_table

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but the lock."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"} | {
                "_counts": Counter(self._counts)
            }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Take up what was pickled, with a lock of its own."""
        vars(self).update(state)
        self._lock = Lock()


def _each(column: Sequence[Any] | None, number: int, name: str) -> Sequence[Any]:
    """Return a column that has a value for each completion."""
    if column is None or isinstance(column, str | Mapping) or len(column) != number:
        problem = (
            "is missing" if column is None else f"does not have one value for each of {number} completions"
        )
        raise UsageError(f"column '{name}'", problem, "create the training set with orrery.training_set")
    return column


@lru_cache(maxsize=ROWS_KEPT)
def _read(text: str) -> Row:
    """Return a row from JSON, read once for all replies to it. Nobody changes it: scorers only read."""
    try:
        row = json.loads(text)
    except ValueError as error:
        raise OrreryError(
            "column 'row'", f"is not valid JSON: {error}", "give rows as returned by orrery.examples"
        ) from error
    if not isinstance(row, dict):
        raise OrreryError("column 'row'", "is not a JSON object", "give rows as returned by orrery.examples")
    return row


ASSISTANT = "assistant"
TEXT = "text"


def text_of(completion: Any) -> str | None:
    """Return the last thing that the model said; None where nothing can be read as text.

    Args:
        completion: a string, or messages as mappings or objects with ``role`` and ``content`` (one of them
            suffices). Of several the last one of the assistant counts, for it follows any feedback. Content
            may be a list of parts, of which those of text are joined.
    """
    if completion is None or isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and not isinstance(completion, bytes | bytearray):
        messages = [message for message in completion if _field(message, "role") == ASSISTANT]
        return _content(messages[-1]) if messages else None
    return _content(completion) if _field(completion, "role") == ASSISTANT else None


def _content(message: Any) -> str | None:
    """Return the text of a message."""
    content = _field(message, "content")
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        parts = [part if isinstance(part, str) else _field(part, TEXT) for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return None


def _field(message: Any, name: str) -> Any:
    """Return a field of a mapping or an object; None where it has none, or cannot say."""
    try:
        return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
    except Exception:  # whatever classes of trainers do; no completion may raise
        return None
