"""The replies of a run, stored as they arrive, so that no paid request is repeated.

The file has one reply per line, and each line is written at once. If the process is killed, at most the line
being written is lost; an incomplete line is ignored. Unlike the cache of Inspect, the file also stores
refusals, and a reply is identified by its row and its position in the conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from io import BufferedRandom
from pathlib import Path
from typing import TypeAlias

from orrery.model import OrreryError, UsageError

FILE = "replies.jsonl"

Messages: TypeAlias = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class KeptReply:
    """A reply to the row ``id`` of a table, after ``turn`` other replies in the same conversation.

    ``asked`` is a hash of the messages before the reply. ``text`` is the reply, possibly empty; ``end`` is
    its finish reason. Tokens are counted by the server. ``seconds`` is the time from request to reply.
    """

    table: str
    id: str
    turn: int
    asked: str
    text: str
    end: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None


class KeptReplies:
    """The replies in an open file, to which further replies are appended."""

    def __init__(self, file: BufferedRandom) -> None:
        """Set the file, which ends with a whole line."""
        self._file = file
        self._found: dict[tuple[str, str, int], KeptReply] = {}

    def __len__(self) -> int:
        """Return the number of replies."""
        return len(self._found)

    @property
    def rows(self) -> frozenset[tuple[str, str]]:
        """The rows with a reply, by table and id."""
        return frozenset((table, row_id) for table, row_id, _ in self._found)

    def find(self, table: str, row_id: str, turn: int, messages: Messages) -> KeptReply | None:
        """Return the stored reply to these messages, or None."""
        reply = self._found.get((table, row_id, turn))
        return reply if reply is not None and reply.asked == digest_of(messages) else None

    def note(self, reply: KeptReply) -> None:
        """Add a reply that the file contains."""
        self._found[reply.table, reply.id, reply.turn] = reply

    def add(self, reply: KeptReply) -> None:
        """Append a reply to the file before anything else happens."""
        # In ASCII, because a model may write a lone surrogate, which has no encoding.
        self._file.write(json.dumps(asdict(reply)).encode("ascii") + b"\n")
        self._file.flush()
        self.note(reply)


@contextmanager
def kept_replies(path: Path) -> Iterator[KeptReplies]:
    """Yield the replies in a file, which is created if necessary, and locked while it is open.

    Raises:
        UsageError: another process has the file open.
        OrreryError: a line in the middle is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        _lock(file, path)
        file.seek(0)
        replies, whole = KeptReplies(file), 0
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break  # the process was killed while writing it
            try:
                replies.note(KeptReply(**json.loads(line)))
            except (ValueError, TypeError) as error:
                mend = "delete this line; its request is then repeated"
                raise OrreryError(f"{path}:{number}", f"is not a valid reply: {error}", mend) from error
            whole += len(line)
        file.truncate(whole)
        yield replies


def digest_of(messages: Messages) -> str:
    """Return a hash of messages by their roles and texts."""
    text = json.dumps([[message["role"], message["content"]] for message in messages])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _lock(file: BufferedRandom, path: Path) -> None:
    """Lock the file until it is closed. On systems without locks this has no effect."""
    with suppress(ModuleNotFoundError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            mend = "wait for it, or give this run another name"
            raise UsageError(str(path.parent), "is in use by another process", mend) from error
