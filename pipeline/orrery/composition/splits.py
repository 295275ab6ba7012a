"""The split of a composition: by its set of mechanics and its theme."""

from __future__ import annotations

from collections.abc import Iterable

from orrery.seeds import digest

HELD_OUT_SHARE = 0.125  # of mechanics, and of themes: they occur in test only
SPLIT_SHARES = {"train": 0.75, "validation": 0.1}  # of the sets of other mechanics; the rest is for testing


def split_of_composition(mechanics: Iterable[str], theme: str, seed: int) -> str:
    """Return the split that the set of mechanics and the theme give.

    A composition with a held-out mechanic or theme is for testing. Otherwise the set of mechanics decides.
    """
    if is_held_out(seed, "theme", theme) or any(is_held_out(seed, "mechanic", name) for name in mechanics):
        return "test"
    place = _place(seed, "split", *sorted(mechanics))
    for split, share in SPLIT_SHARES.items():
        if place < share:
            return split
        place -= share
    return "test"


def is_held_out(seed: int, kind: str, name: str) -> bool:
    """Return whether a mechanic or theme occurs in test only."""
    return _place(seed, kind, name) < HELD_OUT_SHARE


def _place(seed: int, *path: str) -> float:
    return int.from_bytes(digest(seed, "composed", *path)) / 2**256
