"""Licences of all locked packages: each is known, and nothing under the GPL is imported by our code.

GPL programs may be installed and run as processes (Fast Downward, DVC's helpers). The one exception is
the up-fast-downward engine, which unified-planning loads, in one module.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, distribution, packages_distributions
from types import MappingProxyType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.every_domain import ROOT
from tests.imports import imports_of

pytestmark = pytest.mark.xdist_group("sources")  # which are read once
MAY_IMPORT_GPL = "pipeline/orrery/planning/external_parser_worker.py"
# Imported for the packages of trainers alone, which are not locked.
NEEDS_A_TRAINER = tuple(
    f"pipeline/orrery/training/{name}.py"
    for name in (
        "gymnasium_worlds",
        "verifiers_taskset",
        "verifiers_worlds",
    )
)

PERMISSIVE = re.compile(
    r"\b(MIT|MIT-0|MIT-CMU|Apache|BSD|0BSD|ISC|ISCL|PSF|Python Software Foundation|CNRI-Python|Unlicense|Zlib"
    r"|HPND|Public Domain|CC0|ZPL|Zope Public|MPL|Mozilla Public|EPL|Eclipse Public|LGPL"
    r"|Lesser General Public)\b",
    re.IGNORECASE,
)
GPL = re.compile(r"(?<!Lesser )\b(AGPL|GPL|(GNU )?(Affero )?General Public Licen[cs]e)", re.IGNORECASE)

# Packages whose metadata does not settle the matter: what holds, and how it is known.
SETTLED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "agent-client-protocol": ("Apache-2.0", "its metadata name none; the licence file in it is Apache's"),
        "asyncssh": ("EPL-2.0", "dual; its classifier is cut short, its License field says EPL-2.0 OR GPL"),
        "dulwich": ("Apache-2.0", "dual: Apache-2.0 OR GPL-2.0-or-later, ours to choose"),
        "grandalf": ("EPL-1.0", "dual: its License field says GPLv2 | EPLv1"),
    }
)


def locked_here() -> list[str]:
    """Names of the locked packages that this Python and platform install."""
    entries = re.findall(r"^[a-z0-9][^\\\n]*", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    requirements = [Requirement(entry.strip()) for entry in entries]
    return [r.name for r in requirements if r.marker is None or r.marker.evaluate()]


def stated(package: Distribution) -> str:
    """All that the metadata of a package say of its licence; the licence's full text is not wanted."""
    fields = [package.metadata.get("License-Expression"), (package.metadata.get("License") or "")[:200]]
    classifiers = package.metadata.get_all("Classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    return "; ".join(text for text in [*fields, *named] if text)


def licence(name: str) -> str:
    """The licence of a package: as settled above, else as stated."""
    return SETTLED[name][0] if name in SETTLED else stated(distribution(name))


def gpl_packages() -> list[str]:
    """The locked packages that only the GPL allows to use."""
    return [name for name in locked_here() if GPL.search(licence(name))]


@cache
def gpl_modules() -> set[str]:
    """Top-level module names that those packages bring."""
    gpl = set(gpl_packages())
    brought = packages_distributions().items()
    return {m for m, owners in brought if gpl & {canonicalize_name(owner) for owner in owners}}


def test_every_licence_is_known():
    """Look up an unknown one and settle it in this file, with the reason."""
    licences = {name: licence(name) for name in locked_here()}
    known = {name for name, text in licences.items() if PERMISSIVE.search(text) or GPL.search(text)}
    assert {name: text for name, text in licences.items() if name not in known} == {}


@pytest.mark.parametrize("name", SETTLED)
def test_what_is_settled_here_is_still_needed(name):
    raw = stated(distribution(name))
    assert name in locked_here()
    assert GPL.search(raw) or not PERMISSIVE.search(raw)


@pytest.mark.slow
def test_the_planner_is_seen_as_gpl():
    assert {"up-fast-downward", "fast-downward-translate"} <= set(gpl_packages())
    assert "up_fast_downward" in gpl_modules()


def test_no_gpl_module_is_imported_by_name():
    forbidden, found = gpl_modules(), []
    for folder in ("pipeline", "generators", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            where = path.relative_to(ROOT).as_posix()
            for line, name in imports_of(path):
                if name.partition(".")[0] in forbidden and where != MAY_IMPORT_GPL:
                    found.append(f"{where}:{line} {name}")
    assert found == []


LOADED_BY_US = """
import importlib, pathlib, sys
sys.path.insert(0, "pipeline")
for path in sorted([*pathlib.Path("pipeline").rglob("*.py"), *pathlib.Path("generators").rglob("*.py")]):
    if path.as_posix() not in {spared} and path.stem != "__main__":
        parts = path.relative_to("pipeline" if path.parts[0] == "pipeline" else ".").with_suffix("").parts
        importlib.import_module(".".join(parts).removesuffix(".__init__"))
print(*sorted(name.partition(".")[0] for name in sys.modules))
"""


@pytest.mark.slow
def test_importing_all_our_modules_loads_no_gpl_module():
    code = LOADED_BY_US.format(spared=(MAY_IMPORT_GPL, *NEEDS_A_TRAINER))
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    assert "orrery" in loaded
    assert sorted(loaded & gpl_modules()) == []
