import random

from hypothesis import given
from hypothesis import strategies as st

from orrery.seeds import digest, stream

PARTS = st.lists(st.text(max_size=4) | st.integers(), max_size=4)


GOLDEN = (
    [3596491757, 484197607, 4071102726],
    [337501710, 3815918572, 4137684817],
    "f98e207b2d5d29a65c57b3b2ff601ee3b20d5e9e9926f0c2988538591aba5e09",
)
GOLDEN_DRAWS = (
    [0, 1, 6, 19],
    [
        [2, 3],
        [7, 2, 6, 8, 0, 5, 3, 4, 1],
        [6, 14, 10, 16, 7],
        [9, 54, 44],
        [46, 26, 15, 55, 1, 13, 36, 14, 50, 24, 25, 42],
    ],
    [43, 8, 52, 18, 45, 48, 16, 56, 36, 7],
    889852061,
)


def first(rng):
    return [rng.getrandbits(32) for _ in range(3)]


def test_golden_values():
    """Published rows depend on these: whoever changes them changes every dataset."""
    assert first(stream(0)) == GOLDEN[0]
    assert first(stream(7, "gripper", "problems", 17)) == GOLDEN[1]
    assert digest("gripper", 17).hex() == GOLDEN[2]


def test_golden_draws():
    """Every release of Python must draw the same elements, samples and orders."""
    rng, elements = stream(3, "draws"), list(range(60))
    choices = [rng.choice(elements[:size]) for size in (1, 2, 7, 60)]
    samples = [
        rng.sample(elements[:size], count) for size, count in ((5, 2), (9, 9), (22, 5), (60, 3), (60, 12))
    ]
    rng.shuffle(elements)
    assert (choices, samples, elements[:10], rng.randint(0, 10**9)) == GOLDEN_DRAWS


@given(PARTS, PARTS)
def test_other_paths_give_other_streams(one, other):
    same = list(map(str, one)) == list(map(str, other))
    assert (digest(*one) == digest(*other)) == same
    assert (first(stream(3, *one)) == first(stream(3, *other))) == same


def test_where_a_part_ends_matters():
    paths = [("ab", "c"), ("a", "bc"), ("abc",), ("a", "b", "c"), ("abc", ""), ("a', 'bc",), ("", "abc"), ()]
    assert len({digest(*path) for path in paths}) == len(paths)
    assert len({tuple(first(stream(0, *path))) for path in paths}) == len(paths)


def test_a_stream_is_its_own():
    random.seed(1)
    expected = random.random()
    random.seed(1)
    stream(0, "x").random()
    assert random.random() == expected
    one = stream(0, "x")
    stream(0, "x").random()
    assert one.random() == stream(0, "x").random()
