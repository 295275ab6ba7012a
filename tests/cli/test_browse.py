"""``orrery browse`` says where it serves, answers this machine alone, and ends at Ctrl-C."""

import signal
import socket
import urllib.error
import urllib.request
from inspect import signature

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.cli.serve import browse
from orrery.dataset import selection
from orrery.dataset.card import write_card
from tests.cli.serving import serving
from tests.every_domain import CATALOG, ROOT
from tests.library import samples

COMMAND = ("browse", "--port", "0")


def dataset(folder):
    samples.dataset(folder, "acp_app_gen")
    about = {name: CATALOG.entry(name).description for name in CATALOG.names}
    write_card(folder, about, templates=ROOT / "templates", seed=1, size="s")
    return folder


@pytest.mark.slow
def test_it_serves_until_it_is_interrupted(tmp_path):
    given = ("--dataset", str(dataset(tmp_path)), "--root", str(ROOT))
    with serving(tmp_path, *COMMAND, *given) as server:
        url = server.stdout.readline().strip()
        page = urllib.request.urlopen(url, timeout=20).read().decode()
        try:
            urllib.request.urlopen(urllib.request.Request(url, headers={"Host": "evil.example"}), timeout=20)
            refused = None
        except urllib.error.HTTPError as error:
            refused = error.code
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
    assert url.startswith("http://127.0.0.1:")
    assert "acp_app_gen" in page
    assert refused == 400
    assert server.returncode == 0
    assert errors == "browse: press Ctrl-C to stop\n"


def test_a_port_that_is_taken_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        given = ["browse", "--port", port, "--dataset", str(dataset(tmp_path)), "--root", str(ROOT)]
        run = CliRunner().invoke(app, given)
    assert run.exit_code == 2
    assert f"error: port {port}: cannot be opened" in run.stderr


def test_what_is_no_dataset_is_one_line(tmp_path):
    run = CliRunner().invoke(app, ["browse", "--port", "0", "--root", str(tmp_path)])
    assert run.exit_code == 3
    assert "is not a dataset of Orrery" in run.stderr


def test_the_report_leads_to_the_usual_port():
    usual = signature(browse).parameters["port"].default
    assert selection.ADDRESS.endswith(f"//127.0.0.1:{usual}")
