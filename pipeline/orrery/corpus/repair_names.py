"""Repairs of published domains and problems that a declaration more does not bring: names and lists change.

As released, parameters lack their question mark, variables stand in an action that does not declare them, one
predicate has two numbers of arguments, a name is declared twice, and problems speak of objects that they do
not declare. Each repair is the reading that adds least: a variable becomes one more parameter, the predicate
of another arity a predicate of its own name, the later of two declarations of a type counts, as Fast
Downward has it. All are logged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from orrery.model import OBJECT, Predicate
from orrery.pddl.adl import CONNECTIVES, NUMERIC, QUANTIFIERS, AdlAction, AdlDomain, Formula, is_number
from orrery.pddl.faults import FaultLog, SourceText
from orrery.pddl.formulas import typed_list
from orrery.pddl.recover import ACTIONS, sections_of
from orrery.pddl.soundness import ancestors
from orrery.pddl.tolerant import read_adl
from orrery.pddl.tree import Node, end_of, tokens, typed_groups
from orrery.pddl.write import write_type

Log = list[tuple[str, str]]
_Edit = tuple[int, int, str]  # from, to, instead
_STRAY = re.compile(r"(?<=[\s(])\?\s+(?=[A-Za-z_])")


def mend_domain(text: str) -> tuple[str, Log]:
    """Return the domain of ``text`` with mended names and lists, and the repairs by kind."""
    text, stray = _STRAY.subn("?", text)
    log: Log = [("variable", "a question mark apart from its name")] * stray
    for step in (_parameters, _types, _predicates, _undeclared_types, _variables):
        text = read_adl(text).text or text
        edits, done = step(text, read_adl(text))
        text, log = _edited(text, edits), log + done
    return text, log


def mend_problem(text: str, domain: AdlDomain) -> tuple[str, Log]:
    """Return a problem fit for a mended ``domain``: predicates by their arity, all objects declared."""
    signatures = {predicate.name: predicate for predicate in domain.predicates}
    edits, log = _by_arity(text, _atoms(text, (":init", ":goal")), signatures)
    text = _edited(text, edits)
    sections = {node.head: node for node in sections_of(text)}
    declared = {typed.name for typed in domain.constants}
    listed = sections.get(":objects")
    if listed is not None:
        declared |= {t.name for t in typed_list(FaultLog(SourceText("")), listed[1:], listed, "object")}
    wanted: dict[str, list[str]] = {}
    for atom in _atoms(text, (":init", ":goal")):
        signature = signatures.get(atom.head)
        names = [item for item in atom[1:] if isinstance(item, str)]
        fits = signature is not None and signature.arity == len(names) == len(atom) - 1
        for place, name in enumerate(names):
            if name not in declared and name[0] != "?" and not is_number(name) and atom.head not in NUMERIC:
                types = signature.parameters[place].types if signature and fits else (OBJECT,)
                wanted.setdefault(name, []).extend(types)
    if not wanted:
        return text, log
    added = [f"{name} - {_narrowest(domain, types)}" for name, types in wanted.items()]
    written = " ".join(added)
    if listed is None:
        at = min(
            (node.at for node in sections.values() if node.head in (":init", ":goal")), default=len(text)
        )
        return _edited(text, [(at, at, f"(:objects {written})\n")]), [*log, ("object", written)]
    at = text.lower().index(":objects", listed.at) + len(":objects")
    return _edited(text, [(at, at, f" {written}")]), [*log, ("object", written)]


def _edited(text: str, edits: Iterable[_Edit]) -> str:
    for start, end, instead in sorted(edits, reverse=True):
        text = text[:start] + instead + text[end:]
    return text


def _atoms(text: str, heads: Iterable[str]) -> list[Node]:
    """Return the lists within some sections that may be atoms."""
    todo = [
        item for node in sections_of(text) if node.head in heads for item in node if isinstance(item, Node)
    ]
    atoms = []
    while todo:
        node = todo.pop()
        if node.head and node.head not in CONNECTIVES:
            atoms.append(node)
        todo += [item for item in node if isinstance(item, Node)]
    return sorted(atoms, key=lambda node: node.at)


def _parameters(text: str, _: AdlDomain) -> tuple[list[_Edit], Log]:
    """Add missing question marks to parameters, wherever they occur in their action."""
    edits: list[_Edit] = []
    log: Log = []
    for action in (node for node in sections_of(text) if node.head in ACTIONS):
        listed = _listed(action)
        names = {name for group, _ in typed_groups(listed) for name in group if isinstance(name, str)}
        plain = {name for name in names if not name.startswith("?")}
        if not plain:
            continue
        log += [("parameter", f"?{name} of {action[1]}") for name in sorted(plain)]
        before = ""  # the first parameter follows a parenthesis, as predicates do
        for offset, token in tokens(text[listed.at + 1 : end_of(text, action.at)]):
            at = listed.at + 1 + offset
            if token in plain and before not in ("(", "-"):
                edits.append((at, at, "?"))
            before = token
    return edits, log


def _listed(action: Node) -> Node:
    """Return the list of an action's parameters; an empty one where there is none."""
    for place, item in enumerate(action[:-1]):
        following = action[place + 1]
        if item == ":parameters" and isinstance(following, Node):
            return following
    return Node(action.at)


