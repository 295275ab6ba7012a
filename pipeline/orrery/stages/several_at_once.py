"""DVC's stages, several at once: each begins when the stages are done that make what it reads.

DVC runs one stage after another, of which many keep one core busy. What it does before and after a stage's
command is done here by the same functions, in the same order and under the same locks, so that ``dvc repro``
makes and keeps the same.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from dvc.repo import lock_repo
from dvc.repo.reproduce import _reproduce_stage, get_active_graph, plan_repro
from dvc.rwlock import rwlock
from dvc.stage.cache import RunCacheNotFoundError
from dvc.stage.run import _make_cmd, get_executable, prepare_kwargs

from orrery.model import OrreryError
from orrery.orphans import guard
from orrery.stages.forked_commands import ForkedCommand, ForkServer, runs
from orrery.store.shards import replacing

MOST = 16  # stages that could run at once; a graph has fewer
GRACE = 10.0  # seconds that a stage has to end when it is told to


class StageFailed(OrreryError):
    """A stage that ended with an error, which it has told itself; the code is the stage's own."""

    def __init__(self, name: str, code: int) -> None:
        """Keep the exit code of the stage; one that a signal ended has that which shells give it."""
        mend = "mend what it says, and run the same again: what is finished is kept"
        super().__init__(f"stage {name}", "failed", mend)
        self.code = code if code > 0 else 128 - code


class Listener(Protocol):
    """Hears how far the stages are."""

    def begins(self, stage: Any) -> None:
        """Hear that a stage comes, which may be kept."""

    def ends(self, name: str, kept: bool) -> None:
        """Hear that a stage is done."""

    def said(self, text: str) -> None:
        """Hear what a stage has said that ran beside another, to which the terminal belonged."""


@dataclass(frozen=True)
class StageRun:
    """A stage whose command runs; ``output`` holds what it says, unless it says so on the terminal."""

    stage: Any
    process: subprocess.Popen[bytes] | ForkedCommand
    output: IO[bytes] | None


@dataclass
class Reproduction:
    """The stages of a DVC repository on the way to what dvc.yaml describes; with ``force``, none is kept."""

    repo: Any
    force: bool
    listener: Listener
    graph: Any
    waiting: list[Any]
    done: set[Any] = field(default_factory=set)
    running: dict[Future[int], StageRun] = field(default_factory=dict)
    held: ExitStack = field(default_factory=ExitStack)
    server: ForkServer | None = None

    @classmethod
    def of(cls, repo: Any, force: bool, listener: Listener) -> Reproduction:
        """Return the stages of a repository before any of them is done."""
        graph = get_active_graph(repo.index.graph)
        return cls(repo, force, listener, graph, plan_repro(graph))

    def run(self) -> None:
        """Do all stages; the first that fails ends the others.

        Raises:
            StageFailed: a stage failed.
        """
        guard()  # before there are threads
        with self.repo.scm_context(), ThreadPoolExecutor(MOST) as threads:
            try:
                while self.waiting or self.running:
                    with lock_repo(self.repo):
                        self._begin_what_can(threads)
                        if not self.running:
                            self.held.close()  # once nothing runs, for stages that run share locks
                    for future in wait(self.running, None, FIRST_COMPLETED).done:
                        self._end(self.running.pop(future), future.result())
            finally:
                self._stop()

    def _begin_what_can(self, threads: ThreadPoolExecutor) -> None:
        """Begin each stage for which all is there, in DVC's order; one that is kept may let others begin."""
        for stage in list(self.waiting):
            if self.done.issuperset(self.graph.successors(stage)):
                self.waiting.remove(stage)
                if (run := self._begun(stage)) is not None:
                    self.running[threads.submit(run.process.wait)] = run

    def _begun(self, stage: Any) -> StageRun | None:
        """Begin a stage, as ``Stage.reproduce`` does; None where nothing runs, because nothing has to."""
        self.listener.begins(stage)
        upstream = list(self.graph.successors(stage))
        if stage.frozen or not isinstance(stage.cmd, str):  # none of ours
            self._is_done(stage, kept=_reproduce_stage(stage, upstream=upstream, force=self.force) is None)
            return None
        self.held.enter_context(_paths_locked(self.repo, stage))
        if not self.force and not stage.changed(upstream=upstream):
            self._is_done(stage, kept=True)
            return None
        stage.remove_outs()
        if self.force:
            stage.save_deps()
        elif _restored(stage):
            self._save(stage)
            return None
        return self._started(stage)

    def _started(self, stage: Any) -> StageRun:
        """Start the command of a stage in a group of its own; one at a time has the terminal."""
        beside = any(run.output is None for run in self.running.values())
        output = tempfile.TemporaryFile() if beside else None  # noqa: SIM115 - closed where the stage ends
        process = self._forked(stage, output) or _spawned(stage, output)
        guard().watch(f"-{process.pid}")
        return StageRun(stage, process, output)

    def _forked(self, stage: Any, output: IO[bytes] | None) -> ForkedCommand | None:
        """Start a command as a fork of what has imported it, if there is such a process by now."""
        if not runs(stage.cmd):
            return None
        if self.server is None and self.waiting:  # for the last stage it would come too late
            self.server = ForkServer()
        if self.server is None or not self.server.is_ready():
            return None
        how, file = prepare_kwargs(stage), output.fileno() if output else None
        with suppress(OSError):  # the server ended: the system killed it, say
            return self.server.start(stage.cmd, file, Path(how["cwd"]), how["env"])
        return None

    def _end(self, run: StageRun, code: int) -> None:
        """Note that a command ended, and what it made."""
        guard().forget(f"-{run.process.pid}")
        if run.output is not None:
            with run.output as file:
                file.seek(0)
                self.listener.said(file.read().decode(errors="replace"))
        if code != 0:
            raise StageFailed(run.stage.addressing, code)
        with lock_repo(self.repo):
            self._save(run.stage)

    def _save(self, stage: Any) -> None:
        """Note what a stage made, as ``Stage.run`` does, but what it read as that was when the stage began.

        DVC notes it as it is at the end: what changed meanwhile would count as read, and be kept ever after.
        """
        began = [(each.hash_info, each.meta) for each in stage.deps]
        stage.save(run_cache=False)
        changed = [
            str(each) for each, (hashed, _) in zip(stage.deps, began, strict=True) if each.hash_info != hashed
        ]
        for each, (hashed, meta) in zip(stage.deps, began, strict=True):
            each.hash_info, each.meta = hashed, meta
        if changed:
            told = f"{', '.join(changed)} changed while {stage.addressing} ran"
            self.listener.said(f"warning: {told}; the next build runs it again")
        else:
            self.repo.stage_cache.save(stage)
        stage.commit()
        with _lock_file_kept(self.repo):
            stage.dump(update_pipeline=False)
        self._is_done(stage, kept=False)

    def _stop(self) -> None:
        """End what still runs, which is where something failed, and free what is locked."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for future, run in self.running.items():
                with suppress(ProcessLookupError):
                    if not future.done():
                        os.killpg(run.process.pid, sign)
            wait(self.running, GRACE)
        for run in self.running.values():
            guard().forget(f"-{run.process.pid}")
            if run.output is not None:
                run.output.close()
        if self.server is not None:
            self.server.close()
        with lock_repo(self.repo):
            self.held.close()

    def _is_done(self, stage: Any, kept: bool) -> None:
        self.done.add(stage)
        self.listener.ends(stage.addressing, kept)


def _spawned(stage: Any, output: IO[bytes] | None) -> subprocess.Popen[bytes]:
    """Start a command by a shell, as ``run_stage`` does."""
    streams: dict[str, Any] = {"stdout": output, "stderr": subprocess.STDOUT} if output else {}
    command = _make_cmd(get_executable(), stage.cmd)
    return subprocess.Popen(command, process_group=0, **streams, **prepare_kwargs(stage))


@contextmanager
def _lock_file_kept(repo: Any) -> Iterator[None]:
    """Keep a copy of DVC's lock file while it is written, which a kill would leave cut off."""
    lock, before = _lock_files(repo)
    with replacing(before) as path:
        path.write_bytes(lock.read_bytes() if lock.exists() else b"")
    yield
    before.unlink()


