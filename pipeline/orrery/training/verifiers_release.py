"""Which of the two interfaces of ``verifiers`` is installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

TASKSETS_SINCE = (0, 4)  # the release that left environments for tasksets


def has_tasksets() -> bool:
    """Return whether ``verifiers`` is installed in a release with tasksets."""
    try:
        release = re.match(r"(\d+)\.(\d+)", version("verifiers"))
    except PackageNotFoundError:
        return False
    return release is not None and (int(release[1]), int(release[2])) >= TASKSETS_SINCE
