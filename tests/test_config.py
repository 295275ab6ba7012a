"""params.yaml: what it asks for, and one clear message for whatever is wrong in it."""

import pytest
import yaml

from orrery.config import Corpus, Params, RenderSize, choose, load, read_model, written
from orrery.language.renamed_domain import NAMES
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
    assert len(str(caught.value)) < 500
    return caught.value


def test_the_chosen_size_is_loaded(params):
    found = load(params.parent)
    assert (found.seed, found.domains, found.size_name) == (7, ("blocksworld", "ferry"), "tiny")
    assert found.size.draw.problems == {"easy": 6}
    assert (found.size.solve.problems_with_questions, found.size.solve.max_facts) == (2, 120)
    assert found.outputs == params.parent / "outputs"


def test_without_params_the_message_says_where_to_run(tmp_path):
    error = refused(tmp_path / "params.yaml")
    assert error.where == str(tmp_path / "params.yaml")
    assert "No such file" in error.problem
    assert "--root" in error.mend


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ("seed: 7", "seed: [", ":4", "cannot be read"),
        ("seed: 7", "seed: 1:30", ": seed", "expected a whole number, found '1:30'"),
        ("seed: 7", "sed: 7", "", "does not know 'sed'"),
        ("seed: 7\n", "", "", "lacks 'seed'"),
        ("seed: 7", "seed:", ": seed", "expected a whole number, found None"),
        ("seed: 7", "seed: 7\nsize: other", ":7", "the key 'size' is given twice"),
        (
            "problems_with_questions: 2",
            "problems_with_questions: 2, problems_with_questions: 3",
            ":12",
            "the key 'problems_with_questions' is given twice",
        ),
        ("seed: 7", "seed: true", ": seed", "found True"),
        ("size: tiny", "size: huge", ": size", "unknown size 'huge'"),
        ("size: tiny", f"size: {'x' * 99999}", ": size", "unknown size 'xxx"),
        ("size: tiny", f"{'x' * 999}: tiny", "", "does not know 'xxx"),
        ("seed: 7", "seed: 2020-01-02", ": seed", "a whole number, found datetime"),
        ("size: tiny", "size: 3", ": size", "found 3"),
        ("domains:\n  - blocksworld\n  - ferry", "domains: ferry", ": domains", "names, found 'ferry'"),
        ("- ferry", "- blocksworld", ": domains", "'blocksworld' is listed twice"),
        ("- ferry", "- 7", ": domains.1", "expected text, found 7"),
        (
            "problems_with_questions: 2",
            "problms_with_questions: 2",
            ": sizes.tiny.solve",
            "does not know 'problms_with_questions'",
        ),
        ("problems_with_questions: 2, ", "", ": sizes.tiny.solve", "lacks 'problems_with_questions'"),
        ("    draw: {problems: {easy: 6}}\n", "", ": sizes.tiny", "lacks 'draw'"),
        ("problems: {easy: 6}", "", ": sizes.tiny.draw", "lacks 'problems'"),
        ("render: {}", "render:", ": sizes.tiny.render", "expected keys with values, found None"),
        (
            "problems_with_questions: 2",
            "problems_with_questions: 1.5",
            ": sizes.tiny.solve.problems_with_questions",
            "a whole number from 0 on, found 1.5",
        ),
        ("max_states: 20000", "max_states: 0", ": sizes.tiny.solve.max_states", "from 1 on, found 0"),
        (
            "recheck_sample_rate: 0.0",
            "recheck_sample_rate: .nan",
            ": sizes.tiny.check.recheck_sample_rate",
            "found nan",
        ),
        ("max_states: 20000", "seconds: .inf", ": sizes.tiny.solve.seconds", "to a million, found inf"),
        ("{easy: 6}", "6", ": sizes.tiny.draw.problems", "as {easy: 10}, found 6"),
        ("{easy: 6}", "{easy: -6}", ": sizes.tiny.draw.problems.easy", "from 0 on, found -6"),
        ("{easy: 6}", "{easy: true}", ": sizes.tiny.draw.problems.easy", "found True"),
        ("{easy: 6}", "{easy: }", ": sizes.tiny.draw.problems.easy", "found None"),
        ("{easy: 6}", "{6: 6}", ": sizes.tiny.draw.problems.6", "expected text, found 6"),
        ("  tiny:\n", "  tiny: 5\n  more:\n", ": sizes.tiny", "expected keys with values, found 5"),
        (
            "render: {}",
            "render: {}\n    composed: {domains: 2, asked: 3}",
            ": sizes.tiny.composed",
            "'asked' is more than 'domains'",
        ),
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


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("size: tiny  # or other", "size: other # or other"),
        ('"size": tiny # "size"', '"size": other # "size"'),
        ("size:\n  tiny", "size: other"),
        ("? size\n: tiny", "size: other"),
    ],
)
def test_a_size_is_chosen_however_its_line_is_written_and_the_comment_stays(params, line, chosen):
    params.write_text(PARAMS.replace("size: tiny", line))
    assert choose(params.parent, "other").size_name == load(params.parent).size_name == "other"
    assert params.read_text() == PARAMS.replace("size: tiny", chosen)


