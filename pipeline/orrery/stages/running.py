"""The conditions of a running stage: exclusive use, a temporary folder, and unchanged inputs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from filelock import FileLock, Timeout

from orrery.config import Settings
from orrery.model import OrreryError, did_you_mean
from orrery.stages.inputs import StageInputs
from orrery.store.files import TEMPORARY, remove

LOCK = ".lock"
TEMPORARY_FILES = ".tmp"
SECONDS = ".dvc/tmp/orrery_seconds.json"


@contextmanager
def running(settings: Settings, command: str) -> Iterator[None]:
    """Lock the outputs during the block, and remove the remains of a killed command.

    Raises:
        OrreryError: params.yaml names an unknown domain; another command uses the outputs; or an input has
            changed during the block, so that DVC must not store the outputs as those of the current inputs.
    """
    check_domains(settings)
    settings.outputs.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(settings.outputs / LOCK).acquire(timeout=0)
    except Timeout as error:
        problem = f"another command is running on {settings.outputs}"
        raise OrreryError(f"orrery {command}", problem, "wait for it to finish, or stop it") from error
    with lock:
        for unfinished in settings.outputs.rglob(f"{TEMPORARY}*"):
            remove(unfinished)
        before = StageInputs.of(settings, command).stamps()
        pa.array([0])  # The first array imports pandas: here once, not in every worker forked later.
        start = time.monotonic()
        with _temporary_files(settings.outputs / TEMPORARY_FILES):
            yield
        _keep_seconds(settings, command, time.monotonic() - start)
        after = StageInputs.of(settings, command).stamps()
        changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
        if changed:
            raise OrreryError(
                str(changed[0]), f"changed while `orrery {command}` was running", "run it again"
            )


def check_domains(settings: Settings) -> None:
    """Refuse a domain of params.yaml without a folder.

    Raises:
        OrreryError: there is one.
    """
    folder = settings.root / "domains"
    names = sorted(path.name for path in folder.glob("*/"))
    for name in settings.domains:
        if name not in names:
            mend = did_you_mean(name, names) or "correct the name, or remove it"
            raise OrreryError(
                f"{settings.root / 'params.yaml'}: domains", f"'{name}' has no folder {folder / name}", mend
            )


def stage_seconds(settings: Settings) -> dict[str, float]:
    """Return how long the last runs of stages took in this checkout, at this size, in seconds."""
    return _seconds_by_size(settings.root).get(settings.size_name, {})


def _seconds_by_size(root: Path) -> dict[str, dict[str, float]]:
    """Return the times of stages by size; empty if the file is missing or cut off."""
    try:
        seconds: dict[str, dict[str, float]] = json.loads((root / SECONDS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return seconds


def _keep_seconds(settings: Settings, command: str, seconds: float) -> None:
    """Keep the time of a run, in a file that is no output, where DVC has its folder."""
    path = settings.root / SECONDS
    if path.parent.is_dir():
        by_size = _seconds_by_size(settings.root)
        by_size.setdefault(settings.size_name, {})[command.replace("_", "-")] = round(seconds, 1)
        path.write_text(json.dumps(by_size, indent=1) + "\n", encoding="utf-8")


@contextmanager
def _temporary_files(folder: Path) -> Iterator[None]:
    """Redirect temporary files of this process and its child processes to an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder.resolve())
    try:
        yield
    finally:
        tempfile.tempdir, variable = before
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable
        shutil.rmtree(folder, ignore_errors=True)
