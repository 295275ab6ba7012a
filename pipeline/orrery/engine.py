"""Map a function over work items: in this process, in a pool of processes, or on a Dask cluster.

Results come in the order of the items and do not depend on where they were made or by how many workers.
Every item carries what it needs (its seed path above all), so any of them can be done anywhere, again, with
the same result. Pool and cluster are borrowed; ours is the order, and which item failed.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import platform
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from tqdm import tqdm

from orrery.batches import Answer, Batch, Death, Parcel, WorkerError, pickled, work
from orrery.dask_cluster import DaskCluster
from orrery.engine_name import ADDRESS, ENGINE, EngineName
from orrery.model import OrreryError, UsageError
from orrery.process_pool import ProcessPool

__all__ = [
    "Progress",
    "WorkerError",
    "fingerprint",
    "map_items",
    "map_parts",
    "resumable_map",
    "using",
]

Item = TypeVar("Item")
Result = TypeVar("Result")
Tables: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]

BATCH_SECONDS = 0.5  # shorter batches would be spent on sending, longer ones leave workers idle at the end
WARM_UP_SECONDS = 1.0
POOL_COST = 4.0  # warm-ups that it takes workers to start, to import and to load what is compiled
LINE_SECONDS = 15.0
AHEAD = 16  # batches a worker, held back while the slowest item is awaited
AT_WORK = 2  # batches a worker, so that the next is there when one is done
SHOWN = 120


class Workers(Protocol):
    """A pool or a cluster of ``jobs`` workers; a folder ``spool``, if there is one, takes what is long."""

    @property
    def jobs(self) -> int:
        """How many workers there are."""

    @property
    def spool(self) -> Path | None:
        """A folder that takes what is long."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have a worker call a function."""

    def death(self, error: BaseException) -> Death:
        """Return how a worker died, after such an error of a future."""

    def close(self) -> None:
        """End what is at work."""


class Shelf(Protocol):
    """A store of finished parts (``store.parts.Parts``)."""

    def has(self, name: str) -> bool:
        """Return whether part ``name`` is finished."""

    def save(self, name: str, tables: Tables) -> None:
        """Keep the rows of a part, all or none."""

    def load(self, name: str) -> Tables:
        """Return the rows of a finished part."""


