"""Rows of problems with drawn names for their objects, in the PDDL and in the parameters."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from orrery.catalog import Entry
from orrery.language.names import Objects, Renames, renamed, renamed_json
from orrery.model import ConfigurationPair, Generated
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_typed, write_problem
from orrery.store.kinds import as_json

OBJECTS, INIT, GOAL = "  (:objects ", "  (:init (", "  (:goal (and ("
INIT_START = INIT.rstrip("(")
GOAL_START, GOAL_END = "\n  (:goal", "))))"
NO_PAIR = ConfigurationPair("", "")
LISTS_REMEMBERED = 20_000


class ProblemNamer:
    """Names the objects of generated problems of a domain."""

    def __init__(self, entry: Entry, seed: int) -> None:
        """Prepare to name the objects of a domain's problems; ``seed`` is the root seed of the build."""
        self.entry, self.seed = entry, seed
        self._kinds = tuple(f"{kind} " for kind in sorted(entry.name_pools.kinds))
        self._objects = lru_cache(maxsize=LISTS_REMEMBERED)(self._objects_of)
        self._style = lru_cache(maxsize=LISTS_REMEMBERED)(entry.name_pools.source_of)

    def named(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the row of a generated problem with names drawn for its objects, and their style."""
        pddl, init, goal = row["problem_pddl"], row["init_parameters"], row["goal_parameters"]
        start = pddl.index(OBJECTS) + len(OBJECTS)
        end = pddl.index(")\n", start)
        objects, plain_names = self._objects(pddl[start:end], self._kinds_in(pddl, end))
        names = self.entry.names_of(objects, row["split"], self.seed, row["seed_path"])
        if not names:
            return row | {"names": self._style(plain_names)}
        return row | {
            "names": self.entry.name_pools.source_of([names.get(name, name) for name in plain_names]),
            "problem_pddl": self._renamed_pddl(pddl, names),
            "init_parameters": _renamed_parameters(init, names),
            "goal_parameters": _renamed_parameters(goal, names),
        }

    def _kinds_in(self, pddl: str, start: int) -> str:
        """Return the initial facts that act as types, separated by ") ("."""
        if not self._kinds:
            return ""
        inside = pddl[pddl.index(INIT_START, start) : pddl.index(GOAL_START, start)]
        facts = inside[len(INIT) : -len("))")].split(") (")
        return ") (".join([fact for fact in facts if fact.startswith(self._kinds)])

    def _objects_of(self, text: str, kinds: str) -> tuple[Objects, tuple[str, ...]]:
        """Return the objects that ``write_typed`` wrote, with their kinds, and their names."""
        facts = [tuple(fact.split(" ")) for fact in kinds.split(") (")] if kinds else []
        objects = self.entry.name_pools.kinded(parse_typed(text), facts)
        return objects, tuple(typed.name for typed in objects)

    def _renamed_pddl(self, pddl: str, names: Renames) -> str:
        """Return a problem with other names; its text alone is changed unless it has numbers or negations."""
        head, domain, objects, init, goal, *end = pddl.split("\n")
        plain = init.startswith(INIT) and goal.startswith(GOAL) and len(end) == 1
        if not plain or "(= " in init or "(not " in goal:
            problem = read_problem(pddl, self.entry.domain)
            return write_problem(renamed(Generated(problem, NO_PAIR), names).problem)
        words = objects[len(OBJECTS) : -1].split(" ")
        objects = " ".join(map(names.get, words, words))
        init = _renamed_facts(init[len(INIT) : -2], names)
        goal = _renamed_facts(goal[len(GOAL) : -len(GOAL_END)], names)
        return f"{head}\n{domain}\n{OBJECTS}{objects})\n{INIT}{init}))\n{GOAL}{goal}{GOAL_END}\n"


def _renamed_facts(facts: str, names: Renames) -> str:
    """Return facts such as ``on a b) (clear a`` with other names, sorted."""
    words = facts.replace(") (", " ) ").split(" ")
    return ") (".join(sorted(" ".join(map(names.get, words, words)).split(" ) ")))


def _renamed_parameters(parameters: str, names: Renames) -> str:
    """Return parameters as JSON with other names."""
    changed = renamed_json(parameters, names)
    if changed == parameters:
        return parameters
    # The keys of objects are sorted; renamed ones may need another order.
    pieces = parameters.split('"')
    has_renamed_keys = "\\" in parameters or any(
        after[:1] == ":" and text in names for text, after in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    return as_json(json.loads(changed)) if has_renamed_keys else changed
