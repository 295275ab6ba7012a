"""The wiring of the build: what `make`, DVC and git must agree on."""

from __future__ import annotations

import subprocess

import pytest
import yaml

MOST_STAGES = 60  # DVC takes 0.3 s and more for each, growing with their number.


@pytest.fixture(scope="module")
def wiring(root):
    """The content of dvc.yaml."""
    return yaml.safe_load((root / "dvc.yaml").read_text())


def test_the_size_that_make_chooses_reaches_the_build(wiring):
    """Were a stage not told of the size, every size would silently give it the same rows."""
    for name in ("generate", "solve", "tell", "validate"):
        assert {"size", "sizes.${size}"} <= set(wiring["stages"][name]["params"]), name


def test_there_are_few_stages(root, wiring):
    domains = len(yaml.safe_load((root / "params.yaml").read_text())["domains"])
    count = sum(domains if "matrix" in stage else 1 for stage in wiring["stages"].values())
    assert count <= MOST_STAGES


@pytest.mark.parametrize("made", ["outputs/dataset/README.md", "dvc.lock", ".venv/ready"])
def test_what_is_made_is_not_in_git(root, made):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    assert subprocess.run(["git", "check-ignore", "-q", made], cwd=root).returncode == 0
