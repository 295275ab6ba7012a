"""params.yaml: what it asks for, and one clear message for whatever is wrong in it."""

import pytest
import yaml

from orrery.config import choose, load
from orrery.model import OrreryError, UsageError
from tests.checkout import PARAMS
from tests.every_domain import CATALOG, ROOT


@pytest.fixture
def params(tmp_path):
    path = tmp_path / "params.yaml"
    path.write_text(PARAMS)
    return path


def refused(params):
    with pytest.raises(OrreryError) as caught:
        load(params.parent)
    assert "\n" not in str(caught.value)
    assert caught.value.code == 3
    return caught.value


def test_the_chosen_size_is_loaded(params):
    found = load(params.parent)
    assert (found.seed, found.domains, found.size_name) == (7, ("blocksworld", "ferry"), "tiny")
    assert (found.size.problems, found.size.asked, found.size.max_facts) == ({"easy": 6}, 2, 120)
    assert found.outputs == params.parent / "outputs"


def test_without_params_the_message_says_where_to_run(tmp_path):
    error = refused(tmp_path / "params.yaml")
    assert error.where == str(tmp_path / "params.yaml")
    assert "No such file" in error.problem
    assert "--root" in error.mend


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ("seed: 7", "seed: [", "", "cannot be read"),
        ("seed: 7", "sed: 7", ": seed", "expected a value of type int, found None"),
        ("seed: 7", "seed: seven", ": seed", "found 'seven'"),
        ("seed: 7", "seed: true", ": seed", "found True"),
        ("size: tiny", "size: huge", ": size", "there is no size 'huge'"),
        ("size: tiny", "size: 3", ": size", "found 3"),
        ("domains:\n  - blocksworld\n  - ferry", "domains: ferry", ": domains", "type list, found 'ferry'"),
        ("- ferry", "- blocksworld", ": domains", "'blocksworld' stands there twice"),
        ("- ferry", "- 7", ": domains", "7 is no name"),
        ("    asked: 2\n", "    aksed: 2\n", ": sizes.tiny", "does not know 'aksed'"),
        ("    asked: 2\n", "    7: 2\n", ": sizes.tiny", "does not know '7'"),
        ("    asked: 2\n", "", ": sizes.tiny", "lacks 'asked'"),
        ("    problems: {easy: 6}\n", "", ": sizes.tiny", "lacks 'problems'"),
        ("asked: 2", "asked: two", ": sizes.tiny.asked", "found 'two'"),
        ("asked: 2", "asked: 1.5", ": sizes.tiny.asked", "a whole number from 0 on, found 1.5"),
        ("asked: 2", "asked: -1", ": sizes.tiny.asked", "found -1"),
        ("asked: 2", "asked: true", ": sizes.tiny.asked", "found True"),
        ("max_states: 20000", "max_states: 0", ": sizes.tiny.max_states", "from 1 on, found 0"),
        ("planner_share: 0.0", "planner_share: .nan", ": sizes.tiny.planner_share", "found nan"),
        ("{easy: 6}", "6", ": sizes.tiny.problems", "is 6"),
        ("{easy: 6}", "{easy: many}", ": sizes.tiny.problems", "is {'easy': 'many'}"),
        ("{easy: 6}", "{easy: -6}", ": sizes.tiny.problems", "is {'easy': -6}"),
        ("{easy: 6}", "{easy: true}", ": sizes.tiny.problems", "is {'easy': True}"),
        ("  tiny:\n", "  tiny: 5\n  more:\n", ": sizes.tiny", "found 5"),
    ],
)
def test_faulty_params_are_refused(params, old, new, where, problem):
    text = params.read_text()
    assert old in text
    params.write_text(text.replace(old, new, 1))
    error = refused(params)
    assert error.where == f"{params}{where}"
    assert problem in error.problem


@pytest.mark.parametrize("text", ["", "- seed", "seed", "\x00"])
def test_something_else_than_params_is_refused(params, text):
    params.write_text(text)
    assert refused(params).where.startswith(str(params))


def test_params_in_no_encoding_are_refused(params):
    params.write_bytes(b"seed: \xff")
    assert "cannot be read" in refused(params).problem


def test_choosing_a_size_changes_its_line_alone(params):
    found = choose(params.parent, "other")
    assert params.read_text() == PARAMS.replace("size: tiny", "size: other")
    assert load(params.parent) == found
    assert choose(params.parent, "other") == found


def test_choosing_an_unknown_or_faulty_size_changes_nothing(params):
    with pytest.raises(UsageError, match=r"size 'huge'.*sizes are: tiny, other") as caught:
        choose(params.parent, "huge")
    assert caught.value.code == 2
    faulty = PARAMS.replace("asked: 1", "asked: one")
    params.write_text(faulty)
    with pytest.raises(OrreryError, match=r"sizes\.other\.asked"):
        choose(params.parent, "other")
    assert params.read_text() == faulty


def test_params_of_this_checkout_list_every_domain_and_hold_sound_sizes():
    found = load(ROOT)
    assert sorted(found.domains) == list(CATALOG.names)


@pytest.mark.parametrize(("key", "value"), [("planner_share", 5), ("planner_share", 1.01), ("seconds", 0)])
def test_shares_and_limits_that_make_no_sense_are_refused(tmp_path, key, value):
    size = {"problems": {"easy": 1}, "asked": 1, "states": 1, "questions": 1, key: value}
    content = {"seed": 1, "domains": ["x"], "size": "s", "sizes": {"s": size}}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(OrreryError, match=rf"sizes\.s\.{key}"):
        load(tmp_path)


