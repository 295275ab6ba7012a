import json
import os
import subprocess
import sys
import textwrap

import pytest

from orrery.dataset import contents, hub
from orrery.dataset.hub import HubError, publish_hub
from orrery.model import OrreryError, UsageError
from tests.dataset.conftest import make, passed, published
from tests.dataset.mock_hub import TOKEN, mock_hub

NAME = "someone/orrery"


@pytest.fixture
def server(monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    with mock_hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield running


def hashes(files):
    import hashlib

    return {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}


def test_everything_arrives_in_one_commit(dataset, report, server):
    address = publish_hub(dataset, report, NAME, private=True)
    assert address == f"{server.url}/datasets/{NAME}"
    repo = server.repos[NAME]
    assert repo.private
    assert len(repo.commits) == 1
    assert contents.content_hash(dataset)[:12] in repo.commits[0]
    assert hashes(repo.branches["main"]) == published(dataset)


def test_newer_version_replaces_the_older_without_leaving_shards(dataset, report, server, tmp_path):
    publish_hub(dataset, report, NAME)
    newer = make(tmp_path / "newer" / "dataset", train=1, test=2)
    passed(newer, tmp_path / "newer" / "report")
    publish_hub(newer, tmp_path / "newer" / "report", NAME)
    assert hashes(server.repos[NAME].branches["main"]) == published(newer)
    assert len(server.repos[NAME].commits) == 2


def test_revision_is_a_branch_of_its_own(dataset, report, server):
    address = publish_hub(dataset, report, NAME, revision="v0.1.0")
    assert address.endswith("/tree/v0.1.0")
    publish_hub(dataset, report, NAME, revision="v0.1.0")
    branches = server.repos[NAME].branches
    assert branches["main"] == {}
    assert hashes(branches["v0.1.0"]) == published(dataset)


def test_load_dataset_reads_back_what_was_published(dataset, report, server, tmp_path):
    publish_hub(dataset, report, NAME)
    script = """
        import json, sys
        from datasets import load_dataset
        loaded = load_dataset(sys.argv[1], "acp_prog_gen")
        print(json.dumps({split: rows.to_list() for split, rows in loaded.items()}))
    """
    environment = os.environ | {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), NAME], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    loaded = json.loads(run.stdout)
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 8, "validation": 4, "test": 6}
    assert loaded["test"][0]["answer"] == {"pos": ["(a b)"], "neg": ["(a b)"]}


def test_no_token_is_a_usage_error(dataset, report, server, monkeypatch):
    monkeypatch.setattr(hub, "get_token", lambda: None)
    with pytest.raises(UsageError, match=r"no token .*HF_TOKEN"):
        publish_hub(dataset, report, NAME)
    assert server.asked == []


def test_malformed_name_is_a_usage_error(dataset, report, server):
    with pytest.raises(UsageError, match="OWNER/NAME"):
        publish_hub(dataset, report, "a/b/c")


@pytest.mark.parametrize(
    ("name", "token", "broken", "message"),
    [
        (NAME, "hf_wrong", None, "the token does not allow it"),
        ("forbidden/orrery", TOKEN, None, "the token does not allow it"),
        (NAME, TOKEN, 404, "not found"),
        (NAME, TOKEN, 422, "refused with status 422"),
    ],
)
def test_refusals_are_distinguished(dataset, report, server, name, token, broken, message):
    server.broken = broken
    with pytest.raises(HubError, match=message) as error:
        publish_hub(dataset, report, name, token=token)
    assert error.value.code == 4
    assert error.value.where == f"Hub dataset '{name}' at {server.url}"
    assert token not in str(error.value)


def test_no_connection_is_reported(dataset, report, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match="no connection"):
        publish_hub(dataset, report, NAME, token=TOKEN)


def test_nothing_is_sent_that_did_not_pass(dataset, report, server):
    passed(dataset, report, verdict=False)
    with pytest.raises(OrreryError, match="did not pass"):
        publish_hub(dataset, report, NAME)
    assert server.asked == []


@pytest.mark.parametrize("secret", ["http://user:pa55word@127.0.0.1:1", "http://127.0.0.1:1/?key=pa55word"])
def test_a_secret_in_the_address_is_refused_and_not_said(dataset, report, monkeypatch, secret):
    monkeypatch.setenv("HF_ENDPOINT", secret)
    with pytest.raises(UsageError, match="holds a secret") as caught:
        publish_hub(dataset, report, "owner/name", token="t")
    assert "pa55word" not in str(caught.value)
