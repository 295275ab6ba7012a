"""Secrets of the environment are in nothing that is shown."""

import pytest

from orrery.evaluation.secrets import plain_url, without_secrets

ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-abcdef",
    "OPENAI_API_KEY_OLD": "sk-abcdefgh",
    "HF_TOKEN": "  hf_1234 ",
    "EMPTY_KEY": "",
    "SHORT_KEY": "abc",
    "HOME": "/root",
}


def test_values_of_variables_named_like_secrets_are_hidden():
    text = "key sk-abcdefgh, or sk-abcdef? hf_1234 of /root, abc"
    assert without_secrets(text, ENVIRONMENT) == "key ***, or ***? *** of /root, abc"


def test_the_environment_is_that_of_the_process(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "very-secret")
    assert without_secrets("it is very-secret") == "it is ***"


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        (None, None),
        ("http://127.0.0.1:8765/v1", "http://127.0.0.1:8765/v1"),
        ("https://user:password@host.example:8080/v1?api-key=secret#part", "https://host.example:8080/v1"),
        ("https://key@host/v1", "https://host/v1"),
    ],
)
def test_urls_lose_what_may_be_secret(url, plain):
    assert plain_url(url) == plain
