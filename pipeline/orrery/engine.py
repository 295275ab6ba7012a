"""Map a function over work items: in this process, or in a pool of worker processes.

Results come in the order of the items and do not depend on the number of workers. Every item carries
what it needs (its seed path above all), so any of them can be done anywhere, again, with the same result.
The standard library's pools do not say which item a killed worker was busy with; this one does.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from tqdm import tqdm

from orrery.model import OrreryError
from orrery.orphans import guard

Item = TypeVar("Item")
Result = TypeVar("Result")
Tables: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]

ENGINE, POOL = "ORRERY_ENGINE", "pool"
BATCH_SECONDS = 0.5  # shorter batches would be spent on sending, longer ones leave workers idle at the end
WARM_UP_SECONDS = 1.0
POOL_COST = 4.0  # warm-ups that it takes workers to start, to import and to load what is compiled
LINE_SECONDS = 15.0
GRACE_SECONDS = 5.0
AHEAD = 16  # batches a worker, held back while the slowest item is awaited
SHOWN = 120


class WorkerError(Exception):
    """An error of a worker that cannot be pickled as it was; holds its text."""


class Shelf(Protocol):
    """A store of finished parts (``store.parts.Parts``)."""

    def has(self, name: str) -> bool:
        """Return whether part ``name`` is finished."""

    def save(self, name: str, tables: Tables) -> None:
        """Keep the rows of a part, all or none."""

    def load(self, name: str) -> Tables:
        """Return the rows of a finished part."""


def map_items(
    items: Iterable[Item],
    function: Callable[[Item], Result],
    *,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
) -> Iterator[Result]:
    """Yield the results of ``function``, in the order of ``items``.

    For ``warm_up`` seconds the work is done here, and after that as long as what is left, as it went so far,
    is less work than the start of ``jobs`` workers; they do the rest. ``function`` and items must be
    picklable then. ``label`` names the work in the progress on stderr.
    An exception of ``function`` is raised with a note that describes the item; items after it are lost.

    Raises:
        OrreryError: a worker died; it names the item that the worker was busy with.
    """
    listed = list(items)
    if os.environ.get(ENGINE) == POOL:  # where workers are wanted from the start
        warm_up = 0.0
    work = _MapRun(listed, function, describe)
    with Progress(label, len(listed)) as progress:
        for result in work.here(jobs, warm_up):
            progress.step()
            yield result
        if work.done < len(listed):
            for result in work.elsewhere(jobs):
                progress.step()
                yield result


def resumable_map(
    items: Iterable[Item],
    function: Callable[[Item], Tables],
    parts: Shelf,
    *,
    size: int = 25,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
) -> Iterator[Tables]:
    """Yield the rows that ``function`` makes of the items, by table, in parts of ``size`` items each.

    Finished parts are kept in ``parts`` and not made again; a part is known by its number and by the
    descriptions of its items, which must be distinct. Errors are those of ``map_items``.
    """
    remaining = iter(items)
    batches = list(iter(lambda: list(islice(remaining, size)), []))
    names = [f"{number:05}-{_digest(map(describe, batch))[:16]}" for number, batch in enumerate(batches)]
    done = [parts.has(name) for name in names]
    missing = [item for batch, kept in zip(batches, done, strict=True) if not kept for item in batch]
    results = map_items(missing, function, jobs=jobs, label=label, describe=describe, warm_up=warm_up)
    for name, batch, kept in zip(names, batches, done, strict=True):
        if not kept:
            parts.save(name, _gathered(islice(results, len(batch))))
        yield parts.load(name)


def map_parts(
    items: Iterable[Item],
    function: Callable[[Item], Tables],
    parts: Shelf,
    *,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
) -> list[str]:
    """Return the names, in the order of the items, of the parts that ``function`` makes: one of each item.

    A part is saved in ``parts`` by the process that made it, so that rows do not travel; one that is there
    already is not made again. It is known by its number and by the description of its item, which must
    distinguish the items. Items should take about a second. Errors are those of ``map_items``.
    """
    listed = list(items)
    names = [f"{number:05}-{_digest([describe(item)])[:16]}" for number, item in enumerate(listed)]
    missing = [pair for pair in zip(names, listed, strict=True) if not parts.has(pair[0])]
    keep = partial(_keep, function, parts)
    for _ in map_items(
        missing, keep, jobs=jobs, label=label, describe=lambda pair: describe(pair[1]), warm_up=warm_up
    ):
        pass
    return names


def _keep(function: Callable[[Item], Tables], parts: Shelf, named: tuple[str, Item]) -> None:
    """Make the part of one item and save it."""
    name, item = named
    parts.save(name, function(item))


def fingerprint(paths: Iterable[Path], **values: Any) -> str:
    """Return a hash of the files at and under ``paths``, of JSON ``values``, of this package and of Python.

    Parts made under one fingerprint are never used under another. Files are identified by name and
    content, not by where the checkout lies.
    """
    roots = [Path(__file__).parent, *paths]
    known = [
        json.dumps(values, sort_keys=True),
        sys.version,
        *(line for root in roots for line in _files(root)),
    ]
    return _digest(known)[:32]


def _files(root: Path) -> Iterator[str]:
    found = sorted(root.rglob("*")) if root.is_dir() else [root]
    for path in found:
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(root.parent).as_posix()
            yield f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(list(lines)).encode()).hexdigest()


def _gathered(results: Iterable[Tables]) -> dict[str, list[Mapping[str, Any]]]:
    gathered: dict[str, list[Mapping[str, Any]]] = {}
    for tables in results:
        for name, rows in tables.items():
            gathered.setdefault(name, []).extend(rows)
    return gathered


@dataclass
class _MapRun:
    """Items, the function to apply to each, and the progress so far."""

    items: Sequence[Any]
    function: Callable[[Any], Any]
    describe: Callable[[Any], str]
    done: int = 0
    seconds: float = 0.0
    first: float = 0.0

    def here(self, jobs: int, warm_up: float) -> Iterator[Any]:
        """Yield results made in this process, until what is left is worth the start of workers."""
        while self.done < len(self.items) and not self._is_worth_workers(jobs, warm_up):
            start = time.perf_counter()
            try:
                result = self.function(self.items[self.done])
            except Exception as error:
                error.add_note(self.note(self.done))
                raise
            taken = time.perf_counter() - start
            self.first = self.first if self.done else taken
            self.seconds += taken
            self.done += 1
            yield result

    def _is_worth_workers(self, jobs: int, warm_up: float) -> bool:
        if jobs == 1 or warm_up == 0:
            return jobs > 1
        if self.seconds < warm_up or self.done < 2:
            return False
        # The first item says little: what is loaded once is loaded for it.
        left = (len(self.items) - self.done) * (self.seconds - self.first) / (self.done - 1)
        return left * (1 - 1 / jobs) > POOL_COST * warm_up

    def elsewhere(self, jobs: int) -> Iterator[Any]:
        """Yield the results of all other items, made by ``jobs`` workers; they end when this does."""
        pool = _Pool(self, min(jobs, len(self.items) - self.done))
        try:
            yield from pool.results()
        finally:
            pool.close()

    def note(self, number: int) -> str:
        """Return which item an error belongs to."""
        described = self.describe(self.items[number])
        short = described if len(described) <= SHOWN else described[: SHOWN - 1] + "…"
        return f"at item {number + 1} of {len(self.items)}: {short}"


@dataclass
class _Worker:
    """A process, our end of the pipe to it, and the numbers of the items that it still owes."""

    process: BaseProcess
    pipe: Connection
    owed: list[int] = field(default_factory=list)


class _Pool:
    """Workers that are handed batches of items and answer item by item."""

    def __init__(self, work: _MapRun, jobs: int) -> None:
        """Start the workers by spawning: forking a process with threads (Arrow, numba) can hang."""
        self.work = work
        self.next = work.done
        self.batch = 1
        self.answers: dict[int, Any] = {}
        self.failures: dict[int, Exception] = {}
        self.workers: list[_Worker] = []
        context = multiprocessing.get_context("spawn")
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, work.function), daemon=True)
            self.workers.append(_Worker(process, ours))
            process.start()
            guard().watch(str(process.pid))
            theirs.close()

    def results(self) -> Iterator[Any]:
        """Yield the results of the items from ``work.done`` on, in order, up to the first failure."""
        while self.work.done < len(self.work.items):
            for worker in self.workers:
                self._hand_out(worker)
            for worker in self._ready():
                self._receive(worker)
            while self.work.done in self.answers:
                yield self.answers.pop(self.work.done)
                self.work.done += 1
            if self.work.done in self.failures:
                raise self.failures[self.work.done]

    def close(self) -> None:
        """End the workers, killing one that does not respond."""
        for worker in self.workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join(GRACE_SECONDS)
            worker.process.kill()
            guard().forget(str(worker.process.pid))
            worker.process.join()

    def _hand_out(self, worker: _Worker) -> None:
        """Give an idle worker its next batch, unless the others are too far ahead of the slowest."""
        left = len(self.work.items) - self.next
        size = min(self.batch, -(-left // (2 * len(self.workers))))
        if (
            worker.owed
            or not size
            or self.failures
            or self.next - self.work.done > AHEAD * len(self.workers) * self.batch
        ):
            return
        worker.owed = list(range(self.next, self.next + size))
        self.next += size
        try:
            worker.pipe.send([self.work.items[number] for number in worker.owed])
        except OSError:
            self._died(worker)

    def _ready(self) -> list[_Worker]:
        """Return the workers that have answered or died, once there are any."""
        ready = wait([worker.pipe for worker in self.workers if worker.owed])
        return [worker for worker in self.workers if worker.pipe in ready]

    def _receive(self, worker: _Worker) -> None:
        try:
            succeeded, answer, seconds = pickle.loads(worker.pipe.recv_bytes())
        except (EOFError, OSError):
            self._died(worker)
            return
        number = worker.owed.pop(0)
        if succeeded:
            self.answers[number] = answer
        else:
            answer.add_note(self.work.note(number))
            self.failures[number] = answer
        # Twice as many when batches are short, fewer when items get slow.
        wished = max(1, int(BATCH_SECONDS / max(seconds, 1e-6)))
        self.batch = min(2 * self.batch, wished) if not worker.owed else min(self.batch, 4 * wished)

    def _died(self, worker: _Worker) -> None:
        worker.process.join(GRACE_SECONDS)
        code = worker.process.exitcode
        how = (
            f"was killed by signal {-code}"
            if code is not None and code < 0
            else f"ended with exit code {code}"
        )
        mend = "perhaps it ran out of memory: run it again with fewer jobs; finished parts are kept"
        number = worker.owed[0]
        self.failures[number] = OrreryError(f"worker process {self.work.note(number)}", how, mend)
        worker.owed.clear()


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Run a worker: read batches of items, send one answer an item, until the pipe closes.

    The terminal's interrupt is left to the parent; its request to end runs the ``finally`` blocks,
    so that planners started for an item do not outlive it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with suppress(EOFError, OSError):
        while True:
            for item in pipe.recv():
                pipe.send_bytes(_answer(function, item))


def _answer(function: Callable[[Any], Any], item: Any) -> bytes:
    """Return, pickled, whether it succeeded, the result or the exception, and the seconds taken."""
    start = time.perf_counter()
    try:
        return pickle.dumps((True, function(item), time.perf_counter() - start))
    except Exception as error:
        return pickle.dumps((False, _portable(error), 0.0))


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


class Progress:
    """A bar on a terminal; elsewhere, for work that takes long, a line now and then. Both on stderr."""

    def __init__(self, label: str, total: int) -> None:
        """Name the work, nothing being shown without a name, and say how many items it has."""
        self.label, self.total, self.done = label, total, 0
        self.start = self.last = time.monotonic()
        self.bar: tqdm[Any] | None = None

    def __enter__(self) -> Progress:
        """Show the bar, on a terminal."""
        if self.label and sys.stderr.isatty():
            self.bar = tqdm(total=self.total, desc=self.label, unit="item", leave=False, file=sys.stderr)
        return self

    def step(self) -> None:
        """Count one item."""
        self.done += 1
        if self.bar is not None:
            self.bar.update()
        elif self.label and time.monotonic() - self.last > LINE_SECONDS:
            self.last = time.monotonic()
            taken = f"{self.last - self.start:.0f} s"
            print(f"{self.label}: {self.done} of {self.total} in {taken}", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()
