"""Stage ``publish``: the validated dataset to a folder, to a store such as S3, or to a Hub."""

from __future__ import annotations

from pathlib import Path

from orrery.config import Settings
from orrery.dataset.folder import publish_folder
from orrery.dataset.stores import is_address, publish_store
from orrery.stages.summary import StageSummary

STAGE = "publish"


def run(
    settings: Settings, to: str | None, hub: str | None, private: bool, dry_run: bool = False
) -> StageSummary:
    """Publish ``outputs/dataset`` to the folder or address ``to``, or to the Hub dataset ``hub``.

    ``dry_run`` only lists the files for a Hub.
    """
    dataset, report = settings.outputs / "dataset", settings.outputs / "report"
    if to is not None and is_address(to):
        return StageSummary(STAGE, "", {"files sent": publish_store(dataset, report, to)})
    if to is not None:
        return StageSummary(STAGE, "", {f"files in {to}": publish_folder(dataset, report, Path(to))})
    assert hub is not None
    from orrery.dataset.hub import publish_hub  # imports the Hub's library, which a folder does not need

    done = publish_hub(dataset, report, hub, private=private, dry_run=dry_run)
    would = "would be " if dry_run else ""
    counts = {
        f"files at {done.address}, {done.tag}": len(done.sent) + done.kept,
        f"of them {would}sent ({done.size / 1e6:.1f} MB)": len(done.sent),
        f"other files {would}removed": len(done.removed),
        **({} if dry_run else {"files read back and found the same": done.read_back}),
    }
    return StageSummary(STAGE, "", counts)
