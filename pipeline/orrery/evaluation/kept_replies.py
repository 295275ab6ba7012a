"""The replies of a run, stored as they arrive, so that no paid request is repeated.

The file has one reply per line, and each line is written at once. If the process is killed, at most the line
being written is lost; an incomplete line is ignored. Unlike the cache of Inspect, the file also stores
refusals, and a reply is identified by its row and its position in the conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
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
    """The replies in a file, to which further replies are appended.

    Only one process can open the file; it is locked while it is open.
    """

    def __init__(self, path: Path) -> None:
        """Set the path. Use the object as a context manager to open the file."""
        self.path = path
        self._found: dict[tuple[str, str, int], KeptReply] = {}
        self._file: BufferedRandom | None = None

    def __enter__(self) -> KeptReplies:
        """Open the file, create it if necessary, and read its replies.

        Raises:
            UsageError: another process has the file open.
            OrreryError: a line in the middle is damaged.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            _lock(self._file, self.path)
            self._file.seek(0)
            whole = 0
            for number, line in enumerate(self._file, 1):
                if not line.endswith(b"\n"):
                    break  # the process was killed while writing it
                self._note(self._read(line, number))
                whole += len(line)
            self._file.truncate(whole)
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        """Return the number of replies."""
        return len(self._found)

    def find(self, table: str, row_id: str, turn: int, messages: Messages) -> KeptReply | None:
        """Return the stored reply to these messages, or None."""
        reply = self._found.get((table, row_id, turn))
        return reply if reply is not None and reply.asked == digest_of(messages) else None

    def add(self, reply: KeptReply) -> None:
        """Append a reply to the file before anything else happens."""
        if self._file is None:
            raise ValueError(f"{self.path} is not open")
        # In ASCII, because a model may write a lone surrogate, which has no encoding.
        self._file.write(json.dumps(asdict(reply)).encode("ascii") + b"\n")
        self._file.flush()
        self._note(reply)

    def _note(self, reply: KeptReply) -> None:
        self._found[reply.table, reply.id, reply.turn] = reply

    def _read(self, line: bytes, number: int) -> KeptReply:
        try:
            return KeptReply(**json.loads(line))
        except (ValueError, TypeError) as error:
            mend = "delete this line; its request is then repeated"
            raise OrreryError(f"{self.path}:{number}", f"is not a valid reply: {error}", mend) from error


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
