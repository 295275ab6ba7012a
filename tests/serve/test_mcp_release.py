"""Worlds are served over MCP if a recent release of its package is there."""

from importlib import metadata

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.serve.app import worlds_app
from orrery.serve.mcp_tools import has_mcp
from orrery.serve.sessions import Sessions

LACKING = "this installation: lacks the package mcp, release 2 or later (pip install 'orrery-planning[mcp]')"


@pytest.mark.parametrize(
    ("release", "enough"),
    [("1.28.1", False), ("2.3.0", True), ("2", True), ("10.0b1", True), ("next", False)],
)
def test_it_came_with_a_release(release, enough, monkeypatch):
    monkeypatch.setattr(metadata, "version", lambda name: release)
    assert has_mcp() is enough


@pytest.fixture(params=["older", "missing"])
def without(request, monkeypatch):
    def version(name):
        if request.param == "missing":
            raise metadata.PackageNotFoundError(name)
        return "1.28.1"

    monkeypatch.setattr(metadata, "version", version)


def test_without_it_the_other_addresses_are_served(without, maker):
    with TestClient(worlds_app(Sessions(), maker), "http://localhost") as client:
        assert client.post("/reset", json={"seed": 7}).status_code == 200
        answer = client.post("/mcp", json={})
        assert (answer.status_code, answer.json()["detail"]) == (501, LACKING)


def test_without_it_the_command_names_the_extra(without):
    run = CliRunner().invoke(app, ["serve", "mcp", "--domain", "ferry"])
    assert run.exit_code == 4
    assert run.stderr == f"error: {LACKING}\n"
