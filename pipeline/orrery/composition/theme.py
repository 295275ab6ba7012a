"""Themes: nouns and verbs for the roles of mechanics, and a story, from ``themes/<name>.yaml``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orrery.composition.mechanic import AGENT, ALWAYS_NAMED, Mechanic
from orrery.config import Flag, Names, StrictMapping, read_model
from orrery.model import OrreryError, did_you_mean

FOLDER = "themes"
FEWEST = {"titles": 3, "openings": 3, "remarks": 3}  # texts of a theme


class ThemeFile(StrictMapping):
    """The content of a theme's file; ``mechanics`` names the roles and verbs of each mechanic that fits.

    ``test_only``: whether domains with the theme are in test only.
    """

    title: str
    agent: str
    roles: Mapping[str, str]
    mechanics: Mapping[str, Mapping[str, str]]
    titles: Names
    openings: Names
    remarks: Names
    test_only: Flag = False


@dataclass(frozen=True)
class Theme:
    """A theme by the name of its file."""

    name: str
    content: ThemeFile

    def names(self, mechanics: Mapping[str, Mechanic]) -> dict[str, str]:
        """Return the nouns and verbs of the roles of ``mechanics``, and the word for the agent."""
        words = {AGENT: self.content.agent, **self.content.roles}
        for name in mechanics:
            words |= self.content.mechanics[name]
        return words


def identifier(words: str) -> str:
    """Return words as a name in PDDL: ``recipe card`` gives ``recipe-card``."""
    return "-".join(re.sub(r"[^a-z0-9\s-]", "", words.lower()).split())


def theme_names(root: Path) -> list[str]:
    """Return the names of the themes, sorted."""
    return sorted(path.stem for path in root.glob(f"{FOLDER}/*.yaml"))


@cache
def read_theme(root: Path, name: str, mechanics: frozenset[str]) -> Theme:
    """Return a theme whose ``mechanics`` of these names are checked by ``theme_faults``.

    Raises:
        OrreryError: the file is malformed.
    """
    content = read_model(root / FOLDER / f"{name}.yaml", ThemeFile)
    known = {mechanic: names for mechanic, names in content.mechanics.items() if mechanic in mechanics}
    return Theme(name, content.model_copy(update={"mechanics": known}))


def theme_faults(
    root: Path, name: str, mechanics: Mapping[str, Mechanic], unread: Iterable[str] = ()
) -> Iterator[OrreryError]:
    """Yield what a theme lacks, and the contradictions between it and the mechanics that it names.

    ``unread`` are mechanics that have faults of their own.
    """
    path = root / FOLDER / f"{name}.yaml"
    content = read_model(path, ThemeFile)
    yield from _faults_of_texts(path, content)
    for mechanic in content.mechanics:
        place = f"{path}: mechanics.{mechanic}"
        if mechanic in mechanics:
            yield from _faults_of_names(place, content, mechanics[mechanic])
        elif mechanic not in unread:
            yield OrreryError(place, "is no mechanic", did_you_mean(mechanic, mechanics) or "remove it")


def _faults_of_texts(path: Path, content: ThemeFile) -> Iterator[OrreryError]:
    for role in ALWAYS_NAMED:
        if role not in content.roles:
            yield OrreryError(f"{path}: roles", f"lacks '{role}'", "give it a noun")
    for key, fewest in FEWEST.items():
        if len(getattr(content, key)) < fewest:
            yield OrreryError(f"{path}: {key}", f"has fewer than {fewest} texts", "write more")


def _faults_of_names(place: str, content: ThemeFile, mechanic: Mechanic) -> Iterator[OrreryError]:
    names, needed = content.mechanics[mechanic.name], mechanic.vocabulary - set(ALWAYS_NAMED)
    for role in sorted(needed - set(names) - _roles_of_others(content, mechanic.name)):
        yield OrreryError(place, f"has no name for the role '{role}'", "add it")
    for role in sorted(set(names) - needed):
        mend = did_you_mean(role, needed) or "remove it"
        yield OrreryError(place, f"names '{role}', which is no role", mend)
    general = [content.roles[role] for role in ALWAYS_NAMED if role in content.roles]
    for noun, count in Counter(map(identifier, [*general, *names.values()])).items():
        if count > 1:
            yield OrreryError(place, f"names {count} roles '{noun}'", "give every role a name of its own")


def _roles_of_others(content: ThemeFile, mechanic: str) -> set[str]:
    """Return the roles that the other mechanics of the theme name; a shared role is named once."""
    return {role for name, names in content.mechanics.items() if name != mechanic for role in names}
