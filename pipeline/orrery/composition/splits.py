"""The split of a composition: by its set of mechanics, and whether its theme is for testing only."""

from __future__ import annotations

from collections.abc import Iterable

from orrery.seeds import digest

HELD_OUT_SHARE = 0.125  # of mechanics: they occur in test only
SPLIT_SHARES = {"train": 0.75, "validation": 0.1}  # of the sets of other mechanics; the rest is for testing


def split_of_composition(mechanics: Iterable[str], seed: int, *, test_only: bool) -> str:
    """Return the split that a set of mechanics gives.

    A composition with a held-out mechanic, or with a theme that is ``test_only``, is for testing. Otherwise
    the set of mechanics decides.
    """
    names = sorted(mechanics)
    if test_only or any(is_held_out(seed, name) for name in names):
        return "test"
    place = _place(seed, "split", *names)
    for split, share in SPLIT_SHARES.items():
        if place < share:
            return split
        place -= share
    return "test"


def is_held_out(seed: int, mechanic: str) -> bool:
    """Return whether a mechanic occurs in test only."""
    return _place(seed, "mechanic", mechanic) < HELD_OUT_SHARE


def _place(seed: int, *path: str) -> float:
    return int.from_bytes(digest(seed, "composed", *path)) / 2**256
