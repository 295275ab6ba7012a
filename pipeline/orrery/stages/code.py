"""Stage ``code``: the modules that each command runs, with their digests, to ``outputs/code``.

The other stages of dvc.yaml depend on these files, one each. So a stage runs again when a module changes
that it runs, and dvc.yaml need not name hundreds of modules, which DVC would write to its lock again after
every stage.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery.config import Settings
from orrery.dataset.contents import file_hash
from orrery.modules_run import PACKAGE, run_by
from orrery.stages.summary import StageSummary
from orrery.store.shards import replacing

STAGE = "code"


def run(settings: Settings, commands: Sequence[str]) -> StageSummary:
    """Write a file for each command: a line for each module that it runs, the SHA-256 and the path.

    Raises:
        UsageError: there is no such command.
    """
    texts = {name: _listed(name, settings) for name in commands}
    for name, text in texts.items():
        with replacing(settings.outputs / STAGE / f"{name}.txt") as path:
            path.write_text(text, encoding="utf-8")
    return StageSummary(STAGE, "", {"commands": len(texts)})


def _listed(name: str, settings: Settings) -> str:
    files = run_by(name, settings.root / "generators").values()
    return "".join(f"{file_hash(file)}  {file.relative_to(PACKAGE.parent).as_posix()}\n" for file in files)
