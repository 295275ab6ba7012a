"""The extractor writes the literals that a procedure states, and no others."""

from __future__ import annotations

import pytest

from orrery.composition.mechanic import literal_keys
from orrery.demo_model import ScriptedReplies
from orrery.demo_model.extraction import extracted
from orrery.library.items import Item
from orrery.model import OrreryError
from orrery.pddl.read import read_domain
from tests.composition.compositions import COMPOSITIONS, kept
from tests.every_domain import ROOT

STYLE = "all"


def items_of(index, style=STYLE):
    """The rows of a composed domain as items, with ids as in a dataset."""
    here = kept(index)
    for row in here.levels:
        row_id = row["id"].replace("/", f"/{here.composition.split}/", 1)
        yield Item("action_modeling", {**row, "id": row_id}, style, ROOT)


def replied_literals(item):
    """The keys of the literals in the reply to a prompt."""
    reply = ScriptedReplies(extracted([item])).reply(item.prompt)
    domain = read_domain(f"{item.row['header'].rstrip().removesuffix(')')}\n{reply})")
    assert set(domain.action_named) == set(item.row["action_names"])
    return {key for action in domain.actions for key in literal_keys(action)}


@pytest.mark.slow
@pytest.mark.parametrize("index", COMPOSITIONS)
def test_the_reply_has_the_stated_literals_of_each_level(index):
    for item in items_of(index):
        stated = {one["literal"] for one in item.row["told"] if one["how"] == "stated"}
        assert replied_literals(item) == stated, item.row["explicitness"]


def test_only_explicit_procedures_are_solved():
    scores = [item.score(ScriptedReplies(extracted([item])).reply(item.prompt)) for item in items_of(0)]
    assert [score.value for score in scores] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("style", ["none", "sum"])
def test_text_conditions_without_steps_state_nothing(style):
    assert all(replied_literals(item) == set() for item in items_of(0, style))


def test_a_procedure_in_other_words_is_refused():
    item = next(items_of(0))
    texts = {**item.row["texts"], "rel": item.row["texts"]["rel"] + " It rains."}
    changed = Item(item.table, {**item.row, "texts": texts}, STYLE, ROOT)
    with pytest.raises(OrreryError, match="its procedure cannot be read"):
        list(extracted([changed]))


def test_rows_on_other_domains_get_the_right_reply():
    item = next(items_of(0))
    other = Item(item.table, {**item.row, "source": "orrery"}, "none", ROOT)
    assert ScriptedReplies(extracted([other])).reply(other.prompt) == other.gold
