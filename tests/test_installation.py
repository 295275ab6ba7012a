import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orrery import installation
from orrery.model import OrreryError, ToolMissing
from tests.imports import imported_packages

ROOT = Path(__file__).resolve().parent.parent
LINES = [
    "typer>=0.12",
    "numba>=0.60; extra == 'fast'",
    "numba>=0.60; extra == 'data'",
    "up_fast.downward<2,>=1; extra == 'data'",
    'pytest; python_version > "3" and extra == "data"',
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_TRAINERS = {"gymnasium", "reasoning-gym", "verifiers"}  # they are there for whom our part is


@pytest.fixture(autouse=True)
def requirements(monkeypatch):
    monkeypatch.setattr(installation.metadata, "requires", lambda name: LINES)


def test_the_folder_that_is_named_is_taken_as_it_is(tmp_path):
    assert installation.find_root(tmp_path / "none") == tmp_path / "none"


def test_then_the_present_one_then_the_installed_one(tmp_path, monkeypatch):
    here, package = tmp_path / "here", tmp_path / "site" / "orrery"
    (package / "data").mkdir(parents=True)
    here.mkdir()
    monkeypatch.chdir(here)
    assert installation.find_root() == ROOT  # the checkout of an editable installation
    monkeypatch.setattr(installation, "_PACKAGE", package)
    with pytest.raises(OrreryError, match=r"params.yaml"):
        installation.find_root()
    (package / "data" / "params.yaml").touch()
    assert installation.find_root() == package / "data"
    (here / "params.yaml").touch()
    assert installation.find_root().resolve() == here


def test_extras_are_those_of_the_metadata():
    assert installation.extras() == {
        "data": {"numba", "pytest", "up-fast-downward"},
        "fast": {"numba"},
    }


def test_without_an_installation_there_are_no_extras(monkeypatch):
    def missing(name):
        raise installation.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(installation.metadata, "requires", missing)
    assert installation.extras() == {}
    assert installation.tool_missing(ModuleNotFoundError("no", name="numba")) is None


def test_what_an_extra_lacks(monkeypatch):
    held = {"numba": False, "pytest": True, "up-fast-downward": False}
    monkeypatch.setattr(installation, "has_release", held.__getitem__)
    assert installation.lacking("data") == ["numba", "up-fast-downward"]
    assert installation.lacking("unknown") == []


@pytest.mark.parametrize(
    ("module", "extra"), [("numba.core", "fast"), ("up_fast_downward", "data"), ("orrery.nothing", None)]
)
def test_a_module_that_is_not_there_is_reported_by_the_smallest_extra_that_brings_it(module, extra):
    stated = installation.tool_missing(ModuleNotFoundError("no", name=module))
    if extra is None:
        assert stated is None
        return
    assert isinstance(stated, ToolMissing)
    assert stated.mend == f"pip install 'orrery-planning[{extra}]'"


def test_no_file_installs_the_package_of_somebody_else():
    """`orrery` in package indexes is another project: only our distribution, a wheel or `.` is named."""
    listed = ["git", "grep", "-hIE", r"pip install|orrery\[[a-z]", "--", ".", ":!CHANGELOG.md", ":!tests"]
    lines = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    stranger = re.compile(r"(?<![\w/.-])orrery\[[a-z]|pip install[^#;]*[\s'\"]orrery(?![\w-])")
    assert [line for line in lines if stranger.search(line)] == []
    # A page begins with the wheel or the checkout: no index has our distribution.
    assert [line for line in lines if re.match(r"\s*pip install '?orrery-planning", line)] == []
    assert PROJECT["name"] == installation.DISTRIBUTION


def declared(requirements):
    return {canonicalize_name(Requirement(text).name) for text in requirements}


@pytest.mark.slow
def test_every_package_that_is_imported_is_one_of_pyproject(monkeypatch):
    """And where one is not there, the extra that brings it is named, unless it is always there."""
    extras = PROJECT["optional-dependencies"]
    lines = [f"{text}; extra == '{extra}'" for extra, some in extras.items() for text in some]
    monkeypatch.setattr(installation.metadata, "requires", lambda name: lines)
    modules = {name for path in (ROOT / "pipeline").rglob("*.py") for name in imported_packages(path)}
    modules -= {"orrery", *sys.stdlib_module_names}
    found = {name: installation.distribution_of(name) for name in modules}
    assert {"sklearn", "vl_convert", "yaml", "pyarrow"} <= found.keys()
    core = declared(PROJECT["dependencies"])
    optional = declared(text for some in extras.values() for text in some)
    assert set(found.values()) - OF_TRAINERS <= core | optional
    for name, distribution in found.items():
        stated = installation.tool_missing(ModuleNotFoundError("no", name=f"{name}.part"))
        assert (stated is None) == (distribution in core | OF_TRAINERS), name
