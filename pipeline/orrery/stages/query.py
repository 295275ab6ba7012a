"""``orrery query``: SQL over the published tables."""

from __future__ import annotations

from orrery.config import Settings
from orrery.dataset.views import query
from orrery.store.columns import Table


def run(settings: Settings, sql: str) -> Table:
    """Find the rows that ``sql`` selects."""
    return query(settings.outputs / "dataset", sql)
