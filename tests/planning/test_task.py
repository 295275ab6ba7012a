"""Bit sets, compared by what they are rather than by how they are counted."""

from hypothesis import given
from hypothesis import strategies as st

from orrery.planning.task import bits, union

INDICES = st.sets(st.integers(0, 300))


def mask_of(indices):
    return sum(1 << index for index in indices)


@given(INDICES)
def test_bits_are_the_indices_ascending(indices):
    assert bits(mask_of(indices)) == sorted(indices)


@given(st.lists(INDICES))
def test_a_union_has_the_bits_of_all(sets):
    assert bits(union(map(mask_of, sets))) == sorted(set().union(*sets))
