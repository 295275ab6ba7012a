"""What tests measure growth with can tell growth in proportion from more."""

from collections import Counter
from itertools import product
from types import SimpleNamespace

from tests import stopwatch
from tests.effort import (
    grows_linearly,
    little_time_by_day,
    measured,
    new_files_first,
    two_domains_by_day,
)
from tests.every_domain import ROOT


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


def quick(cases):
    """How many cases of each function are quick."""
    return Counter(case.nodeid.partition("[")[0] for case in cases if not case.marks)


def test_as_many_cases_of_a_function_are_quick_as_fit_into_its_time():
    each = {"a.py::few": 0.16, "a.py::none": 0.6, "a.py::slow": 0.1, "b.py::long": 9.0, "b.py::longer": 10.0}
    functions = [*each, "a.py::unknown"]
    cases = [Case(name, *["slow"] * (name == "a.py::slow"), n=n) for name in functions for n in range(7)]
    little_time_by_day(cases, each)
    assert quick(cases) == {"a.py::few": 2, "a.py::unknown": 7, "b.py::long": 1}
    assert [case.callspec.params["n"] for case in cases[:7] if not case.marks] == [0, 3]
    assert all(case.marks <= {"slow"} for case in cases)


def test_files_of_which_nothing_is_quick_come_first_and_then_those_with_few_cases():
    names = ["a.py::x", "b.py::x", "b.py::y", "a.py::y", "c.py::x"]
    cases = [Case(name, *["slow"] * (name != "a.py::x")) for name in names]
    new_files_first(cases)
    assert [case.nodeid[:7] for case in cases] == ["c.py::x", "b.py::x", "b.py::y", "a.py::x", "a.py::y"]


def test_seconds_are_those_of_functions_that_are_there():
    for name, seconds in measured().items():
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(), f"make test-seconds, or mend {name}"
        assert seconds > 0


def test_a_function_is_measured_without_the_fixtures_it_shares(tmp_path, monkeypatch):
    def spent(around, seconds):
        """Have something take these seconds in the code that stands around it."""
        next(around)
        clock.append(seconds)
        next(around, None)

    def tested(name, shared, own):
        """Run a test that makes a fixture for all and one for itself."""
        around = watch.pytest_runtest_protocol(Case(name))
        next(around)
        spent(watch.pytest_fixture_setup(SimpleNamespace(scope="session")), shared)
        spent(watch.pytest_fixture_setup(SimpleNamespace(scope="function")), own)
        next(around, None)

    clock = []
    monkeypatch.setattr(stopwatch, "processor_seconds", lambda: sum(clock))
    (tmp_path / "seconds.txt").write_text("9.000 a.py::cheap\n9.000 b.py::not_run\n")
    watch = stopwatch.Stopwatch(tmp_path / "seconds.txt")
    for seconds in (1.0, 3.0):
        tested("a.py::dear", 5.0, seconds)
    tested("a.py::cheap", 5.0, 0.125)
    watch.pytest_sessionfinish()
    assert measured(watch.file) == {"a.py::dear": 2.0, "b.py::not_run": 9.0}