@pytest.mark.parametrize(("key", "name"), [("'other: one'", "other: one"), ("'true'", "true")])
def test_a_size_with_an_odd_name_is_chosen(params, key, name):
    params.write_text(PARAMS.replace("  other:", f"  {key}:"))
    assert choose(params.parent, name) == load(params.parent)


def test_choosing_a_size_keeps_every_other_line_of_this_checkout(tmp_path):
    text = (ROOT / "params.yaml").read_text()
    (tmp_path / "params.yaml").write_text(text)
    for folder in load(ROOT).domains:
        (tmp_path / "domains" / folder).mkdir(parents=True)
        (tmp_path / "domains" / folder / "domain.pddl").touch()
    choose(tmp_path, "published")
    assert (tmp_path / "params.yaml").read_text() == text.replace(
        f"\nsize: {load(ROOT).size_name}\n", "\nsize: published\n"
    )


def test_choosing_an_unknown_or_faulty_size_changes_nothing(params):
    with pytest.raises(UsageError, match=r"size 'huge'.*sizes are: tiny, other") as caught:
        choose(params.parent, "huge")
    assert caught.value.code == 2
    faulty = PARAMS.replace("problems_with_questions: 1", "problems_with_questions: one")
    params.write_text(faulty)
    with pytest.raises(OrreryError, match=r"sizes\.other\.solve\.problems_with_questions"):
        choose(params.parent, "other")
    assert params.read_text() == faulty


def test_params_of_this_checkout_list_every_domain_and_hold_sound_sizes():
    found = load(ROOT)
    assert sorted(found.domains) == list(CATALOG.names)


GROUPS = {
    "draw": ("problems", "test", "tasks", "split"),
    "solve": ("problems_with_questions", "states", "max_states", "seconds"),
    "render": ("paraphrases", "vocabularies"),
    "ask": ("questions",),
    "check": ("recheck_sample_rate",),
}


def of_size(params, **more):
    """Settings of a size that has these entries, too; ``held_out`` and ``corpus`` stand beside the sizes."""
    given = {"problems": {"easy": 1}, "problems_with_questions": 1, "states": 1, "questions": 1} | more
    content = {"seed": 1, "domains": ["ferry", "gripper"], "size": "s"}
    content |= {key: given.pop(key) for key in ("held_out", "corpus") if key in given}
    size = {name: {key: given.pop(key) for key in keys if key in given} for name, keys in GROUPS.items()}
    size |= {"scale": 1, "by_domain": {}} | given
    params.write_text(yaml.safe_dump({**content, "sizes": {"s": size}}))
    return params


