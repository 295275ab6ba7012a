"""Replies in the three steps that prompts ask for: the actions in PDDL count, not the words around them."""

import re

import pytest

from orrery.language.words import environment
from tests.evaluation.samples import ROOT, modelled

DOMAINS = ("ferry", "blocksworld", "alfworld")
PART = environment(ROOT / "templates").get_template("prompts/parts/modelling.j2").module
FORM = str(PART.form())
LITERAL = re.compile(r"\((?!and\b|not\b|:)[\w-]+(?: \?[\w-]+)*\)")


def actions_of(name):
    return re.split(r"\n\s*(?=\(:action)", modelled("action_modeling", name).gold)


def reasoned(action, wrap="{}"):
    """An action in the form of the prompt; its facts are also named in the words."""
    words = f"it's needed that {' and (surely) '.join(LITERAL.findall(action)) or 'nothing holds'}"
    *lines, last = FORM.split("\n")
    assert last == "(:action ...)"
    return "\n".join([*(line.replace("...", words) for line in lines), wrap.format(action)])


def verdict(name, actions, wrap="{}", around="{}"):
    reply = "\n\n".join(reasoned(action, wrap) for action in actions)
    return modelled("action_modeling", name).score(around.format(reply)).verdict


LAYOUTS = {
    "as asked": ("{}", "{}"),
    "a fence an action": ("```pddl\n{}\n```", "{}"),
    "a heading and a rule": ("```\n{}\n```\n---", "## The actions\n\n{}"),
    "one fence": ("{}", "```\n{}\n```"),
    "after a thought": ("{}", "<think>(:action board :effect (on ?c))</think>\n{}"),
    "with a last word": ("{}", "{}\n\nAll actions are written (I hope)."),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DOMAINS)
def test_a_right_reply_is_read_in_every_layout(name, layout):
    assert verdict(name, actions_of(name), *LAYOUTS[layout]) == "right"


@pytest.mark.parametrize("name", DOMAINS)
def test_bold_labels_and_the_actions_once_more_change_nothing(name):
    reply = "\n\n".join(map(reasoned, actions_of(name)))
    bold = re.sub(r"^([A-Z]\w*:)", r"**\1**", reply, flags=re.M)
    item = modelled("action_modeling", name)
    assert item.score(bold).verdict == "right"
    assert item.score(f"{reply}\n\nAll actions:\n```pddl\n{item.gold}\n```").verdict == "right"


@pytest.mark.by_day(3)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DOMAINS)
def test_what_only_the_words_name_does_not_count(name, layout):
    first, *others = actions_of(name)
    for literal in LITERAL.findall(first):
        assert verdict(name, [first.replace(literal, "(and)", 1), *others], *LAYOUTS[layout]) == "wrong"
    assert verdict(name, others, *LAYOUTS[layout]) == "wrong"
    assert verdict(name, [first.replace("(:action ", "(:action very-"), *others], *LAYOUTS[layout]) == "wrong"


def test_a_reply_without_an_action_is_unparsed():
    assert verdict("ferry", ["(as above)"]) == "unparsed"


@pytest.mark.parametrize("name", DOMAINS)
def test_an_action_that_is_cut_off_before_the_next_words_is_not_right(name):
    first, *others = actions_of(name)
    for end in range(len(first) - 1, first.index(":effect"), -20):
        assert verdict(name, [first[:end], *others]) != "right"
