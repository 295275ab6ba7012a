"""What a size asks of a domain: counts by task and split, held-out parts, and what params.yaml gets wrong."""

from collections import Counter
from dataclasses import replace

import pytest

from orrery.catalog import Catalog
from orrery.config import HeldOut, load
from orrery.model import OrreryError
from orrery.problems.quotas import FROM_FILE, check, is_held_out, quotas, split_of
from tests.checkout import checkout, spoil
from tests.every_domain import entry
from tests.problems.sizes import NOTHING, size


def counted(name, size_asked, held_out=NOTHING):
    """Problems asked of held-out tasks and of others, by difficulty."""
    return tuple({w.difficulty: w.count for w in part} for part in quotas(entry(name), size_asked, held_out))


def tasks(part):
    return {task.name for quota in part for task in quota.tasks}


def test_held_out_tasks_have_their_part_of_the_problems():
    """Blocksworld holds out 2 of 34 tasks."""
    assert counted("blocksworld", size({"easy": 340, "hard": 34})) == (
        {"easy": 20, "hard": 2},
        {"easy": 320, "hard": 32},
    )
    apart, rest_quotas = quotas(entry("blocksworld"), size({"easy": 340}), NOTHING)
    assert tasks(apart) == {"invert-to-invert", "swap-to-swap"}
    assert not tasks(apart) & tasks(rest_quotas)


def test_counts_of_held_out_tasks_can_be_given_apart():
    size_asked = size({"easy": 30}, test={"medium": 7})
    assert counted("blocksworld", size_asked) == ({"medium": 7}, {"easy": 30})
    assert counted("ferry", size_asked) == ({}, {"easy": 30})  # it holds out no task
    assert counted("floor-tile", size_asked) == ({"medium": 7}, {})  # it is for tests alone


def test_a_domain_can_have_counts_of_its_own():
    size_asked = size(
        {"easy": 34}, by_domain={"ferry": {"problems": {"medium": 3}}, "gripper": {"problems": {}}}
    )
    assert counted("ferry", size_asked) == ({}, {"medium": 3})
    assert counted("gripper", size_asked) == ({}, {})
    assert counted("blocksworld", size_asked) == ({"easy": 2}, {"easy": 32})


def test_configurations_and_domains_can_be_held_out():
    held_out = HeldOut(configurations={"blocksworld": ("staircase",)}, domains=("ferry",))
    apart, rest_quotas = quotas(entry("blocksworld"), size({"easy": 340}), held_out)
    assert "staircase" not in " ".join(tasks(rest_quotas))
    assert {"staircase-to-stack", "tower-to-staircase", "swap-to-swap"} <= tasks(apart)
    assert counted("ferry", size({"easy": 9}), held_out) == ({"easy": 9}, {})


def test_shares_of_a_size_take_the_place_of_what_a_domain_holds_out():
    size_asked = size({"easy": 34}, split={"train": 0.8, "test": 0.2})
    assert counted("blocksworld", size_asked) == ({}, {"easy": 34})
    assert counted("floor-tile", size_asked) == ({}, {"easy": 34})
    assert counted("floor-tile", size_asked, HeldOut(domains=("floor-tile",))) == ({"easy": 34}, {})


def test_tasks_can_be_chosen():
    size_asked = size({"easy": 10}, tasks={"blocksworld": ("swap-to-swap", "stack-to-tower"), "gripper": ()})
    apart, rest_quotas = quotas(entry("blocksworld"), size_asked, NOTHING)
    assert (tasks(apart), tasks(rest_quotas)) == ({"swap-to-swap"}, {"stack-to-tower"})
    assert [quota.count for quota in (*apart, *rest_quotas)] == [5, 5]
    apart, rest_quotas = quotas(entry("gripper"), size_asked, NOTHING)
    assert tasks(apart) | tasks(rest_quotas) == {task.name for task in entry("gripper").tasks}


def test_turns_go_on_from_one_difficulty_to_the_next():
    wanted = quotas(entry("ferry"), size({"easy": 5, "medium": 3, "hard": 4}), NOTHING)[1]
    assert [quota.first for quota in wanted] == [n % len(entry("ferry").tasks) for n in (0, 5, 8)]


@pytest.mark.parametrize("split", [None, {"train": 0.8, "test": 0.2}])
def test_shares_are_kept(split):
    place, size_asked = entry("ferry"), size({}, split=split)
    counts = Counter(split_of(place, size_asked, f"{n % 5:064x}{n:064x}") for n in range(4000))
    shares = split or place.description.split.model_dump()
    assert counts == {name: pytest.approx(4000 * part, abs=120) for name, part in shares.items()}


