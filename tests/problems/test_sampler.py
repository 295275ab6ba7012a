"""What is drawn and accepted: nothing twice, no leak, an end where nothing fits, more from richer tasks."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import ConfigurationPair
from orrery.problems.candidates import ProblemCandidate, Record
from orrery.problems.quotas import Draw, Quota
from orrery.problems.sampler import ATTEMPTS, DUPLICATE, HANDFUL, Sampler, apportioned
from tests.every_domain import entry
from tests.problems.sizes import sampled

A, B, C = (ConfigurationPair(name, "goal") for name in "abc")


def record(strict, loose):
    return Record(strict, loose, 0, 0, "{}", "{}", "", 0, 0, 0)


def invented(key):
    """Draws problems that have no content, with the key that ``key`` gives to a draw; None: no problem."""

    def draw_all(draws):
        for draw in draws:
            key_of_draw = key(draw)
            yield (
                ProblemCandidate(draw, None, "none")
                if key_of_draw is None
                else ProblemCandidate(draw, record(key_of_draw, key_of_draw + "'"))
            )

    return draw_all


def gathered(quotas, key):
    sampler = Sampler("d", invented(key))
    return list(sampler.drawn(quotas, held_out=False)), sampler


def outcomes(candidates):
    return [(candidate.draw, candidate.record, candidate.reason) for candidate in candidates]


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "visitall"])
def test_the_same_seed_gives_the_same_problems_in_whatever_order_they_are_drawn(name):
    first = sampled(name, {"easy": 12}, 5)
    shuffled = sampled(name, {"easy": 12}, 5, random.Random(1).shuffle)
    assert list(map(outcomes, first)) == list(map(outcomes, shuffled))


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "ferry"])
def test_nothing_stands_twice(name):
    candidates, _ = sampled(name, {"easy": 30, "medium": 10}, 3)
    assert len(candidates) == 40
    assert len({d.record.strict_key for d in candidates}) == len(candidates)
    loose = [
        d.record.loose_key for d in candidates if d.draw.task.interchangeable and not d.record.explicit_only
    ]
    assert len(set(loose)) == len(loose) > 20
    assert len({d.draw.seed_path for d in candidates}) == len(candidates)


def test_another_seed_gives_other_problems():
    ours, theirs = (
        {candidate.record.strict_key for candidate in sampled("blocksworld", {"hard": 30}, seed)[0]}
        for seed in (1, 2)
    )
    assert len(ours & theirs) <= 3


def test_more_problems_begin_with_the_same_ones():
    """Draws are known by task and number, so a larger size has the problems of a smaller one."""
    few, many = ({d.draw for d in sampled("ferry", {"medium": n}, 3)[0]} for n in (8, 16))
    assert len(few & many) >= 7


def test_the_first_problems_are_of_every_difficulty_and_task():
    candidates, _ = sampled("ferry", {"easy": 40, "medium": 40}, 3)
    first = [candidate.draw for candidate in candidates[:60]]
    assert {draw.difficulty for draw in first[:2]} == {"easy", "medium"}
    assert {draw.task for draw in first} == set(entry("ferry").tasks)


def test_tasks_take_turns():
    candidates, _ = gathered([Quota("easy", 8, (A, B, C), first=1)], lambda draw: str(draw))
    assert Counter(candidate.draw.task for candidate in candidates) == {A: 2, B: 3, C: 3}


def candidates(*keys, task=A):
    return [ProblemCandidate(Draw("d", "easy", task, n), record(*key)) for n, key in enumerate(keys)]


def numbered(candidates):
    return [(candidate.draw.number, candidate.record.explicit_only) for candidate in candidates]


def test_a_strict_key_is_taken_once_and_a_loose_one_rendered_once():
    sampler = Sampler("d", lambda draws: [])
    keys = [("s", "l"), ("s", "m"), ("t", "l"), ("u", "m")]
    assert numbered(sampler.accepted(candidates(*keys), held_out=False)) == [(0, 0), (2, 1), (3, 0)]
    assert [(candidate.draw.number, candidate.reason) for candidate in sampler.rejected] == [(1, DUPLICATE)]
    assert all(candidate.record is None for candidate in sampler.rejected)


def test_tasks_that_leave_no_objects_open_are_rendered_under_every_strict_key():
    sampler = Sampler("d", lambda draws: [])
    tied = ConfigurationPair("a", "goal", tied=True)
    keys = [("s", "l"), ("t", "l")]
    assert numbered(sampler.accepted(candidates(*keys, task=tied), held_out=False)) == [(0, 0), (1, 0)]
    assert numbered(sampler.accepted(candidates(("u", "l"), ("v", "l")), held_out=False)) == [(0, 0), (1, 1)]


def test_a_loose_key_of_the_held_out_problems_never_stands_among_the_others():
    sampler = Sampler("d", lambda draws: [])
    assert numbered(sampler.accepted(candidates(("s", "l")), held_out=True)) == [(0, 0)]
    assert numbered(sampler.accepted(candidates(("t", "l"), ("u", "m")), held_out=False)) == [(1, 0)]
    assert numbered(sampler.accepted(candidates(("v", "m"), ("w", "l")), held_out=True)) == [(1, 1)]


def test_problems_rendered_in_explicit_text_alone_fill_what_is_left():
    """Three loose keys, any number of strict ones: new loose ones are drawn first."""

    def draw_all(draws):
        return [ProblemCandidate(draw, record(str(draw.seed_path), str(draw.number % 3))) for draw in draws]

    sampler = Sampler("d", draw_all)
    candidates = list(sampler.drawn([Quota("easy", 10, (A, B))], held_out=False))
    assert [candidate.record.explicit_only for candidate in candidates] == [0] * 3 + [1] * 7
    assert len({candidate.record.strict_key for candidate in candidates}) == 10
    drawn = [candidate.draw for candidate in (*candidates, *sampler.rejected)]
    assert len(drawn) == len(set(drawn))


def test_what_was_accepted_before_is_taken_for_later_quotas():
    """Held-out tasks come first; a task of the training set that can give the same problems must not."""
    sampler = Sampler("d", invented(lambda draw: str(draw.number)))
    test = [d.draw.number for d in sampler.drawn([Quota("easy", 3, (A,))], held_out=True)]
    train = [d.draw.number for d in sampler.drawn([Quota("easy", 3, (B,))], held_out=False)]
    assert (test, train) == ([0, 1, 2], [3, 4, 5])
    assert [candidate.draw.number for candidate in sampler.rejected] == [0, 1, 2]


@pytest.mark.parametrize("key", [lambda draw: None, lambda draw: "same"])
def test_attempts_are_bounded_and_each_has_its_own_stream(key):
    candidates, sampler = gathered([Quota("easy", 10, (A, B))], key)
    drawn = [candidate.draw for candidate in (*candidates, *sampler.rejected)]
    assert len(candidates) <= 1
    assert len(drawn) == len({draw.seed_path for draw in drawn}) <= 10 * ATTEMPTS


def test_nothing_wanted_is_nothing_drawn():
    assert gathered([], str)[0] == []


class Rich:
    """Tasks of different wealth: so many different problems each; all draws are counted."""

    def __init__(self, **wealth):
        self.wealth, self.draws = wealth, Counter()

    def __call__(self, draw):
        task = draw.task.init
        self.draws[task] += 1
        return f"{task}{random.Random(str(draw)).randrange(self.wealth[task])}"


def test_a_task_that_runs_dry_leaves_its_place_to_others():
    rich = Rich(a=20, b=10**9, c=10**9)
    candidates, _ = gathered([Quota("easy", 3000, (A, B, C))], rich)
    counts = Counter(candidate.draw.task.init for candidate in candidates)
    assert sum(counts.values()) == 3000
    assert counts["a"] == 20
    assert rich.draws["a"] < 450, "most draws of a task with 20 problems are waste"
    assert sum(rich.draws.values()) < 3000 * 1.25
    assert abs(counts["b"] - counts["c"]) < 150


def test_a_poor_task_keeps_its_handful():
    """Eleven of twelve draws of a are duplicates of b; it gets its handful before b takes its place."""
    rich = Rich(a=10**9, b=10**9)

    def key(draw):
        return "same" if draw.task == A and draw.number % 4 else rich(draw)

    candidates, _ = gathered([Quota("easy", 2 * HANDFUL, (A, B))], key)
    assert Counter(candidate.draw.task.init for candidate in candidates) == {"a": HANDFUL, "b": HANDFUL}


def test_a_task_without_problems_does_not_keep_others_from_filling_the_size():
    candidates, sampler = gathered([Quota("easy", 40, (A, B))], lambda s: None if s.task == A else str(s))
    assert Counter(candidate.draw.task for candidate in candidates) == {B: 40}
    assert len(sampler.rejected) < 80


@given(st.integers(0, 500), st.lists(st.floats(0.001, 1), min_size=1, max_size=40))
def test_shares_add_up_and_miss_their_weights_by_less_than_one(count, weights):
    shares = apportioned(count, weights)
    assert sum(shares) == count
    assert all(abs(s - count * w / sum(weights)) < 1 + 1e-6 for s, w in zip(shares, weights, strict=True))


@pytest.mark.parametrize("held_out", [True, False])
def test_no_problem_with_an_excluded_key_is_accepted(held_out):
    quotas = [Quota("easy", 6, (A, B))]
    every, _ = gathered(quotas, lambda draw: str(draw.number % 4))
    excluded = {"1'", "2'"}
    sampler = Sampler("d", invented(lambda draw: str(draw.number % 4)), excluded=excluded)
    kept = list(sampler.drawn(quotas, held_out=held_out))
    assert {candidate.record.loose_key for candidate in every} > excluded
    assert {candidate.record.loose_key for candidate in kept} == {"0'", "3'"}
    assert {candidate.reason for candidate in sampler.rejected} == {DUPLICATE}
