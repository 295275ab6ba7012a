"""Texts of composed domains: every literal is told once per text, where and how the column says."""

import re
from collections import Counter

import pytest

from orrery.composition.mechanic import literal_key, literal_keys
from orrery.composition.texts import LEVELS
from orrery.families.modelling.composed import composed_rows
from tests.composition.compositions import SEED, every_composition, kept
from tests.every_domain import ROOT

HOWS = {"stated", "implied", "common"}
STYLES = {
    "steps": r"^\*\*.*\*\*\n",
    "letter": r"^Subject: ",
    "manual": r"^# .*\n(.*\n)*## Step 1\n",
    "checklist": r"^\[ \] 1 - ",
    "interview": r"^Q1: .*\nA1: ",
    "handbook": r"^Chapter: ",
    "forum": r"^> ",
}


def steps_of(text):
    """The texts of the steps of ``rel``, in order."""
    numbered = [re.fullmatch(r"\((\d+)\) (.*)", line) for line in text.splitlines()]
    assert [int(one[1]) for one in numbered] == list(range(1, len(numbered) + 1))
    return [one[2] for one in numbered]


def lines_by_action(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


def share(rows, how):
    """The share of the literals of some rows that are told in one way."""
    hows = [one["how"] for row in rows for one in row["told"]]
    return hows.count(how) / len(hows)


@every_composition
def test_every_literal_of_the_domain_is_told_once(index):
    here = kept(index)
    literals = sorted(key for action in here.domain.actions for key in literal_keys(action))
    for row in (*here.levels, here.row):
        assert sorted(one["literal"] for one in row["told"]) == literals
        for one in row["told"]:
            assert one["how"] in HOWS
            assert (one["places"] == []) == (one["how"] == "common")
            assert one["places"] == sorted(set(one["places"]))


@every_composition
def test_places_are_steps_that_tell_of_the_action(index):
    for row in kept(index).levels:
        number = len(steps_of(row["texts"]["rel"]))
        assert 6 <= number <= 20
        steps = {
            action: set(map(int, re.findall(r"\((\d+)\) ", line)))
            for action, line in lines_by_action(row["texts"]["map"]).items()
        }
        assert set().union(*steps.values()) == set(range(1, number + 1))
        for one in row["told"]:
            assert set(one["places"]) <= steps[one["literal"].split()[0]]


@every_composition
def test_conditions_of_the_texts_have_the_same_steps(index):
    here = kept(index)
    names = [action.name for action in here.domain.actions]
    for row in here.levels:
        texts, steps = row["texts"], steps_of(row["texts"]["rel"])
        assert texts["none"] == ""
        position = 0
        for step in steps:
            position = texts["all"].index(step, position) + len(step)
        assert list(lines_by_action(texts["map"])) == list(lines_by_action(texts["sum"])) == names
        told = [re.split(r"\(\d+\) ", line)[1:] for line in lines_by_action(texts["map"]).values()]
        assert {step.strip() for line in told for step in line} == set(steps)


@every_composition
def test_texts_are_free_of_pddl_and_of_templates(index):
    here = kept(index)
    for row in here.levels:
        for text in row["texts"].values():
            assert not re.search(r"[{}]|\?[a-z]|\(not |  +\S", text), text
        for summary in lines_by_action(row["texts"]["sum"]).values():
            words = summary.lower().split()
            assert not {name for name in here.domain.action_named if name in words and "-" in name}
            assert len(words) <= 14
    assert not re.search(r"[{}]", here.row["description_concrete"])


@every_composition
def test_no_two_levels_are_alike_and_stated_literals_become_fewer(index):
    here = kept(index)
    assert [row["explicitness"] for row in here.levels] == list(LEVELS)
    assert len({row["texts"]["all"] for row in here.levels}) == 3
    stated = [share([row], "stated") for row in here.levels]
    assert stated[0] == 1
    assert stated[0] > stated[1] > stated[2]


@pytest.mark.slow
def test_levels_differ_in_how_literals_are_told():
    by_level = [[kept(index).levels[place] for index in range(8)] for place in range(3)]
    assert share(by_level[1], "implied") > 0.2
    assert share(by_level[2], "implied") > share(by_level[1], "implied")
    assert share(by_level[2], "common") >= share(by_level[1], "common") > 0
    assert share(by_level[2], "stated") < 0.35


@every_composition
def test_the_longest_plan_gives_the_order_of_the_steps(index):
    """Actions whose steps are all apart from others' come in the order of their first use."""
    here = kept(index)
    plan = max((row["plan"] for row in here.row["problems"]), key=len)
    order = list(dict.fromkeys(step.strip("()").split()[0] for step in plan))
    assert set(order) <= set(here.domain.action_named)
    for row in here.levels:
        lines = lines_by_action(row["texts"]["map"])
        effects = {
            action: max(
                (
                    place
                    for one in row["told"]
                    for place in one["places"]
                    if one["literal"].startswith(f"{action} eff")
                ),
                default=0,
            )
            for action in lines
        }
        places = [effects[action] for action in order if effects[action]]
        assert places == sorted(places)


def style_of(text):
    [style] = [
        name for name, sign in STYLES.items() if re.search(sign, text, re.MULTILINE) and _begins(name, text)
    ]
    return style


def _begins(name, text):
    """Whether a sign that may also stand later in a text is at its beginning."""
    return name in ("checklist", "interview") or re.match(STYLES[name], text) is not None


@pytest.mark.slow
def test_all_styles_occur():
    styles = Counter(style_of(row["texts"]["all"]) for index in range(20) for row in kept(index).levels)
    assert set(styles) == set(STYLES)
    assert max(styles.values()) < 30


@every_composition
def test_the_description_tells_the_rules_the_vocabulary_and_then_the_bodies(index):
    here = kept(index)
    abstract, concrete = here.row["description_abstract"], here.row["description_concrete"]
    for text in (abstract, concrete):
        sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert sections == ["General", "Types", "Predicates", "Actions"]
    assert "  Before: " not in abstract
    assert concrete.count("  Before: ") == concrete.count("  Afterwards: ") == len(here.domain.actions)
    for name in (*here.domain.predicate_named, *here.domain.action_named):
        assert re.search(rf"^- \({re.escape(name)}[ )].*: \S", abstract, re.MULTILINE), name
    general = re.search(r"## General\n(.*)\n", abstract)[1]
    assert general in concrete
    rules = sum(len(mechanic.words.general) for mechanic in here.composition.mechanics.values())
    rules += sum(
        len(here.composition.mechanics[one.mechanic].words.attachments[one.name].general)
        for one in here.composition.attached
    )
    places = {place for one in here.row["told"] for place in one["places"]}
    assert places <= set(range(1, rules + 1))


@every_composition
def test_common_literals_are_those_that_the_words_declare(index):
    here = kept(index)
    composition = here.composition
    declared = set()
    for source in composition.sources:
        words = composition.mechanics[source.mechanic].words
        group = words.attachments[source.attachment] if source.attachment else words
        declared.add((source.action, source.part, source.literal) if source.key in group.common else None)
    names = composition.pddl_names
    expected = {
        literal_key(names[action], part, *composition.tables.literals([literal]))
        for action, part, literal in declared - {None}
    }
    for row in (*here.levels, here.row):
        assert {one["literal"] for one in row["told"] if one["how"] == "common"} <= expected


def test_the_same_number_gives_the_same_bytes():
    here = kept(1)
    again = composed_rows(here.composition.number, ROOT, SEED)
    assert list(again["action_modeling"]) == here.levels
    assert again["domain_modeling"][0] == here.row
