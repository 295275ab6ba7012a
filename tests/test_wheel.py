"""The wheel: what lies in it, and what works where nothing else is installed.

Installing it takes its dependencies from the index that pip is configured for; without one that test fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domains", "generators", "mechanics", "templates", "themes")
MOST_MEGABYTES = 100
HEAVY = frozenset(
    {
        "distributed",
        "duckdb",
        "dvc",
        "filelock",
        "huggingface_hub",
        "numba",
        "numpy",
        "pandas",
        "pyarrow",
        "rustworkx",
        "scipy",
        "sklearn",
        "unified_planning",
    }
)

# What the core is for; run in an empty folder, where no checkout is near.
AT_WORK = """
import json, sys
from orrery.grading import grade
from orrery.scoring.problems.pairs import score_pair

row = json.load(sys.stdin)
right, wrong = (score_pair(reply, row).plain for reply in (row["problem_pddl"], "(define (problem p))"))
question = {"group": "applicable_actions_bool", "answer": "yes"}
graded = [grade(reply, question).verdict for reply in ("Yes.", "No.")]
print(json.dumps([right.correct, right.solvable, wrong.correct, graded]))
"""

# What `import orrery` offers where the packages of the extras are missing: nothing, or what is missing.
PUBLIC_NAMES = """
import json, sys
sys.path.insert(0, "pipeline")
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import orrery
from orrery.model import ToolMissing

missing = {}
for name in orrery.__all__:
    try:
        getattr(orrery, name)
    except ToolMissing as error:
        missing[name] = str(error)
print(json.dumps(missing))
"""

# Search on a task of one step: how many compiled loops it has from the cache.
SEARCH = """
from orrery.planning.exhaustive_kernel import explore
from orrery.planning.decide import decide
from orrery.planning.probe import one_step

decide(one_step())
print(explore.stats.cache_hits.total())
"""


def run(*command: object, cwd: Path = ROOT, feed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command without our folders on Python's path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, input=feed, capture_output=True, text=True
    )


def built(source: Path, folder: Path) -> Path:
    """The wheel of a source tree, made by the backend of this installation."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir")
    made = run(sys.executable, "-m", "pip", "wheel", *options, folder, source)
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("orrery_planning-*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def content(wheel):
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def test_its_top_level_is_the_package_and_its_description(content):
    tops = {name.partition("/")[0] for name in content}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"orrery"}
    assert len(tops) == 2


def test_it_holds_what_the_folders_hold(content):
    names = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts
    ]
    wanted = {
        f"orrery/data/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for path in (*names, ROOT / "params.yaml", ROOT / "dvc.yaml", ROOT / "docs" / "glossary.md")
        if path.is_file()
    }
    assert len(wanted) > 100
    assert {name: held for name, held in content.items() if name.startswith("orrery/data/")} == wanted


def test_it_holds_every_module(content):
    modules = (path.relative_to(ROOT / "pipeline").as_posix() for path in (ROOT / "pipeline").rglob("*.py"))
    assert sorted(name for name in content if name.endswith(".py") and "/data/" not in name) == sorted(
        modules
    )


def test_its_core_asks_for_nothing_heavy():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = {Requirement(text).name.replace("-", "_") for text in project["dependencies"]}
    assert core
    assert core & HEAVY == set()


@pytest.mark.slow
def test_a_source_distribution_makes_the_same_wheel(wheel, content, tmp_path):
    made = run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path)
    assert made.returncode == 0, made.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with ZipFile(built(archive, tmp_path)) as again:
        assert {name: again.read(name) for name in again.namelist() if not name.endswith("/")} == content


@pytest.mark.slow
@pytest.mark.parametrize(
    "module",
    [
        "orrery",
        "orrery.cli.main",
        "orrery.grading",
        "orrery.scoring.problems.pairs",
        "orrery.stages.sample",
        "orrery.stages.doctor",
        "orrery.training.rewards",
    ],
)
def test_the_core_loads_nothing_heavy(module):
    code = f"import sys; sys.path.insert(0, 'pipeline'); import {module}; print(*sys.modules)"
    loaded = run(sys.executable, "-c", code)
    assert loaded.returncode == 0, loaded.stderr
    assert module in loaded.stdout.split()
    assert {name.partition(".")[0] for name in loaded.stdout.split()} & HEAVY == set()


