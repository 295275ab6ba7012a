"""Sessions have ids that cannot be guessed, and make room for others."""

import pytest

import orrery
from orrery.serve.requested_worlds import SEEDS
from orrery.serve.sessions import NoRoom, Sessions, UnknownSession


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def ferry(seed=7):
    return orrery.world("ferry", seed=seed), seed


def test_ids_are_long_and_all_different():
    sessions = Sessions()
    ids = {sessions.open().id for _ in range(200)}
    assert len(ids) == 200
    assert min(map(len, ids)) >= 22  # 128 bits


def test_unused_sessions_are_dropped():
    clock = Clock()
    sessions = Sessions(idle_seconds=60, clock=clock)
    first, second = sessions.open(), sessions.open()
    clock.now = 50
    assert sessions.get(first.id) is first
    clock.now = 100
    with pytest.raises(UnknownSession, match="not used for a long time"):
        sessions.get(second.id)
    assert sessions.get(first.id) is first
    assert len(sessions) == 1


def test_a_full_store_drops_the_least_recently_used_episode_that_is_over():
    sessions = Sessions(limit=3)
    going_on, older, newer = (sessions.opened(ferry)[0] for _ in range(3))
    with pytest.raises(NoRoom):
        sessions.open()
    for session in (newer, older):
        while not session.step("dance").done:
            pass
    sessions.get(older.id)
    sessions.open()
    with pytest.raises(UnknownSession):
        sessions.get(newer.id)
    assert sessions.get(older.id) is older
    assert sessions.get(going_on.id) is going_on
    assert len(sessions) == 3


def test_a_scored_episode_is_over_until_the_next():
    session, _ = Sessions().opened(ferry)
    assert not session.is_over
    assert session.score()["total_reward"] == 0
    assert session.is_over
    session.reset(ferry)
    assert not session.is_over


def test_a_new_episode_begins_at_nothing():
    session, _ = Sessions().opened(ferry, "mine")
    while not session.step(session.world.optimal_actions()[0]).done:
        pass
    assert session.state()["total_reward"] == 1.0
    session.reset(lambda: ferry(8))
    state = session.state()
    assert (state["total_reward"], state["step_count"], state["episode_id"], state["seed"]) == (0, 0, None, 8)


def test_a_seed_gives_the_world_of_this_seed(maker):
    request = {"domain": "grippers", "seed": 5, "difficulty": "medium", "split": "train", "reward": "shaped"}
    world, seed = maker.world(request)
    assert seed == 5
    assert world.transcript() == orrery.world(**request).transcript()
    assert world.options == orrery.world(**request).options
    again, _ = maker.world(request)
    assert again is not world
    assert again.problem is world.problem


@pytest.mark.slow
def test_a_composed_domain_is_served(maker):
    world, _ = maker.world({"domain": "composed/3", "seed": 1})
    assert world.transcript() == orrery.world("composed/3", seed=1).transcript()


def test_without_a_seed_the_world_is_random(maker):
    seeds = {maker.world({})[1] for _ in range(8)}
    assert len(seeds) == 8
    assert max(seeds) < SEEDS
