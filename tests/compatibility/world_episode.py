"""One episode in a world, which must have the same transcript through every adapter.

The replies are a question, a call with a missing argument, an impossible action, and a shortest plan.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import Any

import orrery

DOMAIN, SEED, SPLIT, RULES = "ferry", 7, "test", {"reward": "shaped"}


@cache
def replies() -> tuple[str, ...]:
    """The replies, in PDDL."""
    problem = orrery.world(DOMAIN, SEED, split=SPLIT).problem
    plan = [f"({' '.join(action.step)})" for action in problem.oracle.shortest_plan(problem.task.init)]
    return ("look", "(board c1)", f"(board {problem.problem.objects[0].name} c1)", plan[-1], *plan)


@cache
def played() -> dict[str, Any]:
    """The transcript of the world itself."""
    world = orrery.world(DOMAIN, SEED, split=SPLIT, **RULES)
    for reply in replies():
        world.step(reply)
    assert world.transcript()["reason"] == "goal"
    return world.transcript()


def reward() -> float:
    """The sum of all rewards."""
    return sum(turn["reward"] for turn in played()["turns"])


def checked(transcript: dict[str, Any]) -> str:
    """The digest of a transcript, which must be the one of the world itself."""
    assert transcript == played(), transcript
    return hashlib.sha256(json.dumps(transcript, sort_keys=True).encode()).hexdigest()


def words_of(reply: str) -> list[str]:
    """The name and the arguments of a reply in PDDL."""
    return re.sub("[()]", "", reply).split()


class Repeating:
    """The replies for ``orrery.demo_model.serving``, by the number of the turn."""

    def reply(self, messages: Any) -> str:
        """The reply to a conversation."""
        return replies()[sum(message["role"] == "assistant" for message in messages)]
