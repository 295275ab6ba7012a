"""States at hand and in files are those that joining the whole files gives."""

import pytest

from orrery.families.questions.states import SomeStates, item_of, numbered
from orrery.problems.schemas import REJECTS
from orrery.store import shards
from orrery.store.lookup import RowSource
from tests.store import samples


@pytest.fixture
def states(tmp_path, monkeypatch):
    """Nine states: all in the file ``one``, every second in ``other`` as well, which says more of them."""
    monkeypatch.setattr(shards, "ROWS_PER_GROUP", 2)
    first, second = tmp_path / "one.parquet", tmp_path / "other.parquet"
    shards.write(
        first, REJECTS, [samples.row(REJECTS, item=str(number), reason="one") for number in range(9)]
    )
    shards.write(
        second, REJECTS, [samples.row(REJECTS, item=str(number), reason="other") for number in range(0, 9, 2)]
    )
    known_items = {row["item"]: row["at other"] for row in numbered(second, REJECTS, ["item"], "at other")}
    rows = [
        {"problem_id": row["item"], "turn": -at, "at one": row["at one"]}
        | ({"at other": known_items[row["item"]]} if row["item"] in known_items else {})
        for at, row in enumerate(numbered(first, REJECTS, ["item"], "at one"))
    ]
    return SomeStates(rows[::-1], {"at one": RowSource(first), "at other": RowSource(second)})


def test_later_files_and_what_is_at_hand_go_before_earlier_files(states):
    full_states = states.full()
    assert (
        [row["item"] for row in full_states]
        == [row["problem_id"] for row in states.rows]
        == list("876543210")
    )
    assert [row["reason"] for row in full_states] == ["other", "one"] * 4 + ["other"]
    assert [row["turn"] for row in full_states] == list(range(-8, 1))
    assert not {"at one", "at other"} & set().union(*full_states), "numbers of rows say nothing of a state"


def test_batches_are_all_states_in_order(states):
    for size in range(1, 11):
        batches = states.batches(size)
        assert [row for batch in batches for row in batch.rows] == states.rows
        assert {len(batch.rows) for batch in batches[:-1]} <= {size}
    assert states.those(lambda row: row["turn"] < -5).full() == states.full()[:3]


def test_the_initial_state_of_a_problem_needs_no_name():
    assert item_of({"problem_id": "a"}) == "a/initial"
    assert item_of({"problem_id": "a", "state_id": "walk-2"}) == "a/walk-2"
