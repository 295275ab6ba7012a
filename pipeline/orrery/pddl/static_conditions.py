"""Domain and problem with disjunctions of static facts, read into the subset that has no disjunction.

What no action changes can be evaluated once: ``(or (p ?x) (q ?x))`` over such predicates becomes a predicate
of its own, whose facts are added to the initial state. Actions keep their names and parameters, and so all
that is reachable, planned or asked stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod

from orrery.model import EQUAL, OBJECT, Atom, Domain, Problem, State
from orrery.pddl.faults import SourceText
from orrery.pddl.logic import Scope, atom
from orrery.pddl.parse import parse
from orrery.pddl.read import domain_of, read_problem
from orrery.pddl.tree import Node, Tree, flattened, typed_groups

MOST_BINDINGS = 2_000_000
_AND, _OR, _NOT, _IMPLY = "and", "or", "not", "imply"
_JOINING = frozenset({_AND, _OR, _NOT, _IMPLY})


@dataclass(frozen=True)
class _Condition:
    """A condition on static facts, and the predicate that stands for it."""

    name: str
    variables: tuple[str, ...]
    formula: Node

    def check(self, source: SourceText, domain: Domain) -> None:
        """Raise the error of an atom that does not fit the declarations, as in any other condition."""
        parameters = domain.predicate_named[self.name].parameters
        types = {typed.name: typed.types for typed in (*domain.constants, *parameters)}
        for each in _atoms(self.formula):
            atom(Scope(source, domain, types), each)

    def facts(self, source: SourceText, domain: Domain, problem: Problem) -> Iterator[Atom]:
        """Yield the facts of the predicate in the initial state of ``problem``."""
        parameters = domain.predicate_named[self.name].parameters
        objects = (*domain.constants, *problem.objects)
        fitting = [[o.name for o in objects if domain.fits(o.types, p.types)] for p in parameters]
        if prod(map(len, fitting)) > MOST_BINDINGS:
            raise source.outside(self.formula, f"a condition on more than {MOST_BINDINGS} tuples of objects")
        for names in product(*fitting):
            if _holds(self.formula, dict(zip(self.variables, names, strict=True)), problem.init):
                yield (self.name, *names)


def read_pair(domain_text: str, problem_text: str, source: str = "<text>") -> tuple[Domain, Problem]:
    """Return a domain and its problem; what is static may be joined by ``or``, ``imply`` and ``not``.

    Raises:
        PddlError: as ``read_domain`` and ``read_problem`` do.
    """
    origin = SourceText(domain_text, source)
    tree = parse(origin)
    conditions = list(_replaced(tree))
    domain = domain_of(origin, tree)
    for each in conditions:
        each.check(origin, domain)
    problem = read_problem(problem_text, domain, source)
    facts = {fact for each in conditions for fact in each.facts(origin, domain, problem)}
    return domain, replace(problem, init=problem.init | facts) if facts else problem


def _replaced(tree: Node) -> Iterator[_Condition]:
    """Replace the conditions in the tree of a domain, declare their predicates, and yield them."""
    sections = [item for item in tree[1:] if isinstance(item, Node)]
    predicates = next((section for section in sections if section.head == ":predicates"), None)
    if predicates is None:  # a domain that has none is left to the reader
        return
    declared = {item.head: len(_variables(item)) for item in predicates[1:] if isinstance(item, Node)}
    actions = [section for section in sections if section.head == ":action"]
    changed = {head for action in actions for head in _heads(_part(action, ":effect"))}
    static = {name: arity for name, arity in declared.items() if name not in changed} | {EQUAL: 2}
    for action in actions:
        kinds = _types(_part(action, ":parameters"))
        wanted = _part(action, ":precondition")
        parts = list(flattened(wanted))
        for place, part in enumerate(parts):
            if isinstance(part, Node) and _is_compound(part) and _is_static(part, static, kinds):
                variables = tuple(dict.fromkeys(name for name in _leaves(part) if name in kinds))
                name = f"condition-{len(declared)}"
                while name in declared:
                    name += "x"
                declared[name] = len(variables)
                parts[place] = _list(part.at, [name, *variables])
                action[action.index(":precondition") + 1] = _list(wanted.at, [_AND, *parts])
                _declare(predicates, name, variables, kinds)
                yield _Condition(name, variables, part)


def _part(action: Node, keyword: str) -> Node:
    """Return the list that follows a keyword of an action; an empty one where there is none."""
    for key, value in pairwise(action):
        if key == keyword and isinstance(value, Node):
            return value
    return Node(action.at)


def _heads(node: Node) -> Iterator[str]:
    todo = [node]
    while todo:
        item = todo.pop()
        yield item.head
        todo += [each for each in item if isinstance(each, Node)]


def _leaves(node: Node) -> Iterator[str]:
    """Yield the symbols of a formula in their order."""
    for item in node:
        if isinstance(item, Node):
            yield from _leaves(item)
        else:
            yield item


def _atoms(formula: Node) -> Iterator[Node]:
    """Yield the atoms of a formula in their order."""
    if formula.head not in _JOINING:
        yield formula
        return
    for item in formula[1:]:
        if isinstance(item, Node):
            yield from _atoms(item)


def _types(parameters: Node) -> Mapping[str, Tree]:
    """Return the written type of each parameter."""
    return {
        name: OBJECT if kind is None else kind
        for names, kind in typed_groups(parameters)
        for name in names
        if isinstance(name, str)
    }


def _variables(signature: Node) -> list[str]:
    return [name for names, _ in typed_groups(signature[1:]) for name in names if isinstance(name, str)]


def _is_compound(part: Node) -> bool:
    """Return whether the subset has no such condition: it has atoms and negated atoms."""
    inner = part[1] if len(part) == 2 else None
    return part.head in (_OR, _IMPLY) or (
        part.head == _NOT and isinstance(inner, Node) and inner.head in _JOINING
    )


def _is_static(formula: Node, static: Mapping[str, int], kinds: Mapping[str, Tree]) -> bool:
    """Return whether a formula joins well-formed atoms of static predicates only."""
    if formula.head in _JOINING:
        number = {_NOT: 1, _IMPLY: 2}.get(formula.head, len(formula) - 1)
        inner = [item for item in formula[1:] if isinstance(item, Node)]
        whole = len(inner) == len(formula) - 1 == number
        return whole and all(_is_static(item, static, kinds) for item in inner)
    names = formula[1:]
    return static.get(formula.head) == len(names) and all(
        isinstance(name, str) and (name in kinds or not name.startswith("?")) for name in names
    )


def _declare(predicates: Node, name: str, variables: Iterable[str], kinds: Mapping[str, Tree]) -> None:
    typed: list[Tree] = [item for variable in variables for item in (variable, "-", kinds[variable])]
    predicates.append(_list(predicates.at, [name, *typed]))


def _list(at: int, items: Iterable[Tree]) -> Node:
    node = Node(at)
    node.extend(items)
    return node


def _holds(formula: Node, values: Mapping[str, str], facts: State) -> bool:
    """Return whether a formula holds of the values of its variables."""
    parts = [item for item in formula[1:] if isinstance(item, Node)]
    if formula.head == _AND:
        return all(_holds(part, values, facts) for part in parts)
    if formula.head == _OR:
        return any(_holds(part, values, facts) for part in parts)
    if formula.head == _NOT:
        return not _holds(parts[0], values, facts)
    if formula.head == _IMPLY:
        return not _holds(parts[0], values, facts) or _holds(parts[1], values, facts)
    names = [values.get(str(name), str(name)) for name in formula[1:]]
    return names[0] == names[1] if formula.head == EQUAL else (formula.head, *names) in facts
