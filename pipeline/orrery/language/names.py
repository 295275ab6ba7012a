"""Names of objects: the numbered names of generators, or real names from lists.

A list is a *style*: colours, people, cities. The names of a problem are drawn after it is generated, and only
names change. The last eighth of each list, and some whole lists, are new: they occur only in test splits.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.config import NameList, read_model
from orrery.language.choices import HELD_SPLIT, held_out
from orrery.language.words import natural
from orrery.model import Atom, Domain, Generated, OrreryError, TypedName
from orrery.pddl.renaming import object_names

NUMBERED, GIVEN = "numbered", "given"
STYLES, NEW = "+", "-new"
STAY_NUMBERED = 0.4  # share of the problems that keep their names
FITTING = 0.7  # share of the other problems whose names fit their types, if there are such names
NEW_LISTS = 1 / 3  # in test splits: share of the problems with real names whose lists ...
NEW_NAMES = 2 / 3  # ... are new, or (up to this value) that have new names among others
NAME = re.compile(r"[a-z][a-z0-9-]*")
_NUMBERED = re.compile(r"(.*?)\d+(?:-\d+)*")

Renames: TypeAlias = Mapping[str, str]
Objects: TypeAlias = tuple[TypedName, ...]


class NamePool(NamedTuple):
    """The names of a style: names for all splits, new names, and the types of objects that they fit."""

    style: str
    familiar: tuple[str, ...]
    new: tuple[str, ...]
    fits: frozenset[str] = frozenset()

    @property
    def size(self) -> int:
        """The number of names."""
        return len(self.familiar) + len(self.new)


@dataclass(frozen=True)
class NamePools:
    """The lists of names for the objects of a domain.

    ``words`` are the words of the domain, which are never names. ``kinds`` are the static predicates that act
    as types.
    """

    pools: tuple[NamePool, ...] = ()
    words: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    @classmethod
    def of(cls, folder: Path, domain: Domain) -> NamePools:
        """Read the lists in a folder, without words of the domain; no lists if the folder is missing.

        Raises:
            OrreryError: a list is faulty, or two lists contain the same name.
        """
        words = {domain.name, *(element.name for element in (*domain.types, *domain.constants))}
        words |= {element.name for element in (*domain.predicates, *domain.functions)} | {
            *domain.action_named
        }
        static = [element for element in domain.predicates if element.name not in domain.fluents]
        kinds = frozenset(element.name for element in static if element.arity == 1 and not domain.types)
        pools = [_read(path) for path in sorted(folder.glob("*.yaml"))]
        counts = Counter(name for element in pools for name in (*element.familiar, *element.new))
        if repeated_names := sorted(name for name, count in counts.items() if count > 1):
            raise OrreryError(str(folder), f"'{repeated_names[0]}' is listed twice", "list every name once")
        return cls(tuple(_without(element, words) for element in pools), frozenset(words), kinds)

    def kinded(self, objects: Objects, facts: Iterable[Atom]) -> Objects:
        """Return the objects with their kinds, from the initial facts, as types if the domain has kinds."""
        kind_of = {fact[1]: fact[0] for fact in sorted(facts) if fact[0] in self.kinds}
        return tuple(
            TypedName(typed.name, (kind_of[typed.name],)) if typed.name in kind_of else typed
            for typed in objects
        )

    @cached_property
    def style_of(self) -> Mapping[str, tuple[str, bool]]:
        """The style of each name in the lists, and whether the name is new."""
        return {
            name: (pool.style, new)
            for pool in self.pools
            for new, names in ((False, pool.familiar), (True, pool.new))
            for name in names
        }

    def _groups(self, objects: Objects) -> list[tuple[str, list[str]]]:
        """Return groups of names that may be exchanged, in their order, each group with its type.

        A group has the numbered names of one type that differ only in their numbers. Other names have a
        meaning.
        """
        names_of: dict[tuple[tuple[str, ...], str], list[str]] = {}
        for name, types in objects:
            if (numbered := _NUMBERED.fullmatch(name)) and name not in self.words:
                names_of.setdefault((types, numbered[1]), []).append(name)
        return [(types[0], sorted(names, key=natural)) for (types, _), names in names_of.items()]

    def drawn(self, objects: Objects, rng: random.Random, split: str) -> Renames:
        """Draw new names for the objects of a problem in a split; ``objects`` are as ``kinded`` returns them.

        The result is empty if the objects keep their numbered names. Names are exchanged within a group in
        their order, so that sentences sorted by name keep their order. Other names stay, and so do groups for
        which the lists are too short.
        """
        if rng.random() < STAY_NUMBERED or not self.pools:
            return {}
        groups = self._groups(objects)
        real = self.style_of.keys() & {typed.name for typed in objects}
        allowed = [_without(pool, real) for pool in self._allowed(split, rng)]
        fitting = [(names, [pool for pool in allowed if kind in pool.fits]) for kind, names in groups]
        fitting = [(names, pools) for names, pools in fitting if pools]
        if fitting and rng.random() < FITTING:
            return _exchanged([(names, rng.choice(pools)) for names, pools in fitting], rng)
        total = sum(len(names) for _, names in groups)
        enough = [pool for pool in allowed if pool.size >= total > 0]
        if not enough:
            return {}
        pool = rng.choice(enough)
        return _exchanged([(names, pool) for _, names in groups], rng)

    def _allowed(self, split: str, rng: random.Random) -> Sequence[NamePool]:
        """Return the lists that a problem of a split may use, reduced to the names that it may use."""
        mixed = [pool for pool in self.pools if pool.familiar]
        familiar = [pool._replace(new=()) for pool in mixed]
        if split != HELD_SPLIT:
            return familiar
        share = rng.random()
        if share < NEW_LISTS:
            return [pool for pool in self.pools if not pool.familiar] or familiar
        return mixed if share < NEW_NAMES else familiar

    def source_of(self, names: Sequence[str]) -> str:
        """Return the value of the column ``names`` for these objects: the source of their names."""
        styles = {self.style_of[name] for name in names if name in self.style_of}
        if styles:
            new = NEW if any(new for _, new in styles) else ""
            return STYLES.join(sorted({style for style, _ in styles})) + new
        return NUMBERED if any(map(_NUMBERED.fullmatch, names)) or not names else GIVEN


def _exchanged(chosen: Iterable[tuple[Sequence[str], NamePool]], rng: random.Random) -> dict[str, str]:
    """Return new names by old ones; groups share the names of a list while it has enough."""
    renames: dict[str, str] = {}
    by_style: dict[str, tuple[NamePool, list[Sequence[str]]]] = {}
    for names, pool in chosen:
        _, groups = by_style.setdefault(pool.style, (pool, []))
        if sum(map(len, groups)) + len(names) <= pool.size:
            groups.append(names)
    for pool, groups in by_style.values():
        drawn, start = _sampled(pool, sum(map(len, groups)), rng), 0
        for names in groups:
            end = start + len(names)
            renames.update(zip(names, sorted(drawn[start:end]), strict=True))
            start = end
    return renames


def _sampled(pool: NamePool, count: int, rng: random.Random) -> list[str]:
    """Draw names from a list; if the list has new names, they are as frequent as the others."""
    new = min(len(pool.new), max(count - len(pool.familiar), (count + 1) // 2))
    drawn = rng.sample(pool.familiar, count - new)
    if new:
        drawn += rng.sample(pool.new, new)
        rng.shuffle(drawn)
    return drawn


def _without(pool: NamePool, words: Collection[str]) -> NamePool:
    """Return a list without the names that are words of the domain."""
    familiar, new = (
        tuple(name for name in names if name not in words) for names in (pool.familiar, pool.new)
    )
    return pool._replace(familiar=familiar, new=new)


def _read(path: Path) -> NamePool:
    """Read the list of names in a file."""
    listed = read_model(path, NameList)
    if invalid_names := [name for name in listed.names if not NAME.fullmatch(name)]:
        raise OrreryError(
            f"{path}: names",
            f"'{invalid_names[0]}' is not a valid name",
            "use lowercase letters, digits and hyphens",
        )
    familiar_count = 0 if listed.test_only else len(listed.names) - held_out(len(listed.names))
    return NamePool(
        path.stem, listed.names[:familiar_count], listed.names[familiar_count:], frozenset(listed.fits)
    )


def renamed_value(value: Any, names: Renames) -> Any:
    """Return parameters, a JSON value, with object names replaced in values and keys."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        return {names.get(key, key): renamed_value(item, names) for key, item in value.items()}
    return [renamed_value(item, names) for item in value] if isinstance(value, list | tuple) else value


def renamed(generated: Generated, names: Renames) -> Generated:
    """Return the result of a generator with object names replaced; the objects keep their order."""
    problem, closure = generated.problem, generated.closure
    tables = object_names(names)
    init, goal = generated.init_parameters, generated.goal_parameters
    return replace(
        generated,
        problem=tables.problem(problem, problem.name, problem.domain),
        init_parameters=renamed_value(init, names),
        goal_parameters=renamed_value(goal, names),
        closure=None if closure is None else frozenset(tables.atoms(closure)),
    )
