"""Batches of items on their way to a worker and back, and what a worker does with one."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any, NamedTuple, TypeAlias

from orrery.engine.progress import quiet
from orrery.model import OrreryError

Bring: TypeAlias = Callable[[Path], tuple[Callable[..., Path], tuple[str, ...]] | None]

# A system writes so much to a pipe at once or not at all; whoever reads half of a message waits for ever.
INLINE = 2048


class WorkerError(Exception):
    """An error of a worker that cannot be pickled as it was; holds its text."""


class Ended(SystemExit):
    """This process was asked to end: raised where it is at work, so that its ``finally`` blocks run."""

    asked = 143  # as shells count an end by SIGTERM


@dataclass(frozen=True)
class Parcel:
    """Something pickled. Where its ``data`` are the name of a file, it is ``spooled`` there.

    Two are equal if their contents are.
    """

    digest: str
    data: bytes = field(compare=False, repr=False)
    spooled: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, data: bytes, spool: Path | None, name: str) -> Parcel:
        """Wrap pickled data; with a folder ``spool``, long ones are left in the file ``name`` there."""
        digest = hashlib.sha256(data).hexdigest()
        if spool is None or len(data) <= INLINE:
            return cls(digest, data)
        (spool / name).write_bytes(data)
        return cls(digest, bytes(spool / name), True)

    def open(self) -> Any:
        """Return what is in it."""
        return pickle.loads(Path(os.fsdecode(self.data)).read_bytes() if self.spooled else self.data)

    def drop(self) -> None:
        """Remove its file, if it has one."""
        if self.spooled:
            Path(os.fsdecode(self.data)).unlink(missing_ok=True)


@dataclass(frozen=True)
class Batch:
    """A function and some items; ``first`` is the number of the first of them."""

    function: Parcel
    items: Parcel
    first: int


@dataclass(frozen=True)
class Answer:
    """What a function made of the items of a batch, up to the one that failed, if any did."""

    results: Sequence[Any]
    seconds: float
    failure: BaseException | None = None


class _ForElsewhere(pickle.Pickler):
    """Pickles the path of a checkout as what brings it there, other paths as absolute ones."""

    def __init__(self, buffer: io.BytesIO, bring: Bring) -> None:
        super().__init__(buffer)
        self._bring = bring

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, PurePath):
            return NotImplemented
        whole = Path(value).absolute()
        if brought := self._bring(whole):
            return brought
        return NotImplemented if value.is_absolute() else (type(value), (str(whole),))


class Death(NamedTuple):
    """A worker that died: how, and the number of the item that it was at work on."""

    how: str
    number: int | None


def pickled(value: Any, bring: Bring | None) -> bytes:
    """Return a value pickled; its paths no longer depend on the working folder where it is brought elsewhere.

    ``bring`` returns, for the path of a checkout, the call that returns the path of it there.
    """
    if bring is None:
        return pickle.dumps(value)
    buffer = io.BytesIO()
    _ForElsewhere(buffer, bring).dump(value)
    return buffer.getvalue()


def work(batch: Batch, spool: Path | None) -> Parcel:
    """Do a batch in this process; return its Answer. The folder ``spool`` takes what is long.

    While it is at work, the file ``busy-<number of the process>`` there holds the number of the item.
    """
    start, results = time.perf_counter(), list[Any]()
    failure: BaseException | None = None
    with quiet(), _told(spool) as tell:
        try:
            for number, item in enumerate(batch.items.open(), batch.first):
                tell(number)
                results.append(_function(batch.function)(item))
        except Ended:
            os._exit(Ended.asked)
        except Exception as error:
            failure = _portable(error)
        except SystemExit as error:
            failure = WorkerError(f"the work ended its process: sys.exit({error.code!r})")
        data = _packed(Answer(results, time.perf_counter() - start, failure))
        return Parcel.of(data, spool, f"answer-{batch.first}")


def busy_with(spool: Path, process: int) -> int | None:
    """Return the number of the item that a process is or was at work on; None where it was on none."""
    try:
        return int((spool / f"busy-{process}").read_text())
    except (FileNotFoundError, ValueError):
        return None


@contextmanager
def _told(spool: Path | None) -> Iterator[Any]:
    """Yield a function that writes down the number of an item, at little cost."""
    if spool is None:
        yield lambda _: None
        return
    file = os.open(spool / f"busy-{os.getpid()}", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        yield lambda number: os.pwrite(file, b"%020d" % number, 0)
        os.truncate(file, 0)
    finally:
        os.close(file)


@lru_cache(maxsize=2)
def _function(parcel: Parcel) -> Any:
    """Return a function that came in a parcel; it is opened once for all its batches."""
    return parcel.open()


def _packed(answer: Answer) -> bytes:
    """Return an answer pickled; a result that cannot be pickled is the failure of its item."""
    try:
        return pickle.dumps(answer)
    except Exception as error:  # whatever the class of a result does
        sound = list(takewhile(_can_be_pickled, answer.results))
        return pickle.dumps(Answer(sound, answer.seconds, _portable(error)))


def _can_be_pickled(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except Exception:  # whatever its class does
        return False
    return True


def _portable(error: Exception) -> Exception:
    """Return the error with its traceback as a note, as a WorkerError where it cannot be pickled."""
    trace = "".join(traceback.format_exception(error))
    try:
        copy: Exception = pickle.loads(pickle.dumps(error))
    except Exception:  # whatever the class of the error does when it is copied
        return WorkerError(trace)
    if not isinstance(copy, OrreryError):
        copy.add_note(f"In a worker process:\n{trace}")
    return copy
