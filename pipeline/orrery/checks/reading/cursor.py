"""A text that is read from its beginning to its end, by wordings and by lines."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.language.choices import Wordings, held_out

SHOWN = 60  # characters of a text that a message quotes


class UnreadableText(Exception):
    """A text that cannot be read any further; says what is lacking and where."""


class Cursor:
    """A place in a text. ``held_out``: whether some of the wording so far occurs in test splits only."""

    def __init__(self, text: str) -> None:
        """Begin at the beginning."""
        self.text, self.at = text, 0
        self.held_out = False

    def move(self, at: int, *, held_out: bool = False) -> None:
        """Go to a place, and past the white space there."""
        while self.text[at : at + 1] in (" ", "\n"):
            at += 1
        self.at, self.held_out = at, self.held_out or held_out

    def take(self, wordings: Sequence[str] | Wordings) -> bool:
        """Go past the longest of the wordings that stand here, and return whether one does."""
        if isinstance(wordings, Wordings):
            ends = [(end, wordings.holds_out(path)) for end, path in wordings.ends(self.text, self.at)]
        else:
            ends = [
                (self.at + len(wording), is_last(number, wordings))
                for number, wording in enumerate(wordings)
                if self.text.startswith(wording, self.at)
            ]
        if not ends:
            return False
        end, is_held_out = max(ends, key=lambda reading: (reading[0], not reading[1]))
        self.move(end, held_out=is_held_out)
        return True

    def need(self, wordings: Sequence[str] | Wordings, meaning: str) -> None:
        """Go past the longest of the wordings that stand here.

        Raises:
            UnreadableText: none stands here.
        """
        if not self.take(wordings):
            raise UnreadableText(f"lacks {meaning} at {self.here()}")

    def until(self, wordings: Sequence[str]) -> str:
        """Return the text up to the first of the wordings that stands further on, and go past the wording.

        Raises:
            UnreadableText: none stands further on.
        """
        places = [
            (at, -len(wording), number)
            for number, wording in enumerate(wordings)
            if (at := self.text.find(wording, self.at)) >= 0
        ]
        if not places:
            raise UnreadableText(f"lacks all of {wordings[:2]} ... behind {self.here()}")
        at, length, number = min(places)
        passage = self.text[self.at : at]
        self.move(at - length, held_out=is_last(number, wordings))
        return passage

    def line(self) -> str:
        """Return the rest of the line, and go past it."""
        line = self.text[self.at :].partition("\n")[0]
        self.move(self.at + len(line))
        return line

    def end(self) -> None:
        """Check that nothing is left of the text.

        Raises:
            UnreadableText: something is.
        """
        if self.at < len(self.text):
            raise UnreadableText(f"says more than it should: {self.here()}")

    def here(self) -> str:
        """Return how the text goes on, for messages."""
        return repr(self.text[self.at : self.at + SHOWN])


def is_last(number: int, wordings: Sequence[str]) -> bool:
    """Return whether the ``number``-th of the wordings is one of the last ones, which are held out."""
    return number >= len(wordings) - held_out(len(wordings))