def test_the_split_of_a_problem_depends_on_its_key_and_the_shares_alone():
    keys = [f"{n:0128x}" for n in range(200)]
    halves = size({}, split={"train": 0.5, "test": 0.5})
    wide = size({}, split={"train": 0.3, "test": 0.7})
    split_by_key = {key: split_of(entry("ferry"), halves, key) for key in keys}
    assert split_by_key == {key: split_of(entry("gripper"), halves, key) for key in keys}
    assert all(split_of(entry("ferry"), wide, key) == "test" for key in keys if split_by_key[key] == "test")


def test_problems_from_files_can_be_held_out():
    place = entry("blocksworld")
    assert not is_held_out(place, FROM_FILE, size({}), NOTHING)
    assert is_held_out(place, FROM_FILE, size({}), HeldOut(domains=("blocksworld",)))


@pytest.fixture
def ferry(tmp_path):
    """A checkout with a ferry domain of our own to spoil."""
    return checkout(tmp_path, ["ferry", "blocksworld"])


def test_an_unknown_difficulty_lists_those_there_are(ferry):
    place = Catalog(ferry).entry("ferry")
    with pytest.raises(OrreryError, match=r"domain\.yaml: has no difficulty 'boundless'.*easy, medium, hard"):
        quotas(place, size({"boundless": 1}), NOTHING)
    assert quotas(place, size({"boundless": 0}), NOTHING) == ([], [])


def test_without_difficulties_the_generator_gets_no_limits(ferry):
    (ferry / "domains/ferry/domain.yaml").unlink()
    assert Catalog(ferry).entry("ferry").limits("easy") == {}


def test_holding_out_an_unknown_task_is_refused(ferry):
    spoil(ferry / "domains/ferry/domain.yaml", "test_tasks: []", "test_tasks: [all-to-al]")
    with pytest.raises(OrreryError, match=r"test_tasks: unknown task 'all-to-al'.*tasks are: "):
        quotas(Catalog(ferry).entry("ferry"), size({"easy": 1}), NOTHING)


@pytest.mark.parametrize(
    ("change", "message", "place"),
    [
        ({"size": size({"easy": 1, "boundless": 1})}, "difficulty 'boundless'", "sizes.tiny.draw.problems"),
        (
            {"size": size({}, by_domain={"ferry": {"problems": {"boundless": 1}}})},
            "difficulty 'boundless'.*are: easy, medium",
            "sizes.tiny.by_domain.ferry.problems",
        ),
        ({"size": size({}, test={"boundless": 1})}, "difficulty 'boundless'", ""),
        ({"size": size({}, tasks={"blocksworld": ("swap-to-stack",)})}, "task 'swap-to-stack'", ""),
        ({"held_out": HeldOut(configurations={"ferry": ("stairs",)})}, "configuration 'stairs'", ""),
    ],
)
def test_what_no_domain_knows_is_refused_before_any_work(ferry, change, message, place):
    settings = load(ferry)
    check(settings)
    with pytest.raises(OrreryError, match=message) as caught:
        check(replace(settings, **change))
    assert " are: " in str(caught.value)
    assert caught.value.where.startswith(f"{ferry / 'params.yaml'}: {place}")


def test_a_limit_that_the_generator_does_not_know_is_refused(ferry):
    size_asked = size({"easy": 1})
    assert quotas(Catalog(ferry).entry("ferry"), size_asked, NOTHING)[1]
    spoil(ferry / "domains/ferry/domain.yaml", "cars:", "crs:")
    with pytest.raises(OrreryError, match=r"domain\.yaml: difficulties\.easy: unknown limit 'crs'.*cars"):
        quotas(Catalog(ferry).entry("ferry"), size_asked, NOTHING)


def test_counts_of_held_out_tasks_need_held_out_tasks(ferry):
    settings = load(ferry)
    by_domain = size({}, by_domain={"ferry": {"test": {"easy": 1}}})  # ferry holds out no task
    both_splits = size({"easy": 1}, test={"easy": 1}, split={"train": 1.0})
    for size_asked, place in (
        (by_domain, "sizes.tiny.by_domain.ferry.test"),
        (both_splits, "sizes.tiny.draw.test"),
    ):
        with pytest.raises(OrreryError, match="no task is held out") as caught:
            check(replace(settings, size=size_asked))
        assert caught.value.where == f"{ferry / 'params.yaml'}: {place}"
        check(replace(settings, size=size_asked, held_out=HeldOut(domains=("ferry",))))
    check(replace(settings, size=size({"easy": 1}, test={"easy": 1})))  # blocksworld does


def test_a_domain_without_a_folder_is_refused(ferry):
    spoil(ferry / "params.yaml", "  - ferry\n", "  - ferry\n  - fery\n")
    with pytest.raises(OrreryError, match=r"params\.yaml: domains: unknown domain 'fery'.*are: blocks"):
        check(load(ferry))
