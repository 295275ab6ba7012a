"""Secrets of the environment are in nothing that is shown."""

from orrery.evaluation.asker import without_secrets

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
