"""Stage ``publish``: the validated dataset to a folder or to a Hub."""

from __future__ import annotations

from pathlib import Path

from orrery.config import Settings
from orrery.dataset.folder import publish_folder
from orrery.dataset.hub import publish_hub
from orrery.stages.summary import StageSummary

STAGE = "publish"


def run(settings: Settings, to: Path | None, hub: str | None, private: bool) -> StageSummary:
    """Publish ``outputs/dataset`` to the folder ``to`` or to the Hub dataset ``hub``."""
    dataset, report = settings.outputs / "dataset", settings.outputs / "report"
    if to is not None:
        return StageSummary(STAGE, "", {f"files in {to}": publish_folder(dataset, report, to)})
    assert hub is not None
    return StageSummary(STAGE, "", {f"files at {publish_hub(dataset, report, hub, private=private)}": 1})
