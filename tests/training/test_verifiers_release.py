"""Which interface of ``verifiers`` is there, and what is offered to it."""

from importlib.metadata import PackageNotFoundError

import pytest

import orrery
from orrery.training import verifiers_release


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
    monkeypatch.setattr(verifiers_release, "version", lambda name: release)
    assert verifiers_release.has_tasksets() is offered
    assert ({"OrreryTaskset", "OrreryHarness"} <= set(orrery.__all__)) is offered
    assert {"Reward", "load_environment", "tasks"} <= set(orrery.__all__) == set(dir(orrery))


def test_without_the_package_nothing_is_offered_to_it(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(verifiers_release, "version", missing)
    assert not verifiers_release.has_tasksets()
    assert all(hasattr(orrery, name) for name in orrery.__all__)