@pytest.mark.parametrize(
    ("more", "where", "problem"),
    [
        ({"paraphrases": 0}, "sizes.s.render.paraphrases", "a whole number from 1 on, found 0"),
        ({"scale": 0}, "sizes.s.scale", "a whole number from 1 on, found 0"),
        ({"seconds": 0}, "sizes.s.solve.seconds", "a number from 1 to a million, found 0"),
        (
            {"recheck_sample_rate": 1.01},
            "sizes.s.check.recheck_sample_rate",
            "a share from 0 to 1, found 1.01",
        ),
        ({"by_domain": 3}, "sizes.s.by_domain", "expected counts by domain, found 3"),
        ({"by_domain": {"logistics": {}}}, "sizes.s.by_domain", "names 'logistics', which is not under"),
        (
            {"by_domain": {"ferry": {"problems_with_questions": 3}}},
            "sizes.s.by_domain.ferry",
            "does not know 'problems_with_questions'",
        ),
        ({"by_domain": {"ferry": {"problems": 3}}}, "sizes.s.by_domain.ferry.problems", "found 3"),
        ({"tasks": {"logistics": []}}, "sizes.s.draw.tasks", "names 'logistics'"),
        ({"tasks": {"ferry": "all"}}, "sizes.s.draw.tasks.ferry", "expected a list of names, found 'all'"),
        ({"tasks": {"ferry": ["a", "a"]}}, "sizes.s.draw.tasks.ferry", "'a' is listed twice"),
        ({"split": {"train": 0.8}}, "sizes.s.draw.split", "do not add up to 1"),
        ({"split": {"train": 0.8, "dev": 0.2}}, "sizes.s.draw.split", "does not know 'dev'"),
        ({"split": {"train": 2, "test": -1}}, "sizes.s.draw.split.train", "a share from 0 to 1, found 2"),
        (
            {"vocabularies": {"meaningless": 1.5}},
            "sizes.s.render.vocabularies.meaningless",
            "a share from 0 to 1, found 1.5",
        ),
        ({"vocabularies": {"mystery": 0.5}}, "sizes.s.render.vocabularies.mystery", "one of meaningless"),
        ({"held_out": {"domains": ["logistics"]}}, "held_out.domains", "names 'logistics'"),
        ({"held_out": {"domains": "ferry"}}, "held_out.domains", "expected a list of names, found 'ferry'"),
        ({"held_out": {"configurations": {"logistics": ["a"]}}}, "held_out.configurations", "names 'logist"),
        ({"held_out": {"configurations": {"ferry": "a"}}}, "held_out.configurations.ferry", "found 'a'"),
        ({"corpus": {"sizes": {"s": {"cosine": 7}}}}, "corpus.sizes.s.cosine", "found 7"),
        ({"corpus": {"folders": [{"license": "MIT"}]}}, "corpus.folders.0", "lacks 'path'"),
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


def test_what_is_said_of_a_domain_that_is_there_and_not_built_is_left_for_later(params):
    told = {"by_domain": {"logistics": {}}, "held_out": {"domains": ["logistics"]}}
    (params.parent / "domains" / "logistics").mkdir(parents=True)
    (params.parent / "domains" / "logistics" / "domain.pddl").touch()
    assert load(of_size(params, **told).parent).domains == ("ferry", "gripper")


def test_what_is_left_out_or_empty_holds_nothing_out(params):
    for held_out in (None, {}, {"domains": None}):
        found = load(of_size(params, held_out=held_out, vocabularies=None).parent)
        assert (found.held_out.domains, found.held_out.configurations) == ((), {})
        assert (found.size.render.vocabularies, found.size.render.paraphrases) == ({}, 1)


def test_version_1_has_all_tasks_of_two_domains_and_no_validation(tmp_path):
    (tmp_path / "params.yaml").write_text((ROOT / "params.yaml").read_text())
    size = choose(tmp_path, "version-1").size
    assert sorted(name for name in CATALOG.names if any(size.counts(name)[0].values())) == [
        "blocksworld",
        "gripper",
    ]
    assert not size.draw.tasks
    assert size.draw.split.model_dump() == {"train": 0.8, "validation": 0.0, "test": 0.2}


def test_a_scale_multiplies_every_count_of_a_size(tmp_path):
    counts = {"by_domain": {"ferry": {"problems": {"easy": 2}, "test": {"easy": 3}}}, "test": {"hard": 4}}
    plain = load(of_size(tmp_path / "params.yaml", **counts).parent).size
    large = load(of_size(tmp_path / "params.yaml", **counts, scale=100).parent).size
    assert (
        plain.solve.problems_with_questions,
        large.solve.problems_with_questions,
        large.ask.questions,
        large.solve.states,
    ) == (1, 100, 100, 1)
    assert large.counts("gripper") == ({"easy": 100}, {"hard": 400})
    assert large.counts("ferry") == ({"easy": 200}, {"easy": 300})
    with pytest.raises(OrreryError, match=r"sizes\.s\.scale"):
        load(of_size(tmp_path / "params.yaml", scale=0).parent)


def test_limits_of_the_corpus_are_those_of_the_size_where_it_has_some(tmp_path):
    corpus = {"problems": 4, "actions": 7, "sizes": {"s": {"problems": 1}, "t": {"problems": 2}}}
    found = load(of_size(tmp_path / "params.yaml", corpus=corpus).parent).corpus
    assert (found.problems, found.actions, found.cosine) == (1, 7, Corpus().cosine)


def test_a_folder_of_the_corpus_is_a_path_or_a_path_with_a_licence(tmp_path):
    corpus = {"folders": ["bare", {"path": "own", "license": "MIT"}]}
    found = load(of_size(tmp_path / "params.yaml", corpus=corpus).parent).corpus
    assert [(each.path, each.license) for each in found.folders] == [("bare", ""), ("own", "MIT")]


def test_every_vocabulary_may_be_asked_for():
    assert set(RenderSize(vocabularies=dict.fromkeys(NAMES, 0.5)).vocabularies) == set(NAMES)


def test_keys_that_come_by_a_merge_may_be_given_anew(params):
    text = params.read_text().replace("sizes:\n", "sizes:\n  base: &base {questions: 9}\n", 1)
    params.write_text(text.replace("ask: {questions: 3}", "ask: {<<: *base, questions: 5}"))
    assert refused(params).where == f"{params}: sizes.base"  # the anchor is an entry of its own, and no size
    merged = "draw: {problems: &six {easy: 6}, test: {<<: *six, hard: 1, easy: 2}}"
    params.write_text(PARAMS.replace("draw: {problems: {easy: 6}}", merged))
    assert load(params.parent).size.draw.test == {"easy": 2, "hard": 1}


def test_an_empty_list_of_domains_is_refused(params):
    content = yaml.safe_load(params.read_text())
    params.write_text(yaml.safe_dump({**content, "domains": []}))
    error = refused(params)
    assert (error.where, error.problem) == (f"{params}: domains", "is an empty list")


@pytest.mark.by_day(2)
@pytest.mark.parametrize("size", [*read_model(ROOT / "params.yaml", Params).sizes])
def test_the_parameters_in_a_dataset_are_those_of_its_build(tmp_path, size):
    (tmp_path / "params.yaml").write_text((ROOT / "params.yaml").read_text())
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    settings = choose(tmp_path, size)
    (tmp_path / "params.yaml").write_text(written(settings))
    assert load(tmp_path) == settings
