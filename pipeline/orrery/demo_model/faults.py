"""What a server of models does wrong now and then, as often as is asked for.

Whether a request fails is decided by its prompt and by how often that was asked before: a request that is
sent again may succeed, and the same run meets the same faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orrery.model import UsageError
from orrery.seeds import stream


class Fault(StrEnum):
    """A way in which a request fails, or is answered badly."""

    TOO_MANY = "429"
    """Refused with status 429, and a header that says when to try again."""
    SERVER = "500"
    """Refused with status 500."""
    BUSY = "503"
    """Refused with status 503."""
    CUT = "cut"
    """The connection ends in the middle of the answer."""
    JSON = "json"
    """The answer is not JSON."""
    EMPTY = "empty"
    """A reply without text."""
    NULL = "null"
    """A reply that is null."""
    HALF = "half"
    """The first half of the reply, which ends for its length."""
    LONG = "long"
    """A reply of a megabyte."""
    SLOW = "slow"
    """An answer that comes after ``SLOW_SECONDS`` more."""


SLOW_SECONDS = 30.0


@dataclass(frozen=True)
class Faults:
    """The shares of requests that meet each fault, which sum up to 1 at most, and the seed that draws them.

    ``after`` is the number of requests after which the server dies; None means never.
    """

    shares: Mapping[Fault, float] = field(default_factory=dict)
    seed: int = 0
    after: int | None = None

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        if any(not 0 <= share <= 1 for share in self.shares.values()) or sum(self.shares.values()) > 1:
            shares = ", ".join(f"{fault}={share}" for fault, share in self.shares.items())
            raise UsageError(
                f"faults {shares}",
                "are not valid shares",
                "give shares between 0 and 1 with a sum of at most 1",
            )

    def of(self, prompt: str, times: int) -> Fault | None:
        """Return the fault of a request for a prompt that was asked ``times`` times before, if any."""
        place = stream(self.seed, "demo-fault", prompt, times).random()
        for fault, share in sorted(self.shares.items()):
            place -= share
            if place < 0:
                return fault
        return None


def read_faults(texts: list[str], seed: int = 0, after: int | None = None) -> Faults:
    """Return the faults that are spelled ``KIND=SHARE``, as ``429=0.1``.

    Raises:
        UsageError: a text is spelled otherwise, or its kind is unknown; the message lists those there are.
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
