"""What tests measure growth with can tell growth in proportion from more."""

from itertools import product

from tests.effort import grows_linearly


def test_growth_in_proportion_is_told_from_more():
    def cubic(size):
        return sum(1 for _ in product(range(size), repeat=3))

    assert grows_linearly(lambda size: sum(range(size)), 10**5, 4 * 10**5)
    assert not grows_linearly(cubic, 50, 200)
