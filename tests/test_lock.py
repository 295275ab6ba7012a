"""The lock file: pinned, hashed, silent about package indexes, and enough for what we import."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.every_domain import ROOT
from tests.imports import imported_packages

pytestmark = pytest.mark.xdist_group("sources")  # which are read once
LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    name: [text for text in texts if not text.startswith("orrery-planning[")]
    for name, texts in PROJECT["optional-dependencies"].items()
}
RUNTIME = [*PROJECT["dependencies"], *(text for name in EXTRAS if name != "dev" for text in EXTRAS[name])]
DECLARED = [*RUNTIME, *EXTRAS["dev"]]
OURS = {"orrery", "generators", "tests", "benchmarks"}


def entries(lock: str) -> list[str]:
    """The requirements of a lock file, each with its continuation lines joined."""
    lines = [line for line in lock.replace("\\\n", " ").splitlines() if not line.lstrip().startswith("#")]
    return [line for line in lines if line.strip()]


def locked(lock: str) -> list[Requirement]:
    """The requirements without their hashes; a package may occur once per environment marker."""
    return [Requirement(entry.split(" --hash")[0].strip()) for entry in entries(lock)]


def test_it_names_no_host_and_no_index():
    assert re.findall(r"\S*(?:://|index-url|find-links|trusted-host|/simple| @ )\S*", LOCK) == []


def test_every_requirement_is_pinned_and_hashed():
    assert len(entries(LOCK)) > 50
    for entry in entries(LOCK):
        assert re.match(r"[a-z0-9-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}( |$)", entry), entry


@pytest.mark.parametrize("text", DECLARED)
def test_it_satisfies_what_is_declared(text):
    wanted = Requirement(text)
    pins = [r.specifier for r in locked(LOCK) if r.name == canonicalize_name(wanted.name)]
    versions = [next(iter(pin)).version for pin in pins]
    assert versions, f"{wanted.name} is not in the lock: run `make lock`"
    assert [v for v in versions if v not in wanted.specifier] == []


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_each_supported_python_gets_each_package_once(version):
    environment = {"python_version": version, "python_full_version": version + ".0", "sys_platform": "linux"}
    names = [r.name for r in locked(LOCK) if r.marker is None or r.marker.evaluate(environment)]
    assert len(names) == len(set(names))


TRAINERS = [
    "datasets",
    "gymnasium",
    "reasoning-gym",
    "verifiers",
]  # taken as they are found: each user has one, if any
APART = ROOT / "tests" / "compatibility"  # scripts for a Python of their own
# Modules whose distribution has another name: of the recipe, of openenv-core, and of nemo-gym.
OTHERWISE_NAMED = {"torch", "openenv", "responses_api_agents"}


def imported(folders: list[str]) -> set[str]:
    """Top-level names of the modules imported anywhere in ``folders``."""
    found = set()
    for path in (
        p
        for folder in folders
        for p in (ROOT / folder).rglob("*.py")
        if APART not in p.parents or folder.endswith(APART.name)
    ):
        found |= imported_packages(path)
    return found - set(sys.stdlib_module_names) - OURS


def brought() -> set[str]:
    """The packages that users bring along, such as trainers: tried in environments of their own."""
    lines = [line for path in APART.glob("*.txt") for line in path.read_text().splitlines()]
    return {Requirement(line).name for line in lines if line and not line.startswith(("#", "-r "))}


def test_scripts_with_requirements_of_their_own_declare_them():
    declared = {name.replace("-", "_") for name in brought()} | OTHERWISE_NAMED
    scripts = {path.stem for path in APART.glob("*.py")}  # which import one another
    assert declared | scripts >= imported([str(APART.relative_to(ROOT))])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folders", "declared"),
    [
        (["pipeline/orrery", "generators"], [*RUNTIME, *TRAINERS]),
        (["tests", "benchmarks"], DECLARED),
    ],
)
def test_what_is_imported_is_declared(folders, declared):
    assert imported(folders)
    names = {canonicalize_name(Requirement(text).name) for text in declared}
    providers = packages_distributions()
    undeclared = {
        module
        for module in imported(folders)
        if not names & {canonicalize_name(name) for name in providers.get(module, [module])}
    }
    assert sorted(undeclared) == []
