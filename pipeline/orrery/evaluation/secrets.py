"""Secrets of the environment, kept out of what is printed and stored.

Servers repeat keys in what they say of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

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
