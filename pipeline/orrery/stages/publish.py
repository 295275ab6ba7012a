"""Stage ``publish``: the validated dataset to a folder, to a store such as S3, or to a Hub."""

from __future__ import annotations

from pathlib import Path

from orrery.config import Settings
from orrery.dataset.folder import publish_folder
from orrery.dataset.hub import publish_hub
from orrery.dataset.stores import is_address, publish_store
from orrery.stages.summary import StageSummary

STAGE = "publish"


def run(settings: Settings, to: str | None, hub: str | None, private: bool) -> StageSummary:
    """Publish ``outputs/dataset`` to the folder or address ``to``, or to the Hub dataset ``hub``."""
    dataset, report = settings.outputs / "dataset", settings.outputs / "report"
    if to is not None and is_address(to):
        return StageSummary(STAGE, "", {"files sent": publish_store(dataset, report, to)})
    if to is not None:
        return StageSummary(STAGE, "", {f"files in {to}": publish_folder(dataset, report, Path(to))})
    assert hub is not None
    return StageSummary(STAGE, "", {f"files at {publish_hub(dataset, report, hub, private=private)}": 1})
