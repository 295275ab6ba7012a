"""This installation: its folders with domains and templates, and its extras."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from orrery.model import OrreryError, ToolMissing

PARAMETERS, WIRING = "params.yaml", "dvc.yaml"
# The name in package indexes, where `orrery` belongs to another project.
DISTRIBUTION = "orrery-planning"
# Modules whose name is not that of their distribution; the metadata of what is not installed says nothing.
_DISTRIBUTIONS: Mapping[str, str] = MappingProxyType(
    {"ruamel": "ruamel-yaml", "sklearn": "scikit-learn", "vl_convert": "vl-convert-python", "yaml": "pyyaml"}
)
_PACKAGE = Path(__file__).parent
_OF_EXTRA = re.compile(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]")


def find_root(given: Path | None = None) -> Path:
    """Find the folder to read domains, generators and templates from.

    It is the one that is named; else the present one if it holds ``params.yaml``; else what was installed
    with the package, or, for an editable installation, its checkout.

    Raises:
        OrreryError: the installation has lost its data.
    """
    if given is not None:
        return given
    for folder in (Path("."), _PACKAGE / "data", _PACKAGE.parent.parent):
        if (folder / PARAMETERS).is_file():
            return folder
    raise OrreryError(
        str(_PACKAGE / "data"),
        f"has no file {PARAMETERS}",
        "reinstall the package, or name the folder with --root",
    )


def wirings(root: Path) -> list[Path]:
    """Return the file dvc.yaml of a checkout, if it has one, and that of this installation."""
    paths = [folder / WIRING for folder in (root, _PACKAGE / "data", _PACKAGE.parent.parent)]
    return [path for path in paths if path.is_file()]


def extras() -> Mapping[str, frozenset[str]]:
    """Return the distributions of each extra of the package; empty where the package is not installed."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    distributions: dict[str, set[str]] = {}
    for line in lines:
        if match := _OF_EXTRA.match(line):
            distributions.setdefault(match[2], set()).add(_normalised(match[1]))
    return {name: frozenset(distributions[name]) for name in sorted(distributions)}


def lacking(extra: str) -> list[str]:
    """Return the distributions of an extra that are not installed, sorted."""
    return sorted(name for name in extras().get(extra, ()) if not _is_installed(name))


def tool_missing(error: ModuleNotFoundError) -> ToolMissing | None:
    """Say which extra brings the module that was not found; None where none does.

    Of several, the one that brings the fewest others.
    """
    package = distribution_of(error.name or "")
    bringing = [(len(names), extra) for extra, names in extras().items() if package in names]
    if not bringing:
        return None
    return ToolMissing("this installation", f"lacks the package {package}", install(min(bringing)[1]))


def distribution_of(module: str) -> str:
    """Return the distribution that brings a module, installed or not."""
    top = module.partition(".")[0]
    return _DISTRIBUTIONS.get(top) or _normalised(top)


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def _is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