@pytest.mark.slow
def test_a_public_name_works_without_extras_or_names_the_one_that_is_missing():
    tried = run(sys.executable, "-c", PUBLIC_NAMES, *sorted(HEAVY))
    assert tried.returncode == 0, tried.stderr
    missing = json.loads(tried.stdout)
    assert missing.keys() & {"Reward", "Score", "score", "check_plan", "compare"} == set()
    assert missing.keys() >= {"ProceduralTasks", "register_reasoning_gym", "tasks", "world", "load"}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for message in missing.values():
        named = message.partition("pip install 'orrery-planning[")[2].partition("]'")[0]
        assert named in extras, message
        assert "\n" not in message


def installed_megabytes(site: Path) -> float:
    """The size of what lies in a folder of packages, but for pip and what it brings."""
    paths = [path for path in site.rglob("*") if path.is_file() and not path.is_symlink()]
    own = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    return sum(p.stat().st_size for p in paths if not p.relative_to(site).parts[0].startswith(own)) / 1e6


@pytest.mark.slow
def test_uninstalling_removes_all_files(wheel, tmp_path):
    """The installed packages of this environment are on the path of the new one while commands run."""
    venv.create(tmp_path / "env", with_pip=True)
    python, orrery = (tmp_path / "env" / "bin" / name for name in ("python", "orrery"))
    before = set((tmp_path / "env").rglob("*"))
    pip, cache = (python, "-m", "pip"), f"XDG_CACHE_HOME={tmp_path / 'cache'}"
    assert run(*pip, "install", "--no-deps", "--no-index", wheel).returncode == 0
    (site,) = (tmp_path / "env" / "lib").glob("python3*/site-packages")
    path_file = site / "dependencies.pth"
    path_file.write_text(sysconfig.get_path("purelib"))
    searches = [
        run("env", "-u", "NUMBA_CACHE_DIR", cache, python, "-c", SEARCH, cwd=tmp_path) for _ in range(2)
    ]
    assert [search.stdout for search in searches] == ["0\n", "1\n"], searches[-1].stderr
    assert run(orrery, "sample", "ferry", "--seed", "1", cwd=tmp_path).returncode == 0
    path_file.unlink()
    assert set(site.rglob("data/generators/__pycache__/ferry.*"))
    assert run(*pip, "uninstall", "--yes", "orrery-planning").returncode == 0
    assert {path for path in set((tmp_path / "env").rglob("*")) - before if "pip" not in path.parts} == set()


@pytest.mark.exhaustive
def test_it_works_in_an_empty_environment(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python, orrery = (tmp_path / "env" / "bin" / name for name in ("python", "orrery"))
    empty = tmp_path / "empty"
    empty.mkdir()
    installed = run(python, "-m", "pip", "install", "--quiet", wheel, cwd=empty)
    assert installed.returncode == 0, installed.stderr
    (site,) = (tmp_path / "env" / "lib").glob("python3*/site-packages")
    assert 5 < installed_megabytes(site) < MOST_MEGABYTES
    assert [path.name for path in site.iterdir() if path.name in HEAVY] == []

    assert run(orrery, "--version", cwd=empty).stdout.startswith("orrery ")
    doctor = run(orrery, "doctor", "--json", cwd=empty)
    assert doctor.returncode == 0, doctor.stderr
    report = json.loads(doctor.stdout)
    assert report["faults"] == []
    assert report["lacking"]["fast"] == ["numba", "numpy", "platformdirs"]

    drawn = [run(orrery, "sample", "ferry", "--seed", "1", "--json", cwd=empty) for _ in range(2)]
    assert drawn[0].stdout == drawn[1].stdout, drawn[0].stderr
    row = json.loads(drawn[0].stdout)
    assert row["natural_language"].count("ferry")
    scored = run(python, "-c", AT_WORK, cwd=empty, feed=drawn[0].stdout)
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout) == [True, True, False, ["right", "wrong"]]

    lacking = run(orrery, "query", "select 1", "--root", site / "orrery" / "data", cwd=empty)
    assert lacking.returncode == 4
    assert "pip install 'orrery-planning[data]'" in lacking.stderr
    assert list(empty.iterdir()) == []
