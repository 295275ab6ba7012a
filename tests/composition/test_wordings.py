"""Wordings: every one of ours becomes plain text in every theme that names its mechanic."""

import re

import pytest

from orrery.composition.mechanic import phrases, read_mechanics
from orrery.composition.theme import read_theme
from orrery.composition.wordings import undefined_names, worded
from orrery.model import OrreryError
from tests.composition.compositions import MECHANICS, THEMES, by_day
from tests.every_domain import ROOT


def words_of(theme, mechanic):
    names = theme.names(theme.content.mechanics)
    return {**names, "action": "open the door", "doing": "opening the door"}


@pytest.mark.parametrize("name", by_day(MECHANICS, 2))
def test_every_wording_becomes_plain_text_in_every_theme(name):
    mechanics = read_mechanics(ROOT)
    themes = [read_theme(ROOT, theme, frozenset(mechanics)) for theme in THEMES]
    fitting = [theme for theme in themes if name in theme.content.mechanics]
    assert fitting
    for phrase in phrases(mechanics[name]):
        for theme in fitting:
            words = words_of(theme, name)
            arguments = {one: f"the {one}" for one in phrase.names - words.keys()}
            text = worded(phrase.text, {**words, **arguments})
            assert text
            assert not re.search(r"[{}]|\s\s|^\s|\s$|\s[,.;:!?]", text), (theme.name, text)
            assert "undefined" not in text.lower()
            assert all(
                argument in text for one, argument in arguments.items() if one in undefined_names(phrase.text)
            )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("take {{ x }}", "take the oven"),
        ("take {{ noun | article }}", "take an oven"),
        ("{{ noun | article | capital }} burns", "An oven burns"),
        ("two {{ noun | plural_form }}", "two ovens"),
    ],
)
def test_filters(text, result):
    assert worded(text, {"x": "the oven", "noun": "oven"}) == result


def test_the_names_that_a_wording_uses():
    assert undefined_names("{{ a }} and {{ b | article }}, {% if c %}{{ a }}{% endif %}") == {"a", "b", "c"}
    assert undefined_names("nothing") == set()


@pytest.mark.parametrize("text", ["{{ a", "{{ a | nonsense }}", "{% if %}"])
def test_what_is_no_wording_is_an_error_that_shows_it(text):
    with pytest.raises(OrreryError) as raised:
        undefined_names(text)
    assert text in raised.value.where
    assert raised.value.mend


def test_wordings_reach_no_attribute_of_python():
    with pytest.raises(Exception, match=r"unsafe|undefined"):
        worded("{{ a.__class__.__mro__ }}", {"a": "x"})
