"""Windows: items of a stream that are chosen together."""

import json
import pickle
from collections import Counter
from itertools import islice
from statistics import fmean

import pytest

import orrery
from orrery.dataset.adversary.targets import target_maker
from orrery.families import table_of
from orrery.families.drafts import Draft, Rejected
from orrery.families.questions.near_misses import watched
from orrery.library import fresh_claims, streams, windows
from orrery.library.streams import NoItem
from orrery.library.windows import ITEMS, has_windows, window
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.execution import unmet_preconditions
from tests.effort import by_day
from tests.every_domain import CATALOG
from tests.library.samples import IN_ONE_PROCESS, QUICK, TABLES

pytestmark = IN_ONE_PROCESS


def test_tables_have_windows_whose_single_items_would_show_their_answers():
    assert has_windows("acp_app_bool")
    assert has_windows("acp_just_mcq")
    assert has_windows("acp_reach_gen")
    assert has_windows("acp_prog_gen")
    assert has_windows("plan_causality")
    assert not any(map(has_windows, ("acp_app_gen", "plan_generation", "text_to_pddl")))


@pytest.mark.slow
def test_any_item_of_a_window_is_the_same_whatever_was_drawn_before():
    stream = orrery.tasks("acp_app_bool", "ferry", seed=2)
    first = list(islice(stream, ITEMS + 1))
    other = orrery.tasks("acp_app_bool", "ferry", seed=2)
    assert [other.item(number).row for number in (ITEMS, 5, 0)] == [first[n].row for n in (ITEMS, 5, 0)]
    assert len({item.row["id"] for item in first}) == len(first)
    again = pickle.loads(pickle.dumps(stream))
    assert not again._windows, "what waits is made again"
    assert next(again).row == next(stream).row


def test_both_answers_of_a_window_are_about_as_frequent():
    rows = [item.row for item in islice(orrery.tasks("acp_app_bool", "ferry", seed=1), 4 * ITEMS)]
    assert pytest.approx(Counter(row["answer"] for row in rows)["yes"], abs=ITEMS) == 2 * ITEMS


@pytest.mark.slow
def test_a_part_of_a_plan_that_can_be_removed_is_not_told_by_its_place():
    later = []
    for item in islice(orrery.tasks("acp_just_mcq", "logistics", seed=1), ITEMS):
        ends = [claim["at"][-1] for claim in json.loads(item.row["claims"])]
        right = ends.pop("ABCD".index(item.row["answer"]))
        later.append(sum((right > end) - (right < end) for end in ends) / len(ends))
    assert len(later) == ITEMS
    assert abs(fmean(later)) < 0.3


@by_day(4)
@pytest.mark.parametrize("table", [table for table in TABLES if windows.has_windows(table)])
def test_no_two_items_of_a_window_are_about_one_state(table):
    """The answer to the one would be that to the other, or its opposite."""
    items = islice(orrery.tasks(table, QUICK.get(table, "ferry"), seed=5), ITEMS)
    states = Counter(tuple(item.row["id"].split("/")[:4]) for item in items)
    assert set(states.values()) == {1}


def test_of_a_pair_with_opposite_answers_a_window_has_one_row_and_both_answers_are_as_frequent(monkeypatch):
    drafts = [
        [
            Draft(tuple({"id": f"{n}{half}", "valid": valid} for valid in (n % 2 == 0, n % 2 == 1)), stratum)
            for half, stratum in enumerate(("order", "step"))
        ]
        for n in range(24)
    ]
    rows, _ = made(monkeypatch, "plan_verification", *drafts)
    assert len({row["id"][:-1] for row in rows}) == len(rows) == ITEMS
    assert Counter(row["valid"] for row in rows) == {True: ITEMS / 2, False: ITEMS / 2}


def made(monkeypatch, table, *drafts):
    """The rows of a window whose candidates are given, by state."""
    _, keep, times = windows._chooser(table)

    def draw(wanted, spot, max_states):
        if spot.draw >= len(drafts):
            raise Rejected("no more")
        return drafts[spot.draw]

    monkeypatch.setattr(windows, "_chooser", lambda _: (draw, keep, times))
    skipped = Counter()
    spot = windows.Spot(1, table, "ferry", 0, 0)
    return window(None, spot, 9, lambda row: row.get("text") != "", skipped), skipped


