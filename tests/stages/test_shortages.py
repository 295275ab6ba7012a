"""What domains have less of than was promised: all is made, and the end names each of them."""

from functools import partial

import pytest

from orrery.config import load
from orrery.model import Incomplete
from orrery.problems.schemas import REJECTS
from orrery.stages.over_domains import Step, run_all, run_some
from orrery.stages.summary import StageSummary
from orrery.workers import Workers
from tests.checkout import checkout

NAMES = ("blocksworld", "ferry", "gripper", "swap")


def first(lacking, settings, name, workers):
    """A step that writes what it makes, and then says of these domains that it is too little."""
    (settings.outputs / f"first-{name}").touch()
    if name in lacking:
        raise Incomplete(f"rows of {name}", "one of two", "raise the number")
    return StageSummary("first", name, {"rows": 2})


def second(settings, name, workers):
    (settings.outputs / f"second-{name}").touch()
    return StageSummary("second", name, {"rows": 2})


@pytest.fixture
def settings(tmp_path):
    found = load(checkout(tmp_path, NAMES))
    found.outputs.mkdir()
    return found


def steps(*lacking):
    return [
        Step("first", "first", (REJECTS,), partial(first, lacking)),
        Step("second", "second", (REJECTS,), second),
    ]


def some(settings, jobs, made):
    return run_some(settings, "generate-tasks", made, NAMES, Workers(jobs))


def every(settings, jobs, made):
    return run_all(settings, "generate-tasks", made, Workers(jobs))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("lacking", [["swap"], ["blocksworld", "gripper"], NAMES], ids=len)
@pytest.mark.parametrize("go", [some, every])
def test_all_is_made_and_every_domain_that_lacks_some_is_named(settings, go, jobs, lacking):
    told, short = [], {("first", name) for name in lacking}
    with pytest.raises(Incomplete) as error:
        told.extend(go(settings, jobs, steps(*lacking)))
    assert sorted(path.name for path in settings.outputs.glob("*-*")) == sorted(
        f"{step}-{name}" for step in ("first", "second") for name in NAMES
    )
    assert [(each.stage, each.domain) for each in told] == [
        (step, name) for name in NAMES for step in ("first", "second") if (step, name) not in short
    ]
    assert [name for name in NAMES if f"rows of {name}: one of two" in str(error.value)] == sorted(lacking)
    assert str(error.value).count("raise the number") == 1


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_is_raised_where_nothing_lacks(settings, jobs):
    assert len(list(some(settings, jobs, steps()))) == 2 * len(NAMES)
