"""Abstract texts in which every wording occurs, and what problems share of them."""

import pytest

from orrery.checks.all_wordings import Passage, abstract_texts, masked
from orrery.language.words import Words
from tests.every_domain import entry

TEMPLATE = """\
{% macro init_loose(p, names, variant) %}
{{ ["The " ~ p.nuts ~ " nuts are loose.", "All of the " ~ p.nuts ~ " nuts are loose."] | choose(variant) }}
{% endmacro %}
{% macro goal_tight(p, names, variant) %}
{{ ["Tighten " ~ p.tight ~ ".", p.tight ~ " shall be tight.", "Tighten some nuts."] | choose(variant) }}
{% endmacro %}
"""


@pytest.fixture
def words(tmp_path):
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "nuts.j2").write_text(TEMPLATE)
    return Words("nuts", tmp_path)


def texts(words, nuts, tight):
    passages = [Passage("init", "loose", {"nuts": nuts}), Passage("goal", "tight", {"tight": tight})]
    return list(abstract_texts(words, passages, {}))


def test_each_wording_of_each_choice_occurs(words):
    assert texts(words, 4, 3) == [
        "The 4 nuts are loose.\nTighten 3.",
        "All of the 4 nuts are loose.\n3 shall be tight.",
        "The 4 nuts are loose.\nTighten some nuts.",
    ]


def test_problems_meet_in_the_wording_that_does_not_tell_them_apart(words):
    assert {*texts(words, 4, 3)} & {*texts(words, 4, 2)} == {"The 4 nuts are loose.\nTighten some nuts."}
    assert {*texts(words, 4, 3)}.isdisjoint(texts(words, 5, 3))


def test_held_out_wordings_occur():
    ferry = entry("ferry")
    told = {"cars": 4, "locations": 2, "group": 1, "ferry": "l1"}
    names = {"car": [f"c{n}" for n in range(4)], "location": ["l1", "l2"]}
    passages = [Passage("init", "evenly_spread", told)]
    listed = ferry.words.every("init_evenly_spread", told, names)
    found = list(abstract_texts(ferry.words, passages, names))
    assert len(set(found)) > 4
    assert all(listed.match(text) is not None for text in found)


def test_names_are_masked_by_kind_and_order():
    names = {"car": ["c1", "c2"], "location": ["l1"]}
    assert masked(names, "C2 is at l1, c1 beside c2.")[1] == (
        "< car 0> is at < location 1>, < car 2> beside < car 0>."
    )
    assert masked(names, "c1 waits") == masked({"car": ["x", "y"], "location": ["z"]}, "y waits")
