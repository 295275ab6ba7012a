"""How a model is asked, and what that came to; said without Inspect, which takes seconds to import."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.dataset.addresses import plain_url
from orrery.model import UsageError

LOGS = "inspect"  # the folder of Inspect's own logs, in that of the run


@dataclass(frozen=True)
class Asker:
    """How a model is asked.

    ``model`` is its name for Inspect, as ``openai/gpt-4o``; ``base_url`` the address of its server, where it
    is not the provider's own. ``max_connections`` requests run at a time, each for ``timeout`` seconds at
    most and again up to ``max_retries`` times, after pauses that grow. ``max_tokens`` and ``temperature`` are
    the server's own unless given.
    """

    model: str
    base_url: str | None = None
    max_connections: int = 20
    max_retries: int = 5
    timeout: int = 600
    max_tokens: int | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        """Refuse an address that may hold a secret, which Inspect would write to its logs."""
        plain = None if self.base_url is None else plain_url(self.base_url)
        if plain != self.base_url:
            mend = "leave user, password and query out; keys come from the environment"
            raise UsageError(f"base URL {plain}", "holds more than an address", mend)


@dataclass(frozen=True)
class Outcome:
    """What asking came to.

    ``failures`` says why rows got no reply, by table and id, ``stopped`` why the others were not asked (empty
    if they were), and ``refused`` whether the server refused the key or the model.
    """

    failures: dict[tuple[str, str], str]
    stopped: str = ""
    refused: bool = False
