"""``orrery serve`` says where it serves, answers this machine alone, and ends at Ctrl-C."""

import json
import signal
import socket
from inspect import signature

import httpx
import pytest
import yaml
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from orrery.cli import serve
from orrery.cli.main import app
from orrery.serve import sessions
from tests.cli.serving import serving
from tests.every_domain import ROOT


@pytest.mark.slow
def test_it_serves_until_it_is_interrupted(tmp_path):
    given = ("serve", "worlds", "--port", "0", "--domain", "ferry", "--sessions", "2", "--root", str(ROOT))
    with serving(tmp_path, *given) as server:
        url = server.stdout.readline().strip()
        first = httpx.post(f"{url}/reset", json={"seed": 7}, timeout=60)
        refused = httpx.post(f"{url}/reset", headers={"host": "evil.example"})
        for _ in range(20):  # the client comes back before its last message is answered
            with connect(url.replace("http", "ws") + "/ws") as leaving:
                leaving.send('{"type": "reset", "data": {"seed": 7}}')
                assert json.loads(leaving.recv())["type"] == "observation"
                leaving.send('{"type": "close"}')
        with connect(url.replace("http", "ws") + "/ws") as open_connection:
            full = httpx.post(f"{url}/reset", json={"seed": 7})
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=20)
            with pytest.raises(ConnectionClosed):
                open_connection.recv()
    assert url.startswith("http://127.0.0.1:")
    assert first.json()["observation"]["seed"] == 7
    assert (refused.status_code, full.status_code) == (400, 503)
    assert server.returncode == 0
    assert errors == "serve: press Ctrl-C to stop\n"


def test_connections_send_without_delay():
    with serve.listening(serve.LOCALHOST, 0) as bound, socket.create_connection(bound.getsockname()):
        accepted, _ = bound.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def one_line(*given):
    run = CliRunner().invoke(app, ["serve", *given, "--root", str(ROOT)])
    assert run.exit_code == 2
    (line,) = run.stderr.splitlines()
    return line


def test_what_is_not_possible_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert one_line("worlds", "--port", port).startswith(f"error: port {port}: cannot be opened")
    assert "error: domain 'chess': has no worlds" in one_line("worlds", "--domain", "chess")
    assert "error: domain 'chess': has no worlds" in one_line("mcp", "--domain", "chess")


def test_the_limits_are_those_of_the_sessions():
    usual = {name: parameter.default for name, parameter in signature(serve.worlds).parameters.items()}
    assert (usual["most_sessions"], usual["idle_seconds"]) == (sessions.MOST_SESSIONS, sessions.IDLE_SECONDS)


def test_the_folder_for_nemo_gym(tmp_path):
    given = ["--domain", "ferry", "--split", "train", "--rows", "2", "--root", str(ROOT)]
    run = CliRunner().invoke(app, ["serve", "nemo-gym", "--out", str(tmp_path), *given])
    assert run.exit_code == 0, run.output
    home = tmp_path / "resources_servers" / "orrery_worlds"
    assert run.stdout.splitlines() == [
        str(home / name)
        for name in ("app.py", "requirements.txt", "configs/orrery_worlds.yaml", "data/example.jsonl")
    ]
    configuration = yaml.safe_load((home / "configs/orrery_worlds.yaml").read_text())
    assert "orrery_worlds" in configuration["orrery_worlds_resources_server"]["resources_servers"]
    first, second = map(json.loads, (home / "data/example.jsonl").read_text().splitlines())
    assert (first["domain"], first["seed"], first["split"], second["seed"]) == ("ferry", 0, "train", 1)
    assert [tool["name"] for tool in first["responses_create_params"]["tools"]][:3] == [
        "board",
        "debark",
        "sail",
    ]
    compile((home / "app.py").read_text(), "app.py", "exec")
