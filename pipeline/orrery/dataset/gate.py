"""The conditions for publishing a dataset: its files are those assembled, and its rows were validated."""

from __future__ import annotations

import json
from pathlib import Path

from orrery.dataset.contents import CARD, MANIFEST, Manifest, content_hash, folder_hash, verify
from orrery.model import OrreryError
from orrery.store import shards

VERDICT = "validation.json"


def validated(dataset: Path, report: Path) -> Manifest:
    """Return the manifest of ``dataset`` if the verdict in the folder ``report`` passed exactly this content.

    Raises:
        OrreryError: a file was changed, or the dataset was not validated, has changed since, or failed.
    """
    manifest = verify(dataset)
    if not (dataset / CARD).is_file():
        raise OrreryError(str(dataset / CARD), "the dataset has no card", "run `dvc repro`")
    verdict = _verdict(report / VERDICT)
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
    """Raise OrreryError if rows that name a source state no licence: we may not redistribute them."""
    for by_split in shards.splits(dataset).values():
        for path in (path for paths in by_split.values() for path in paths):
            with shards.opened(path) as file:
                names = file.schema_arrow.names
            if "license" not in names:
                continue
            for row in shards.read_rows(path, columns=["id", "license"]):
                if not row["license"].strip():
                    mend = "leave it out; imported sets and folders without a licence are for use here only"
                    raise OrreryError(str(path), f"row '{row['id']}' has no licence", mend)


def verdict_of(report: Path) -> dict[str, object]:
    """Return the verdict in the folder ``report``; raise OrreryError where there is none."""
    return _verdict(report / VERDICT)


def _verdict(path: Path) -> dict[str, object]:
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise OrreryError(str(path), "the dataset has not been validated", "run `dvc repro`") from None
    except ValueError as error:
        raise OrreryError(str(path), f"is not JSON: {error}", "run `dvc repro`") from error
    if not isinstance(verdict, dict):
        raise OrreryError(str(path), "has no verdict", "run `dvc repro`")
    return verdict
