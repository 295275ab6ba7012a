"""Verdicts of checks: rows checked, findings, and notes that are compared over all problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from orrery.model import OrreryError, ToolMissing

UNDECIDED = "undecided: "
# Errors of a check on a value of the wrong form: they are faults of the row.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


def undecided(message: str) -> str:
    """Return a message for a result that could not be decided again; it is neither a fault nor a pass."""
    return UNDECIDED + message


def unreadable(error: Exception) -> str:
    """Return the message for a row whose values made a check fail with ``error``."""
    return f"holds a malformed value: {type(error).__name__}: {' '.join(str(error).split())}"


def differing(wanted: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """Return a message for each column whose value differs from the expected one."""
    return [
        f"{name} is {row[name]}, should be {value}" for name, value in wanted.items() if row[name] != value
    ]


class CheckFinding(NamedTuple):
    """The findings of one check on one row: faults, and results undecided within its limits."""

    check: str
    domain: str
    row: str
    faults: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


class Note(NamedTuple):
    """A value of a row that is compared after all rows are checked: its name, a key, and further text."""

    name: str
    row: str
    key: str
    text: str = ""


@dataclass
class Verdicts:
    """The number of rows checked, by check and domain; the findings; and the notes on rows."""

    checked: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[CheckFinding] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def judge(self, check: str, row: Mapping[str, Any], faults_of: Callable[[], list[str]]) -> None:
        """Record the result of a check on a row; an unreadable row is a fault and stops no other check."""
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
        """Count a checked row, and keep its faults and undecided results."""
        self.checked[check, domain] += 1
        if messages:
            faults = tuple(message for message in messages if not message.startswith(UNDECIDED))
            still_open = tuple(
                message.removeprefix(UNDECIDED) for message in messages if message.startswith(UNDECIDED)
            )
            self.findings.append(CheckFinding(check, domain, row, faults, still_open))

    @property
    def has_faults(self) -> bool:
        """Whether some row has a fault."""
        return any(finding.faults for finding in self.findings)

    def add(self, verdicts: Verdicts) -> None:
        """Add the verdicts on other rows, without their notes."""
        self.checked.update(verdicts.checked)
        self.findings += verdicts.findings
