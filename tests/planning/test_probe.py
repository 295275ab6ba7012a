import importlib.metadata
import sys

from orrery.planning import fast_downward, probe


def test_everything_works_here():
    findings = probe.probe()
    assert [name for name, _, _ in findings] == ["fast-downward", "unified-planning", "numba"]
    assert [version for _, version, _ in findings] == [
        importlib.metadata.version(package) for package in ("up-fast-downward", "unified-planning", "numba")
    ]


def test_a_planner_that_fails_is_missing(monkeypatch):
    monkeypatch.setattr(fast_downward, "binary", lambda: sys.executable)
    name, version, detail = probe._try_tool("fast-downward", "numba", probe._try_fast_downward)
    assert (name, version) == ("fast-downward", None)
    assert "fails on a task of one step" in detail


def test_a_package_that_is_not_installed_is_no_finding():
    """``doctor`` lists it with the extra that brings it."""
    assert probe._try_tool("x", "no-such-package-at-all", lambda: "fine") is None
