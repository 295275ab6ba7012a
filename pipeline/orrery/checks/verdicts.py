"""Verdicts of checks: what was checked, what was found, and what is compared over all problems."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from orrery.model import OrreryError, ToolMissing

UNDECIDED = "undecided: "
# What a check raises that meets a value which is none of the column's: that is a fault of the row.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


def undecided(message: str) -> str:
    """Return a message for what was not decided a second time: neither a fault nor a pass."""
    return UNDECIDED + message


def unreadable(error: Exception) -> str:
    """Return the message on a row whose values made a check end with ``error``."""
    return f"holds a malformed value: {type(error).__name__}: {' '.join(str(error).split())}"


def differing(wanted: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Return a message for each column whose value is another than wanted."""
    return [
        f"{name} is {row[name]}, should be {value}" for name, value in wanted.items() if row[name] != value
    ]


class CheckFinding(NamedTuple):
    """The findings of one check on one row: faults, and what it could not decide within its limits."""

    check: str
    domain: str
    row: str
    faults: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


def _nothing_stored(_name: str) -> Iterator[Any]:
    return iter(())


@dataclass
class Verdicts:
    """The rows checked, by check and domain, and the findings.

    ``notes`` has by name what checks keep of rows, to compare when all were checked: JSON values, or tuples
    of these. ``stored`` gives those of earlier rows, which need not be in memory together.
    """

    checked: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[CheckFinding] = field(default_factory=list)
    notes: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    stored: Callable[[str], Iterator[Any]] = _nothing_stored

    def judge(self, check: str, row: Mapping[str, Any], faults_of: Callable[[], list[str]]) -> None:
        """Enter what a check says of a row; a row that cannot be read is a fault, and ends no other check."""
        try:
            messages = faults_of()
        except ToolMissing:
            raise
        except OrreryError as error:
            messages = [str(error)]
        except MALFORMED as error:
            messages = [unreadable(error)]
        name = str(row.get("id") or f"{row['problem_id']}/{row['state_id']}")
        self.enter(check, row["domain"], name, messages)

    def enter(self, check: str, domain: str, row: str, messages: list[str]) -> None:
        """Count what was checked, and keep the faults and what stayed undecided."""
        self.checked[check, domain] += 1
        if messages:
            faults = tuple(message for message in messages if not message.startswith(UNDECIDED))
            still_open = tuple(
                message.removeprefix(UNDECIDED) for message in messages if message.startswith(UNDECIDED)
            )
            self.findings.append(CheckFinding(check, domain, row, faults, still_open))

    def add(self, other: Verdicts) -> None:
        """Take in what was found of other rows, but for their notes."""
        self.checked.update(other.checked)
        self.findings += other.findings

    def noted(self, name: str) -> Iterator[Any]:
        """Yield what was noted under a name, again each time it is asked for."""
        return chain(self.stored(name), self.notes.get(name, ()))
