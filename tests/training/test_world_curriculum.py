"""A curriculum of worlds: what is drawn follows what is reported, and a state continues it."""

import json
from itertools import islice

import pytest

from orrery.model import OrreryError, UsageError
from orrery.training.world_curriculum import WorldCurriculum

BANDS = ((1, 3), (4, 6), (7, 10))


def drawn(curriculum, outcomes):
    """The lengths of shortest plans and the domains of worlds, each reported with an outcome."""
    worlds = []
    for outcome in outcomes:
        world = next(curriculum)
        curriculum.report(world, outcome)
        worlds.append((world.problem.domain_name, world.steps_at_best))
    return worlds


def test_shortest_plans_grow_with_success_and_shrink_with_failure():
    curriculum = WorldCurriculum("ferry", BANDS, window=3)
    lengths = [length for _, length in drawn(curriculum, [1] * 6 + [0] * 6 + [1])]
    bands = [next(band for band in BANDS if band[0] <= length <= band[1]) for length in lengths]
    assert bands == [BANDS[0]] * 3 + [BANDS[1]] * 3 + [BANDS[2]] * 3 + [BANDS[1]] * 3 + [BANDS[0]]


def test_every_domain_has_its_own_level():
    curriculum = WorldCurriculum(["ferry", "grippers"], BANDS, window=2)
    names = [name for name, _ in drawn(curriculum, [1, 0, 1, 0])]
    assert names == ["ferry", "grippers"] * 2
    assert curriculum.levels == {"ferry": BANDS[1], "grippers": BANDS[0]}


def test_a_state_continues_with_the_same_worlds():
    first = WorldCurriculum("ferry", BANDS, window=2, seed=5)
    drawn(first, [1, 1, 0])
    second = WorldCurriculum("ferry", BANDS, window=2, seed=5)
    second.restore(json.loads(json.dumps(first.state())))
    assert drawn(first, [0, 1, 1, 1]) == drawn(second, [0, 1, 1, 1])


@pytest.mark.slow
def test_a_band_without_problems_is_dropped():
    curriculum = WorldCurriculum("ferry", ((1, 3), (500, 600)), window=1)
    assert [length <= 3 for _, length in drawn(curriculum, [1, 1])] == [True, True]
    assert curriculum.levels == {"ferry": (1, 3)}
    with pytest.raises(OrreryError):
        next(WorldCurriculum("ferry", ((500, 600),)))


def test_a_world_of_another_band_is_ignored_and_one_of_another_domain_refused():
    curriculum = WorldCurriculum("ferry", BANDS, window=1)
    (long,) = islice(WorldCurriculum("ferry", BANDS[2:]), 1)
    curriculum.report(long, 1)
    assert curriculum.levels == {"ferry": BANDS[0]}
    (other,) = islice(WorldCurriculum("grippers", BANDS), 1)
    with pytest.raises(UsageError, match="outside this curriculum"):
        curriculum.report(other, 1)
    with pytest.raises(UsageError, match="success rate"):
        curriculum.report(long, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 0},
        {"seed": 1},
        {"bands": []},
        {"ladders": {}},
        {"ladders": {"ferry": {}}},
        {"position": "x"},
    ],
)
def test_other_states_are_refused(change):
    curriculum = WorldCurriculum("ferry", BANDS)
    with pytest.raises(UsageError, match="state of a curriculum"):
        curriculum.restore({**curriculum.state(), **change})


def test_impossible_arguments_are_refused():
    for arguments in (([],), ("ferry", [])):
        with pytest.raises(UsageError):
            WorldCurriculum(*arguments)
    with pytest.raises(UsageError):
        WorldCurriculum("ferry", raise_at=0.2, lower_at=0.3)