def mend_lock_file(repo: Any) -> None:
    """Put back what DVC's lock file was before a kill that came while it was written.

    And drop its list of paths in use where that was cut off: no command of DVC could read it.
    """
    with lock_repo(repo):
        in_use = Path(repo.tmp_dir, "rwlock")
        try:
            json.loads(in_use.read_text(encoding="utf-8"))
        except FileNotFoundError:
            pass
        except ValueError:
            in_use.unlink()
        lock, before = _lock_files(repo)
        if not before.exists():
            return
        if known := before.read_bytes():
            with replacing(lock) as path:
                path.write_bytes(known)
        else:
            lock.unlink(missing_ok=True)
        before.unlink()


def _lock_files(repo: Any) -> tuple[Path, Path]:
    """Return the lock file, and where it is kept while it is written."""
    return Path(repo.root_dir, "dvc.lock"), Path(repo.tmp_dir, "dvc.lock.before")


def waits_for(repo: Any) -> dict[str, list[str]]:
    """Return for each stage of a repository, in DVC's order, the stages that make what it reads."""
    graph = get_active_graph(repo.index.graph)
    return {
        stage.addressing: [each.addressing for each in graph.successors(stage)] for stage in plan_repro(graph)
    }


def _restored(stage: Any) -> bool:
    """Take what a stage makes from DVC's cache of runs, if it is there; as ``run_stage`` does."""
    try:
        stage.repo.stage_cache.restore(stage)
    except RunCacheNotFoundError:
        stage.save_deps()
        return False
    return True


def _paths_locked(repo: Any, stage: Any) -> AbstractContextManager[None]:
    """Lock what a stage reads and makes, as ``rwlocked`` does, against other processes of DVC."""
    read, made = ([each.fs_path for each in some] for some in (stage.deps, stage.outs))
    hardlink = repo.config["core"].get("hardlink_lock", False)
    locked: AbstractContextManager[None] = rwlock(
        repo.tmp_dir, repo.fs, " ".join(sys.argv), read, made, hardlink
    )
    return locked
