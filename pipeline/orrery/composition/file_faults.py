"""The faults of all files of mechanics and themes, each with its file, place and mend."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orrery.composition.compose import clashes
from orrery.composition.mechanic import mechanic_names, read_mechanic
from orrery.composition.theme import theme_faults, theme_names
from orrery.model import OrreryError


def check(root: Path) -> None:
    """Raise an OrreryError that names every fault of the mechanics and themes, if there is one."""
    faults = list(faults_of_files(root))
    if faults:
        first, *others = faults
        for other in others:
            first.add_note(f"error: {other}")
        raise first


def faults_of_files(root: Path) -> Iterator[OrreryError]:
    """Yield the first fault of each mechanic, all faults of themes, and contradictions between mechanics."""
    mechanics, unread = {}, set()
    for name in mechanic_names(root):
        try:
            mechanics[name] = read_mechanic(root, name)
        except OrreryError as error:
            unread.add(name)
            yield error
    yield from clashes({name: mechanic.fragment for name, mechanic in mechanics.items()})
    for name in theme_names(root):
        try:
            yield from theme_faults(root, name, mechanics, unread)
        except OrreryError as error:
            yield error