def _types(text: str, _: AdlDomain) -> tuple[list[_Edit], Log]:
    """Keep the last declaration of each type."""
    section = next((node for node in sections_of(text) if node.head == ":types"), None)
    if section is None:
        return [], []
    groups = [(group, kind) for group, kind in typed_groups(section[1:]) if group]
    names = [name for group, _ in groups for name in group if isinstance(name, str)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not twice:
        return [], []
    declarations: list[str] = []
    seen: set[str] = set()
    for group, kind in reversed(groups):
        fresh = [name for name in group if isinstance(name, str) and name not in seen]
        seen.update(fresh)
        if fresh:
            declarations.append(f"{' '.join(fresh)}" + (f" - {_text(kind)}" if kind is not None else ""))
    declarations.reverse()
    # A list without a type must stay the last: those before would else take its names.
    ordered = sorted(declarations, key=lambda declaration: " - " not in declaration)
    edit = (section.at, end_of(text, section.at), f"(:types {' '.join(ordered)})")
    return [edit], [("last declaration counts", f"type {name}") for name in twice]


def _text(kind: object) -> str:
    return f"({' '.join(map(str, kind))})" if isinstance(kind, Node) else str(kind)


def _predicates(text: str, domain: AdlDomain) -> tuple[list[_Edit], Log]:
    """Give predicates of a second arity a name and a declaration of their own; drop repeated declarations."""
    edits: list[_Edit] = []
    log: Log = []
    signatures: dict[str, Predicate] = {}
    section = next((node for node in sections_of(text) if node.head == ":predicates"), None)
    for node in _lists(section):
        parameters = typed_list(FaultLog(SourceText("")), node[1:], node, "variable")
        predicate = Predicate(node.head, parameters)
        first = signatures.setdefault(predicate.name, predicate)
        if first is predicate:
            continue
        if first.arity == predicate.arity:
            edits.append((node.at, end_of(text, node.at), ""))
            log.append(("first declaration counts", f"predicate {predicate.name}"))
        else:
            signatures.setdefault(_own_name(predicate.name, predicate.arity), predicate)
            edits.append(_renamed(text, node, predicate.arity))
    atoms = [node for node in _atoms(text, ACTIONS) if node.head in signatures]
    arity_edits, done = _by_arity(text, atoms, signatures)
    uses = {
        (formula.head, len(formula.parts)): (formula, action)
        for action in reversed(domain.actions)
        for formula in _used(action)
    }
    for name, arity in sorted({(n.head, len(n) - 1) for n in atoms}):
        arity_name = _own_name(name, arity)
        if signatures[name].arity != arity and arity_name not in signatures and section is not None:
            signature = _as_used(arity_name, *uses[name, arity]) if (name, arity) in uses else None
            if signature:
                at = text.lower().index(":predicates", section.at) + len(":predicates")
                edits.append((at, at, f" {signature}"))
    return [*edits, *arity_edits], [*log, *done]


def _lists(section: Node | None) -> list[Node]:
    return [item for item in section or () if isinstance(item, Node) and item.head]


def _used(action: AdlAction) -> Iterator[Formula]:
    """Yield the atoms of an action."""
    todo = [*action.preconditions, *action.effects]
    while todo:
        formula = todo.pop()
        if formula.head not in CONNECTIVES and formula.head not in NUMERIC:
            yield formula
        todo += formula.formulas


def _as_used(name: str, formula: Formula, action: AdlAction) -> str:
    """Return the declaration of a predicate with the types of the variables that it is used with."""
    scope = {typed.name: typed.types for typed in action.parameters}
    typed = [
        f"?x{i} - {write_type(scope.get(str(part), (OBJECT,)))}" for i, part in enumerate(formula.parts, 1)
    ]
    return f"({' '.join([name, *typed])})"


def _own_name(name: str, arity: int) -> str:
    return f"{name}-{arity}"


def _renamed(text: str, node: Node, arity: int) -> _Edit:
    at = next(offset for offset, token in tokens(text[node.at :]) if token == node.head) + node.at
    return at, at + len(node.head), _own_name(node.head, arity)


def _by_arity(
    text: str, atoms: Iterable[Node], signatures: Mapping[str, Predicate]
) -> tuple[list[_Edit], Log]:
    """Rename the atoms that have not as many arguments as their predicate."""
    wrong = [
        node for node in atoms if node.head in signatures and len(node) - 1 != signatures[node.head].arity
    ]
    names = sorted({(node.head, len(node) - 1) for node in wrong})
    log = [
        ("predicate of another arity", f"{_own_name(*name_and_arity)} for {name_and_arity[0]}")
        for name_and_arity in names
    ]
    return [_renamed(text, node, len(node) - 1) for node in wrong], log


def _undeclared_types(text: str, domain: AdlDomain) -> tuple[list[_Edit], Log]:
    """Declare the types that predicates and parameters name and nobody declares."""
    declared = ancestors(domain.types)
    signatures = [typed for symbol in (*domain.predicates, *domain.functions) for typed in symbol.parameters]
    uses = [
        *signatures,
        *(typed for symbol in domain.actions for typed in symbol.parameters),
        *domain.constants,
    ]
    lacking = sorted({name for typed in uses for name in typed.types if name not in declared})
    if not lacking:
        return [], []
    written = " ".join(f"{name} - object" for name in lacking)
    section = next((node for node in sections_of(text) if node.head == ":types"), None)
    log = [("type", f"{name} - object") for name in lacking]
    if section is not None:
        at = text.lower().index(":types", section.at) + len(":types")
        return [(at, at, f" {written}")], log
    later = [node.at for node in sections_of(text) if node.head not in ("domain", ":requirements")]
    at = min(later, default=len(text) - 1)
    return [(at, at, f"(:types {written})\n  ")], log


def _variables(text: str, domain: AdlDomain) -> tuple[list[_Edit], Log]:
    """Add the variables that an action uses and does not declare to its parameters."""
    signatures = {predicate.name: predicate for predicate in domain.predicates}
    edits: list[_Edit] = []
    log: Log = []
    nodes = [node for node in sections_of(text) if node.head in ACTIONS]
    for node, action in zip(nodes, domain.actions, strict=False):
        wanted = _open_variables(action, signatures)
        if not wanted:
            continue
        written = " ".join(f"{name} - {_narrowest(domain, types)}" for name, types in wanted.items())
        log += [("variable", f"{written} of {action.name}")]
        listed = _listed(node)
        if listed.at == node.at:
            at = next(o for o, token in tokens(text[node.at :]) if token == action.name) + node.at
            edits.append((at + len(action.name),) * 2 + (f" :parameters ({written})",))
            continue
        last = [kind for group, kind in typed_groups(listed) if group][-1:]
        at = end_of(text, listed.at) - 1
        edits.append((at, at, f"{' - object' if last == [None] else ''} {written}"))
    return edits, log


def _open_variables(action: AdlAction, signatures: Mapping[str, Predicate]) -> dict[str, list[str]]:
    """Return the variables that nothing declares, with the types that their places ask for."""
    types_by_variable: dict[str, list[str]] = {}

    def visit(formula: Formula, scope: frozenset[str]) -> None:
        if formula.head in QUANTIFIERS:
            scope |= {typed.name for typed in formula.variables}
        signature = signatures.get(formula.head)
        for place, part in enumerate(formula.parts):
            if isinstance(part, Formula):
                visit(part, scope)
            elif part.startswith("?") and part not in scope and part != "?duration":
                fits = signature is not None and signature.arity == len(formula.parts)
                types = signature.parameters[place].types if signature and fits else (OBJECT,)
                types_by_variable.setdefault(part, []).extend(types)

    for formula in (*action.preconditions, *action.effects):
        visit(formula, frozenset(typed.name for typed in action.parameters))
    return types_by_variable


def _narrowest(domain: AdlDomain, types: Iterable[str]) -> str:
    """Return the type below all that are wanted; ``object`` where there is none."""
    above = ancestors(domain.types)
    wanted = [name for name in dict.fromkeys(types) if name in above]
    return next((name for name in wanted if above[name].issuperset(wanted)), OBJECT)
