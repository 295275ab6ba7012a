"""Sessions: worlds that clients act in, each under an id that cannot be guessed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from secrets import token_urlsafe
from threading import Lock
from typing import Any

from orrery.model import UsageError
from orrery.worlds.episode import World, WorldTurn

MOST_SESSIONS = 1_000
IDLE_SECONDS = 1_800.0


class UnknownSession(UsageError):
    """There is no session with this id."""


class NoRoom(UsageError):
    """The server holds as many sessions as it may, and all of them are in use."""


class Session:
    """One world at a time, and the total of its rewards. Requests are answered one after the other."""

    def __init__(self, session_id: str) -> None:
        """Create a session without a world."""
        self.id, self.last_used = session_id, 0.0
        self._lock = Lock()
        self._world: World | None = None
        self.seed, self._total, self._closed = 0, 0.0, False
        self._episode_id: str | None = None

    @property
    def world(self) -> World:
        """The world.

        Raises:
            UsageError: there is none yet.
        """
        if self._world is None:
            raise UsageError("session", "has no world yet", "reset it first")
        return self._world

    @property
    def is_over(self) -> bool:
        """Whether the episode is over, or was scored."""
        return self._closed or (self._world is not None and self._world.done)

    def reset(self, make: Callable[[], tuple[World, int]], episode_id: str | None = None) -> WorldTurn:
        """Start an episode in a new world. If the world cannot be made, the session is as before."""
        with self._lock:
            self._world, self.seed = make()
            self._total, self._closed, self._episode_id = 0.0, False, episode_id
            return self._world.reset()

    def step(self, reply: str | int) -> WorldTurn:
        """Return the turn of the world after a reply.

        Raises:
            UsageError: there is no world yet.
        """
        with self._lock:
            turn = self.world.step(reply)
            self._total += turn.reward
            return turn

    def score(self) -> dict[str, Any]:
        """Mark the episode as over; return the total of its rewards and what it was made of."""
        with self._lock:
            self._closed = True
            return self._state()

    def state(self) -> dict[str, Any]:
        """Return the state of the episode as JSON values.

        Raises:
            UsageError: there is no world yet.
        """
        with self._lock:
            return self._state()

    def _state(self) -> dict[str, Any]:
        snapshot = self.world.snapshot()
        return {
            "episode_id": self._episode_id,
            "session_id": self.id,
            "seed": self.seed,
            "step_count": snapshot["steps"],
            "max_steps": self.world.max_steps,
            "steps_at_best": self.world.steps_at_best,
            "invalid_total": snapshot["invalid_total"],
            "total_reward": self._total,
            "done": self.world.done,
            "reason": snapshot["reason"],
            "transcript": self.world.transcript(),
        }


class Sessions:
    """At most ``limit`` sessions, without those that nobody has used for ``idle_seconds``."""

    def __init__(
        self,
        limit: int = MOST_SESSIONS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create an empty store."""
        self.limit, self.idle_seconds, self._clock = limit, idle_seconds, clock
        self._lock = Lock()
        self._by_id = OrderedDict[str, Session]()  # the least recently used one first

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._by_id)

    def open(self) -> Session:
        """Return a new session.

        If the store is full, the least recently used session whose episode is over is dropped.

        Raises:
            NoRoom: the store is full, and all episodes are going on.
        """
        with self._lock:
            self._drop_idle()
            if len(self._by_id) >= self.limit:
                self._drop_one_that_is_over()
            session = Session(token_urlsafe(16))
            session.last_used = self._clock()
            self._by_id[session.id] = session
            return session

    def opened(
        self, make: Callable[[], tuple[World, int]], episode_id: str | None = None
    ) -> tuple[Session, WorldTurn]:
        """Return a new session with a world, and its first turn. If that cannot be made, there is no session.

        Raises:
            NoRoom: the store is full, and all episodes are going on.
        """
        session = self.open()
        try:
            return session, session.reset(make, episode_id)
        except BaseException:
            self.close(session.id)
            raise

    def get(self, session_id: object) -> Session:
        """Return the session with an id.

        Raises:
            UnknownSession: there is none, or no longer.
        """
        with self._lock:
            self._drop_idle()
            session = self._by_id.get(session_id) if isinstance(session_id, str) else None
            if session is None:
                raise UnknownSession(
                    "session",
                    "is not known: it does not exist, was closed, or was not used for a long time",
                    "start one with reset",
                )
            session.last_used = self._clock()
            self._by_id.move_to_end(session.id)
            return session

    def close(self, session_id: str) -> None:
        """Remove a session, if it is there."""
        with self._lock:
            self._by_id.pop(session_id, None)

    def _drop_idle(self) -> None:
        oldest = self._clock() - self.idle_seconds
        while self._by_id and next(iter(self._by_id.values())).last_used < oldest:
            self._by_id.popitem(last=False)

    def _drop_one_that_is_over(self) -> None:
        session = next((session for session in self._by_id.values() if session.is_over), None)
        if session is None:
            raise NoRoom(
                "server",
                f"holds {self.limit} sessions, and all of their episodes are going on",
                "close one, try again later, or start the server with a larger --sessions",
            )
        del self._by_id[session.id]
