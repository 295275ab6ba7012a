"""The engines that can do the work, and the variables of the environment that choose one."""

from __future__ import annotations

from enum import StrEnum

ENGINE, ADDRESS, JOBS = "ORRERY_ENGINE", "ORRERY_ADDRESS", "ORRERY_JOBS"


class EngineName(StrEnum):
    """Who does the work: this process for a start, then a pool; a pool at once; or the workers of Dask."""

    AUTO = "auto"
    POOL = "pool"
    DASK = "dask"
