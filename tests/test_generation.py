"""Drawing problems: the same whoever draws, nothing twice, no leak, an end even where nothing fits."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from pipeline.catalog import SPLITS, Catalog
from pipeline.equivalence.keys import Keys
from pipeline.generation import ATTEMPTS, Draft, Slot, draw, from_files, harvest, limits_of, slots, split_of
from pipeline.model import Generated, OrreryError, Pairing, Problem
from pipeline.pddl.read import PddlError
from pipeline.pddl.write import write_problem
from tests.checkout import checkout
from tests.every_domain import easy_problems, entry

PAIRING = Pairing("a", "b")
EMPTY = Generated(Problem("a-to-b", "d", (), frozenset(), frozenset()), PAIRING)


def harvested(name, problems, seed, order=None):
    """The harvest of a real domain; ``order`` rearranges the drawing, not the drafts."""
    here = entry(name)

    def draw_all(wanted):
        numbers = list(range(len(wanted)))
        (order or (lambda _: None))(numbers)
        made = {number: draw(here, wanted[number], seed) for number in numbers}
        return [made[number] for number in range(len(wanted))]

    return harvest(slots(here, problems, seed), draw_all)


def told(found):
    return [(draft.slot, write_problem(draft.generated.problem), draft.keys) for draft in found.accepted]


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "visitall"])
def test_the_same_seed_gives_the_same_problems_in_whatever_order_they_are_drawn(name):
    first = harvested(name, {"easy": 12}, 5)
    shuffled = harvested(name, {"easy": 12}, 5, random.Random(1).shuffle)
    assert told(first) == told(shuffled)
    assert [d.reason for d in first.rejected] == [d.reason for d in shuffled.rejected]


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "ferry"])
def test_nothing_stands_twice_and_no_key_in_two_splits(name):
    found = harvested(name, {"easy": 20, "medium": 6}, 3).accepted
    assert len({d.keys.strict for d in found}) == len({d.keys.loose for d in found}) == len(found)
    assert len({d.slot.seed_path for d in found}) == len(found)


def test_another_seed_gives_other_problems():
    ours, theirs = (
        {draft.keys.strict for draft in harvested("blocksworld", {"hard": 30}, seed).accepted}
        for seed in (1, 2)
    )
    assert len(ours & theirs) <= 3


def sorted_by_turn(found):
    return sorted(found, key=lambda d: (SPLITS.index(d.slot.split), d.slot.index, d.slot.difficulty))


def test_the_first_problems_of_a_split_are_of_every_difficulty():
    found = harvested("ferry", {"easy": 8, "medium": 8}, 3).accepted
    assert found == sorted_by_turn(found)
    train = [draft.slot.difficulty for draft in found if draft.slot.split == "train"]
    assert set(train[:4]) == {"easy", "medium"}


def slot(split, index, attempt=0):
    return Slot("d", split, "easy", index, PAIRING, attempt)


def invented(key):
    """Draws of problems that have no content, with the key that ``key`` gives to a slot; None: no problem."""

    def draw_all(wanted):
        for each in wanted:
            found = key(each)
            yield (
                Draft(each, None, reason="none")
                if found is None
                else Draft(each, EMPTY, Keys(found, found + "'"))
            )

    return draw_all


def test_a_split_takes_what_it_needs_before_the_next_one_draws():
    """Test and train draw from the same few problems; test gets its two although both collide at first."""
    names = {("test", 0): "aa", ("test", 1): "ab", ("train", 0): "bc", ("train", 1): "ad"}
    asked = [slot(*key) for key in (("test", 0), ("test", 1), ("train", 0), ("train", 1))]
    found = harvest(asked, invented(lambda s: names[s.split, s.index][min(s.attempt, 1)]))
    assert [(d.slot.split, d.keys.strict) for d in found.accepted] == [
        ("test", "a"),
        ("test", "b"),
        ("train", "c"),
        ("train", "d"),
    ]
    assert Counter(d.reason for d in found.rejected) == {"same as an earlier problem": 3}


def test_a_key_of_either_kind_counts_as_taken():
    def draw_all(wanted):
        for each in wanted:
            yield Draft(each, EMPTY, Keys("s", f"l{each.index}") if each.index < 2 else Keys("t", "l0"))

    found = harvest([slot("train", index) for index in range(3)], draw_all, attempts=1)
    assert [draft.slot.index for draft in found.accepted] == [0]


def test_attempts_are_bounded_and_each_has_its_own_stream():
    seen = []

    def draw_all(wanted):
        seen.extend(each.seed_path for each in wanted)
        return [Draft(each, None, reason="none") for each in wanted]

    found = harvest([slot("test", 0), slot("train", 0)], draw_all)
    assert not found.accepted
    assert len(found.rejected) == len(seen) == len(set(seen)) == 2 * ATTEMPTS


def test_given_problems_are_taken_before_drawn_ones_of_their_split():
    given = [Draft(replace(slot("train", 9), difficulty="file"), EMPTY, Keys("a", "a'"))]
    found = harvest([slot("train", 0), slot("test", 0)], invented(lambda s: "a"), given, attempts=1)
    assert [(d.slot.split, d.slot.index) for d in found.accepted] == [("test", 0)]
    found = harvest([slot("train", 0)], invented(lambda s: "a"), given, attempts=1)
    assert [draft.slot.difficulty for draft in found.accepted] == ["file"]


def test_held_out_tasks_and_domains_go_to_the_test_split():
    here = entry("blocksworld")
    for each in slots(here, {"easy": 80}, 1):
        held = each.pairing.name in here.description.test_tasks
        assert each.split == "test" if held else each.split != "test"
    assert {each.split for each in slots(entry("floor-tile"), {"easy": 20}, 1)} == {"test"}


def test_shares_are_kept():
    here = entry("ferry")
    pairing = here.pairings[0]
    counts = Counter(split_of(here, pairing, (n + 0.5) / 1000) for n in range(1000))
    assert counts == {name: pytest.approx(1000 * part) for name, part in here.description.shares().items()}


def test_tasks_take_turns():
    counts = Counter(each.pairing for each in slots(entry("gripper"), {"easy": 44}, 1))
    assert set(counts) == set(entry("gripper").pairings)
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.fixture
def ferry(tmp_path):
    """A ferry domain of our own to spoil."""
    return Catalog(checkout(tmp_path, ["ferry"])).entry("ferry")


def spoil(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_unknown_difficulty_lists_those_there_are(ferry):
    with pytest.raises(OrreryError, match=r"domain\.yaml: no difficulty 'vast'.*easy, medium, hard"):
        slots(ferry, {"vast": 1}, 1)
    assert slots(ferry, {"vast": 0}, 1) == []


def test_without_difficulties_the_generator_gets_no_limits(ferry):
    (ferry.folder / "domain.yaml").unlink()
    assert limits_of(ferry, "easy") == {}


def test_holding_out_an_unknown_task_is_refused(ferry):
    spoil(ferry.folder / "domain.yaml", "test_tasks: []", "test_tasks: [all-to-al]")
    with pytest.raises(OrreryError, match=r"test_tasks: there is no task 'all-to-al'.*tasks are: "):
        slots(ferry, {"easy": 1}, 1)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('("at-ferry", ', '("at_ferry", ', "cannot be read"),
        ('"empty-ferry"', '"Empty-Ferry"', "tell exactly"),
    ],
)
def test_a_generator_that_makes_problems_of_no_sense_is_named(ferry, old, new, problem):
    spoil(ferry.generator_file, old, new)
    asked = slots(ferry, {"easy": 8}, 1)
    with pytest.raises(OrreryError, match=rf"generators/ferry\.py: .*-to-.*{problem}"):
        harvest(asked, lambda wanted: [draw(ferry, each, 1) for each in wanted])


def test_parameters_out_of_limits_are_a_named_reason(ferry):
    spoil(ferry.folder / "domain.yaml", "locations: [2, 3], cars: [2, 4]", "locations: [1, 1], cars: [0, 0]")
    found = [draw(ferry, each, 1) for each in slots(ferry, {"easy": 6}, 1)]
    refused = [draft for draft in found if draft.generated is None]
    assert refused
    assert {draft.reason for draft in refused} <= {"parameters out of limits", "goal holds initially"}
    assert any("constraint" in draft.detail for draft in refused)


def test_problems_given_as_files_need_no_generator(ferry):
    ferry.generator_file.unlink()
    folder = ferry.folder / "problems"
    folder.mkdir()
    problems = easy_problems("ferry", 3)
    for number, problem in enumerate(problems):
        (folder / f"p{number}.pddl").write_text(write_problem(problem))
    (folder / "p9.pddl").write_text(write_problem(problems[0]))
    assert slots(ferry, {"easy": 3}, 1) == []
    found = harvest([], lambda _: [], from_files(ferry, 1))
    assert len(found.accepted) == 3
    assert [draft.reason for draft in found.rejected] == ["same as an earlier problem"]
    assert {draft.slot.pairing.name for draft in found.accepted} == {"file-to-file"}


@pytest.mark.parametrize(
    ("content", "line"), [(b"(define (problem p)\n  (:domain ferry", ":2"), (b"\xff", "")]
)
def test_a_faulty_problem_file_is_named(ferry, content, line):
    path = ferry.folder / "problems" / "p.pddl"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(PddlError) as caught:
        from_files(ferry, 1)
    assert caught.value.where.startswith(f"{path}{line}")
    assert caught.value.code == 3
