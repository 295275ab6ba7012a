"""The interface of a grader for a group of rows: read a reply, and check its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .row import Row
from .score import Score


@dataclass(frozen=True, slots=True)
class Grader:
    """The functions that read and check replies to the questions of one group.

    ``read`` returns the answer of a reply to a row, or raises UnreadableAnswer. ``check`` takes this answer
    and the row. ``parts`` names the partial scores, which are 0 if no answer is read. ``needs`` names the
    required columns.
    """

    read: Callable[[str, Row], Any]
    check: Callable[[Any, Row], Score]
    parts: tuple[str, ...] = ()
    needs: tuple[str, ...] = ("answer",)
