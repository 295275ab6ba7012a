"""The space of texts of worlds in Gymnasium, which works in the shared memory of ``AsyncVectorEnv``.

``AsyncVectorEnv`` reads shared memory only once, when it is created, because arrays are views of it. Texts
are copies: with the space ``Text``, all observations would be those before the first reset (Gymnasium 1.4).
This module needs the package.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gymnasium.spaces import Text
from gymnasium.vector.utils import read_from_shared_memory

LONGEST = 20_000  # characters
CHARACTERS = frozenset(string.printable)


class WorldText(Text):
    """The texts of printable ASCII with at most 20,000 characters."""

    def __init__(self) -> None:
        """Create the space; its elements are sampled uniformly."""
        super().__init__(LONGEST, min_length=0, charset=CHARACTERS)

    @staticmethod
    def fitted(text: str) -> str:
        """Return a text in the space: other characters become ``?``, and long texts are cut."""
        return "".join([character if character in CHARACTERS else "?" for character in text[:LONGEST]])


class SharedTexts(Sequence[str]):
    """The present texts in shared memory. A deep copy, which ``AsyncVectorEnv`` returns, is a plain tuple."""

    def __init__(self, read: Callable[[], tuple[str, ...]]) -> None:
        """Set the function that reads the shared memory."""
        self._read = read

    def __getitem__(self, index: Any) -> Any:
        """Return a text, or a tuple of texts for a slice."""
        return self._read()[index]

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self._read())

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        """Return the present texts."""
        return self._read()


_read_texts = read_from_shared_memory.dispatch(Text)


@read_from_shared_memory.register(WorldText)
def _shared_texts(space: WorldText, shared_memory: Any, n: int = 1) -> SharedTexts:
    """Return the texts of ``n`` environments, which are read anew at each access."""
    return SharedTexts(partial(_read_texts, space, shared_memory, n))
