"""Shares, intervals and groups."""

from math import comb

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.scoring.scorers.text_to_pddl import GROUPS, SHARES, TextToPddlScorer, groups, size_bin
from orrery.scoring.tally import Measures, RatioOf, columns, tally, wilson

PROBLEMS = TextToPddlScorer.measures


def summed(scores, measures, rows):
    return tally(pa.Table.from_pylist(scores), measures, rows)


def row(name="a", sample="", correct=True, **overrides):
    values = {
        "id": name,
        "sample": sample,
        **dict.fromkeys(SHARES, True),
        "correct": correct,
        "relaxed_correct": correct,
        "reason": "r",
        "solvable_reason": "s",
        "error": "",
        "tolerated": ["code-fence"],
        "remark": "",
    }
    return values | dict.fromkeys(GROUPS, "x") | overrides


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_s_interval(yes, trials):
    total = max(yes, trials)
    low, high = wilson(yes, total)
    assert 0 <= low <= yes / total <= high <= 1
    # Its ends are the shares from which the observed one is 1.96 deviations away.
    for end in (low, high):
        if 1e-9 < end < 1 - 1e-9:
            assert abs(yes / total - end) / (end * (1 - end) / total) ** 0.5 == pytest.approx(1.96, abs=0.001)


def test_wilson_s_interval_covers_the_truth_about_as_often_as_it_says():
    share, total = 0.3, 60
    covered = sum(
        comb(total, yes) * share**yes * (1 - share) ** (total - yes)
        for yes in range(total + 1)
        if wilson(yes, total)[0] <= share <= wilson(yes, total)[1]
    )
    assert 0.92 < covered < 0.98
    assert wilson(0, 0) == (0.0, 1.0)


def test_undecided_is_neither_yes_nor_no():
    times = ((True, 3), (False, 1), (None, 2))
    scores = [row(f"{correct}{number}", correct=correct) for correct, n in times for number in range(n)]
    summary = summed(scores, PROBLEMS, 10)
    correct = summary["overall"]["shares"]["correct"]
    assert (correct["yes"], correct["no"], correct["undecided"], correct["share"]) == (3, 1, 2, 0.75)
    assert summary["undecided"] == {"correct: r": 2}
    assert (summary["outputs"], summary["rows"], summary["rows_without_output"]) == (6, 10, 4)
    assert summary["tolerated"] == {"code-fence": 6}
    assert list(summary["by"]) == list(GROUPS)
    assert summary["by"]["domain"]["x"]["outputs"] == 6


def test_samples_of_one_id():
    answers_by_id = {
        "a": [False, True, None],
        "b": [False, None, False],
        "c": [True],
        "d": [False, False],
    }
    scores = [
        row(name, str(number), correct)
        for name, answers in answers_by_id.items()
        for number, correct in enumerate(answers)
    ]
    summary = summed(scores, PROBLEMS, 4)
    assert (summary["outputs"], summary["rows_with_output"]) == (9, 4)
    some_correct = summary["some_output_correct"]
    assert [some_correct[name] for name in ("yes", "no", "undecided", "share")] == [2, 1, 1, round(2 / 3, 6)]


def test_nothing_at_all():
    summary = tally(TextToPddlScorer.schema().empty_table(), PROBLEMS, 4)
    assert (summary["outputs"], summary["by"], summary["rows_without_output"]) == (0, {}, 4)
    assert {count["share"] for count in summary["overall"]["shares"].values()} == {None}


def test_means_and_ratios():
    measures = Measures(
        shares=columns("equal"),
        groups=columns("domain"),
        listed={},
        best="equal",
        shown=("equal",),
        printed=(),
        means={"f1": "f1"},
        ratios={"rate": RatioOf("solved", "whole"), "far": RatioOf("a + b", "whole", bounded=False)},
    )
    rows = [(0.5, 1, 2, 3, 4), (None, 2, 2, 0, 1), (1.0, 0, 0, 0, 0)]
    scores = [
        {"f1": f1, "solved": solved, "whole": whole, "a": a, "b": b}
        | {"id": str(number), "equal": None, "domain": "ab"[number // 2]}
        for number, (f1, solved, whole, a, b) in enumerate(rows)
    ]
    sums = summed(scores, measures, 3)
    assert sums["overall"]["means"]["f1"]["value"] == 0.75  # a row without a value is none of its mean
    assert sums["overall"]["ratios"]["rate"] == pytest.approx(
        {"value": 0.75, "low": 0, "high": 1, "of": 4}, abs=0.4
    )
    assert sums["overall"]["ratios"]["far"]["value"] == 2.0
    assert sums["by"]["domain"]["b"]["ratios"]["rate"] == {
        "value": None,
        "low": None,
        "high": None,
        "of": 0,
    }
    assert sums["by"]["domain"]["b"]["means"]["f1"]["of"] == 1


def test_groups():
    assert [size_bin(n) for n in (1, 20, 21, 60, 80, 81, 500)] == [
        "1-20", "1-20", "21-40", "41-60", "61-80", "81+", "81+"
    ]  # fmt: skip
    assert groups({})["mixture"] == groups({})["size"] == "unknown"
    full = groups({
        "domain": "gripper", "init": "holding", "goal": "swap", "init_is_abstract": 1, "goal_is_abstract": 0,
        "init_num_propositions": 20, "goal_num_propositions": 1, "is_placeholder": 1,
        "vocabulary": "misleading",
    })  # fmt: skip
    assert full == {
        "domain": "gripper", "mixture": "abstract-explicit", "size": "21-40", "init": "gripper/holding",
        "goal": "gripper/swap", "is_placeholder": 1, "vocabulary": "misleading",
    }  # fmt: skip


def test_rows_that_belong_together():
    measures = Measures(
        shares=columns("equal"),
        groups={"odd": "case when odd then 'odd' end"},
        listed={},
        best="equal",
        shown=("equal",),
        printed=(),
        alike={"sets": "nullif(set_name, '')"},
    )
    sets = {"a": [True, True], "b": [False, False, True], "c": [None, True], "d": [None, True, False]}
    scores = [
        {"id": f"{name}{number}", "equal": equal, "set_name": name, "odd": number == 1}
        for name, answers in (sets | {"alone": [True], "": [True, False]}).items()
        for number, equal in enumerate(answers)
    ]
    summary = summed(scores, measures, 20)
    alike = summary["overall"]["alike"]["sets"]
    assert [alike[name] for name in ("yes", "no", "undecided", "share")] == [1, 2, 1, round(1 / 3, 6)]
    assert summary["by"]["odd"]["odd"]["outputs"] == 5  # a row of no group is counted in none
    assert list(summary["by"]["odd"]) == ["odd"]
