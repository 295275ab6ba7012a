"""A reward function for a model's replies, with the interface of TRL's trainers."""

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
from orrery.model import OrreryError, Row, UsageError
from orrery.scoring.scorer import UNDECIDED

Listener: TypeAlias = Callable[[Row, Score], object]

UNPARSED = "unparsed"
NAME = "orrery_reward"
ROWS_KEPT = 512  # parsed rows in the cache; a group of generations has the same row


class Reward:
    """A reward function: it maps completions and the columns of their rows to rewards.

    A right reply gets 1.0, any other 0.0. Use it as ``GRPOTrainer(reward_funcs=...)`` of TRL, or in other
    trainers that call functions in this way. It needs only the base installation, can be pickled, and may be
    called in threads. No completion raises an exception.

    ``counts`` has the numbers of replies since its creation, by table and verdict. Each worker counts
    separately.
    """

    def __init__(
        self,
        *,
        undecided: float | None = 0.0,
        format_share: float = 0.0,
        on_score: Listener | None = None,
        root: Path | str | None = None,
    ) -> None:
        """Set the rewards of undecided, and of wrong but readable, replies.

        Args:
            undecided: the reward of a reply that could not be proven right or wrong within the budget
                (default: 0). None excludes the reply from learning (TRL 1.16 excludes it from the group's
                baseline; older releases do not support None). Such replies are counted.
            format_share: the part of the reward, from 0 to 1, of a wrong reply with a readable answer
                (default: 0, because a model can collect it without solving anything).
            on_score: called with the row and the score of each completion, for example ``Curriculum.report``.
            root: the folder with domains and generators (default: that of the installation).

        Raises:
            UsageError: a reward is not a number, or the share is not from 0 to 1.
        """
        if undecided is not None and not math.isfinite(undecided):
            raise UsageError(f"undecided {undecided}", "is not a reward", "give a number, or None")
        if not 0 <= format_share <= 1:
            raise UsageError(
                f"format_share {format_share}", "must be between 0 and 1", "give a share of the reward"
            )
        self.__name__ = NAME  # the name under which trainers log the reward
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
            completions: replies, as strings or lists of messages. In a list, the last message of the
                assistant counts.
            row: the row of each completion, as JSON text or a mapping: the column ``row`` of
                ``orrery.examples``.
            table: the table of each completion, which determines its scorer and its count.
            columns: other arguments of trainers. ``log_metric`` of TRL receives the shares of
                undecided and unparsed replies.

        Raises:
            UsageError: the numbers of rows and completions differ.
            OrreryError: a row lacks a column that its scorer reads.
        """
        rows = _checked_column(row, len(completions), "row")
        names = (
            _checked_column(table, len(completions), "table")
            if table is not None
            else [""] * len(completions)
        )
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
            table: the name of its table, for the counts (default: derived from the row).

        Raises:
            OrreryError: the row lacks a column that its scorer reads.
        """
        about = _read(row) if isinstance(row, str) else row
        result = score(text_of(completion), about, table or None, root=self.root)
        with self._lock:
            self._counts[table, result.verdict] += 1
        if self.on_score is not None:
            self.on_score(about, result)
        return result

    def value(self, score: Score) -> float | None:
        """Return the reward of a score; None if it is to be excluded."""
        if score.verdict == UNDECIDED:
            return self.undecided
        if score.verdict == UNPARSED:
            return 0.0
        return max(score.value, self.format_share)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """The numbers of replies by table and verdict (``right``, ``wrong``, ``unparsed``, ``undecided``)."""
        with self._lock:
            counted = sorted(self._counts.items())
        by_table: dict[str, dict[str, int]] = {}
        for (table, verdict), number in counted:
            by_table.setdefault(table, {})[verdict] = number
        return by_table

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state: everything except the lock."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"} | {
                "_counts": Counter(self._counts)
            }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Restore the pickled state, with a new lock."""
        vars(self).update(state)
        self._lock = Lock()


def _checked_column(column: Sequence[Any] | None, number: int, name: str) -> Sequence[Any]:
    """Return a column with one value per completion."""
    if column is None or isinstance(column, str | Mapping) or len(column) != number:
        problem = (
            "is missing" if column is None else f"does not have one value for each of {number} completions"
        )
        raise UsageError(f"column '{name}'", problem, "create the training set with orrery.training_set")
    return column


@lru_cache(maxsize=ROWS_KEPT)
def _read(text: str) -> Row:
    """Parse a row from JSON, once for all replies to it. The result must not be changed."""
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
    """Return the last text of the model; None if there is no readable text.

    Args:
        completion: a string, or messages as mappings or objects with ``role`` and ``content``; a single
            message is allowed. Of several messages the last one of the assistant counts, because it follows
            any feedback. Content may be a list of parts; the text parts are joined.
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
    """Return a field of a mapping or an object; None if it is missing or cannot be read."""
    try:
        return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
    except Exception:  # classes of trainers may raise anything, but no completion may
        return None
