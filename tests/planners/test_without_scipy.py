"""scipy is not loaded by commands that search states, and is there for everybody else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from orrery.store.without_pandas import VARIABLE

SHOW = """
import sys
from orrery.planners.exhaustive import Explorer
from orrery.planners.probe import one_step
print(len(Explorer(one_step()).explore()), "scipy.linalg" in sys.modules)
import scipy.linalg, cffi
print(float(scipy.linalg.norm([3.0, 4.0])))
"""


@pytest.mark.parametrize(("asked", "loaded"), [("1", "False"), (None, "True")])
def test_it_is_loaded_unless_the_command_asks_not_to(asked, loaded):
    pytest.importorskip("scipy")
    kept = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment = kept | ({} if asked is None else {VARIABLE: asked})
    run = subprocess.run(
        [sys.executable, "-c", SHOW], capture_output=True, text=True, env=environment, timeout=120
    )
    assert run.stdout.split() == ["2", loaded, "5.0"], run.stderr
