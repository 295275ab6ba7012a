"""Our worlds in the real Gymnasium: registration, its checker, seeds, its vectors, and whole episodes.

Needs the packages of ``gymnasium.txt`` beside this file and ``orrery``;
``tests/training/test_real_packages.py`` runs it. Prints what was found as one line of JSON, and fails where
it is not as it must be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env
from world_episode import DOMAIN, RULES, SEED, SPLIT, checked, replies, reward

import orrery

SEEDS = [3, 4, 5]


def played(name: str, seed: int, **options: Any) -> tuple[float, str]:
    """The sum of rewards, and the reason of the end, of a shortest plan."""
    environment = gymnasium.make(name, **options)
    observation, info = environment.reset(seed=seed)
    assert observation in environment.observation_space
    world, total, ended = environment.unwrapped.world, 0.0, False
    while not ended:
        action = world.optimal_actions()[0]
        assert action in info["admissible"]
        observation, reward, terminated, truncated, info = environment.step(action)
        total, ended = total + reward, terminated or truncated
    assert (terminated, truncated) == (True, False)
    return total, info["reason"]


def vectors(mode: str) -> list[Any]:
    """What three worlds say at once, for the first of their admissible actions and for nonsense."""
    together = gymnasium.make_vec(
        "orrery/ferry-v0", num_envs=len(SEEDS), vectorization_mode=mode, difficulty="easy", max_steps=3
    )
    observations, infos = together.reset(seed=SEEDS)
    said = [list(observations), list(infos["admissible"]), list(infos["steps_at_best"])]
    for _ in range(4):  # the third step is the last of an episode, the fourth resets
        actions = tuple(admissible[0] if admissible else "" for admissible in infos["admissible"])
        observations, rewards, terminated, truncated, infos = together.step(actions)
        said.append(
            [list(observations), list(rewards), list(terminated), list(truncated), list(infos["reason"])]
        )
    together.close()
    return said


def transcript() -> str:
    """The digest of the episode that every adapter plays."""
    environment = gymnasium.make(f"orrery/{DOMAIN}-v0", split=SPLIT, **RULES)
    environment.reset(seed=SEED)
    turns = [environment.step(reply) for reply in replies()]
    assert sum(turn[1] for turn in turns) == reward()
    return checked(environment.unwrapped.world.transcript())


def main() -> int:
    """Run all."""
    warnings.simplefilter("error", UserWarning)
    names = orrery.register_gymnasium()
    assert names == orrery.register_gymnasium()
    for name in names[:-1]:
        check_env(gymnasium.make(name).unwrapped)
    check_env(gymnasium.make(names[-1], domain="composed-17").unwrapped)
    rewards = {name: played(name, 7) for name in names[:-1]}
    assert set(rewards.values()) == {(1.0, "goal")}, rewards
    assert played("orrery/ferry-v0", 7, reward="shaped", split="train") == (2.0, "goal")

    alone = [gymnasium.make("orrery/ferry-v0", difficulty="easy").reset(seed=seed)[0] for seed in SEEDS]
    assert alone == [orrery.world("ferry", seed, "easy").first_observation for seed in SEEDS]
    assert len(set(alone)) == len(SEEDS)
    together = vectors("sync")
    assert together[0] == alone
    assert together[3 + 2][3] == [True] * len(SEEDS), "a used-up budget truncates"
    assert together[-1][0] != together[-2][0]
    assert str(vectors("async")) == str(together)

    environment = gymnasium.make("orrery/ferry-v0")
    environment.reset(seed=3)
    for reply in ("", "dance", "x" * 1_000_000, "\x00\u2028\ud800", "(board)", "look at \u00e9"):
        observation, reward, *_ = environment.step(reply)
        assert observation in environment.observation_space
        assert reward == 0.0
    fresh = (
        'import gymnasium; gymnasium.make("orrery.training.gymnasium_worlds:orrery/ferry-v0").reset(seed=1)'
    )
    subprocess.run([sys.executable, "-c", fresh], check=True)
    print(json.dumps({"gymnasium": gymnasium.__version__, "worlds": len(names), "transcript": transcript()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
