"""Publishing to a folder: a whole, verified copy, or none."""

from __future__ import annotations

import shutil
from pathlib import Path

from orrery.dataset.card import mark_checked
from orrery.dataset.contents import file_hashes, read_manifest
from orrery.dataset.gate import validated, verdict_of
from orrery.model import OrreryError, UsageError
from orrery.store.shards import replacing


def publish_folder(dataset: Path, report: Path, to: Path) -> int:
    """Copy the validated ``dataset`` to the folder ``to`` and return the number of files.

    The copy is equal but for the card, which says there that the rows were checked.

    A dataset of ours at ``to`` is replaced once the copy is verified; anything else there is refused.
    ``report`` is the folder with the verdict.
    """
    validated(dataset, report)
    source, target = dataset.resolve(), to.resolve()
    _refuse_overlap(source, target)
    _refuse_strangers(target)
    hashes = file_hashes(source)
    try:
        with replacing(target) as temporary:
            _copy(source, temporary, hashes)
            mark_checked(temporary, verdict_of(report))
    except OSError as error:
        raise OrreryError(
            str(to), f"cannot be written: {error}", "what was there before is unchanged"
        ) from error
    return len(hashes)


def _copy(source: Path, target: Path, hashes: dict[str, str]) -> None:
    for name in hashes:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, path)
    if file_hashes(target) != hashes:
        raise OrreryError(
            str(target), "the copy differs from the dataset", "check the disk and publish again"
        )


def _refuse_overlap(source: Path, target: Path) -> None:
    if source == target or source in target.parents or target in source.parents:
        raise UsageError(str(target), "overlaps the dataset itself", "publish to another folder")


def _refuse_strangers(target: Path) -> None:
    """Raise OrreryError if the folder holds anything that we did not make; it may be empty."""
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() and not target.is_dir():
        raise UsageError(str(target), "is a file", "name a folder")
    if target.exists():
        try:
            read_manifest(target)
        except OrreryError as error:
            mend = "name a new or empty folder, or one published before"
            raise UsageError(str(target), f"holds something else: {error.problem}", mend) from error
