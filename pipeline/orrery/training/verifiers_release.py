"""Find out which of the two interfaces of ``verifiers`` is installed."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

TASKSETS_SINCE = (0, 4)  # the release that replaced environments by tasksets


def has_tasksets() -> bool:
    """Return whether the installed release of ``verifiers`` has tasksets."""
    try:
        release = re.match(r"(\d+)\.(\d+)", version("verifiers"))
    except PackageNotFoundError:
        return False
    return release is not None and (int(release[1]), int(release[2])) >= TASKSETS_SINCE
