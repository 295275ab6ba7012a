"""What tests measure growth with can tell growth in proportion from more."""

from itertools import product
from types import SimpleNamespace

import pytest

from tests.effort import grows_linearly, two_domains_by_day


@pytest.mark.slow
def test_growth_in_proportion_is_told_from_more():
    def cubic(size):
        return sum(1 for _ in product(range(size), repeat=3))

    assert grows_linearly(lambda size: sum(range(size)), 10**5, 4 * 10**5)
    assert not grows_linearly(cubic, 50, 200)


class Case:
    """A test function with parameters, as pytest hands it over; ``marks`` are those that it has."""

    def __init__(self, function, /, *marks, **params):
        self.nodeid, self.marks = f"{function}[{params}]", set(marks)
        if params:
            self.callspec = SimpleNamespace(params=params)

    def get_closest_marker(self, name):
        return name in self.marks or None

    def add_marker(self, mark):
        self.marks.add(mark.name)


def test_two_domains_of_each_test_are_quick_and_nothing_else_is_slowed():
    domains = ("alfworld", "depots", "ferry", "gripper")
    over_all = [Case("over_all", name=name, number=n) for name, n in product(domains, range(2))]
    over_two = [Case("over_two", name=name) for name in domains[:2]]
    none = [Case("none", "exhaustive", name=name) for name in domains]
    others = [Case("others", name="a word", number=1), Case("plain")]
    two_domains_by_day([*over_all, *over_two, *none, *others])
    assert [case.callspec.params["name"] for case in over_all if not case.marks] == [
        "alfworld", "alfworld", "ferry", "ferry",
    ]  # fmt: skip
    assert all(
        case.marks == {"slow"} for case in over_all if case.callspec.params["name"] in ("depots", "gripper")
    )
    assert not any(case.marks for case in over_two + others)
    assert all(case.marks == {"exhaustive"} for case in none)
