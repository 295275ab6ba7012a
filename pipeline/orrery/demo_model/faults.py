"""Simulated faults of a model server, each with a chosen probability.

Whether a request fails depends on its prompt and on the number of earlier requests with this prompt. So a
repeated request may succeed, and the same run has the same faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orrery.model import UsageError
from orrery.seeds import stream


class Fault(StrEnum):
    """A fault of a request or of its reply."""

    TOO_MANY = "429"
    """Status 429, with a header that says when to retry."""
    SERVER = "500"
    """Status 500."""
    BUSY = "503"
    """Status 503."""
    CUT = "cut"
    """The connection ends in the middle of the answer."""
    JSON = "json"
    """The answer is not JSON."""
    EMPTY = "empty"
    """The reply is an empty text."""
    NULL = "null"
    """The reply is null."""
    HALF = "half"
    """Only the first half of the reply, with the finish reason ``length``."""
    LONG = "long"
    """A reply of a megabyte."""
    SLOW = "slow"
    """An answer delayed by ``SLOW_SECONDS``."""


SLOW_SECONDS = 30.0


@dataclass(frozen=True)
class Faults:
    """The probability of each fault (sum at most 1) and the seed.

    ``after`` is the number of requests after which the server stops; None means never.
    """

    shares: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    after: int | None = None

    def __post_init__(self) -> None:
        """Check the probabilities."""
        if any(not 0 <= share <= 1 for share in self.shares.values()) or sum(self.shares.values()) > 1:
            shares = ", ".join(f"{fault}={share}" for fault, share in self.shares.items())
            raise UsageError(
                f"faults {shares}",
                "are not valid shares",
                "give shares between 0 and 1 with a sum of at most 1",
            )

    def of(self, prompt: str, times: int) -> Fault | None:
        """Return the fault of a request, or None.

        ``times`` is the number of earlier requests with this prompt.
        """
        place = stream(self.seed, "demo-fault", prompt, times).random()
        for fault, share in sorted(self.shares.items()):
            place -= share
            if place < 0:
                return fault
        return None


def read_faults(texts: list[str], seed: int = 0, after: int | None = None) -> Faults:
    """Read faults in the form ``KIND=SHARE``, for example ``429=0.1``.

    Raises:
        UsageError: a text has another form, or its kind is unknown. The message lists the known kinds.
    """
    return Faults(dict(map(_read_fault, texts)), seed, after)


def _read_fault(text: str) -> tuple[Fault, float]:
    kind, _, share = text.partition("=")
    try:
        return Fault(kind), float(share)
    except ValueError as error:
        kinds = ", ".join(Fault)
        raise UsageError(
            f"fault '{text}'", "is not KIND=SHARE", f"for example 429=0.1; kinds: {kinds}"
        ) from error
