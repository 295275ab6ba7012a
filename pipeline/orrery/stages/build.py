"""``orrery build``: run the stages of dvc.yaml with ``dvc repro``, and print a summary of the dataset."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from orrery.config import Settings
from orrery.dataset.contents import read_manifest
from orrery.dataset.folder import VERDICT, verdict_of
from orrery.model import OrreryError
from orrery.stages.running import check_domains, stage_seconds
from orrery.store.shards import read_rows, splits

WITHOUT_GIT = {"core": {"no_scm": True}}
TABLES_A_LINE = 3
SHOWN = 3  # changes of a stage
REACHED = re.compile(r"(Running stage|Stage) '([^']+)'")  # a stage that starts, or has not changed
STOPPED = (130, -signal.SIGINT)  # exit codes of a stage that Ctrl-C stops; DVC itself ignores the signal
EXIT_CODE = re.compile(r"exited with (-?\d+)$")


class StageFailed(OrreryError):
    """A stage that ended with an error, which it has printed; the exit code is that of the stage."""

    def __init__(self, message: str, code: int) -> None:
        """Store the exit code of the stage; for a stage ended by a signal, the code used by shells."""
        super().__init__("orrery build", message, "mend what it says, and run the same again")
        self.code = code if code > 0 else 128 - code


def run(settings: Settings, force: bool = False) -> None:
    """Build the stages of dvc.yaml at the current size; print a summary of the dataset to stdout.

    With ``force``, stages with unchanged inputs run too.

    Raises:
        StageFailed: a stage failed, with its exit code.
        OrreryError: params.yaml names an unknown domain or lacks a key; or DVC refuses, for example because
            dvc.yaml is malformed or another build is running.
    """
    check_domains(settings)
    with _repository(settings) as repo:
        with repo.lock:  # no process writes the files now
            _drop_cut_off_files(settings.root.resolve())
        _check_parameters(repo)
        time_left = _TimeLeft(_order(repo), stage_seconds(settings), _usual_seconds(repo, settings.size_name))
        logging.getLogger("dvc").handlers[0].addFilter(time_left)
        repo.reproduce(force=force)
    print("\n".join(summary(settings)), flush=True)


def planned(settings: Settings) -> list[tuple[str, str, str]]:
    """Return the stages that a build would run, in order, each with its reason and the time of its last run.

    A stage after one of them runs only if that changes its inputs. The time is empty if it is unknown.

    Raises:
        OrreryError: as in ``run``.
    """
    check_domains(settings)
    with _repository(settings) as repo:
        _check_parameters(repo)
        status: Mapping[str, list[Any]] = repo.status()
        order = {name: number for number, name in enumerate(_order(repo))}
    seconds = stage_seconds(settings)
    return [
        (name, _reasons(faults), f"{seconds[name]:,.0f} s" if name in seconds else "")
        for name, faults in sorted(status.items(), key=lambda item: order.get(item[0], 0))
    ]


def _check_parameters(repo: Any) -> None:
    """Raise OrreryError if params.yaml lacks a key that a stage depends on: DVC says so at that stage."""
    from dvc.dependency import ParamsDependency

    needed = [one for stage in repo.index.stages for one in stage.deps if isinstance(one, ParamsDependency)]
    missing = {name for dependency in needed for name in set(dependency.params) - {*dependency.read_params()}}
    if missing:
        keys = ", ".join(sorted(missing))
        raise OrreryError("params.yaml", f"lacks {keys}", "add the lines of the params.yaml of this version")


def _order(repo: Any) -> list[str]:
    """Return the names of all stages, each after the stages whose outputs it reads."""
    graph = repo.index.graph
    before = {stage.addressing: sorted(one.addressing for one in graph[stage]) for stage in graph}
    return [*TopologicalSorter(dict(sorted(before.items()))).static_order()]


def _usual_seconds(repo: Any, size: str) -> dict[str, float]:
    """Return the seconds of stages on two idle cores at a size, as far as dvc.yaml states them."""
    stated = {stage.addressing: (stage.meta or {}).get("seconds", {}) for stage in repo.index.stages}
    return {name: float(seconds[size]) for name, seconds in stated.items() if size in seconds}


class _TimeLeft(logging.Filter):
    """Adds to the line of a stage that starts how long it and the later stages probably take.

    That is the time of their last runs at this size on this machine. In a first build it is the time that
    dvc.yaml states, in proportion to the time of the stages that have run.
    """

    def __init__(
        self, stages: Sequence[str], last_runs: Mapping[str, float], usual: Mapping[str, float]
    ) -> None:
        """Store the stages, the seconds of their last runs, and their usual seconds."""
        super().__init__()
        self.later, self.last_runs, self.usual = list(stages), last_runs, usual
        self.begun: dict[str, float] = {}  # when each stage of this build started

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the message of a stage that starts; keep every record."""
        stage = REACHED.match(record.getMessage())
        if stage and stage[2] in self.later:
            if stage[1] == "Running stage":
                left = self._remaining_time(time.monotonic())
                self.begun[stage[2]] = time.monotonic()
                if left:
                    record.msg, record.args = f"{record.getMessage()} {left}", ()
            self.later.remove(stage[2])
        return True

    def _remaining_time(self, now: float) -> str:
        later = self.later
        if all(name in self.last_runs for name in later):
            minutes = sum(self.last_runs[name] for name in later) / 60
            return f"at most {minutes:.1f} min left, by the last runs"
        if not all(name in self.usual for name in (*self.begun, *later)):
            return ""
        usual = sum(self.usual[name] for name in later) / 60
        if not self.begun:
            return f"about {usual:.1f} min left on two idle cores"
        pace = (now - min(self.begun.values())) / sum(self.usual[name] for name in self.begun)
        return f"about {pace * usual:.1f} min left"


