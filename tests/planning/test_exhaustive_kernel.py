import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NO_FOLDER = """
from numba.core import caching
for kind in (caching.CodeLibraryCacheImpl, caching.CompileResultCacheImpl):
    kind._locator_classes = []
from orrery.planning import exhaustive_kernel
assert exhaustive_kernel.explore.stats.cache_path is None
"""


@pytest.mark.slow
def test_where_no_cache_folder_can_be_written_the_loops_compile_all_the_same():
    ended = subprocess.run([sys.executable, "-c", NO_FOLDER], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.slow
def test_importing_compiles_nothing():
    code = "from orrery.planning import exhaustive; print(exhaustive.kernel.explore.signatures)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "[]\n", ended.stderr
