"""What a worker of a Dask cluster keeps of the checkouts that its work is about. Imported with Dask alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin, get_worker

from orrery.engine.sources import Sources

FOLDER = "orrery"


class Checkout(WorkerPlugin):
    """Keeps the files of a checkout in the worker's own folder, as long as a command uses the cluster."""

    def __init__(self, sources: Sources, key: str) -> None:
        """Take the files along; ``key`` is of this command and these files alone."""
        self.sources, self.key, self.name = sources, key, f"orrery-{key}"

    def setup(self, worker: Any) -> None:
        """Unpack them; Dask calls this on every worker, also on one that comes later."""
        self.sources.unpack(_folder(worker, self.key))

    def teardown(self, worker: Any) -> None:
        """Remove them."""
        shutil.rmtree(_folder(worker, self.key), ignore_errors=True)


def checkout(key: str) -> Path:
    """Return the folder of a checkout on the worker that calls this."""
    return _folder(get_worker(), key)


def _folder(worker: Any, key: str) -> Path:
    return Path(worker.local_directory) / FOLDER / key
