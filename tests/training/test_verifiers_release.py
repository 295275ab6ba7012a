"""Which interface of ``verifiers`` is there, and what is offered to it."""

from importlib import metadata

import pytest

import orrery


@pytest.mark.parametrize(
    ("release", "offered"),
    [
        ("0.1.14", False),
        ("0.3.1", False),
        ("0.4.0", True),
        ("0.10.0rc1", True),
        ("1.0", True),
        ("next", False),
    ],
)
def test_tasksets_came_with_a_release(release, offered, monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: release)
    assert ({"OrreryTaskset", "OrreryHarness"} <= set(orrery.__all__)) is offered
    assert {"Reward", "load_environment", "tasks"} <= set(orrery.__all__) == set(dir(orrery))


def test_without_the_package_nothing_is_offered_to_it(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "OrreryTaskset" not in orrery.__all__
    assert all(hasattr(orrery, name) for name in orrery.__all__)
