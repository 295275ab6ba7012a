"""Large builds of problems and texts: in parts, with the same bytes, and on from where they were stopped."""

import os
import signal
import subprocess
import sys

import pytest

from orrery.config import load
from orrery.parts import Part
from orrery.stages import generate, render
from tests.checkout import checkout, contents

NAME = "blocksworld"
PROBLEMS = ("problems: {easy: 6}", "problems: {easy: 60, medium: 30}")

KILLED = """
import os, signal, sys
from pathlib import Path
from orrery.config import load
from orrery.stages import generate, render
from orrery.parts import Part

stage, left = {"generate": generate, "render": render}[sys.argv[1]], [int(sys.argv[2])]
generate.DRAWS, render.PROBLEMS = 20, 12
save = Part.save

def save_and_be_killed(part, tables):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    save(part, tables)

Part.save = save_and_be_killed
stage.run(load(Path(sys.argv[3])), "blocksworld")
"""


def made(folder):
    """A checkout that asks for some problems."""
    root = checkout(folder, [NAME])
    params = root / "params.yaml"
    params.write_text(params.read_text().replace(*PROBLEMS))
    return root


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A build with one part, or few."""
    root = made(tmp_path_factory.mktemp("plain"))
    for stage in (generate, render):
        stage.run(load(root), NAME)
    return root


@pytest.fixture
def in_parts(monkeypatch):
    """Small parts; lists the parts that are made."""
    monkeypatch.setattr(generate, "DRAWS", 20)
    monkeypatch.setattr(render, "PROBLEMS", 12)
    saved, save = [], Part.save
    monkeypatch.setattr(
        Part, "save", lambda part, tables: (saved.append(part.folder.name), save(part, tables))[1]
    )
    return saved


def test_small_parts_give_the_same_bytes(plain, in_parts, tmp_path):
    root = made(tmp_path)
    for stage in (generate, render):
        stage.run(load(root), NAME)
    assert contents(root / "outputs") == contents(plain / "outputs")
    assert len(in_parts) > 10
    assert not load(root).unfinished.exists()


@pytest.mark.slow
def test_a_killed_build_goes_on_with_the_parts_that_are_finished(plain, in_parts, tmp_path):
    root = made(tmp_path)
    for stage, finished in ((generate, 4), (render, 3)):
        short = stage.STAGE
        command = [sys.executable, "-c", KILLED, short, str(finished), str(root)]
        found = subprocess.run(command, env={**os.environ, "ORRERY_HOME": str(root)}, check=False)
        assert found.returncode == -signal.SIGKILL
        kept = {path.name for path in (load(root).unfinished / short / NAME).iterdir()}
        assert len(kept) == finished
        in_parts.clear()
        stage.run(load(root), NAME)
        assert in_parts
        assert not kept & set(in_parts)
    assert contents(root / "outputs") == contents(plain / "outputs")
    assert not load(root).unfinished.exists()
