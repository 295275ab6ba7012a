"""Fresh questions do not show their answers more than those of a dataset may."""

from itertools import islice
from random import Random

import pytest

import orrery
from orrery.dataset.adversary import attack
from orrery.dataset.adversary.targets import fold_rows, target_maker
from orrery.dataset.adversary.verdict import EVERY, FAILED
from orrery.families import table_of
from orrery.families.drafts import Draft, Rejected
from orrery.families.questions.distractors import CONDITION
from orrery.library.fresh_claims import PooledQuestion, evened, of_a_pair, pull_of_choice
from orrery.library.fresh_rows import makers

CLAIMS = [name for name in makers() if name.endswith(("_bool", "_mcq"))]


def claim(answer, look, *leans):
    return Draft((), answer, shifts=((look, 0),), leans=tuple(enumerate(leans)))


def test_claims_are_asked_about_where_true_and_false_ones_look_alike():
    alone = [claim("yes", "a"), claim("yes", "b"), claim("no", "c")]
    paired = [claim("yes", "d"), claim("no", "d")]
    for answer in ("yes", "no"):
        for seed in range(10):
            paired_rows = of_a_pair([*alone, *paired], answer, Random(seed))
            assert (paired_rows.stratum, paired_rows.shifts[0][0]) == (answer, "d")
    for without_a_pair in (alone, []):
        with pytest.raises(Rejected):
            of_a_pair(without_a_pair, "yes", Random(0))


def test_of_several_pairs_the_one_that_differs_least_in_what_is_measured():
    rows_drawn = [
        claim("yes", "a", 1, 1),
        claim("no", "a", 2, 2),
        claim("yes", "b", 5, 5),
        claim("no", "b", 5, 6),
    ]
    assert {of_a_pair(rows_drawn, "no", Random(seed)).shifts[0][0] for seed in range(10)} == {"b"}


def choice(**pull):
    return PooledQuestion(None, pull)


def test_choices_are_drawn_so_that_what_is_right_measures_no_more_than_the_rest():
    pool = [choice(length=12, place=-6), *(choice(length=-4, place=2 + n % 2) for n in range(11))]
    chosen = evened(pool, Random(0))
    sums = {name: sum(row.pull[name] for row in chosen) / len(chosen) for name in ("length", "place")}
    assert max(map(abs, sums.values())) < 1.0
    at_random = sum(row.pull["length"] for row in pool) / len(pool)
    assert at_random < -2.5, "without it they would: the test shows something"


def test_where_what_is_right_always_measures_more_there_is_no_choice():
    assert evened([choice(length=8 + n % 3, place=n % 2) for n in range(12)], Random(0)) is None
    assert evened([choice(), choice()], Random(0)) is not None, "what is not measured pulls nowhere"


def test_neither_the_place_nor_a_part_of_the_truth_is_evened_out():
    shifts = tuple(
        (name, 9) for name in ("~option A", "~longest", f"~{CONDITION}", f"~not {CONDITION}", "look")
    )
    leans = ((CONDITION, 20), ("objects together in a fact", 20), ("longest", 5), ("latest", 5))
    pull = pull_of_choice(Draft((), shifts=shifts, leans=leans))
    assert pull == {"~longest": 9, "longest": 10, "latest": 20}


@pytest.mark.exhaustive
@pytest.mark.parametrize("table", CLAIMS)
def test_no_rule_finds_out_what_is_right_in_a_stream(table):
    items = list(islice(orrery.tasks(table, seed=77), 200))
    maker = target_maker(table_of(table))
    attacked = attack(table, fold_rows(maker, [(item.row, n < 100) for n, item in enumerate(items)]))
    assert [
        str(figure) for figure in attacked.figures if figure.domain == EVERY and figure.verdict == FAILED
    ] == []