def of_size(params, **more):
    """Settings of a size that has these entries, too; ``held_out`` stands beside the sizes."""
    size = {"problems": {"easy": 1}, "asked": 1, "states": 1, "questions": 1}
    content = {"seed": 1, "domains": ["ferry", "gripper"], "size": "s"}
    content |= {"held_out": more.pop("held_out")} if "held_out" in more else {}
    params.write_text(yaml.safe_dump({**content, "sizes": {"s": size | more}}))
    return params


@pytest.mark.parametrize(
    ("more", "where", "problem"),
    [
        ({"paraphrases": 0}, "sizes.s.paraphrases", "a whole number from 1 on, found 0"),
        ({"test": {"easy": -1}}, "sizes.s.test", "is {'easy': -1}"),
        ({"by_domain": 3}, "sizes.s.by_domain", "is 3"),
        ({"by_domain": {"logistics": {}}}, "sizes.s.by_domain", "names 'logistics', which is not under"),
        ({"by_domain": {"ferry": {"asked": 3}}}, "sizes.s.by_domain.ferry", "does not know 'asked'"),
        ({"by_domain": {"ferry": {"problems": 3}}}, "sizes.s.by_domain.ferry.problems", "is 3"),
        ({"tasks": {"logistics": []}}, "sizes.s.tasks", "names 'logistics'"),
        ({"tasks": {"ferry": "all"}}, "sizes.s.tasks.ferry", "is 'all'"),
        ({"tasks": {"ferry": ["a", "a"]}}, "sizes.s.tasks.ferry", "is ['a', 'a']"),
        ({"split": {"train": 0.8}}, "sizes.s.split", "do not add up to 1"),
        ({"split": {"train": 0.8, "dev": 0.2}}, "sizes.s.split", "does not know 'dev'"),
        ({"split": {"train": 2, "test": -1}}, "sizes.s.split", "is {'test': -1, 'train': 2}"),
        ({"vocabularies": {"meaningless": 1.5}}, "sizes.s.vocabularies", "is {'meaningless': 1.5}"),
        ({"vocabularies": {"meaningless": True}}, "sizes.s.vocabularies", "is {'meaningless': True}"),
        ({"held_out": {"domain": ["ferry"]}}, "held_out", "does not know 'domain'"),
        ({"held_out": {"domains": ["logistics"]}}, "held_out.domains", "names 'logistics'"),
        ({"held_out": {"domains": "ferry"}}, "held_out.domains", "is 'ferry'"),
        ({"held_out": {"configurations": {"logistics": ["a"]}}}, "held_out.configurations", "names 'logist"),
        ({"held_out": {"configurations": {"ferry": "a"}}}, "held_out.configurations.ferry", "is 'a'"),
    ],
)
def test_inconsistent_entries_name_key_and_mend(params, more, where, problem):
    error = refused(of_size(params, **more))
    assert error.where == f"{params}: {where}"
    assert problem in error.problem
    assert error.mend or "expected" in error.problem


def test_an_unknown_entry_beside_the_known_ones_is_refused(params):
    """A misspelt held_out would hold nothing out."""
    of_size(params)
    params.write_text(params.read_text() + "held-out: {domains: [ferry]}\n")
    error = refused(params)
    assert (error.where, error.problem) == (str(params), "does not know 'held-out'")
    assert "held_out" in error.mend


def test_counts_of_a_domain_take_the_place_of_those_of_the_size(params):
    own = {"ferry": {"problems": {"hard": 2}}, "gripper": {"test": {"easy": 3}}}
    size = load(of_size(params, by_domain=own, test={"easy": 9}).parent).size
    assert size.counts("ferry") == ({"hard": 2}, None)
    assert size.counts("gripper") == ({"easy": 1}, {"easy": 3})
    assert size.counts("visitall") == ({"easy": 1}, {"easy": 9})


def test_what_is_left_out_or_empty_holds_nothing_out(params):
    for held_out in (None, {}, {"domains": None}):
        found = load(of_size(params, held_out=held_out, vocabularies=None).parent)
        assert (found.held_out.domains, found.held_out.configurations) == ((), {})
        assert (found.size.vocabularies, found.size.paraphrases) == ({}, 1)


def test_version_1_has_13_tasks_of_two_domains_and_no_validation(tmp_path):
    (tmp_path / "params.yaml").write_text((ROOT / "params.yaml").read_text())
    size = choose(tmp_path, "version-1").size
    assert sorted(name for name in CATALOG.names if any(size.counts(name)[0].values())) == [
        "blocksworld",
        "gripper",
    ]
    assert sum(map(len, size.tasks.values())) == 13
    assert size.split == {"train": 0.8, "test": 0.2}


def test_a_scale_multiplies_every_count_of_a_size(tmp_path):
    counts = {"by_domain": {"ferry": {"problems": {"easy": 2}, "test": {"easy": 3}}}, "test": {"hard": 4}}
    plain = load(of_size(tmp_path / "params.yaml", **counts).parent).size
    large = load(of_size(tmp_path / "params.yaml", **counts, scale=100).parent).size
    assert (plain.asked, large.asked, large.questions, large.states) == (1, 100, 100, 1)
    assert large.counts("gripper") == ({"easy": 100}, {"hard": 400})
    assert large.counts("ferry") == ({"easy": 200}, {"easy": 300})
    with pytest.raises(OrreryError, match=r"sizes\.s\.scale"):
        load(of_size(tmp_path / "params.yaml", scale=0).parent)
