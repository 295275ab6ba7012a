"""Large builds of problems and texts: in parts, with the same bytes, and on from where they were stopped."""

import pytest

from orrery.config import load
from orrery.parts import Part
from orrery.stages import generate, render
from tests.checkout import checkout, contents, spoil

NAME = "blocksworld"
PROBLEMS = ("problems: {easy: 6}", "problems: {easy: 60, medium: 30}")


def made(folder):
    """A checkout that asks for some problems."""
    root = checkout(folder, [NAME])
    params = root / "params.yaml"
    spoil(params, *PROBLEMS)
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


@pytest.mark.slow
def test_small_parts_give_the_same_bytes(plain, in_parts, tmp_path):
    root = made(tmp_path)
    for stage in (generate, render):
        stage.run(load(root), NAME)
    assert contents(root / "outputs") == contents(plain / "outputs")
    assert len(in_parts) > 10
    assert not load(root).unfinished.exists()
