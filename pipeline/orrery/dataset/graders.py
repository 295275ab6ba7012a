"""The graders of questions, shipped beside the dataset."""

from __future__ import annotations

import shutil
from pathlib import Path

import orrery.grading


def copy_graders(dataset: Path) -> None:
    """Copy the package ``grading`` into the folder ``dataset``, where ``import grading`` finds it."""
    source = Path(orrery.grading.__file__).parent
    for path in sorted(source.rglob("*.py")):
        target = dataset / "grading" / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
