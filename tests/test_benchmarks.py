"""Every benchmark can be imported, and `make bench` runs each of them."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted(path.name for path in (ROOT / "benchmarks").glob("*.py"))
IMPORT_ALL = """
import importlib.util, pathlib
for path in sorted(pathlib.Path("benchmarks").glob("*.py")):
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    try:
        spec.loader.exec_module(sys.modules.setdefault(spec.name, importlib.util.module_from_spec(spec)))
    except Exception as error:
        print(f"{path}: {type(error).__name__}: {error}")
"""


@pytest.mark.slow
def test_every_benchmark_can_be_imported():
    # A process of its own: they add to the path, and some set variables before they import.
    command = [sys.executable, "-c", f"import sys\n{IMPORT_ALL}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == ""


def test_make_bench_runs_every_benchmark():
    block = re.search(r"define BENCHMARKS\n(.*?)endef", (ROOT / "Makefile").read_text(), re.DOTALL)
    assert sorted(line.split()[0] for line in block[1].splitlines()) == SCRIPTS


@pytest.mark.slow
def test_the_longest_replies_of_the_grading_benchmark_are_graded_right():
    spec = importlib.util.spec_from_file_location("benchmark_grading", ROOT / "benchmarks" / "grading.py")
    grading = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(grading)
    replies = [reply for _, reply in grading.ferry_plans(max(grading.LENGTHS))]
    assert len(replies) == 6
    for reply in replies:
        assert grading.seconds(reply, ()) > 0  # it asserts the verdict
