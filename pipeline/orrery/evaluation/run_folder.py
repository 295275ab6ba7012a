"""A run in a folder: its default name, the arguments with which it was begun, and the model that it asks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orrery.evaluation.asker import Asker
from orrery.model import UsageError


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


def check_model(asker: Asker) -> None:
    """Raise UsageError if there is no such model, before anything is written."""
    from orrery.evaluation.asking import model_of

    model_of(asker)


def refused_by_server(asker: Asker, reason: str) -> UsageError:
    """Return the error of a run whose server refuses the key or the model."""
    mend = "set the right key in the environment, or name another model or --base-url; then go on"
    return UsageError(f"model '{asker.model}'", f"the server refuses it: {reason}", mend)


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
