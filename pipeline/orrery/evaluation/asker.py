"""The settings of requests to a model in a run, and the outcome of the run.

This module does not import Inspect, which takes seconds. Secrets of the environment are removed from printed
and stored texts, because servers repeat keys in their messages.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.dataset.stores import plain_url
from orrery.model import UsageError

LOGS = "inspect"  # the folder of Inspect's own logs, in the folder of the run


@dataclass(frozen=True)
class Asker:
    """The settings of requests to a model.

    ``model`` is its name for Inspect, for example ``openai/gpt-4o``. ``base_url`` is the address of its
    server, if it is not the provider's. At most ``max_connections`` requests run concurrently. A request may
    take ``timeout`` seconds, and is retried up to ``max_retries`` times after increasing pauses.
    ``max_tokens`` and ``temperature`` default to the settings of the server.
    """

    model: str
    base_url: str | None = None
    max_connections: int = 20
    max_retries: int = 5
    timeout: int = 600
    max_tokens: int | None = None
    temperature: float | None = None

    def __post_init__(self) -> None:
        """Refuse an address that may contain a secret, because Inspect would write it to its logs."""
        plain = None if self.base_url is None else plain_url(self.base_url)
        if plain != self.base_url:
            mend = "leave user, password and query out; keys come from the environment"
            raise UsageError(f"base URL {plain}", "contains more than an address", mend)


@dataclass(frozen=True)
class Outcome:
    """The outcome of sending requests.

    ``failures`` has the reasons of missing replies, by table and id. ``stopped`` is the reason why the
    remaining requests were not sent (empty if all were). ``refused`` is whether the server refused the key or
    the model.
    """

    failures: dict[tuple[str, str], str]
    stopped: str = ""
    refused: bool = False


def default_name(source: str, arguments: Mapping[str, Any]) -> str:
    """Return the default name of a run: its source (a model or file) and a hash of its arguments."""
    listed = repr(sorted((key, str(value)) for key, value in arguments.items()))
    name = re.sub(r"[^A-Za-z0-9]+", "-", source).strip("-")[-40:]
    return f"{name}-{hashlib.sha256(listed.encode()).hexdigest()[:8]}"


def refuse_other_arguments(folder: Path, before: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Refuse to continue a run whose earlier arguments were ``before``, if they differ.

    Raises:
        UsageError: an argument differs; the message names it.
    """
    for name in sorted({*before, *arguments}):
        if before.get(name) != arguments.get(name):
            problem = f"was started with {name} {_text(before.get(name))}, not {_text(arguments.get(name))}"
            mend = "give the same arguments, or another name with --run"
            raise UsageError(f"run '{folder.name}'", problem, mend)


def refused_by_server(asker: Asker, reason: str) -> UsageError:
    """Return the error of a run whose server refuses the key or the model."""
    mend = (
        "set the right key in the environment, or name another model or --base-url; then repeat the command"
    )
    return UsageError(f"model '{asker.model}'", f"the server refuses it: {reason}", mend)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


HIDDEN = "***"
SHORTEST = 4  # shorter values occur in texts by chance
_NAMED = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return a text in which the values of secret environment variables are hidden.

    A variable is secret by its name. ``environment`` defaults to that of the process.
    """
    variables = os.environ if environment is None else environment
    values = {value.strip() for name, value in variables.items() if _NAMED.search(name)}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= SHORTEST:
            text = text.replace(value, HIDDEN)
    return text
