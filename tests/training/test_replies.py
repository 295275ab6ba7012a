"""The text of a reply, in every shape in which trainers hand it over."""

from types import SimpleNamespace

import pytest

from orrery.training.rewards import text_of

SAID = {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("yes", "yes"),
        ("", ""),
        (None, None),
        ([SAID], "yes"),
        (SAID, "yes"),
        ([{"role": "assistant", "content": "no"}, {"role": "user", "content": "again"}, SAID], "yes"),
        ([SAID, {"role": "user", "content": "thanks"}], "yes"),
        ([SAID, {"role": "tool", "content": "3"}], "yes"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "y"}, {"type": "image"}, "es"]}], "yes"),
        ([SimpleNamespace(role="assistant", content="yes")], "yes"),
        ([{"role": "user", "content": "yes"}], None),
        ([{"role": "assistant", "content": None}], None),
        ([{"role": "assistant"}], None),
        ([{"role": "assistant", "content": 3}], None),
        ([], None),
        ([None, 3], None),
        (3, None),
        (b"yes", None),
        ({}, None),
    ],
)
def test_the_last_thing_that_the_assistant_said(completion, text):
    assert text_of(completion) == text
