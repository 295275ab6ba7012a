"""How a model is asked in a run with a name and fixed arguments, and what that came to.

All of it is said without Inspect, which takes seconds to import. Secrets of the environment are kept out of
what is printed and stored: servers repeat keys in what they say of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def default_name(source: str, arguments: Mapping[str, Any]) -> str:
    """Return the default name of a run: of its source (a model or file) and a hash of its arguments."""
    listed = repr(sorted((key, str(value)) for key, value in arguments.items()))
    name = re.sub(r"[^A-Za-z0-9]+", "-", source).strip("-")[-40:]
    return f"{name}-{hashlib.sha256(listed.encode()).hexdigest()[:8]}"


def refuse_other_arguments(folder: Path, before: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Refuse to continue a run with other arguments than those ``before``.

    Raises:
        UsageError: an argument differs; the message names it.
    """
    for name in sorted({*before, *arguments}):
        if before.get(name) != arguments.get(name):
            problem = f"was begun with {name} {_text(before.get(name))}, not {_text(arguments.get(name))}"
            mend = "give the same arguments, or another name with --run"
            raise UsageError(f"run '{folder.name}'", problem, mend)


def refused_by_server(asker: Asker, reason: str) -> UsageError:
    """Return the error of a run whose server refuses the key or the model."""
    mend = "set the right key in the environment, or name another model or --base-url; then go on"
    return UsageError(f"model '{asker.model}'", f"the server refuses it: {reason}", mend)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


HIDDEN = "***"
SHORTEST = 4  # what is shorter is found in any text by chance
_NAMED = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return a text with the values of variables that are named like secrets hidden.

    ``environment`` is that of the process unless given.
    """
    variables = os.environ if environment is None else environment
    values = {value.strip() for name, value in variables.items() if _NAMED.search(name)}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= SHORTEST:
            text = text.replace(value, HIDDEN)
    return text
