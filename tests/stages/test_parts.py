"""Large builds of problems and texts: in parts, with the same bytes, and on from where they were stopped."""

import os
import signal
import subprocess
import sys

import pytest

from orrery.config import load
from orrery.stages import generate, render
from orrery.store.parts import Parts
from tests.checkout import checkout, contents

NAME = "blocksworld"
PROBLEMS = ("problems: {easy: 6}", "problems: {easy: 60, medium: 30}")

KILLED = """
import os, signal, sys
from pathlib import Path
from orrery.config import load
from orrery.stages import generate, render
from orrery.store.parts import Parts

stage, left = {"generate": generate, "render": render}[sys.argv[1]], [int(sys.argv[2])]
stage.PARTS_FROM, generate.DRAWS_OF_PART, render.PROBLEMS_OF_PART, render.PROBLEMS = 1, 20, 12, 5
save = Parts.save

def save_and_be_killed(parts, name, tables):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    save(parts, name, tables)

Parts.save = save_and_be_killed
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
    """A build without parts."""
    root = made(tmp_path_factory.mktemp("plain"))
    for stage in (generate, render):
        stage.run(load(root), NAME)
    return root


@pytest.fixture
def in_parts(monkeypatch):
    """Small parts, from one problem on; counts those that are made."""
    for stage in (generate, render):
        monkeypatch.setattr(stage, "PARTS_FROM", 1)
    monkeypatch.setattr(generate, "DRAWS_OF_PART", 20)
    monkeypatch.setattr(render, "PROBLEMS_OF_PART", 12)
    monkeypatch.setattr(render, "PROBLEMS", 5)
    made, save = [], Parts.save
    monkeypatch.setattr(Parts, "save", lambda *arguments: (made.append(arguments[1]), save(*arguments))[1])
    return made


def test_parts_give_the_bytes_of_a_build_without(plain, in_parts, tmp_path):
    root = made(tmp_path)
    for stage in (generate, render):
        stage.run(load(root), NAME)
    assert contents(root / "outputs") == contents(plain / "outputs")
    assert len(in_parts) > 10
    assert not load(root).unfinished.exists()


def test_a_killed_build_goes_on_with_the_parts_that_are_finished(plain, in_parts, tmp_path):
    root = made(tmp_path)
    for stage, finished in ((generate, 4), (render, 3)):
        short = stage.STAGE
        command = [sys.executable, "-c", KILLED, short, str(finished), str(root)]
        found = subprocess.run(command, env={**os.environ, "ORRERY_HOME": str(root)}, check=False)
        assert found.returncode == -signal.SIGKILL
        kept = {path.stem for path in load(root).unfinished.rglob("*.part")}
        assert len(kept) == finished
        in_parts.clear()
        stage.run(load(root), NAME)
        assert in_parts
        assert not kept & set(in_parts)
    assert contents(root / "outputs") == contents(plain / "outputs")
    assert not load(root).unfinished.exists()
