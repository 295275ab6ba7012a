"""The replies of the scripted model: the right reply with a given probability, otherwise nonsense.

``known_items`` are those whose right replies it knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

from orrery.dataset.prompts import stored_examples
from orrery.library.choice import RowSelection, items_of
from orrery.library.items import Item, shows_examples, styles
from orrery.library.loading import load
from orrery.seeds import digest, stream

NONSENSE = "I do not know."  # no scorer can read an answer from this text

Message: TypeAlias = Mapping[str, Any]


class ScriptedReplies:
    """The replies to the prompts of some items.

    Items are read only as needed: if a prompt is unknown, the next items are read until it is found.
    Whether a reply is right depends only on ``seed``, on the prompt and on the number of replies of the model
    earlier in the conversation. So the same request always gets the same reply.
    """

    def __init__(self, items: Iterable[Item], right: float = 1.0, seed: int = 0) -> None:
        """Create the replies: the right reply to ``items`` with probability ``right``."""
        self.right, self.seed = right, seed
        self._to_come = iter(items)
        self._known: dict[bytes, str] = {}
        self._lock = Lock()

    @property
    def known(self) -> int:
        """The number of prompts read so far."""
        return len(self._known)

    def learn(self, at_most: int | None = None) -> int:
        """Read at most ``at_most`` items (default: all) and return their number."""
        with self._lock:
            learned = 0
            while learned != at_most and self._take_one():
                learned += 1
            return learned

    def reply(self, messages: Sequence[Message]) -> str:
        """Return the reply to a conversation. It is nonsense if the first prompt is unknown."""
        gold = self._gold(messages)
        turns = sum(message.get("role") == "assistant" for message in messages)
        drawn = stream(self.seed, "demo-reply", prompt_text(messages), turns).random()
        return gold if gold is not None and drawn < self.right else NONSENSE

    def _gold(self, messages: Sequence[Message]) -> str | None:
        key = _key(prompt_text(messages))
        with self._lock:
            while key not in self._known:
                if not self._take_one():
                    return None
            return self._known[key]

    def _take_one(self) -> bool:
        """Read the next item; return whether there was one."""
        item = next(self._to_come, None)
        if item is None:
            return False
        self._known.setdefault(_key(prompt_text(item.prompt)), item.gold)
        return True


def prompt_text(messages: Sequence[Message]) -> str:
    """Return the prompt of a conversation as one text: all messages before the first reply of the model."""
    before = takewhile(lambda message: message.get("role") != "assistant", messages)
    return "\n\n".join(text_of(message.get("content")).strip() for message in before)


def text_of(content: Any) -> str:
    """Return the text of a message, which may be a list of parts by the protocol."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _key(prompt: str) -> bytes:
    return digest("demo-prompt", prompt)


def known_items(choice: RowSelection, names: Sequence[str], root: Path) -> Iterator[Item]:
    """Yield the chosen items of tables in every style, beginning with the default style of each table."""
    placed = [(place, name, style) for name in names for place, style in enumerate(styles(root, name))]
    for _, name, style in sorted(placed, key=lambda entry: entry[0]):
        is_fresh = choice.seed is not None
        if is_fresh or not shows_examples(root, name, style) or stored_examples(Path(choice.dataset), name):
            yield from items_of(replace(choice, style=style), name, root)


def count_of_usual(choice: RowSelection, names: Sequence[str], root: Path) -> int:
    """Return the number of items of the tables in their default styles. These items come first."""
    if choice.seed is not None:
        return len(names) * (choice.limit or 0)
    return sum(len(load(choice.dataset, name, choice.split, root=root)) for name in names)
