"""Where an item stands in a stream, and the random numbers that belong there."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from orrery.seeds import digest, stream

FRESH = "fresh"
BYTES = 8


class NotMade(NamedTuple):
    """The reason why no item was made, in words that can be counted."""

    reason: str


class Spot(NamedTuple):
    """One try for an item: the ``attempt``-th for the ``number``-th of a table, in a domain.

    A try may draw several problems, of which ``draw`` counts those after the first.

    All that is drawn for it comes from a hash of these, so that an item is the same in any process, whatever
    was drawn before it.
    """

    seed: int
    table: str
    domain: str
    number: int
    attempt: int
    draw: int = 0

    @property
    def path(self) -> tuple[object, ...]:
        """The path of its random streams."""
        first = (FRESH, self.seed, self.table, self.domain, self.number, self.attempt)
        return (*first, self.draw) if self.draw else first

    @property
    def root_seed(self) -> int:
        """A root seed of its own, for what derives streams from one."""
        return int.from_bytes(digest(*self.path)[:BYTES])

    @property
    def problem_id(self) -> str:
        """The name of its problem: no published one is called like it."""
        suffix = f".{self.attempt}.{self.draw}" if self.draw else f".{self.attempt}" if self.attempt else ""
        return f"{self.domain}/{FRESH}-{self.seed}/{self.table}-{self.number:06d}{suffix}"

    def rng(self, *names: object) -> Random:
        """Return the stream that draws ``names``."""
        return stream(self.seed, *self.path, *names)

    def rng_of_item(self, *names: object) -> Random:
        """Return a stream that all attempts share, for what must not depend on which of them succeeds."""
        return stream(self.seed, FRESH, self.table, self.number, *names)
