"""The interface of a grader for a group of rows: how to read a reply, and how to check its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .reply import Read
from .row import Row
from .score import Score


@dataclass(frozen=True, slots=True)
class Grader:
    """The functions that read and check replies to the questions of one group.

    ``reader`` gives the function that reads replies to one row; ``check`` takes what that function has
    read, and the row. ``parts`` names the finer scores of the kind, which are 0 where no answer is read.
    """

    reader: Callable[[Row], Read]
    check: Callable[[Any, Row], Score]
    parts: tuple[str, ...] = ()
