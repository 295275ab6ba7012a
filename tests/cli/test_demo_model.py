"""``orrery demo-model`` says where it serves, answers, and ends at Ctrl-C."""

from __future__ import annotations

import signal

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from tests.cli.serving import serving
from tests.every_domain import ROOT
from tests.library.samples import dataset, fresh

COMMAND = ("demo-model", "--port", "0")


@pytest.mark.slow
def test_it_serves_until_it_is_interrupted(tmp_path):
    from openai import OpenAI  # seconds, which are not to be spent wherever tests are collected

    item = fresh("acp_app_gen")[0]
    given = ("--dataset", str(dataset(tmp_path, "acp_app_gen")), "--root", str(ROOT), "--key", "k")
    with serving(tmp_path, *COMMAND, *given) as server:
        url = server.stdout.readline().strip()
        client = OpenAI(base_url=url, api_key="k", max_retries=0, timeout=20)
        answer = client.chat.completions.create(model="demo", messages=item.prompt)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
    assert answer.choices[0].message.content == item.gold
    assert server.returncode == 0
    assert "1 requests (answered 1)" in errors


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--fault", "teapot=1"], "fault 'teapot=1': is not KIND=SHARE"),
        (["--tables", "acp_val_gen"], "has no rows to ask"),
        (["--fresh", "1", "--tables", "action_modeling"], "table 'action_modeling': has no rows to ask"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, given, said):
    folder = dataset(tmp_path, "acp_app_gen")
    run = CliRunner().invoke(
        app, ["demo-model", "--port", "0", "--dataset", str(folder), "--root", str(ROOT), *given]
    )
    assert run.exit_code == 2
    assert said in run.stderr
    assert run.stdout == ""
