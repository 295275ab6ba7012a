"""``orrery query``: SQL over the published tables."""

from __future__ import annotations

from orrery.config import Settings
from orrery.dataset.views import formatted, query


def run(settings: Settings, sql: str, form: str) -> str:
    """The rows that ``sql`` selects, printed as ``form``: table, json or csv."""
    return formatted(query(settings.outputs / "dataset", sql), form)
