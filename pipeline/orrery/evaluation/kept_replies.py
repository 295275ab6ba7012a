"""The replies of a run, kept as they come: what was paid for is not asked for again.

A file of lines, one a reply, each written at once. A process that is killed loses at most the line that it
was writing, which is then left out. Unlike the cache of Inspect it keeps what was refused, too, and a reply
is known by its row and its place in the conversation.
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
    """A reply to the row ``id`` of a table, after ``turn`` others in the same conversation.

    ``asked`` is a hash of the messages that it replies to. ``text`` is what the model said, which may be
    nothing, ``end`` why it ended. Tokens are counted by the server, and ``seconds`` from request to reply.
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
    """The replies in a file, to which further ones are added.

    One process at a time: it is locked while it is open.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it is opened as a context."""
        self.path = path
        self._found: dict[tuple[str, str, int], KeptReply] = {}
        self._file: BufferedRandom | None = None

    def __enter__(self) -> KeptReplies:
        """Open the file, made if it is not there, and read what it holds.

        Raises:
            UsageError: another process has it open.
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
                    break  # its process was killed while it wrote
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
        """Return the reply to these messages, if it was got."""
        reply = self._found.get((table, row_id, turn))
        return reply if reply is not None and reply.asked == digest_of(messages) else None

    def add(self, reply: KeptReply) -> None:
        """Keep a reply, in the file before anything else happens."""
        if self._file is None:
            raise ValueError(f"{self.path} is not open")
        # In ASCII: a model may write half a character, which no encoding has.
        self._file.write(json.dumps(asdict(reply)).encode("ascii") + b"\n")
        self._file.flush()
        self._note(reply)

    def _note(self, reply: KeptReply) -> None:
        self._found[reply.table, reply.id, reply.turn] = reply

    def _read(self, line: bytes, number: int) -> KeptReply:
        try:
            return KeptReply(**json.loads(line))
        except (ValueError, TypeError) as error:
            mend = "delete this line, and its reply is asked for again"
            raise OrreryError(f"{self.path}:{number}", f"is not a valid reply: {error}", mend) from error


def digest_of(messages: Messages) -> str:
    """Return a hash of messages by their roles and texts."""
    text = json.dumps([[message["role"], message["content"]] for message in messages])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _lock(file: BufferedRandom, path: Path) -> None:
    """Lock the file until it is closed; nothing is done on systems that cannot."""
    with suppress(ModuleNotFoundError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            mend = "wait for it, or give this run another name"
            raise UsageError(str(path.parent), "is in use by another process", mend) from error
