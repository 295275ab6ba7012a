"""Every shipped domain, and problems as we export them, are read by the readers that others use.

They get an environment of their own; installing it takes the index that pip is configured for.
"""

from __future__ import annotations

import subprocess
import venv

import pytest

from orrery.pddl.write import write_problem
from tests.compatibility.pddl_readers import READERS
from tests.every_domain import CATALOG, ROOT, easy_problems

SCRIPT = ROOT / "tests" / "compatibility" / "pddl_readers.py"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readers")
    venv.create(folder, with_pip=True)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "-r", SCRIPT.with_suffix(".txt"))
    installed = subprocess.run(pip, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stderr
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The paths of each domain and of two problems of it, in pairs."""
    folder = tmp_path_factory.mktemp("problems")
    pairs = []
    for name in CATALOG.names:
        for number, problem in enumerate(easy_problems(name, 2)):
            path = folder / f"{name}-{number}.pddl"
            path.write_text(write_problem(problem), encoding="utf-8")
            pairs += [ROOT / "domains" / name / "domain.pddl", path]
    return pairs


@pytest.mark.exhaustive
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_of_others_reads_all_domains_and_problems(reader, python, files):
    ran = subprocess.run([python, SCRIPT, reader, *files], capture_output=True, text=True)
    assert ran.returncode == 0, f"{ran.stdout[-200:]}\n{ran.stderr[-2000:]}"
    assert len(ran.stdout.splitlines()) == len(files) // 2 >= len(CATALOG.names)
