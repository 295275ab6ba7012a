"""Check the rows on all composed domains together: their splits, what train has seen, and that none is twice.

The set of mechanics decides the split. Some mechanics are held out, and some themes are for testing only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from operator import eq
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import rustworkx

from orrery.checks.statements import OBJECT, Statement, Typed, statements
from orrery.checks.verdicts import MALFORMED
from orrery.model import Row
from orrery.seeds import digest
from orrery.yaml_text import read_yaml

COMPOSED = "composed"
COMPOSED_SOURCE = "orrery-composed"
TEST = "test"
HELD_OUT = 1 / 8  # of the mechanics
SHARES = (
    ("train", 0.75),
    ("validation", 0.1),
    (TEST, 0.15),
)  # of the sets of mechanics without held-out ones
ROWS = ("", "explicit", "everyday", "sparse")  # endings of the rows of a domain
SHARED_COLUMNS = ("gold_domain", "problems", "mechanics", "attachments", "theme", "seen")
LITERALS = ("needs", "makes")
BEYOND_STRIPS = ("and", "or", "not", "imply", "when", "forall", "exists", "=")

Vertex: TypeAlias = tuple[str, ...]


class ComposedRow(NamedTuple):
    """What decides the split of a row, and what must be the same in all rows of its domain."""

    name: str
    domain: str
    shared: Mapping[str, Any]

    @property
    def split(self) -> str:
        """The split in the id."""
        return self.name.split("/")[1]

    @property
    def ending(self) -> str:
        """The level of a row on actions; empty for a row on the domain."""
        return "/".join(self.name.split("/")[3:])


@dataclass
class ComposedRows:
    """Rows on composed domains, and the text of every domain of the table, to be compared at the end.

    ``themes`` are those for testing only.
    """

    seed: int
    themes: Set[str] = frozenset()
    rows: list[ComposedRow] = field(default_factory=list)
    domains: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take a row of either table; of rows on other domains only the domain."""
        if row["source"] == COMPOSED_SOURCE:
            shared = {name: row[name] for name in SHARED_COLUMNS}
            self.rows.append(ComposedRow(row["id"], row["domain"], shared))
        if "texts" not in row:
            self.domains[row["id"]] = row["gold_domain"]

    def faults(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield (domain, id of a row, faults) for each composed domain."""
        by_domain: dict[str, list[ComposedRow]] = defaultdict(list)
        for row in self.rows:
            by_domain[row.domain].append(row)
        train = [rows[0] for rows in by_domain.values() if rows[0].split == "train"]
        mechanics = {name for row in train for name in row.shared["mechanics"]}
        themes = {row.shared["theme"] for row in train}
        equal = self._equal_domains()
        splits_of_sets = self._splits_of_sets(by_domain)
        for domain, rows in by_domain.items():
            first = rows[0]
            faults = [
                *_twin_faults(rows),
                *self._split_faults(first),
                *_seen_faults(first, mechanics, themes),
            ]
            faults += [f"{row.name} is equal to {name}" for row in rows for name in equal.get(row.name, ())]
            if len(splits := splits_of_sets.get(tuple(first.shared["mechanics"]), {first.split})) > 1:
                faults.append(f"its set of mechanics is in the splits {sorted(splits)}")
            yield domain, first.name, faults

    def _splits_of_sets(self, by_domain: Mapping[str, list[ComposedRow]]) -> dict[tuple[str, ...], set[str]]:
        """Return the splits of each set of mechanics with no mechanic or theme that is held out."""
        splits: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for rows in by_domain.values():
            mechanics, theme = rows[0].shared["mechanics"], rows[0].shared["theme"]
            if not self._held_out(mechanics, theme):
                splits[tuple(mechanics)].update(row.split for row in rows)
        return splits

    def _held_out(self, mechanics: Iterable[str], theme: str) -> list[str]:
        """Return the mechanics and the theme that occur in test only."""
        held_out = [name for name in mechanics if _place(self.seed, "mechanic", name) < HELD_OUT]
        return [*({theme} & self.themes), *held_out]

    def _split_of_set(self, mechanics: Iterable[str]) -> str:
        """Return the split that a set of mechanics without held-out ones gives."""
        place = _place(self.seed, "split", *sorted(mechanics))
        ends = accumulate(share for _, share in SHARES)
        return next((split for (split, _), end in zip(SHARES, ends, strict=True) if place < end), TEST)

    def _split_faults(self, row: ComposedRow) -> Iterator[str]:
        mechanics, theme = row.shared["mechanics"], row.shared["theme"]
        if held_out := self._held_out(mechanics, theme):
            if row.split != TEST:
                yield f"has {held_out[0]}, which is for testing, but is in {row.split}"
            return
        split = self._split_of_set(mechanics)
        if row.split != split:
            yield f"is in {row.split}, its set of mechanics in {split}"

    def _equal_domains(self) -> dict[str, list[str]]:
        """Return the rows whose domains equal that of a composed row up to names, by its id."""
        groups: dict[object, list[tuple[str, rustworkx.PyDiGraph]]] = defaultdict(list)
        equal: dict[str, list[str]] = defaultdict(list)
        composed = {row.name for row in self.rows}
        for name, text in sorted(self.domains.items(), key=lambda item: item[0] not in composed):
            graph = domain_graph(text)
            if graph is None:
                continue
            group = groups[_invariant(graph)]
            for earlier, earlier_graph in group:
                if earlier in composed and are_equal(graph, earlier_graph):
                    equal[earlier].append(name)
            group.append((name, graph))
        return equal


def themes_for_testing(root: Path) -> frozenset[str]:
    """Return the names of the themes whose files say that they are for testing only."""
    return frozenset(path.stem for path in root.glob("themes/*.yaml") if read_yaml(path).get("test_only"))


def _place(seed: int, *path: str) -> float:
    """Return a number from 0 to 1 that the seed and a path determine."""
    return int.from_bytes(digest(seed, COMPOSED, *path)) / 2**256


def _twin_faults(rows: Sequence[ComposedRow]) -> Iterator[str]:
    first = rows[0]
    endings = sorted(row.ending for row in rows)
    if endings != sorted(ROWS):
        yield f"has the rows {endings}, should have {sorted(ROWS)}"
    for row in rows:
        if row.split != first.split:
            yield f"{row.name} is in another split than {first.name}"
        for column in SHARED_COLUMNS:
            if row.shared[column] != first.shared[column]:
                yield f"{row.name} has another {column} than {first.name}"


def _seen_faults(row: ComposedRow, mechanics: Set[str], themes: Set[str]) -> Iterator[str]:
    """Yield where ``seen`` contradicts the mechanics and themes of train."""
    has_theme = row.shared["theme"] in themes
    if set(row.shared["mechanics"]) <= mechanics:
        expected = "both" if has_theme else "mechanics"
    else:
        expected = "theme" if has_theme else "neither"
    if row.shared["seen"] != expected:
        yield f"seen is {row.shared['seen']}, should be {expected}"


def domain_graph(text: str) -> rustworkx.PyDiGraph | None:
    """Return a graph that is isomorphic for domains that are equal up to names; None: beyond STRIPS.

    Types, predicates, actions, parameters and literals are vertices; ``(kind)`` and roles are their labels.
    """
    try:
        declared = statements(text)
    except MALFORMED:
        return None
    graph = _LabelledGraph()
    try:
        for statement in sorted(declared, key=repr):
            graph.add(statement)
    except NotStrips:
        return None
    return graph.graph


class NotStrips(Exception):
    """A statement that no composed domain makes."""


class _LabelledGraph:
    """A graph of statements; vertices are named while it grows."""

    def __init__(self) -> None:
        self.graph = rustworkx.PyDiGraph()
        self._vertices: dict[Vertex, int] = {}

    def add(self, statement: Statement) -> None:
        """Add the vertices and edges of a statement.

        Raises:
            NotStrips: no composed domain makes it.
        """
        kind = statement[0]
        if kind == "type":
            self._types(("type", statement[1]), statement[2], "below")
        elif kind == "predicate":
            self._parameters(("predicate", statement[1]), statement[2])
        elif kind == "action":
            self._parameters(("action", statement[2]), statement[3])
        elif kind in LITERALS:
            self._literal(*statement)
        elif kind not in ("domain", "requirement"):
            raise NotStrips

    def _types(self, vertex: Vertex, types: Iterable[str], label: str) -> None:
        for name in types:
            self._edge(vertex, ("type", name), label)

    def _parameters(self, owner: Vertex, parameters: Iterable[Typed]) -> None:
        """Add the parameters of a predicate, which are in order, or of an action, whose order is free."""
        self._vertex(owner)
        for place, (name, types) in enumerate(parameters):
            is_action = owner[0] == "action"
            parameter = (f"parameter of {owner[0]}", owner[1], name if is_action else str(place))
            self._edge(owner, parameter, "" if is_action else str(place))
            self._types(parameter, types, "of")

    def _literal(self, kind: str, action: str, tree: Any) -> None:
        sign, (predicate, *arguments) = ("not", tree[1]) if tree[0] == "not" else ("", tree)
        literal = ("literal", action, kind, repr(tree))
        if predicate in BEYOND_STRIPS:
            raise NotStrips
        self._edge(("action", action), literal, f"{kind} {sign}")
        self._edge(literal, ("predicate", predicate), "states")
        for place, argument in enumerate(arguments):
            if not isinstance(argument, str):
                raise NotStrips
            self._edge(literal, ("parameter of action", action, argument), f"argument {place}")

    def _vertex(self, name: Vertex) -> int:
        if name not in self._vertices:
            label = "object" if name == ("type", *OBJECT) else name[0]
            self._vertices[name] = self.graph.add_node(label)
        return self._vertices[name]

    def _edge(self, source: Vertex, target: Vertex, label: str) -> None:
        self.graph.add_edge(self._vertex(source), self._vertex(target), label)


def _invariant(graph: rustworkx.PyDiGraph) -> object:
    """Return a value that is equal for isomorphic graphs: labels with those of the neighbours, counted."""
    around = [
        (
            graph[vertex],
            tuple(sorted(f"{label} {graph[target]}" for _, target, label in graph.out_edges(vertex))),
            tuple(sorted(f"{label} {graph[source]}" for source, _, label in graph.in_edges(vertex))),
        )
        for vertex in graph.node_indices()
    ]
    return frozenset(Counter(around).items())


def are_equal(first: rustworkx.PyDiGraph, second: rustworkx.PyDiGraph) -> bool:
    """Return whether two graphs of domains are isomorphic with their labels."""
    return rustworkx.is_isomorphic(first, second, eq, eq)