def fixed(reply, number):
    return [Draft(({"id": number},), "search", shifts=((reply, 1000),))]


def test_no_reply_is_right_in_more_than_a_quarter_of_a_window(monkeypatch):
    same = [fixed("(at a b)", n) for n in range(12)]
    rows, _ = made(monkeypatch, "acp_reach_gen", *same, *(fixed(f"(at a c{n})", 12 + n) for n in range(12)))
    assert len(rows) == ITEMS
    assert sum(row["id"] < 12 for row in rows) <= ITEMS / 4


@by_day(1)
@pytest.mark.parametrize("table", ["acp_land_gen", "acp_areach_gen", "acp_reach_gen"])
def test_no_simple_choice_of_a_candidate_is_right_more_often_than_a_random_one(monkeypatch, table):
    windows_of_grid = []
    monkeypatch.setattr(
        streams, "window", lambda *given: windows_of_grid.append(window(*given)) or windows_of_grid[-1]
    )
    assert list(islice(orrery.tasks(table, "grid", seed=1), 2 * ITEMS))
    for rows in windows_of_grid:
        targets = [target_maker(table_of(table)).target(row) for row in rows]
        by_chance = sum(target.chance for target in targets)
        for place in (0, -1):
            assert sum(target.options[place].right for target in targets) <= by_chance + 0.51
        assert sum(map(share_of_the_longest, targets)) <= by_chance + 0.51


def share_of_the_longest(target):
    """How many of the longest candidates are right."""
    length = max(len(option.text) for option in target.options)
    return fmean(option.right for option in target.options if len(option.text) == length)


def test_answers_of_a_repetitive_table_come_once_and_frequent_ones_last(monkeypatch):
    answers = [*["often"] * 7, *(f"rare {n}" for n in range(17))]
    drafts = [[Draft(({"id": n, "answer": answer},))] for n, answer in enumerate(answers)]
    rows, _ = made(monkeypatch, "acp_prog_gen", *drafts[:20])
    assert Counter(row["answer"] for row in rows) == dict.fromkeys(answers[:20], 1)
    rows, _ = made(monkeypatch, "acp_prog_gen", *drafts)
    assert len(rows) == ITEMS
    assert "often" not in {row["answer"] for row in rows}


def test_names_suggest_at_most_a_quarter_of_the_answers_of_a_window(monkeypatch):
    drafts = [
        [
            Draft(({"look": look, "id": f"{look}{n}"},), f"fails {look}/{2 + n % 4}")
            for look in ("seen", "seen", "seen", "hidden")
        ]
        for n in range(20)
    ]
    rows, _ = made(monkeypatch, "plan_causality", *drafts)
    assert Counter(row["look"] for row in rows) == {"hidden": 12, "seen": 4}


@pytest.mark.parametrize("lean", [-20, 20])
def test_where_a_measure_tells_every_choice_a_window_stays_empty(monkeypatch, lean):
    count = windows.GIVEN_UP * windows.MORE
    told = [[Draft(({"id": n},), leans=(("longest", lean),))] for n in range(count)]
    assert made(monkeypatch, "acp_prog_mcq", *told) == ([], {fresh_claims.TOLD: 1})
    even = [[Draft(({"id": n},), leans=(("longest", lean * (-1) ** n),))] for n in range(2 * ITEMS)]
    rows, _ = made(monkeypatch, "acp_prog_mcq", *even)
    assert len({row["id"] for row in rows}) == ITEMS
    assert ITEMS / 4 <= sum(row["id"] % 2 for row in rows) <= 3 * ITEMS / 4


@pytest.mark.slow
def test_the_condition_that_readers_check_first_rules_out_one_option_at_most():
    for item in islice(orrery.tasks("acp_app_mcq", "grid", seed=1), ITEMS):
        entry = CATALOG.entry("grid")
        first = watched(entry.domain)
        problem = read_problem(item.row["PDDL_problem"], entry.domain)
        ruled_out = 0
        for claim in json.loads(item.row["claims"]):
            step = parse_atom(claim["action"])
            unmet = unmet_preconditions(entry.domain, problem.init, step)
            ruled_out += any(literal.atom[0] == first for literal in unmet)
        assert ruled_out <= 1


