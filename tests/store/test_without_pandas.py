"""pandas is not loaded by commands and their workers, and is there for everybody else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from orrery.store.without_pandas import VARIABLE
from tests.checkout import checkout

SHOW = """
import sys
from orrery.store.columns import from_rows
from orrery.families.problems.schemas import REJECTS
table = from_rows(REJECTS, [])
table.to_pylist()
import pyarrow as pa
pa.table({"a": [1, None], "b": [["x"], []]}).to_pylist()
print("pandas" in sys.modules)
import pandas
print(len(pandas.DataFrame({"a": [1]})))
"""


@pytest.mark.parametrize(("asked", "loaded"), [("1", "False"), (None, "True")])
def test_it_is_loaded_unless_the_command_asks_not_to(asked, loaded):
    kept = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment = kept | ({} if asked is None else {VARIABLE: asked})
    run = subprocess.run(
        [sys.executable, "-c", SHOW], capture_output=True, text=True, env=environment, timeout=60
    )
    assert run.stdout.split() == [loaded, "1"], run.stderr


def test_a_stage_does_not_load_it(tmp_path):
    code = (
        "import sys\nfrom orrery.cli.main import app\n"
        "app(['generate', 'ferry', '--jobs', '1'], standalone_mode=False)\nprint('pandas' in sys.modules)"
    )
    folder = checkout(tmp_path, ("ferry",))
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, timeout=120
    )
    assert run.stdout.split() == ["False"], run.stderr
