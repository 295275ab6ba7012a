"""Abstract texts: a second problem of the same parameters must be the same, and others are seen."""

import pytest

from orrery.checks.determined import check, equal_up_to_names
from orrery.equivalence.keys import keys
from orrery.seeds import stream
from tests.every_domain import CATALOG, built, difficulties, drawn, entry, words

# Those of whose tasks some have an abstract text.
DOMAINS = [name for name in CATALOG.names if any("macro init_" in line for line in words(name).path.open())]


def twice(name, task, seed):
    """Two problems of one draw of parameters, and the row of the first; None where nothing fits."""
    here, level = entry(name), difficulties(name)[0]
    first = drawn(name, task, level, seed)
    if first is None or not abstract(name, task):
        return None
    limits = here.limits(level)
    parameters = here.call("draw", task, limits, stream(seed, task.name, level, "parameters"))
    others = (built(name, task, parameters, stream(seed, "another stream", n)) for n in range(40))
    again = next((each for each in others if alike(first, each)), None)
    if again is None:
        return None
    found = keys(here.domain, first.problem, rule=here.closure_rule)
    return first.problem, again.problem, {"strict_key": found.strict, "loose_key": found.loose}


def abstract(name, task):
    """Init and goal of the task where they have abstract texts."""
    parts = {"init": task.init, "goal": task.goal}
    return [part for part, configuration in parts.items() if words(name).has_passage(part, configuration)]


def alike(first, second):
    names = frozenset(typed.name for typed in first.problem.objects)
    stated = [[each.init_parameters, each.goal_parameters] for each in (first, second)]
    return equal_up_to_names(*stated, names)


def faults(name, task, problem, again, row, exchangeable=None):
    here = entry(name)
    exchangeable = task.interchangeable if exchangeable is None else exchangeable
    return check(
        here.domain,
        problem,
        again,
        row,
        abstract_parts=abstract(name, task),
        exchangeable=exchangeable,
        rule=here.closure_rule,
    )


@pytest.mark.parametrize("name", DOMAINS)
def test_the_same_parameters_make_the_same_problem(name):
    made = [(task, twice(name, task, n)) for n, task in enumerate(entry(name).tasks)]
    assert sum(each is not None for _, each in made) >= 0.5 * len(made)
    for task, problems in made:
        if problems:
            assert faults(name, task, *problems) == [], task.name


@pytest.mark.parametrize("name", DOMAINS)
def test_other_parameters_and_foreign_keys_are_seen(name):
    found = 0
    for number, task in enumerate(entry(name).tasks):
        one, two = twice(name, task, number), twice(name, task, number + 1000)
        if one and two and one[2]["loose_key"] != two[2]["loose_key"]:
            found += 1
            assert "also fits" in faults(name, task, one[0], two[0], one[2])[0]
            assert faults(name, task, one[0], one[1], two[2]) == ["its stored keys are not its own"]
    assert found


def test_what_differs_by_an_exchange_alone_is_no_strict_match():
    """The case for which the flag exists: a stack to be rebuilt in an order that only a list can give."""
    task = next(p for p in entry("blocksworld").tasks if p.name == "stack-to-stack")
    seen = set()
    for seed in range(12):
        problem, again, row = twice("blocksworld", task, seed)
        assert faults("blocksworld", task, problem, again, row, exchangeable=True) == []
        seen.add(bool(faults("blocksworld", task, problem, again, row, exchangeable=False)))
    assert True in seen


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"rooms": 3, "counts": {"r1": 2, "r2": 0}}, {"rooms": 3, "counts": {"r2": 2, "r1": 0}}, True),
        ({"rooms": 3, "counts": {"r1": 2, "r2": 0}}, {"rooms": 3, "counts": {"r2": 2, "r1": 1}}, False),
        ({"places": {"r1": [1, 2]}}, {"places": {"r1": [2, 1]}}, False),
        ([["r1", "r2"], ["r3"]], [["r3", "r2"], ["r1"]], True),
        ([["r1", "r2"], ["r3"]], [["r3"], ["r2", "r1"]], False),
        ({"start": "r9"}, {"start": "corner"}, False),
        (None, None, True),
        (1, "1", False),
    ],
)
def test_parameters_that_are_equal_up_to_names(first, second, same):
    assert equal_up_to_names(first, second, frozenset({"r1", "r2", "r3"})) is same
