"""What ``params.yaml`` says under ``corpus``: folders, limits, and how much of it a size asks for."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from orrery.config import Settings
from orrery.corpus.duplicates import THRESHOLD
from orrery.corpus.sources import UNIFIED_PLANNING
from orrery.model import OrreryError

PACKAGES = ("pddlgym", "pddl", UNIFIED_PLANNING)


@dataclass(frozen=True)
class CorpusSettings:
    """Sources and limits of the corpus.

    ``sources``: packages to read. ``folders``: folders of one's own, each with a licence (empty: its rows
    may not be published). ``sample``: at most so many domain files, drawn by the seed; 0 means all.
    ``against``: files, folders or ``FILE:COLUMN`` of other benchmarks. ``cosine``: above it domains are
    near-duplicates. ``overlap``: a larger share of 10-grams found in one of ``against`` is too much.
    ``problems``: decided problems kept of a domain, of at most ``attempts``, each within ``seconds``.
    ``synthesised``: domains made by edits of ours, which need its problems in outputs/problems.
    """

    sources: tuple[str, ...] = PACKAGES
    folders: tuple[tuple[Path, str], ...] = ()
    against: tuple[str, ...] = ()
    sample: int = 0
    cosine: float = THRESHOLD
    predicates: int = 40
    actions: int = 20
    tokens: int = 5000
    overlap: float = 0.5
    problems: int = 3
    attempts: int = 6
    seconds: int = 4
    synthesised: int = 0
    sizes: dict[str, Any] = field(default_factory=dict)


def read(settings: Settings) -> CorpusSettings:
    """The corpus that ``params.yaml`` asks for at its size; what is not said there has the published limits.

    Raises:
        OrreryError: an unknown key, or a value of the wrong kind; it names the key.
    """
    path = settings.root / "params.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8")).get("corpus") or {}
    where = f"{path}: corpus"
    if not isinstance(content, dict) or not isinstance(content.get("sizes", {}), dict):
        raise OrreryError(where, f"expected keys with values, found {content!r}")
    of_size = content.get("sizes", {}).get(settings.size_name) or {}
    return CorpusSettings(**_checked(where, {**content, **of_size}, settings.root))


def _checked(where: str, content: dict[str, Any], root: Path) -> dict[str, Any]:
    """Keyword arguments, each checked."""
    defaults = {each.name: each for each in fields(CorpusSettings)}
    found: dict[str, Any] = {}
    for key, value in content.items():
        if key not in defaults:
            raise OrreryError(where, f"does not know '{key}'", f"keys are: {', '.join(defaults)}")
        if key == "folders":
            found[key] = tuple(_folder(where, each, root) for each in _listed(where, key, value))
        elif key in ("sources", "against"):
            found[key] = tuple(map(str, _listed(where, key, value)))
        elif key != "sizes":
            fraction = key in ("cosine", "overlap")
            kinds, most = ((int, float), 1) if fraction else ((int,), sys.maxsize)
            if type(value) not in kinds or not 0 <= value <= most:
                wanted = "a share from 0 to 1" if fraction else "a whole number from 0 on"
                raise OrreryError(f"{where}.{key}", f"expected {wanted}, found {value!r}")
            found[key] = value
    if unknown := sorted(set(found.get("sources", ())) - set(PACKAGES)):
        raise OrreryError(
            f"{where}.sources", f"does not know '{unknown[0]}'", f"there are: {', '.join(PACKAGES)}"
        )
    return found


def _listed(where: str, key: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise OrreryError(f"{where}.{key}", f"expected a list, found {value!r}")
    return value


def _folder(where: str, value: Any, root: Path) -> tuple[Path, str]:
    """A path, or ``{path: ..., license: ...}``."""
    if isinstance(value, dict) and isinstance(value.get("path"), str) and set(value) <= {"path", "license"}:
        return root / value["path"], str(value.get("license", ""))
    if not isinstance(value, str):
        raise OrreryError(
            f"{where}.folders", f"{value!r} is no folder", "give a path, or {path: ..., license: MIT}"
        )
    return root / value, ""
