"""This installation: its folders with domains and templates, and its extras."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

from orrery.model import OrreryError, ToolMissing

PARAMETERS, WIRING = "params.yaml", "dvc.yaml"
# The name in package indexes, where `orrery` is another project.
DISTRIBUTION = "orrery-planning"
# Modules whose name differs from that of their distribution. A missing distribution has no metadata.
_DISTRIBUTIONS: Mapping[str, str] = MappingProxyType(
    {"ruamel": "ruamel-yaml", "sklearn": "scikit-learn", "vl_convert": "vl-convert-python", "yaml": "pyyaml"}
)
_PACKAGE = Path(__file__).parent
_OF_EXTRA = re.compile(r"([\w.-]+).*extra == ['\"]([\w-]+)['\"]")


def find_root(given: Path | str | None = None) -> Path:
    """Return the folder with domains, generators and templates.

    It is ``given``, if not None; otherwise the current folder if it contains ``params.yaml``; otherwise the
    data folder installed with the package, or, for an editable installation, its checkout.

    Raises:
        OrreryError: the installation lacks its data.
    """
    if given is not None:
        return Path(given)
    for folder in (Path("."), _PACKAGE / "data", _PACKAGE.parent.parent):
        if (folder / PARAMETERS).is_file():
            return folder
    raise OrreryError(
        str(_PACKAGE / "data"),
        f"has no file {PARAMETERS}",
        "reinstall the package, or name the folder with --root",
    )


def is_checkout() -> bool:
    """Return whether the package runs in a checkout, not in a folder of installed packages."""
    return (_PACKAGE.parent.parent / PARAMETERS).is_file()


def wirings(root: Path) -> list[Path]:
    """Return the file dvc.yaml of a checkout, if it has one, and that of this installation."""
    paths = [folder / WIRING for folder in (root, _PACKAGE / "data", _PACKAGE.parent.parent)]
    return [path for path in paths if path.is_file()]


def extras() -> Mapping[str, frozenset[str]]:
    """Return the distributions of each extra of the package; empty if the package is not installed."""
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
    """Return the missing distributions of an extra, sorted."""
    return sorted(name for name in extras().get(extra, ()) if not has_release(name))


def tool_missing(error: ModuleNotFoundError) -> ToolMissing | None:
    """Return the error that names the extra with a missing module; None if there is none.

    If there are several extras, it is the smallest.
    """
    package = distribution_of(error.name or "")
    bringing = [(len(names), extra) for extra, names in extras().items() if package in names]
    if not bringing:
        return None
    return ToolMissing("this installation", f"lacks the package {package}", install(min(bringing)[1]))


@contextmanager
def needing(user: str, mend: str) -> Iterator[None]:
    """Convert a failed import of a package that ``user`` requires.

    Raises:
        ToolMissing: the package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ToolMissing(user, f"requires the package {error.name}", mend) from error


def distribution_of(module: str) -> str:
    """Return the distribution of a module, installed or not."""
    top = module.partition(".")[0]
    return _DISTRIBUTIONS.get(top) or _normalised(top)


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def has_release(distribution: str, *least: int) -> bool:
    """Return whether a distribution is installed, in the release ``least`` or a later one."""
    try:
        release = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return tuple(map(int, re.findall(r"\d+", release)[: len(least)])) >= least


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
