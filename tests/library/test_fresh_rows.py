"""Fresh questions do not show their answers more than those of a dataset may."""

from collections import Counter
from itertools import islice
from random import Random
from types import SimpleNamespace

import pytest

import orrery
from orrery.dataset.adversary import attacked
from orrery.dataset.adversary.targets import attack_of, folded
from orrery.dataset.adversary.verdict import EVERY, FAILED
from orrery.families import table_of
from orrery.families.questions.question_row import ClaimRow
from orrery.library.fresh_rows import _inconspicuous, _of_a_pair, makers
from orrery.library.spots import NotMade, Spot

BOOL = [name for name in makers() if name.endswith("_bool")]


def claim(answer, look, *leans):
    row = SimpleNamespace(answer=answer, look=look, leans=leans)
    return ClaimRow(row, ((look, 0),), leans=tuple(enumerate(leans)))


def test_claims_are_asked_about_where_true_and_false_ones_look_alike():
    alone = [claim("yes", "a"), claim("yes", "b"), claim("no", "c")]
    paired = [claim("yes", "d"), claim("no", "d")]
    for answer in ("yes", "no"):
        for seed in range(10):
            made = _of_a_pair([*alone, *paired], answer, Random(seed))
            assert (made.row.answer, made.row.look) == (answer, "d")
    assert isinstance(_of_a_pair(alone, "yes", Random(0)), NotMade)
    assert isinstance(_of_a_pair([], "yes", Random(0)), NotMade)


def test_of_several_pairs_the_one_that_differs_least_in_what_is_measured():
    found = [claim("yes", "a", 1, 1), claim("no", "a", 2, 2), claim("yes", "b", 5, 5), claim("no", "b", 5, 6)]
    assert {_of_a_pair(found, "no", Random(seed)).row.look for seed in range(10)} == {"b"}


def test_the_right_option_has_the_ranks_that_were_drawn():
    found = [claim("A", "", lean) for lean in (-16, -5, 5, 16)]
    chosen = Counter(
        _inconspicuous(found, Spot(0, "t", "d", number, 0), Random(0)).row.leans[0] for number in range(400)
    )
    assert all(70 <= chosen[lean] <= 130 for lean in (-16, -5, 5, 16))


@pytest.mark.exhaustive
@pytest.mark.parametrize("table", BOOL)
def test_no_rule_finds_out_yes_and_no_in_a_stream(table):
    items = list(islice(orrery.tasks(table, seed=77), 200))
    attack = attack_of(table_of(table))
    found = attacked(table, folded([(attack.target(item.row), n < 100) for n, item in enumerate(items)]))
    assert [str(each) for each in found.tricks if each.domain == EVERY and each.verdict == FAILED] == []
