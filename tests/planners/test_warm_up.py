"""Every loop is compiled by the warm-up: one that it forgets, every process of a build would compile."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SHOW = """
from orrery.planners import climbing_kernel, exhaustive_kernel, guided_kernel, relaxed_kernel, weighted_kernel
from orrery.planners.warm_up import compile_loops
compile_loops()
for module in (climbing_kernel, exhaustive_kernel, guided_kernel, relaxed_kernel, weighted_kernel):
    for name, value in vars(module).items():
        if hasattr(value, "signatures") and hasattr(value, "py_func"):
            print(module.__name__, name, len(value.signatures))
"""


@pytest.mark.exhaustive  # compiles for half a minute, for what is loaded from a cache hides what it calls
def test_every_loop_is_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SHOW]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert run.returncode == 0, run.stderr
    found = [line.split() for line in run.stdout.splitlines()]
    assert len(found) > 30
    assert [name for _, name, count in found if count == "0"] == []
    counts = {name: int(count) for _, name, count in found}
    assert counts["explore"] == counts["link"] == counts["walks"] == 2  # for few words, and for many
    kept = sorted(tmp_path.rglob("*.nbc"))
    assert subprocess.run(command, capture_output=True, timeout=300, env=environment).returncode == 0
    assert sorted(tmp_path.rglob("*.nbc")) == kept
