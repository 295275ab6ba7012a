"""``orrery build``: the stages of dvc.yaml by DVC, with how far they are, and what there is in the end.

DVC decides what runs and what is kept; stages that do not wait for each other run side by side. Nothing of
what DVC prints is read.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orrery.config import Settings
from orrery.dataset.contents import read_manifest
from orrery.model import OrreryError
from orrery.store.shards import read_rows, replacing, splits

TIMES = ".seconds.json"  # what each stage took here when it last ran, by size
# Seconds on about two idle cores, used where nothing was built yet: shares as measured at `smallest`, of
# `small` by its rows. Other sizes have no estimate at first; what is built here is measured.
REFERENCE: Mapping[str, Mapping[str, float]] = {
    "smallest": {
        "code": 3, "generate": 3, "solve": 6, "verbalise": 24, "describe": 1, "corpus": 6, "assemble": 7,
        "validate": 38, "publish": 1,
    },
    "small": {
        "code": 3, "generate": 5, "solve": 24, "verbalise": 63, "describe": 2, "corpus": 8, "assemble": 11,
        "validate": 130, "publish": 2,
    },
}  # fmt: skip
WITHOUT_GIT = {"core": {"no_scm": True}}
WIDTH = 24  # of the bar
COLUMN = 3  # tables a line
USUAL = 1.0  # the weight of a stage of which nothing is known


@dataclass
class Course:
    """How far a build is: its stages and what each waits for, how long they take, and what was done."""

    names: Sequence[str]
    expected: Mapping[str, float]
    after: Mapping[str, Collection[str]]
    began: dict[str, float] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    took: dict[str, float] = field(default_factory=dict)

    def begins(self, stage: Any) -> None:
        """Say which stage comes, and how far the build is."""
        name = stage.addressing
        self.began[name] = time.monotonic()
        _say(self.line(f"{name}. {stage.desc or ''}".rstrip(" .") + "."))

    def ends(self, name: str, kept: bool) -> None:
        """Note what a stage took; say so if it was kept."""
        self.done.add(name)
        if kept:
            _say(f"    {name} is kept: nothing that it reads has changed")
        else:
            self.took[name] = time.monotonic() - self.began[name]

    def said(self, text: str) -> None:
        """Say what a stage said that ran beside another."""
        _say(text.rstrip("\n"))

    def share(self) -> float:
        """Return the share of the work that is done, as far as it is known before."""
        total = self._longest(self.names)
        return 1 - self._longest(self._to_do()) / total if total else 1.0

    def left(self) -> float | None:
        """Return the seconds that the stages to come take if none is kept; None where nothing is known.

        What stages took in this run says how much slower or faster this machine is at present.
        """
        if not self.expected:
            return None
        known = sum(self.expected.get(name, 0.0) for name in self.took)
        pace = sum(self.took.values()) / known if known >= 5 else 1.0
        return pace * self._longest(self._to_do())

    def line(self, told: str) -> str:
        """Return where the build is: stage k of N, a bar, the time left."""
        full = round(self.share() * WIDTH)
        bar = f"[{'#' * full}{'-' * (WIDTH - full)}]"
        left = self.left()
        rest = "" if left is None else f", about {in_words(left)} left"
        return f"stage {len(self.began)} of {len(self.names)} {bar} {self.share():4.0%}{rest}: {told}"

    def _to_do(self) -> list[str]:
        return [name for name in self.names if name not in self.done]

    def _longest(self, names: Collection[str]) -> float:
        """Return what some stages take if each begins as soon as those that it waits for are done."""
        ends = dict[str, float]()
        for name in self.names:  # what a stage waits for comes before it
            begins = max((ends[each] for each in self.after.get(name, ())), default=0.0)
            ends[name] = begins + (self.expected.get(name, USUAL) if name in names else 0.0)
        return max(ends.values(), default=0.0)


def run(settings: Settings, force: bool = False) -> None:
    """Build what dvc.yaml describes at the present size; say so on stderr, and what there is on stdout.

    With ``force``, stages run that DVC would keep.

    Raises:
        StageFailed: a stage failed, with its exit code.
        OrreryError: DVC refuses: dvc.yaml is broken, say, or another build is at work.
    """
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    start, course = time.monotonic(), _reproduced(settings, force)
    _note(settings, course.took)
    ran, seconds = len(course.took), time.monotonic() - start
    kept = len(course.names) - ran
    rest = f"; {kept} kept, as nothing that they read has changed" if kept else ""
    _say(f"stages that ran: {ran}, in {in_words(seconds)}{rest}")
    print("\n".join(summary(settings)), flush=True)


def _reproduced(settings: Settings, force: bool) -> Course:
    """Have all stages reproduced, telling each."""
    from dvc.exceptions import DvcException
    from dvc.lock import LockError
    from dvc.repo import Repo

    from orrery.stages.several_at_once import Reproduction, mend_lock_file, waits_for

    logging.getLogger("dvc").setLevel(logging.WARNING)  # we say which stage runs
    try:
        with Repo(str(settings.root), config=None if _in_git(settings.root) else WITHOUT_GIT) as repo:
            mend_lock_file(repo)
            after = waits_for(repo)
            course = Course(list(after), _expected(settings, list(after)), after)
            Reproduction.of(repo, force, course).run()
    except LockError as error:
        where, mend = str(settings.root.resolve()), "wait until it ends, or end it"
        raise OrreryError(where, "another build, or another command of DVC, is at work here", mend) from error
    except DvcException as error:
        said = " ".join(str(error).split())
        raise OrreryError("dvc.yaml", said, "`dvc repro -v` says more") from error
    return course


def _in_git(root: Path) -> bool:
    """Return whether a folder lies in a git checkout; DVC refuses to work elsewhere unless it is told."""
    return any((folder / ".git").exists() for folder in (root.resolve(), *root.resolve().parents))


def _expected(settings: Settings, names: Sequence[str]) -> dict[str, float]:
    """Return the seconds that stages are thought to take: as the last time here, else on two idle cores."""
    known = {**REFERENCE.get(settings.size_name, {}), **_times(settings).get(settings.size_name, {})}
    return {name: float(known[name]) for name in names if name in known}


def _times(settings: Settings) -> dict[str, dict[str, float]]:
    try:
        found = json.loads((settings.outputs / TIMES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(settings: Settings, took: Mapping[str, float]) -> None:
    """Keep what stages took, for the next estimate."""
    times = _times(settings)
    times.setdefault(settings.size_name, {}).update({name: round(spent, 1) for name, spent in took.items()})
    with replacing(settings.outputs / TIMES) as path:
        path.write_text(json.dumps(times, indent=1) + "\n", encoding="utf-8")


def summary(settings: Settings) -> list[str]:
    """Return the last lines of a build: rows by table, where the report is, what to try next."""
    rows = {
        name: sum(some.values()) for name, some in read_manifest(settings.outputs / "dataset")["rows"].items()
    }
    cells = [f"{name:<20}{n:>8,}" for name, n in sorted(rows.items())]
    depth = -(-len(cells) // COLUMN)
    lines = ["    ".join(cells[place::depth]) for place in range(depth)]
    command = _command(settings.root)
    return [
        "",
        f"Rows by table, {sum(rows.values()):,} in {len(rows)} tables of size {settings.size_name}:",
        *(f"  {line}" for line in lines),
        "",
        f"The dataset: {settings.outputs / 'dataset'}",
        f"The report:  {settings.outputs / 'report' / 'index.html'}",
        "",
        "Try next:",
        f"  {command} show {_first(settings)} --picture row.svg",
        f'  {command} query "select domain, count(*) as texts from text_to_pddl group by 1"'
        if "text_to_pddl" in rows
        else f"  {command} columns",
    ]


def _first(settings: Settings) -> str:
    """Return the id of a row that there is: of a problem, if there is one."""
    by_table = splits(settings.outputs / "dataset")
    paths = by_table.get("problems") or next(iter(by_table.values()))
    return next(
        str(row["id"]) for path in next(iter(paths.values())) for row in read_rows(path, columns=["id"])
    )


def _command(root: Path) -> str:
    """Return how a user calls us from ``root``."""
    script = Path(sys.executable).parent / "orrery"
    try:
        return str(script.relative_to(root.resolve()))
    except ValueError:
        return "orrery"


def in_words(seconds: float) -> str:
    """Return a time as people say it."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 5400 else f"{whole / 3600:.1f} h"


def _say(text: str) -> None:
    """Print lines to stderr; on a terminal over the bar of a stage, which draws it again below."""
    over = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(f"{over}{text}", file=sys.stderr, flush=True)