@contextmanager
def using(name: EngineName, address: str | None = None) -> Iterator[None]:
    """Have this engine do the work of the block. A cluster that it starts or joins is kept until its end."""
    engine = _Engine(name, address)
    token = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(token)
        engine.close()


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

    Unless another engine was chosen (``using``, or the variables ORRERY_ENGINE and ORRERY_ADDRESS), the work
    is done here for ``warm_up`` seconds, and after that as long as what is left, as it went so far,
    is less work than the start of ``jobs`` workers; they do the rest. ``function`` and items must be
    picklable then. ``label`` names the work in the progress on stderr.
    An exception of ``function`` is raised with a note that describes the item; items after it are lost.

    Raises:
        OrreryError: a worker died; it names the item that the worker was busy with. Or a cluster cannot be
            reached.
    """
    listed = list(items)
    run = _MapRun(listed, function, describe)
    with Progress(label, len(listed)) as progress, _engine() as engine:
        for result in run.here(jobs, warm_up if engine.name is EngineName.AUTO else 0.0, engine):
            progress.step()
            yield result
        if run.done < len(listed):
            with engine.workers(min(jobs, len(listed) - run.done)) as workers:
                for result in run.elsewhere(workers, travels=engine.name is EngineName.DASK):
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
class _Engine:
    """What does the work: its name, and the cluster, once there is one."""

    name: EngineName
    address: str | None = None
    cluster: DaskCluster | None = None

    @classmethod
    def of_environment(cls) -> _Engine:
        """Return the engine that the environment names; what is not named is chosen as it pays."""
        named = os.environ.get(ENGINE) or EngineName.AUTO
        try:
            return cls(EngineName(named), os.environ.get(ADDRESS) or None)
        except ValueError as error:
            known = f"engines: {', '.join(EngineName)}"
            raise UsageError(ENGINE, f"there is no engine {named!r}", known) from error

    def workers(self, jobs: int) -> AbstractContextManager[Workers]:
        """Return workers, which end with the block; those of a cluster stay."""
        if self.name is not EngineName.DASK:
            return closing(ProcessPool(jobs))
        if self.cluster is None:
            self.cluster = DaskCluster(self.address, jobs)
        return nullcontext(self.cluster)

    def close(self) -> None:
        """Leave the cluster, if there is one."""
        if self.cluster is not None:
            self.cluster.close()


_ENGINE: ContextVar[_Engine | None] = ContextVar("engine", default=None)


@contextmanager
def _engine() -> Iterator[_Engine]:
    """Yield the engine that was chosen, else one of the environment for this work alone."""
    if chosen := _ENGINE.get():
        yield chosen
        return
    with closing(_Engine.of_environment()) as engine:
        yield engine


@dataclass
class _MapRun:
    """Items, the function to apply to each, and the progress so far."""

    items: Sequence[Any]
    function: Callable[[Any], Any]
    describe: Callable[[Any], str]
    done: int = 0
    seconds: float = 0.0
    first: float = 0.0
    handed: int = 0
    size: int = 1
    pending: deque[tuple[Batch, int, Future[Parcel]]] = field(default_factory=deque)

    def here(self, jobs: int, warm_up: float, engine: _Engine) -> Iterator[Any]:
        """Yield results made in this process, until what is left is worth the start of workers."""
        alone = jobs == 1 and engine.name is not EngineName.DASK
        while self.done < len(self.items) and (alone or not self._is_worth_workers(jobs, warm_up)):
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
        if warm_up == 0:
            return True
        if self.seconds < warm_up or self.done < 2:
            return False
        # The first item says little: what is loaded once is loaded for it.
        left = (len(self.items) - self.done) * (self.seconds - self.first) / (self.done - 1)
        return left * (1 - 1 / jobs) > POOL_COST * warm_up

    def elsewhere(self, workers: Workers, *, travels: bool) -> Iterator[Any]:
        """Yield the results of all other items, in order, up to the first failure."""
        function = self._parcel(workers, travels)
        self.handed = self.done
        while self.done < len(self.items):
            self._hand_out(workers, function, travels)
            if (answer := self._answer(workers)) is None:
                continue
            for result in answer.results:
                self.done += 1
                yield result
            if answer.failure is not None:
                answer.failure.add_note(self.note(self.done))
                raise answer.failure
            # Twice as many at most when batches are short, fewer when items get slow.
            wished = BATCH_SECONDS * len(answer.results) / max(answer.seconds, 1e-6)
            self.size = max(1, min(2 * self.size, int(wished)))

    def _parcel(self, workers: Workers, travels: bool) -> Parcel:
        """Return the function for the workers; what cannot be pickled is the error of the next item."""
        try:
            return Parcel.of(pickled(self.function, travels=travels), workers.spool, "function")
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            error.add_note(self.note(self.done))
            raise

    def _hand_out(self, workers: Workers, function: Parcel, travels: bool) -> None:
        """Give batches to the workers, unless they are too far ahead of the slowest."""
        waiting = AT_WORK * workers.jobs - sum(not future.done() for _, _, future in self.pending)
        while waiting > 0 and self.handed < len(self.items) and len(self.pending) < AHEAD * workers.jobs:
            left = len(self.items) - self.handed
            items = self.items[self.handed : self.handed + min(self.size, -(-left // (2 * workers.jobs)))]
            data = pickled(list(items), travels=travels)
            batch = Batch(function, Parcel.of(data, workers.spool, f"items-{self.handed}"), self.handed)
            try:
                if travels:
                    future = workers.submit(_work_afar, _package(), batch)
                else:
                    future = workers.submit(work, batch, workers.spool)
            except BrokenExecutor as error:
                raise self._died(workers.death(error), batch, len(items)) from error
            self.pending.append((batch, len(items), future))
            self.handed += len(items)
            waiting -= 1

    def _answer(self, workers: Workers) -> Answer | None:
        """Wait until some batch is done; return the answer to the one that is next, if that is done."""
        batch, count, future = self.pending[0]
        wait(
            [future for _, _, future in self.pending if not future.done()] or [future], None, FIRST_COMPLETED
        )
        if not future.done():
            return None
        self.pending.popleft()
        try:
            parcel: Parcel = future.result()
        except (Exception, CancelledError) as error:
            raise self._died(workers.death(error), batch, count) from error
        batch.items.drop()
        answer: Answer = parcel.open()
        parcel.drop()
        return answer

    def _died(self, death: Death, batch: Batch, count: int) -> OrreryError:
        """Return the error for a worker that died; where only the batch is known, that is named."""
        number = batch.first if death.number is None else death.number
        others = f", or at one of the {count - 1} after it" if death.number is None and count > 1 else ""
        mend = "perhaps it ran out of memory: run it again with fewer jobs; finished parts are kept"
        return OrreryError(f"worker process {self.note(number)}{others}", death.how, mend)

    def note(self, number: int) -> str:
        """Return which item an error belongs to."""
        described = self.describe(self.items[number])
        short = described if len(described) <= SHOWN else described[: SHOWN - 1] + "…"
        return f"at item {number + 1} of {len(self.items)}: {short}"


def _work_afar(package: str, batch: Batch) -> Parcel:
    """Do a batch in a worker of a cluster.

    Raises:
        OrreryError: the worker has another version of this package, or of Python.
    """
    if package != _package():
        where = f"Dask worker on {platform.node()}"
        raise OrreryError(where, "has another orrery or another Python", "install the same on all workers")
    return work(batch, None)


@lru_cache(maxsize=1)
def _package() -> str:
    """Return what identifies this package and this Python."""
    return fingerprint(())


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