def test_at_most_a_quarter_of_a_window_has_the_same_distance_between_steps(monkeypatch):
    distances = [2] * 9 + [3, 4, 5, 6, 7]
    drafts = [
        [Draft(({"distance": distance, "id": f"{n}"},), f"fails hidden/{distance}")]
        for n, distance in enumerate(2 * distances)
    ]
    rows, _ = made(monkeypatch, "plan_causality", *drafts)
    assert 0 < max(Counter(row["distance"] for row in rows).values()) <= len(rows) / 4


def test_where_there_are_no_candidates_a_window_is_soon_given_up(monkeypatch):
    rows, skipped = made(monkeypatch, "acp_reach_gen")
    assert rows == []
    assert skipped == {"no more": windows.VAIN}


def test_where_all_claims_are_true_a_window_stays_empty(monkeypatch):
    count = windows.GIVEN_UP * windows.MORE
    one_sided = [[Draft(({"id": n},), "yes", shifts=(("look", 0),))] for n in range(count)]
    assert made(monkeypatch, "acp_app_bool", *one_sided) == ([], {fresh_claims.TOLD: 1})


def test_rows_that_the_prompt_cannot_show_are_no_candidates(monkeypatch):
    empty = [[Draft(({"text": "", "id": n},), "search")] for n in range(3)]
    rows, _ = made(monkeypatch, "acp_reach_gen", *empty, [Draft(({"id": 9},), "search")])
    assert rows == [{"id": 9}]


@pytest.fixture
def numbered(monkeypatch):
    """Streams whose windows give numbers instead of rows; only some domains have any."""

    def windows_of(**counts):
        def window(source, spot, *_):
            path = (source.domain, spot.number, spot.attempt)
            return [{"at": (*path, place)} for place in range(counts.get(source.domain, 0))]

        monkeypatch.setattr(streams, "window", window)
        return orrery.tasks("plan_causality", seed=1)

    return windows_of


def test_the_next_domain_has_the_turn_of_one_that_gives_nothing(numbered):
    domains = orrery.tasks("plan_causality").domains[1:]
    stream = numbered(**dict.fromkeys(domains, ITEMS) | {"swap": 3})
    count = 2 * ITEMS * len(stream.domains)
    paths = [item.row["at"] for item in islice(stream, count)]
    assert stream.position == count
    assert len(set(paths)) == count, "no item comes twice"
    turns = Counter(domain for domain, *_ in paths)
    assert stream.domains[0] not in turns
    assert turns["swap"] >= 2 * 3
    assert min(count for domain, count in turns.items() if domain != "swap") >= 2 * ITEMS


def test_short_windows_give_all_their_rows(monkeypatch):
    addresses = []

    def window(source, spot, *_):
        addresses.append((source.domain, spot.number, spot.attempt))
        return [{"at": (*addresses[-1], place)} for place in range(3)]

    monkeypatch.setattr(streams, "window", window)
    stream = orrery.tasks("plan_causality", seed=1)
    count = ITEMS * len(stream.domains)
    rows = [item.row["at"] for item in islice(stream, count)]
    assert stream.position == count
    assert len(set(rows)) == count
    assert len(addresses) == len(set(addresses)) <= count / 3 + len(stream.domains)


def test_a_number_without_an_item_is_passed_over(numbered):
    stream = numbered(ferry=ITEMS // 2)
    with pytest.raises(NoItem):
        numbered(ferry=1).item(ITEMS * len(stream.domains) - 1)
    before = 0
    for item in islice(stream, 300):
        assert item.row["at"][0] == "ferry"
        assert stream.position > before
        before = stream.position


def test_if_the_first_windows_of_all_domains_are_empty_others_are_tried(monkeypatch):
    def window(source, spot, *_):
        return [{"at": spot.attempt}] if spot.attempt else []

    monkeypatch.setattr(streams, "window", window)
    assert orrery.tasks("plan_causality", seed=1).item(0).row["at"] == 1


def test_where_no_domain_gives_anything_it_is_said(numbered):
    with pytest.raises(NoItem, match="table 'plan_causality' of alfworld"):
        next(numbered())
