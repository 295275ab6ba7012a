"""Sessions under names that their callers choose, as NeMo Gym's environment servers do."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from orrery.model import UsageError
from orrery.serve.sessions import Session, Sessions
from orrery.worlds.episode import World

NAMES_KEPT = 100_000  # the oldest names are forgotten
LONGEST_NAME = 255


class CallerSessions:
    """The sessions by name.

    A request that is sent again, because its answer was lost, gets the same session. A name that was closed
    is not opened later, so that a request that was under way at the close leaves nothing behind.
    """

    def __init__(self, sessions: Sessions) -> None:
        """Create a register of names for some sessions."""
        self._sessions, self._lock = sessions, Lock()
        self._ids = OrderedDict[str, str]()  # "" for a name that was closed

    def opened(self, name: object, make: Callable[[], tuple[World, int]]) -> Session:
        """Return the session of a name, or a new one with a world.

        Raises:
            UsageError: the name is not a short text, or was closed.
            UnknownSession: the session of the name was dropped.
        """
        checked = _checked(name)
        if (session := self._known(checked)) is not None:
            return session
        session, _ = self._sessions.opened(make)
        with self._lock:
            kept = self._ids.setdefault(checked, session.id)
            self._forget_old()
        if kept != session.id:  # another request for this name, or its close, was faster
            self._sessions.close(session.id)
        return self._known(checked) or session

    def close(self, name: object) -> str:
        """Close the session of a name, if there is one, and the name for ever; return the name.

        Raises:
            UsageError: the name is not a short text.
        """
        checked = _checked(name)
        with self._lock:
            session_id = self._ids.pop(checked, "")
            self._ids[checked] = ""
            self._forget_old()
        self._sessions.close(session_id)
        return checked

    def _known(self, name: str) -> Session | None:
        """Return the session of a name; None if the name is new."""
        session_id = self._ids.get(name)
        if session_id == "":
            raise UsageError(f"session '{name:.60}'", "is closed", "use a new name")
        return None if session_id is None else self._sessions.get(session_id)

    def _forget_old(self) -> None:
        while len(self._ids) > NAMES_KEPT:
            self._ids.popitem(last=False)


def _checked(name: object) -> str:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise UsageError("resources_session_id", f"must be a text of 1 to {LONGEST_NAME} characters")
    return name
