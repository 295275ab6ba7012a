"""A curriculum: levels follow reported success, domain by domain, and a saved state goes on alike."""

import json
import pickle
from itertools import islice

import pytest

import orrery
from orrery.model import OrreryError, UsageError
from orrery.training import curriculum as curricula
from tests.every_domain import CATALOG, entry

LEVELS = ("easy", "medium", "hard")


def curriculum(domain="blocksworld", **options):
    return orrery.Curriculum("text_to_pddl", domain, **{"difficulties": LEVELS, "window": 4, **options})


def run(stream, success, count):
    """Ids and difficulties of items to which success is reported by difficulty."""
    levels = []
    for item in islice(stream, count):
        levels.append((item.row["id"], item.row["difficulty"]))
        stream.report(item, success[item.row["difficulty"]])
    return levels


def test_it_rises_with_success_and_stays_at_the_top():
    levels = run(curriculum(), dict.fromkeys(LEVELS, 1.0), 14)
    assert [level for _, level in levels] == ["easy"] * 4 + ["medium"] * 4 + ["hard"] * 6
    assert len({name for name, _ in levels}) == 14


def test_it_falls_with_failure_and_stays_at_the_bottom():
    stream = curriculum()
    assert {level for _, level in run(stream, dict.fromkeys(LEVELS, 0.0), 6)} == {"easy"}
    levels = run(curriculum(), {"easy": 1.0, "medium": 0.0, "hard": 0.0}, 12)
    assert [level for _, level in levels] == ["easy"] * 4 + ["medium"] * 4 + ["easy"] * 4


def test_in_between_nothing_moves_and_the_window_slides():
    stream = curriculum()
    for value in (0, 1, 0, 1, 0, 1):
        stream.report(next(stream), value)
    assert stream.levels == {"blocksworld": "easy"}
    assert stream.rates == {"blocksworld": 0.5}
    stream.report(next(stream), 1)  # the last four: 1, 0, 1, 1
    assert stream.levels == {"blocksworld": "medium"}
    assert stream.rates == {"blocksworld": None}


def test_a_share_at_a_limit_moves_the_level():
    stream = curriculum(raise_at=0.75, lower_at=0.25)
    for value in (1, 1, 1, 0):
        stream.report(next(stream), value)
    assert stream.levels == {"blocksworld": "medium"}
    for value in (0, 0, 0, 1):
        stream.report(next(stream), value)
    assert stream.levels == {"blocksworld": "easy"}


def test_each_domain_has_a_level_of_its_own():
    stream = curriculum(("blocksworld", "ferry"))
    for item in islice(stream, 16):
        stream.report(item, float(item.row["domain"] == "ferry"))
    assert stream.levels == {"blocksworld": "easy", "ferry": "hard"}
    assert [item.row["domain"] for item in islice(stream, 4)] == ["blocksworld", "ferry"] * 2


def test_reports_of_another_level_and_undecided_ones_say_nothing():
    stream = curriculum(window=2)
    early = list(islice(stream, 4))
    for item in early[:2]:
        stream.report(item, 1.0)
    assert stream.levels == {"blocksworld": "medium"}
    for item in early:  # asked at the level before
        stream.report(item.row, 1.0)
    assert stream.rates == {"blocksworld": None}
    item = next(stream)
    stream.report(item, None)
    stream.report(item, orrery.Score(0.0, "undecided", "limit of states"))
    assert stream.rates == {"blocksworld": None}
    stream.report(item, item.score(item.gold))
    stream.report(item, orrery.Score(0.0, "unparsed"))
    assert stream.rates == {"blocksworld": 0.5}


def test_a_reward_reports_by_itself():
    stream = curriculum(window=2)
    reward = orrery.Reward(on_score=stream.report)
    for item in islice(stream, 2):
        (example,) = orrery.examples([item])
        reward(completions=[item.gold], row=[example["row"]])
    assert stream.levels == {"blocksworld": "medium"}


def test_a_saved_state_goes_on_as_if_nothing_had_been():
    success = {"easy": 1.0, "medium": 0.5, "hard": 0.0}
    whole = run(curriculum(), success, 12)
    first = curriculum()
    head = run(first, success, 7)
    second = curriculum()
    second.restore(json.loads(json.dumps(first.state())))
    assert second.state() == first.state()
    assert head + run(second, success, 5) == whole
    third = pickle.loads(pickle.dumps(first))
    assert run(third, success, 5) == whole[7:]
    assert curriculum(seed=1).state() != curriculum().state()


@pytest.mark.slow
def test_a_level_that_gives_nothing_is_left_for_good(monkeypatch):
    monkeypatch.setattr(curricula, "TRIES", 5)  # of a huge problem it takes a while to see that it is
    stream = orrery.Curriculum("acp_app_gen", "blocksworld", ("easy", "huge"), window=1)
    stream.report(next(stream), 1.0)
    assert stream.levels == {"blocksworld": "huge"}
    assert next(stream).row["difficulty"] == "easy"
    stream.report(next(stream), 1.0)
    assert stream.levels == {"blocksworld": "easy"}
    again = orrery.Curriculum("acp_app_gen", "blocksworld", ("easy", "huge"), window=1)
    again.restore(stream.state())
    assert again.state() == stream.state()
    hopeless = orrery.Curriculum("acp_app_gen", "blocksworld", ("easy",), max_states=1)
    with pytest.raises(OrreryError, match=r"none of .* draws gave an item"):
        next(hopeless)


@pytest.mark.slow
def test_all_domains_and_their_own_difficulties():
    stream = orrery.Curriculum("text_to_pddl", split=None)
    assert set(stream.domains) == {name for name in CATALOG.names if entry(name).description.texts}
    assert set(stream.levels.values()) == {"easy"}
    assert {next(stream).row["domain"] for _ in stream.domains} == set(stream.domains)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"raise_at": 0.3, "lower_at": 0.3}, "0 <= lower_at < raise_at <= 1"),
        ({"raise_at": 1.1}, "invalid thresholds"),
        ({"window": 0}, "too small to contain a report"),
        ({"difficulties": ("absurd",)}, r"absurd.*difficulties: easy, medium, hard"),
        ({"difficulties": ("easy", "easy")}, "are not all difficulties of"),
        ({"domain": "chess"}, "chess"),
        ({"domain": []}, "is an empty list"),
        ({"split": "some"}, "split 'some'"),
    ],
)
def test_what_makes_no_curriculum_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        curriculum(**options)


@pytest.mark.parametrize(
    ("row", "value"), [({"id": "1", "domain": "ferry"}, 1.0), (None, 1.5), (None, float("nan"))]
)
def test_what_is_no_report_is_refused(row, value):
    stream = curriculum()
    with pytest.raises(UsageError):
        stream.report(row or next(stream), value)


def test_what_is_no_state_is_refused():
    stream = curriculum()
    good = stream.state()
    wrong = [
        {},
        {**good, "table": "acp_app_gen"},
        {**good, "seed": 5},
        {**good, "version": 0},
        {**good, "levels": {"blocksworld": 9}},
        {**good, "levels": {"blocksworld": -1}},
        {**good, "levels": {"ferry": 0}},
        {**good, "difficulties": {"blocksworld": ["hard", "easy"]}},
        {**good, "position": "some"},
        {**good, "recent": None},
    ]
    for state in wrong:
        with pytest.raises(UsageError, match="state of a curriculum"):
            stream.restore(state)
    assert stream.state() == good
