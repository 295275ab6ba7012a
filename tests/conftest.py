"""What every test may ask for: the cases made by others, and a build at the smallest size."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import settings

from tests.checkout import SOME, tiny_build
from tests.effort import WHOLE, first_cases_by_day, quick_tables_by_day, two_domains_by_day
from tests.every_domain import CATALOG

ROOT = Path(__file__).resolve().parent.parent
CASES_VARIABLE = "ORRERY_CASES"
# Those that are rendered, and some that are only asked about: more would take longer and show nothing else.
ASKED = ("logistics", "swap")
BUILT = (*(name for name in CATALOG.names if CATALOG.entry(name).description.texts), *ASKED)

NAME = 80  # letters of a parameter in the name of a case

# The tree of commands is built once a process, not for every command that a test runs.
typer.testing._get_command = cache(typer.testing._get_command)

os.fsync = lambda handle: None  # no test looks at what a loss of power leaves
(ROOT / ".dvc" / "tmp").mkdir(parents=True, exist_ok=True)  # keeps compiled templates for the next run

# The same examples on every run: a tenth of those that a test names, all with `--hypothesis-profile thorough`
# (`make test-all` and CI); look further, and elsewhere on each run, with `--hypothesis-profile explore`.
settings.register_profile("orrery", derandomize=True, deadline=None, max_examples=WHOLE // 10)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=WHOLE)
settings.register_profile("explore", deadline=None, max_examples=20 * WHOLE)
settings.load_profile("orrery")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most domains and some tables to the slow tests, before pytest selects by markers."""
    two_domains_by_day(items)
    quick_tables_by_day(items)
    first_cases_by_day(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave all test cases out of garbage collections: they take up to a tenth of the time otherwise."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # packages that look for leaks at the end see everything again
    return collected


def pytest_make_parametrize_id(val: object) -> str | None:
    """Cut the name of a case short: each process sends all names, and some texts have millions of letters."""
    return f"{val[:NAME]}..." if isinstance(val, str) and len(val) > NAME else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process, so that what they share is made once."""
    from tests.by_file import ByFile

    return ByFile(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of the cases made by others; skips where the environment does not name one."""
    named = os.environ.get(CASES_VARIABLE)
    if not named:
        pytest.skip(f"{CASES_VARIABLE} is not set: it names the folder of the cases made by others")
    folder = Path(named)
    if not folder.is_dir():
        pytest.fail(f"{CASES_VARIABLE} names {folder}, which is not a folder")
    return folder


@pytest.fixture(scope="session")
def with_venv() -> dict[str, str]:
    """The environment in which `orrery` and `dvc` of this installation come first."""
    folder = str(Path(sys.executable).parent)
    return os.environ | {"PATH": folder + os.pathsep + os.environ.get("PATH", "")}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, with_venv: dict[str, str]) -> Path:
    """A copy of the repository with the smallest dataset built in it, of some of its domains.

    Tests that ask for it carry ``@pytest.mark.xdist_group("built")``, so that it is built once.
    """
    copy = tmp_path_factory.mktemp("built") / "orrery"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    left_out = [entry for entry in CATALOG.names if entry not in BUILT]
    apart = re.compile(rf"(domains|generators|templates/domains)/({'|'.join(left_out)})(/|\.)")
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file() and not apart.match(name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    params = copy / "params.yaml"
    params.write_text(re.sub(rf"(?m)^  - ({'|'.join(left_out)})\n", "", params.read_text()))
    environment = with_venv | {"PYTHONPATH": str(copy / "pipeline")}
    subprocess.run(["orrery", "size", "smallest"], cwd=copy, env=environment, check=True)
    run = subprocess.run(["orrery", "build"], cwd=copy, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, f"the build failed:\n{run.stdout}\n{run.stderr}"
    return copy


@pytest.fixture(
    params=[
        pytest.param("some domains", marks=pytest.mark.xdist_group("tiny")),
        pytest.param("tiny", marks=[pytest.mark.slow, pytest.mark.xdist_group("tiny")]),
        pytest.param("smallest", marks=[pytest.mark.exhaustive, pytest.mark.xdist_group("built")]),
    ]
)
def built_somehow(request: pytest.FixtureRequest) -> Path:
    """A finished dataset, not to be changed: made by the stages in this process, or by DVC (exhaustive)."""
    if request.param == "smallest":
        built: Path = request.getfixturevalue("built")
        return built
    return tiny_build(SOME) if request.param == "some domains" else tiny_build()
