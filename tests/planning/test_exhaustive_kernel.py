import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from orrery.planning import exhaustive_kernel as kernel

ROOT = Path(__file__).parents[2]

NO_FOLDER = """
from numba.core import caching
for kind in (caching.CodeLibraryCacheImpl, caching.CompileResultCacheImpl):
    kind._locator_classes = []
from orrery.planning import exhaustive_kernel
assert exhaustive_kernel.explore.stats.cache_path is None
"""


def test_where_no_cache_folder_can_be_written_the_loops_compile_all_the_same():
    ended = subprocess.run([sys.executable, "-c", NO_FOLDER], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_importing_compiles_nothing():
    code = "from orrery.planning import exhaustive; print(exhaustive.kernel.explore.signatures)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "[]\n", ended.stderr


@pytest.mark.parametrize("bit", range(64))
def test_the_lowest_bit(bit):
    assert kernel._lowest(np.uint64(1 << bit)) == bit
    assert kernel._lowest(np.uint64(1 << bit | 1 << 63)) == bit
