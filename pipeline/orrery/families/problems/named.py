"""Rows of problems with the names that are drawn for their objects, in the PDDL and in the parameters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from orrery.catalog import Entry
from orrery.language.names import Objects, Renames, renamed, renamed_json
from orrery.model import ConfigurationPair, Generated
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_typed, write_problem
from orrery.store.kinds import STRING, as_json

OBJECTS, INIT, GOAL = "  (:objects ", "  (:init (", "  (:goal (and ("
INIT_START = INIT.rstrip("(")
GOAL_START, GOAL_END = "\n  (:goal", "))))"
NO_TASK = ConfigurationPair("", "")
KEPT = 20_000


class NamedRecord(NamedTuple):
    """What a row says of a problem with its objects' names: where these are from, and what they stand in."""

    names: str
    problem_pddl: str
    init_parameters: str
    goal_parameters: str


class ProblemNamer:
    """Names the objects of generated problems of a domain, given as they are written."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to name the objects of a domain's problems; ``seed`` is the root seed of the build."""
        self.entry, self.seed = entry, seed
        self._kinds = tuple(f"{kind} " for kind in sorted(entry.name_pools.kinds))
        self._objects = lru_cache(maxsize=KEPT)(self._objects_of)
        self._style = lru_cache(maxsize=KEPT)(entry.name_pools.source_of)

    def named(self, split: str, seed_path: str, pddl: str, parameters: Sequence[str]) -> NamedRecord:
        """Return a problem of a split with its names, and the parameters of its init and goal with them."""
        start = pddl.index(OBJECTS) + len(OBJECTS)
        end = pddl.index(")\n", start)
        objects, own = self._objects(pddl[start:end], self._kinds_in(pddl, end))
        names = self.entry.names_of(objects, split, self.seed, seed_path)
        if not names:
            return NamedRecord(self._style(own), pddl, *parameters)
        style = self.entry.name_pools.source_of([*map(names.get, own, own)])
        init, goal = parameters
        said = _parameters(init, names)
        same = said if goal == init else _parameters(goal, names)
        return NamedRecord(style, self._pddl(pddl, names), said, same)

    def _kinds_in(self, pddl: str, start: int) -> str:
        """Return the initial facts that say what an object is, with spaces and parentheses between them."""
        if not self._kinds:
            return ""
        inside = pddl[pddl.index(INIT_START, start) : pddl.index(GOAL_START, start)]
        facts = inside[len(INIT) : -len("))")].split(") (")
        return ") (".join([fact for fact in facts if fact.startswith(self._kinds)])

    def _objects_of(self, text: str, kinds: str) -> tuple[Objects, tuple[str, ...]]:
        """Return the objects that ``write_typed`` wrote, with their kinds, and their names."""
        facts = [tuple(fact.split(" ")) for fact in kinds.split(") (")] if kinds else []
        objects = self.entry.name_pools.kinded(parse_typed(text), facts)
        return objects, tuple(each.name for each in objects)

    def _pddl(self, pddl: str, names: Renames) -> str:
        """Return a problem as it is written with other names."""
        head, domain, objects, init, goal, *rest = pddl.split("\n")
        plain = init.startswith(INIT) and goal.startswith(GOAL) and len(rest) == 1
        if not plain or "(= " in init or "(not " in goal:
            problem = read_problem(pddl, self.entry.domain)
            return write_problem(renamed(Generated(problem, NO_TASK), names).problem)
        words = objects[len(OBJECTS) : -1].split(" ")
        said = " ".join(map(names.get, words, words))
        facts, wanted = _facts(init[len(INIT) : -2], names), _facts(goal[len(GOAL) : -len(GOAL_END)], names)
        return f"{head}\n{domain}\n{OBJECTS}{said})\n{INIT}{facts}))\n{GOAL}{wanted}{GOAL_END}\n"


def _facts(inside: str, names: Renames) -> str:
    """Return facts such as ``on a b) (clear a`` with other names, sorted."""
    words = inside.replace(") (", " ) ").split(" ")
    return ") (".join(sorted(" ".join(map(names.get, words, words)).split(" ) ")))


def _parameters(said: str, names: Renames) -> str:
    """Return parameters as JSON with other names."""
    other = renamed_json(said, names)
    if other == said:
        return said
    # Keys are sorted, so that others may stand in another order.
    pieces = said.split('"')
    keys = "\\" in said or any(
        after[:1] == ":" and text in names for text, after in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    return as_json(json.loads(other)) if keys else other


def named(
    namer: ProblemNamer, splits: Iterable[str], paths: Iterable[str], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the Arrow columns of rows in which names stand, from those of the problems as generated."""
    values = (given[name].to_pylist() for name in NamedRecord._fields[1:])
    found = [
        namer.named(split, path, pddl, parameters)
        for split, path, pddl, *parameters in zip(splits, paths, *values, strict=True)
    ]
    columns = zip(NamedRecord._fields, zip(*found, strict=True), strict=True)
    return {name: pa.array(texts, STRING) for name, texts in columns}
