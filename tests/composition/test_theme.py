"""Themes: ours fit enough mechanics, and names of one theme never stand for two roles of a domain."""

import pytest

from orrery.composition.mechanic import read_mechanics
from orrery.composition.theme import identifier, read_theme, theme_faults, theme_names
from tests.composition.compositions import THEMES, every_theme
from tests.every_domain import ROOT


def theme(name):
    return read_theme(ROOT, name, frozenset(read_mechanics(ROOT)))


def test_there_are_enough():
    assert len(THEMES) >= 15
    assert theme_names(ROOT / "docs") == []


@every_theme
def test_each_fits_enough_mechanics_and_tells_a_story(name):
    mechanics = read_mechanics(ROOT)
    assert list(theme_faults(ROOT, name, mechanics)) == []
    content = theme(name).content
    assert len(set(content.mechanics) & set(mechanics)) >= 10
    assert min(map(len, (content.titles, content.openings))) >= 6
    assert len(content.remarks) >= 6


@every_theme
def test_every_role_has_a_name_and_no_type_or_predicate_two_roles(name):
    """Whatever mechanics are drawn together; actions of one name are never drawn together."""
    here, mechanics = theme(name), read_mechanics(ROOT)
    declared = {"types": {}, "predicates": {}}
    for mechanic in (mechanics[one] for one in here.content.mechanics):
        words = here.names([mechanic.name])
        assert mechanic.vocabulary <= set(here.names(here.content.mechanics))
        for kind, roles in declared.items():
            for one in getattr(mechanic.fragment, kind):
                new = identifier(words[one.name]) if one.name in words else one.name
                assert roles.setdefault(new, one.name) == one.name


@every_theme
def test_nouns_and_verbs_are_plain_words(name):
    content = theme(name).content
    words = [word for names in content.mechanics.values() for word in names.values()]
    assert all(identifier(word).replace("-", "").isalpha() for word in [*words, *content.roles.values()])
    assert all(word == " ".join(word.split()) for word in words)


@every_theme
def test_remarks_are_beside_the_point(name):
    """No remark names what a mechanic of the theme is about, so that none is mistaken for a rule."""
    content = theme(name).content
    nouns = {word for names in content.mechanics.values() for word in names.values() if " " in word}
    for remark in content.remarks:
        assert [noun for noun in nouns if noun in remark.lower()] == []


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Recipe  card", "recipe-card"),
        ("oven", "oven"),
        ("bread-knife", "bread-knife"),
        ("porter's lodge", "porters-lodge"),
    ],
)
def test_identifiers(words, name):
    assert identifier(words) == name
