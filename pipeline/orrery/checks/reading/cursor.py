"""A place in a text that is read from beginning to end, by wordings and by lines."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.language.choices import Wordings, held_out

SHOWN = 60  # maximum number of characters of a text in a message


class UnreadableText(Exception):
    """A text that cannot be read further; the message tells what is missing and where."""


class Cursor:
    """A place in a text; ``held_out`` tells whether some wording so far occurs only in test splits."""

    def __init__(self, text: str) -> None:
        """Start at the beginning of a text."""
        self.text, self.at = text, 0
        self.held_out = False

    def move(self, at: int, *, held_out: bool = False) -> None:
        """Move to a place, and over the white space after it."""
        while self.text[at : at + 1] in (" ", "\n"):
            at += 1
        self.at, self.held_out = at, self.held_out or held_out

    def take(self, wordings: Sequence[str] | Wordings) -> bool:
        """Move over the longest matching wording, and return whether one matches."""
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
        """Move over the longest matching wording.

        Raises:
            UnreadableText: no wording matches.
        """
        if not self.take(wordings):
            raise UnreadableText(f"lacks {meaning} at {self.here()}")

    def until(self, wordings: Sequence[str]) -> str:
        """Return the text before the next occurrence of one of the wordings, and move over that wording.

        Raises:
            UnreadableText: no wording occurs later.
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
        """Return the rest of the line, and move over it."""
        line = self.text[self.at :].partition("\n")[0]
        self.move(self.at + len(line))
        return line

    def end(self) -> None:
        """Check that the whole text is read.

        Raises:
            UnreadableText: some text remains.
        """
        if self.at < len(self.text):
            raise UnreadableText(f"says more than it should: {self.here()}")

    def here(self) -> str:
        """Return the beginning of the remaining text, for messages."""
        return repr(self.text[self.at : self.at + SHOWN])


def is_last(number: int, wordings: Sequence[str]) -> bool:
    """Return whether wording ``number`` is one of the last wordings, which are held out."""
    return number >= len(wordings) - held_out(len(wordings))
