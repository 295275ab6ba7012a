"""Publish to a folder: a complete, verified copy of the validated dataset, or nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from orrery.dataset.card import mark_checked
from orrery.dataset.contents import (
    CARD,
    IMPORTED_FROM,
    MANIFEST,
    Manifest,
    content_hash,
    file_hashes,
    folder_hash,
    read_manifest,
    verify,
)
from orrery.model import OrreryError, UsageError
from orrery.store import shards
from orrery.store.files import replacing


def publish_folder(dataset: Path, report: Path, to: Path) -> int:
    """Copy the validated ``dataset`` to the folder ``to`` and return the number of files.

    The copy is identical except for the card, which then states that the rows were checked.

    A dataset of ours at ``to`` is replaced after the copy is verified; any other content is refused.
    ``report`` is the folder with the verdict.
    """
    validated(dataset, report)
    source, target = dataset.resolve(), to.resolve()
    if source == target or source in target.parents or target in source.parents:
        raise UsageError(str(target), "overlaps the dataset itself", "publish to another folder")
    _refuse_strangers(target)
    hashes = file_hashes(source)
    try:
        with replacing(target) as temporary:
            _copy(source, temporary, hashes)
            mark_checked(temporary, verdict_of(report))
    except OSError as error:
        raise OrreryError(
            str(to), f"cannot be written: {error}", "the earlier content is unchanged"
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


def _refuse_strangers(target: Path) -> None:
    """Raise an OrreryError if the folder contains files that Orrery did not write; it may be empty."""
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() and not target.is_dir():
        raise UsageError(str(target), "is a file", "name a folder")
    if target.exists():
        try:
            read_manifest(target)
        except OrreryError as error:
            mend = "name a new or empty folder, or one published before"
            raise UsageError(str(target), f"contains other files: {error.problem}", mend) from error


VERDICT = "validation.json"


def validated(dataset: Path, report: Path) -> Manifest:
    """Return the manifest of ``dataset`` if the verdict in the folder ``report`` passed exactly this content.

    Raises:
        OrreryError: a file was changed, or the dataset was not validated, has changed since, or failed.
    """
    manifest = verify(dataset)
    if source := manifest.get(IMPORTED_FROM):
        mend = "publish a dataset of your own; imported sets are for local use only"
        raise OrreryError(str(dataset), f"is the published set '{source}', not for publication", mend)
    if not (dataset / CARD).is_file():
        raise OrreryError(str(dataset / CARD), "the dataset has no card", "run `dvc repro`")
    verdict = verdict_of(report)
    if verdict.get("dataset_hash") != content_hash(dataset):
        raise OrreryError(str(dataset), "has changed since validation", "run `dvc repro`")
    if verdict.get("folder_hash") != folder_hash(dataset):
        problem = f"{CARD} or {MANIFEST} has changed since the dataset was validated"
        raise OrreryError(str(dataset), problem, "run `dvc repro`")
    if verdict.get("passed") is not True:
        raise OrreryError(str(dataset), "did not pass validation", f"see {report / 'index.html'}")
    _refuse_unlicensed(dataset)
    return manifest


def _refuse_unlicensed(dataset: Path) -> None:
    """Raise an OrreryError if rows with a source have no licence, because we may not redistribute them."""
    for path in sorted((dataset / shards.DATA).rglob("*.parquet")):
        with shards.opened(path) as file:
            columns = [name for name in ("id", "license") if name in file.schema_arrow.names]
        for row in shards.read_rows(path, columns=columns) if "license" in columns else ():
            if not row["license"].strip():
                mend = "remove it; imported sets and folders without a licence are for local use only"
                raise OrreryError(str(path), f"row '{row['id']}' has no licence", mend)


def verdict_of(report: Path) -> dict[str, object]:
    """Return the verdict in the folder ``report``; raise an OrreryError if there is none."""
    path = report / VERDICT
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OrreryError(str(path), "the dataset has not been validated", "run `dvc repro`") from None
    except ValueError as error:
        raise OrreryError(str(path), f"is not JSON: {error}", "run `dvc repro`") from error
    if not isinstance(verdict, dict):
        raise OrreryError(str(path), "has no verdict", "run `dvc repro`")
    return verdict
