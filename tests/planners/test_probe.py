import importlib.metadata
import sys

import pytest

from orrery.planners import fast_downward, probe


def test_everything_works_here():
    findings = probe.probe()
    assert [name for name, _, _ in findings] == ["fast-downward", "unified-planning", "numba"]
    assert [version for _, version, _ in findings] == [
        importlib.metadata.version(package) for package in ("up-fast-downward", "unified-planning", "numba")
    ]


def test_a_planner_that_fails_is_missing(monkeypatch):
    monkeypatch.setattr(fast_downward, "binary", lambda: sys.executable)
    name, version, detail = probe._found("fast-downward", "numba", probe._try_fast_downward)
    assert (name, version) == ("fast-downward", None)
    assert "fails on a task of one step" in detail


@pytest.mark.parametrize("package", ["no-such-package-at-all"])
def test_a_package_that_is_not_installed(package):
    name, version, detail = probe._found("x", package, lambda: "fine")
    assert (name, version) == ("x", None)
    assert package in detail