def _reasons(faults: Iterable[Any]) -> str:
    """Return the changes that DVC found, each once with its state, on one line."""
    changes: list[str] = []
    for fault in faults:
        if isinstance(fault, str):
            changes.append(fault)
            continue
        for paths in fault.values():
            changes += [f"{path} {state}" for path, state in _flat(paths)]
    changes = list(dict.fromkeys(changes))
    more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return ", ".join(changes[:SHOWN]) + more


def _flat(paths: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield changed paths or parameters with their states; parameters are grouped by file."""
    for path, state in paths.items():
        if isinstance(state, Mapping):
            yield from _flat(state)
        else:
            yield path, str(state)


@contextmanager
def _repository(settings: Settings) -> Iterator[Any]:
    """Yield the DVC repository of the checkout; convert its errors.

    Raises:
        KeyboardInterrupt: Ctrl-C stopped a stage.
        StageFailed: a stage failed.
        OrreryError: DVC refuses.
    """
    from dvc.exceptions import DvcException, ReproductionError
    from dvc.lock import LockError
    from dvc.repo import Repo

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    logger = logging.getLogger("dvc")
    logger.setLevel(logging.INFO)
    logger.handlers = [logging.StreamHandler()]  # on stderr; DVC prints its progress to stdout
    try:
        root = settings.root.resolve()
        # DVC finds dvc.yaml, and writes names of stages, by the current folder.
        with chdir(root), Repo(str(root), config=None if _in_git(root) else WITHOUT_GIT) as repo:
            yield repo
    except LockError as error:
        raise _busy(settings) from error
    except ReproductionError as error:
        if isinstance(error.__cause__, LockError):
            raise _busy(settings) from error
        if code := EXIT_CODE.search(str(error.__cause__)):
            if int(code[1]) in STOPPED:
                raise KeyboardInterrupt from error
            raise StageFailed(str(error), int(code[1])) from error
        raise _refused(error) from error
    except DvcException as error:
        raise _refused(error) from error


def _drop_cut_off_files(root: Path) -> None:
    """Remove DVC files that a kill has truncated, because DVC refuses to read them; report them on stderr."""
    from dvc.exceptions import DvcException
    from dvc.rwlock import SCHEMA
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from dvc.utils.serialize import load_yaml
    from voluptuous import Invalid

    for name, schema in (("dvc.lock", COMPILED_LOCKFILE_SCHEMA), (".dvc/tmp/rwlock", SCHEMA)):
        path = root / name
        if not path.is_file():
            continue
        try:
            if path.stat().st_size:
                schema(load_yaml(path))  # JSON is valid YAML
                continue
        except (DvcException, Invalid):
            pass
        path.unlink()
        message = "was cut off by a kill: removed; stages run again and keep finished domains and parts"
        print(f"{name}: {message}", file=sys.stderr)


def _busy(settings: Settings) -> OrreryError:
    root, mend = str(settings.root.resolve()), "wait for it to finish, or stop it"
    return OrreryError(root, "another build or DVC command is running in this folder", mend)


def _refused(error: Exception) -> OrreryError:
    message = " ".join(f"{error}; {error.__cause__ or ''}".split())
    return OrreryError("dvc.yaml", message, "run `dvc repro -v` for details")


def _in_git(root: Path) -> bool:
    """Return whether a folder is in a git checkout. Elsewhere DVC needs a setting."""
    return any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents))


def summary(settings: Settings) -> list[str]:
    """Return the last lines of a build: rows by table, the path of the report, suggested commands."""
    manifest = read_manifest(settings.outputs / "dataset")
    rows = {table: sum(by_split.values()) for table, by_split in manifest["rows"].items()}
    cells = [f"{table:<20}{count:>8,}" for table, count in sorted(rows.items())]
    depth = -(-len(cells) // TABLES_A_LINE)
    lines = ["    ".join(cells[start::depth]) for start in range(depth)]
    command = _command(settings.root)
    return [
        "",
        f"Rows by table, {sum(rows.values()):,} in {len(rows)} tables of size {settings.size_name}:",
        *(f"  {line}" for line in lines),
        "",
        *_checked(settings),
        f"The dataset: {settings.outputs / 'dataset'}",
        f"The report:  {settings.outputs / 'report' / 'index.html'}",
        "",
        "Try next:",
        f"  {command} show {_first_id(settings)} --picture row.svg",
        f'  {command} query "select domain, count(*) as texts from text_to_pddl group by 1"'
        if "text_to_pddl" in rows
        else f"  {command} columns",
    ]


def _checked(settings: Settings) -> list[str]:
    """Return a line on the rows that the checks left open; none without a report."""
    report = settings.outputs / "report"
    if not (report / VERDICT).exists():
        return []
    verdict: Any = verdict_of(report)
    open_rows = len({finding["row"] for finding in verdict["undecided"]})
    left = (
        f"{open_rows:,} rows were not decided a second time" if open_rows else "every row passed its checks"
    )
    return [f"Checks: no row failed; {left}."]


def _first_id(settings: Settings) -> str:
    """Return the id of a row of the dataset, preferably of a problem."""
    by_table = splits(settings.outputs / "dataset")
    by_split = by_table.get("problems") or next(iter(by_table.values()))
    paths = next(iter(by_split.values()))
    return next(str(row["id"]) for path in paths for row in read_rows(path, columns=["id"]))


def _command(root: Path) -> str:
    """Return the command line of this command from ``root``."""
    script = Path(sys.executable).parent / "orrery"
    try:
        return str(script.relative_to(root.resolve()))
    except ValueError:
        return "orrery"
