"""Resets and steps in the form of OpenEnv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orrery.model import UsageError
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Session, Sessions
from orrery.worlds.episode import WorldTurn

LONGEST_EPISODE_ID = 255


@dataclass(frozen=True)
class OpenEnvEpisodes:
    """The sessions of a server, and what makes their worlds."""

    sessions: Sessions
    maker: WorldMaker

    def reset(self, session: Session | None, data: Any) -> dict[str, Any]:
        """Start an episode, in a session or in a new one.

        Raises:
            UsageError: the request is not possible.
        """
        episode_id, wanted = _reset_of(data)
        if session is None:
            session, turn = self.sessions.opened(lambda: self.maker.world(wanted), episode_id)
        else:
            turn = session.reset(lambda: self.maker.world(wanted), episode_id)
        return _turn_as_json(turn, session)

    def step(self, session: Session, action: Any) -> dict[str, Any]:
        """Answer the reply in an action ``{"reply": ...}``.

        Raises:
            UsageError: the action has another form, or the session has no world yet.
        """
        reply = action.get("reply") if isinstance(action, dict) else None
        if isinstance(reply, bool) or not isinstance(reply, str | int):
            raise UsageError("action", "has no reply", 'send {"reply": "..."}, with a text or a number')
        return _turn_as_json(session.step(reply), session)


def _reset_of(data: Any) -> tuple[str | None, dict[str, Any]]:
    """Return the name that a client gives an episode, and the request for a world."""
    if not isinstance(data, dict):
        raise UsageError("data", "must be a JSON object")
    episode_id = data.get("episode_id")
    is_short = isinstance(episode_id, str) and len(episode_id) <= LONGEST_EPISODE_ID
    if episode_id is not None and not is_short:
        raise UsageError("episode_id", f"must be a text of at most {LONGEST_EPISODE_ID} characters")
    return episode_id, {name: value for name, value in data.items() if name != "episode_id"}


def _turn_as_json(turn: WorldTurn, session: Session) -> dict[str, Any]:
    observation = {
        "text": turn.observation,
        "admissible": turn.admissible,
        "reason": turn.reason,
        "info": dict(turn.info),
        "session_id": session.id,
        "seed": session.seed,
    }
    return {"observation": observation, "reward": turn.reward, "done": turn.done}
