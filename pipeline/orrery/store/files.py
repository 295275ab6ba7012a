"""Files and folders that are written aside and renamed, so that a reader never sees an unfinished one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

import psutil

from orrery.model import OrreryError

TEMPORARY = ".unfinished-"


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """Yield a temporary path next to ``path`` (file or folder), which replaces it when the block succeeds.

    If the block raises or the process is killed, the old file or folder remains at ``path``. The next call
    removes the temporary file of a dead process. Inside a folder that this function yielded, ``path`` itself
    is yielded, because the whole folder is written to the disk together. If a file is not ``lasting``,
    because its readers notice a truncated file, it is not flushed to the disk.

    Raises:
        OrreryError: a file would replace a folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    ours = f"-{os.getpid()}"
    if any(folder.name.startswith(TEMPORARY) and folder.name.endswith(ours) for folder in path.parents):
        yield path
        return
    temporary = path.with_name(f"{TEMPORARY}{path.name}{ours}")
    for unfinished in path.parent.glob(f"{TEMPORARY}*{escape(path.name)}-*"):
        if not is_at_work(unfinished):
            remove(unfinished)
    remove(temporary)
    try:
        yield temporary
        if lasting:
            _flush(temporary)
        _put(temporary, path)
        if lasting:
            _sync(path.parent)
    except OSError as error:
        if error.filename is None:  # for example a full disk, if a writer does not name its file
            error.filename = str(path)
        raise
    finally:
        remove(temporary)


def write_text(path: Path, text: str) -> None:
    """Write a text file as a whole: if the process is killed, the old file remains."""
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def remove_folder(folder: Path) -> None:
    """Remove a folder, if it exists. If the process is killed, no part of it remains under this name."""
    going = folder.with_name(f"{TEMPORARY}gone-{folder.name}-{os.getpid()}")
    remove(going)
    try:
        folder.rename(going)
    except FileNotFoundError:
        return
    remove(going)


def is_at_work(path: Path) -> bool:
    """Return whether a path is the unfinished file or folder of another running process."""
    process = path.name.rpartition("-")[2]
    is_running = process.isdigit() and int(process) != os.getpid() and psutil.pid_exists(int(process))
    return path.name.startswith(TEMPORARY) and is_running


def _put(temporary: Path, path: Path) -> None:
    """Rename a path.

    A folder in its place is moved away first, because renaming does not replace a full folder.

    A file never replaces a folder, because a user may have given a wrong path.
    """
    if not path.is_dir():
        temporary.replace(path)
        return
    if not temporary.is_dir():
        raise OrreryError(str(path), "is a folder", "name a file, or remove the folder")
    replaced = path.with_name(f"{TEMPORARY}old-{path.name}-{os.getpid()}")
    path.rename(replaced)
    temporary.rename(path)
    remove(replaced)


def remove(path: Path) -> None:
    """Remove a file, or a folder with its content, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """Flush a file, or all files of a folder, to the disk."""
    for file in [path] if path.is_file() else sorted(path.rglob("*")):
        if file.is_file():
            _sync(file)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
