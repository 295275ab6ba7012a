"""Equality of domains up to names: types, predicates, functions, constants, actions, variables.

Each domain becomes a coloured graph whose vertices are its names and the nodes of its formulas. Two domains
are equal up to names iff the graphs are isomorphic, which their canonical forms decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from orrery.equivalence.canonical import canonical
from orrery.equivalence.graph import Graph, Undecided
from orrery.model import OBJECT, Predicate, TypedName
from orrery.pddl.adl import AND, CONNECTIVES, NUMERIC, OR, AdlAction, AdlDomain, Formula, is_number
from orrery.scoring.domains.alignment import prepare

LARGEST = 3000  # vertices; larger domains are never reported as equal up to names

Colour: TypeAlias = tuple[str, ...]
Scope: TypeAlias = Mapping[str, int]


def same_but_for_names(first: AdlDomain, second: AdlDomain) -> bool:
    """Return whether a renaming makes the two domains equal; False if the search is given up."""
    graphs = [_Builder().build(domain) for domain in (first, second)]
    if graphs[0].header != graphs[1].header or len(graphs[0].vertices) > LARGEST:
        return False
    try:
        forms = [canonical(graph) for graph in graphs]
    except Undecided:
        return False
    return forms[0].certificate == forms[1].certificate


class _Builder:
    """Vertices with their colours, and the labels of ordered pairs of vertices."""

    def __init__(self) -> None:
        self.colours: list[Colour] = []
        self.pairs: list[dict[int, list[str]]] = []
        self.symbols: dict[tuple[str, str], int] = {}

    def build(self, domain: AdlDomain) -> Graph:
        """Return the graph of a whole domain."""
        for typed in domain.types:
            self._typed(self._symbol("type", typed.name), typed, "below")
        for typed in domain.constants:
            self._typed(self._symbol("constant", typed.name), typed, "of")
        for kind, signatures in (("predicate", domain.predicates), ("function", domain.functions)):
            for signature in signatures:
                self._signature(kind, signature)
        for action in domain.actions:
            self._action(action)
        for formula in domain.other:
            self._formula(formula, {})
        return self._ranked()

    def _vertex(self, *colour: str) -> int:
        self.colours.append(colour)
        self.pairs.append({})
        return len(self.colours) - 1

    def _symbol(self, kind: str, name: str) -> int:
        """Return the vertex of a declared or free name; the colour preserves names with a fixed meaning."""
        if (kind, name) not in self.symbols:
            fixed = name in (OBJECT, "=", "total-cost") or name in NUMERIC or is_number(name)
            self.symbols[kind, name] = self._vertex(kind, name if fixed else "")
        return self.symbols[kind, name]

    def _link(self, source: int, target: int, label: str) -> None:
        if source == target:
            return  # a type below itself is a fault, and our graphs have no loops
        self.pairs[source].setdefault(target, []).append(f"{label}>")
        self.pairs[target].setdefault(source, []).append(f"{label}<")

    def _typed(self, vertex: int, typed: TypedName, label: str) -> None:
        for name in typed.types:
            self._link(vertex, self._symbol("type", name), label)

    def _signature(self, kind: str, signature: Predicate) -> None:
        vertex = self._symbol(kind, signature.name)
        for position, parameter in enumerate(signature.parameters):
            argument = self._vertex("argument", str(position))
            self._link(vertex, argument, "takes")
            self._typed(argument, parameter, "of")

    def _action(self, action: AdlAction) -> None:
        vertex = self._vertex("action", action.kind)
        scope: dict[str, int] = {}
        for parameter in action.parameters:
            scope[parameter.name] = self._vertex("parameter")
            self._link(vertex, scope[parameter.name], "takes")
            self._typed(scope[parameter.name], parameter, "of")
        for effect, formula in prepare(action).conjuncts:
            self._link(vertex, self._formula(formula, scope), "effect" if effect else "condition")

    def _formula(self, formula: Formula, scope: Scope) -> int:
        connected = formula.head in CONNECTIVES or formula.head.startswith(":")
        vertex = self._vertex("formula", formula.head if connected else "")
        inner = dict(scope)
        for typed in formula.variables:
            inner[typed.name] = self._vertex("variable")
            self._link(vertex, inner[typed.name], "binds")
            self._typed(inner[typed.name], typed, "of")
        if not connected:
            kind = "function" if ("function", formula.head) in self.symbols else "predicate"
            self._link(vertex, self._symbol(kind, formula.head), "head")
        unordered = formula.head in (AND, OR, "=")
        for position, part in enumerate(formula.parts):
            child = self._formula(part, inner) if isinstance(part, Formula) else self._name(part, inner)
            self._link(vertex, child, "part" if unordered else f"part {position}")
        return vertex

    def _name(self, name: str, scope: Scope) -> int:
        return scope[name] if name in scope else self._symbol("constant", name)

    def _ranked(self) -> Graph:
        """Return colours and labels as ranks among the occurring ones."""
        labels = [
            {v: tuple(sorted(labels_of_pair)) for v, labels_of_pair in row.items()} for row in self.pairs
        ]
        relations = sorted({label for row in labels for label in row.values()})
        colours = sorted(set(self.colours))
        relation_of = {label: rank for rank, label in enumerate(relations, 1)}
        colour_of = {colour: rank for rank, colour in enumerate(colours)}
        return Graph(
            vertices=[str(number) for number in range(len(self.colours))],
            colours=[colour_of[colour] for colour in self.colours],
            adjacency=[{v: relation_of[label] for v, label in row.items()} for row in labels],
            header=repr((sorted(self.colours), relations)),
        )
