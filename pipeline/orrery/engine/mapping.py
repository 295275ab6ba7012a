"""Do work items in order, wherever they are done, and name the one that failed."""

from __future__ import annotations

import pickle
import platform
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any, TypeVar

from orrery.engine.batches import Answer, Batch, Death, Parcel, pickled, work
from orrery.engine.choice import Engine, Workers, chosen
from orrery.engine.digests import fingerprint
from orrery.engine.names import EngineName
from orrery.engine.progress import Progress
from orrery.model import OrreryError

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH_SECONDS = 0.5  # shorter batches would be spent on sending, longer ones leave workers idle at the end
ALIKE = 10  # times as long is a batch of items of which the first leaves something for the others
WARM_UP_SECONDS = 1.0
POOL_COST = 4.0  # warm-ups that it takes workers to start, to import and to load what is compiled
AHEAD = 16  # batches a worker, held back while the slowest item is awaited
AT_WORK = 2  # batches a worker, so that the next is there when one is done
SHOWN = 120


def map_items(
    items: Iterable[Item],
    function: Callable[[Item], Result],
    *,
    jobs: int = 1,
    label: str = "",
    describe: Callable[[Item], str] = repr,
    warm_up: float = WARM_UP_SECONDS,
    carry: Callable[[Item], object] | None = None,
    near: bool = False,
    alike: Callable[[Item], Hashable] | None = None,
) -> Iterator[Result]:
    """Yield the results of ``function``, in the order of ``items``.

    Unless another engine was chosen (``using``, or the variables ORRERY_ENGINE and ORRERY_ADDRESS), the work
    is done here for ``warm_up`` seconds, and after that as long as what is left, as it went so far,
    is less work than the start of ``jobs`` workers; they do the rest. ``function`` and items must be
    picklable then. ``label`` names the work in the progress on stderr. Workers of a cluster see no files of
    this machine but those of a checkout that people wrote: ``carry`` makes of an item, for them, one with all
    that it would read. What must read files is done ``near``, by this process or a pool of others here.
    Of items that follow each other and are ``alike``, by equal values that are not None, many go to one
    worker, which has loaded then what they share. A sequence is not copied: it may make items when asked.
    An exception of ``function`` is raised with a note that describes the item; items after it are lost.

    Raises:
        OrreryError: a worker died; it names the item that the worker was busy with. Or a cluster cannot be
            reached.
    """
    listed = items if isinstance(items, Sequence) else list(items)
    run = _MapRun(listed, function, describe, carry, alike)
    with Progress(label, len(listed)) as progress, chosen() as engine:
        engine = Engine(EngineName.AUTO) if near and engine.name is EngineName.DASK else engine
        for result in run.here(jobs, warm_up if engine.name is EngineName.AUTO else 0.0, engine):
            progress.step()
            yield result
        if run.done < len(listed):
            with engine.workers(jobs, len(listed) - run.done) as workers:
                for result in run.elsewhere(workers):
                    progress.step()
                    yield result


@dataclass
class _MapRun:
    """Items, the function to apply to each, and the progress so far."""

    items: Sequence[Any]
    function: Callable[[Any], Any]
    describe: Callable[[Any], str]
    carry: Callable[[Any], Any] | None = None
    alike: Callable[[Any], Hashable] | None = None
    done: int = 0
    seconds: float = 0.0
    first: float = 0.0
    handed: int = 0
    size: int = 1
    pending: deque[tuple[Batch, int, Future[Parcel]]] = field(default_factory=deque)

    def here(self, jobs: int, warm_up: float, engine: Engine) -> Iterator[Any]:
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

    def elsewhere(self, workers: Workers) -> Iterator[Any]:
        """Yield the results of all other items, in order, up to the first failure."""
        function = self._parcel(workers)
        self.handed = self.done
        while self.done < len(self.items):
            self._hand_out(workers, function)
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

    def _parcel(self, workers: Workers) -> Parcel:
        """Return the function for the workers; what cannot be pickled is the error of the next item."""
        try:
            return Parcel.of(pickled(self.function, workers.bring), workers.spool, "function")
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            error.add_note(self.note(self.done))
            raise

    def _hand_out(self, workers: Workers, function: Parcel) -> None:
        """Give batches to the workers, unless they are too far ahead of the slowest."""
        waiting = AT_WORK * workers.jobs - sum(not future.done() for _, _, future in self.pending)
        while waiting > 0 and self.handed < len(self.items) and len(self.pending) < AHEAD * workers.jobs:
            items = self._next(workers.jobs)
            carried = map(self.carry, items) if workers.bring and self.carry else items
            data = pickled(list(carried), workers.bring)
            batch = Batch(function, Parcel.of(data, workers.spool, f"items-{self.handed}"), self.handed)
            try:
                if workers.bring:
                    future = workers.submit(_work_afar, _package(), batch)
                else:
                    future = workers.submit(work, batch, workers.spool)
            except BrokenExecutor as error:
                raise self._died(workers.death(error), batch, len(items)) from error
            self.pending.append((batch, len(items), future))
            self.handed += len(items)
            waiting -= 1

    def _next(self, jobs: int) -> Sequence[Any]:
        """Return the items of the next batch: fewer towards the end, so that all workers have some."""
        most = -(-(len(self.items) - self.handed) // (2 * jobs))
        alike = self.alike or (lambda _: None)
        value = alike(self.items[self.handed])
        size = min(self.size if value is None else ALIKE * self.size, most)
        some = self.items[self.handed : self.handed + size]
        return list(takewhile(lambda each: alike(each) == value, some))

    def _answer(self, workers: Workers) -> Answer | None:
        """Wait until some batch is done; return the answer to the one that is next, if that is done."""
        batch, count, future = self.pending[0]
        if not future.done():
            wait([each for _, _, each in self.pending if not each.done()], None, FIRST_COMPLETED)
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
