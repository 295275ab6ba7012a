"""What a sampler remembers in a few bytes is what plain sets and lists remember."""

from hypothesis import given
from hypothesis import strategies as st

from orrery.families.problems.candidates import ProblemCandidate
from orrery.families.problems.known import DrawList, KeySet, Rejects, StoredKeySet
from orrery.families.problems.quotas import Draw
from orrery.model import ConfigurationPair
from tests.effort import examples

TASKS = [
    ConfigurationPair("a", "b"),
    ConfigurationPair("a", "a", tied=True),
    ConfigurationPair("c", "b", strict=True),
]
DRAWS = st.builds(
    Draw, st.just("d"), st.sampled_from(["easy", "hard"]), st.sampled_from(TASKS), st.integers(0, 10**6)
)


KEYS = st.text("abc", max_size=2)


@examples(60)
@given(st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_a_set_of_keys_holds_what_was_put_in(put_in, others):
    known = KeySet()
    for key in put_in:
        known.add(key)
    assert len(known) == len(set(put_in))
    assert [key in known for key in others] == [key in set(put_in) for key in others]


def test_a_set_of_keys_grows():
    known = KeySet()
    for number in range(20_000):
        known.add(f"{number:064x}")
    assert len(known) == 20_000
    assert all(f"{number:064x}" in known for number in range(20_000))
    assert not any(f"{number:064x}" in known for number in range(20_000, 40_000))


@examples(60)
@given(st.lists(DRAWS))
def test_draws_come_back_in_their_order(draws):
    listed = DrawList()
    for draw in draws:
        listed.append(draw)
    assert list(listed) == draws
    assert len(listed) == len(draws)


@examples(60)
@given(
    st.lists(st.tuples(DRAWS, st.sampled_from("xy"), st.sampled_from("zw")), unique_by=lambda each: each[0])
)
def test_rejects_come_back_by_draw(rejected):
    found = Rejects()
    for draw, reason, detail in rejected:
        found.append(ProblemCandidate(draw, None, reason, detail))
    assert list(found) == [ProblemCandidate(draw, None, *why) for draw, *why in sorted(rejected)]
    assert len(found) == len(rejected)


@examples(40)
@given(st.lists(st.tuples(st.sets(KEYS, max_size=12), st.lists(KEYS, max_size=12)), max_size=6))
def test_a_set_on_the_disk_is_as_one_in_memory(rounds):
    """Some of the keys that are asked for are at hand, others are not."""
    stored, memory = StoredKeySet(), KeySet()
    for recalled, asked in rounds:
        stored.recall(recalled)
        for key in (*recalled, *asked):
            assert (key in stored) == (key in memory)
        for key in asked:
            stored.add(key)
            memory.add(key)
        assert len(stored) == len(memory)


def test_a_set_on_the_disk_has_the_keys_at_hand_in_memory_alone():
    known = StoredKeySet()
    for start in range(0, 40_000, 2000):
        some = [f"key {number}" for number in range(start, start + 2000)]
        known.recall(some)
        assert not any(key in known for key in some)
        for key in some:
            known.add(key)
        assert len(known._prefixes) <= 2000
    assert len(known) == 40_000
    assert all(f"key {number}" in known for number in range(0, 40_000, 997))
    assert not any(f"other {number}" in known for number in range(500))
