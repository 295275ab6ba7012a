"""Repair published domains and problems. Each repair is logged, and the text keeps its layout.

``mend_domain`` and ``mend_problem`` change names and lists. In the released files, parameters lack their
question mark, actions use undeclared variables, one predicate has two arities, a name is declared twice, and
problems use undeclared objects. Each repair is the smallest possible change: a variable becomes an additional
parameter, a predicate of another arity gets its own name, and the later of two declarations of a type counts,
as in Fast Downward.

``repair`` and ``repair_problem`` add missing declarations: types used as supertypes, the requirement of
negative preconditions, predicates and constants. They also separate hyphens from types (``?x -block``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from orrery.model import OBJECT, Predicate, TypedName
from orrery.pddl.adl import CONNECTIVES, NUMERIC, AdlAction, AdlDomain, Formula, is_number
from orrery.pddl.faults import DomainErrorClass, FaultLog, SourceText
from orrery.pddl.formulas import typed_list
from orrery.pddl.recover import ACTIONS, SECTIONS, sections_of
from orrery.pddl.requirements import missing
from orrery.pddl.soundness import ancestors
from orrery.pddl.tolerant import read_adl
from orrery.pddl.tree import Node, end_of, tokens, typed_groups
from orrery.pddl.write import write_type

NEGATIVE = ":negative-preconditions"
_STRAY = re.compile(r"(?<=[\s(])\?\s+(?=[A-Za-z_])")
_GLUED = re.compile(r"(;[^\n]*)|(?<![^\s()])-(?=[A-Za-z_])")
_ORDER = (":requirements", ":types", ":constants", ":predicates", ":functions", ":objects")
_SECTION_OF = {
    "supertype": ":types",
    "constant": ":constants",
    "predicate": ":predicates",
    "requirement": ":requirements",
}
_STATED = (":init", ":goal")

_Scope = Mapping[str, tuple[str, ...]]  # types of the variables


class Repair(NamedTuple):
    """One repair: its kind (``supertype``, ``requirement`` ...) and the written text."""

    kind: str
    written: str

    def __str__(self) -> str:
        """Return the repair as a line of a log."""
        return f"{self.kind}: {self.written}"


class _Edit(NamedTuple):
    """The replacement of a part of a text."""

    start: int
    end: int
    written: str


_Changes = Iterator[_Edit | Repair]  # edits, and the repairs to log


def mend_domain(text: str) -> tuple[str, list[Repair]]:
    """Return the domain of ``text`` with repaired names and lists, and the repairs."""
    text, stray = _STRAY.subn("?", text)
    log = [Repair("variable", "a question mark apart from its name")] * stray
    for step in _STEPS:
        text = read_adl(text).text or text
        text = _changed(text, step(text, read_adl(text)), log)
    return text, log


def mend_problem(text: str, domain: AdlDomain) -> tuple[str, list[Repair]]:
    """Return a problem adapted to a repaired ``domain``: predicates by arity, all objects declared."""
    signatures = {predicate.name: predicate for predicate in domain.predicates}
    log: list[Repair] = []
    text = _changed(text, _by_arity(text, _atoms(text, _STATED), signatures), log)
    declared = {typed.name for typed in (*domain.constants, *objects_of(text))}
    wanted: dict[str, list[str]] = {}
    for atom in _atoms(text, _STATED):
        for name, types in _required_types(signatures, atom.head, atom[1:]):
            if name not in declared and name[0] != "?" and not is_number(name) and atom.head not in NUMERIC:
                wanted.setdefault(name, []).extend(types)
    if wanted:
        written = _typed(_narrowest(domain, wanted))
        changes = iter((_declaration(text, ":objects", written), Repair("object", written)))
        text = _changed(text, changes, log)
    return text, log


def repair(text: str, objects: Iterable[TypedName] = ()) -> tuple[str, tuple[Repair, ...]]:
    """Return the domain of ``text`` with all used names declared, and the repairs.

    Without repairs the text is unchanged, so a second repair changes nothing. Prose around a repaired domain
    is removed. ``objects`` are those of the domain's problems: an undeclared constant gets the type that they
    give it.
    """
    domain = read_adl(text)
    unglued, log = _unglue(domain.text)
    if log:
        domain = read_adl(unglued)
    log += _undeclared(domain, objects)
    if not log:
        return text, ()
    words: dict[str, list[str]] = {}
    for entry in log:
        if entry.kind in _SECTION_OF:
            words.setdefault(_SECTION_OF[entry.kind], []).append(entry.written)
    text = domain.text
    for head in sorted(words, key=_ORDER.index, reverse=True):
        text = _changed(text, iter([_declaration(text, head, " ".join(words[head]))]), log)
    return text, tuple(log)


def repair_problem(text: str, domain: AdlDomain) -> tuple[str, tuple[Repair, ...]]:
    """Return a problem's text adapted to a repaired ``domain``, and the repairs.

    Objects that the domain declares as constants are no longer declared, other objects once. Hyphens are
    separated. The problem refers to the domain by its name.
    """
    text, log = _unglue(text)
    text = _changed(text, _adapted(text, domain), log)
    return text, tuple(log)


def _adapted(text: str, domain: AdlDomain) -> _Changes:
    """Name the domain, and declare each object once and no constant."""
    for node in sections_of(text, loose=True)[::-1]:
        at, end = node.at, end_of(text, node.at)
        if node.head == ":domain" and domain.name and node[1:] != [domain.name]:
            yield _Edit(at, end, f"(:domain {domain.name})")
            yield Repair("domain name", domain.name)
        elif node.head == ":objects":
            notes = FaultLog(SourceText(""))
            objects = typed_list(notes, node[1:], node, "object")
            twice = [f for f in notes.faults() if f.kind is DomainErrorClass.DUPLICATE_DEFINITION]
            constants = {typed.name for typed in domain.constants}
            remaining = [typed for typed in objects if typed.name not in constants]
            if twice or len(remaining) < len(objects):
                yield _Edit(at, end, f"(:objects {_typed(remaining)})")
            yield from (Repair("first declaration counts", fault.message) for fault in twice)
            if dropped := " ".join(typed.name for typed in objects if typed.name in constants):
                yield Repair("object is a constant", dropped)


def objects_of(problem: str) -> list[TypedName]:
    """Return the objects that a problem declares, with hyphens separated."""
    sections = [node for node in sections_of(problem, loose=True) if node.head == ":objects"]
    return [typed for node in reversed(sections) for typed in _names(node, "object")]


def _names(node: Node, kind: str) -> tuple[TypedName, ...]:
    """Return the names that a list declares, ignoring its faults."""
    return typed_list(FaultLog(SourceText("")), node[1:], node, kind)


def _typed(names: Iterable[TypedName]) -> str:
    return " ".join(f"{typed.name} - {write_type(typed.types)}" for typed in names)


def _changed(text: str, changes: _Changes, log: list[Repair]) -> str:
    """Return the text with the edits, last one first; the repairs are added to the log."""
    edits = []
    for change in changes:
        if isinstance(change, Repair):
            log.append(change)
        else:
            edits.append(change)
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _section(text: str, head: str, *, loose: bool = False) -> Node | None:
    return next((node for node in sections_of(text, loose=loose) if node.head == head), None)


def _declaration(text: str, head: str, written: str) -> _Edit:
    """Return the edit that adds declarations to their section, or to a new one before all later sections."""
    if (section := _section(text, head, loose=True)) is not None:
        at = text.lower().index(head, section.at) + len(head)
        return _Edit(at, at, f" {written}")
    later = SECTIONS - {":domain", *_ORDER[: _ORDER.index(head)]}
    places = (node.at for node in sections_of(text, loose=True) if node.head in later)
    at = min(places, default=max(text.rfind(")"), 0))
    return _Edit(at, at, f"({head} {':strips ' if head == ':requirements' else ''}{written})\n  ")


def _atoms(text: str, heads: Iterable[str]) -> list[Node]:
    """Return the lists within some sections that may be atoms."""
    todo = [item for node in sections_of(text) if node.head in heads for item in _lists(node)]
    atoms = []
    while todo:
        node = todo.pop()
        if node.head and node.head not in CONNECTIVES:
            atoms.append(node)
        todo += _lists(node)
    return sorted(atoms, key=lambda node: node.at)


def _lists(node: Iterable[object] | None) -> list[Node]:
    return [item for item in node or () if isinstance(item, Node)]


def _uses(action: AdlAction) -> Iterator[tuple[Formula, _Scope]]:
    """Yield the atoms and terms of an action, each with the variables in scope."""
    scope = {typed.name: typed.types for typed in action.parameters}
    todo = [(formula, scope) for formula in (*action.preconditions, *action.effects)][::-1]
    while todo:
        formula, scope = todo.pop()
        scope = {**scope, **{typed.name: typed.types for typed in formula.variables}}
        yield formula, scope
        todo += [(part, scope) for part in formula.formulas][::-1]


def _required_types(
    signatures: Mapping[str, Predicate], head: str, parts: Sequence[object]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names among the arguments of an atom, with the types required at their positions."""
    signature = signatures.get(head)
    fits = signature is not None and signature.arity == len(parts)
    for place, part in enumerate(parts):
        if isinstance(part, str):
            yield part, signature.parameters[place].types if signature and fits else (OBJECT,)


def _narrowest(domain: AdlDomain, wanted: Mapping[str, Iterable[str]]) -> list[TypedName]:
    """Return names with the most specific type that meets all requirements, or ``object``."""
    above = ancestors(domain.types)
    return [TypedName(name, (_below(above, types) or OBJECT,)) for name, types in wanted.items()]


def _below(above: Mapping[str, frozenset[str]], types: Iterable[str]) -> str:
    wanted = [name for name in dict.fromkeys(types) if name in above]
    return next((name for name in wanted if above[name].issuperset(wanted)), "")


def _parameters(text: str, _: AdlDomain) -> _Changes:
    """Add missing question marks to parameters, wherever they occur in their action."""
    for action in (node for node in sections_of(text) if node.head in ACTIONS):
        listed = _listed(action)
        names = {name for group, _ in typed_groups(listed) for name in group if isinstance(name, str)}
        plain = {name for name in names if not name.startswith("?")}
        if not plain:
            continue
        yield from (Repair("parameter", f"?{name} of {action[1]}") for name in sorted(plain))
        before = ""  # the first parameter follows a parenthesis, like a predicate
        for offset, token in tokens(text[listed.at + 1 : end_of(text, action.at)]):
            at = listed.at + 1 + offset
            if token in plain and before not in ("(", "-"):
                yield _Edit(at, at, "?")
            before = token


def _listed(action: Node) -> Node:
    """Return the list of an action's parameters; an empty one if it is missing."""
    for place, item in enumerate(action[:-1]):
        following = action[place + 1]
        if item == ":parameters" and isinstance(following, Node):
            return following
    return Node(action.at)


def _types(text: str, _: AdlDomain) -> _Changes:
    """Keep the last declaration of each type."""
    section = _section(text, ":types") or Node(0)
    groups = [(group, kind) for group, kind in typed_groups(section[1:]) if group]
    names = [name for group, _ in groups for name in group if isinstance(name, str)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not twice:
        return
    declarations: list[str] = []
    seen: set[str] = set()
    for group, kind in reversed(groups):
        fresh = [name for name in group if isinstance(name, str) and name not in seen]
        seen.update(fresh)
        if fresh:
            written = f"({' '.join(map(str, kind))})" if isinstance(kind, Node) else str(kind)
            declarations.append(" ".join(fresh) + (f" - {written}" if kind is not None else ""))
    # A list without a type must remain the last. Otherwise the following type would apply to its names.
    declarations.reverse()
    ordered = sorted(declarations, key=lambda declaration: " - " not in declaration)
    yield _Edit(section.at, end_of(text, section.at), f"(:types {' '.join(ordered)})")
    yield from (Repair("last declaration counts", f"type {name}") for name in twice)


def _predicates(text: str, domain: AdlDomain) -> _Changes:
    """Give predicates of a second arity a separate name and declaration; remove repeated declarations."""
    signatures: dict[str, Predicate] = {}
    section = _section(text, ":predicates")
    for node in filter(lambda node: node.head, _lists(section)):
        predicate = Predicate(node.head, _names(node, "variable"))
        first = signatures.setdefault(predicate.name, predicate)
        if first is predicate:
            continue
        if first.arity == predicate.arity:
            yield _Edit(node.at, end_of(text, node.at), "")
            yield Repair("first declaration counts", f"predicate {predicate.name}")
        else:
            signatures.setdefault(_own_name(predicate.name, predicate.arity), predicate)
            yield _renamed(text, node, predicate.arity)
    atoms = [node for node in _atoms(text, ACTIONS) if node.head in signatures]
    yield from _by_arity(text, atoms, signatures)
    uses: dict[tuple[str, int], str] = {}
    for formula, scope in (use for action in domain.actions for use in _uses(action)):
        arity = len(formula.parts)
        uses.setdefault((formula.head, arity), _as_used(_own_name(formula.head, arity), formula, scope))
    for use in sorted({(node.head, len(node) - 1) for node in atoms}):
        is_lacking = signatures[use[0]].arity != use[1] and _own_name(*use) not in signatures
        if is_lacking and section is not None and use in uses:
            yield _declaration(text, ":predicates", uses[use])


def _as_used(name: str, formula: Formula, scope: _Scope) -> str:
    """Return the declaration of a predicate with the types of the variables in its uses."""
    typed = [TypedName(f"?x{i}", scope.get(str(part), (OBJECT,))) for i, part in enumerate(formula.parts, 1)]
    return f"({' '.join(filter(None, (name, _typed(typed))))})"


def _own_name(name: str, arity: int) -> str:
    return f"{name}-{arity}"


def _renamed(text: str, node: Node, arity: int) -> _Edit:
    at = next(offset for offset, token in tokens(text[node.at :]) if token == node.head) + node.at
    return _Edit(at, at + len(node.head), _own_name(node.head, arity))


def _by_arity(text: str, atoms: Iterable[Node], signatures: Mapping[str, Predicate]) -> _Changes:
    """Rename the atoms whose number of arguments differs from the arity of their predicate."""
    wrong = [node for node in atoms if node.head in signatures]
    wrong = [node for node in wrong if len(node) - 1 != signatures[node.head].arity]
    for use in sorted({(node.head, len(node) - 1) for node in wrong}):
        yield Repair("predicate of another arity", f"{_own_name(*use)} for {use[0]}")
    yield from (_renamed(text, node, len(node) - 1) for node in wrong)


def _undeclared_types(text: str, domain: AdlDomain) -> _Changes:
    """Declare types that predicates and parameters use without a declaration."""
    declared = ancestors(domain.types)
    lists = [symbol.parameters for symbol in (*domain.predicates, *domain.functions)]
    lists += [*(action.parameters for action in domain.actions), domain.constants]
    typed = itertools.chain.from_iterable(lists)
    lacking = sorted({name for names in typed for name in names.types if name not in declared})
    declarations = [f"{name} - object" for name in lacking]
    if declarations:
        yield _declaration(text, ":types", " ".join(declarations))
    yield from (Repair("type", declaration) for declaration in declarations)


def _variables(text: str, domain: AdlDomain) -> _Changes:
    """Add undeclared variables of an action to its parameters."""
    signatures = {predicate.name: predicate for predicate in domain.predicates}
    nodes = [node for node in sections_of(text) if node.head in ACTIONS]
    for node, action in zip(nodes, domain.actions, strict=False):
        wanted: dict[str, list[str]] = {}
        for formula, scope in _uses(action):
            for name, types in _required_types(signatures, formula.head, formula.parts):
                if name.startswith("?") and name not in scope and name != "?duration":
                    wanted.setdefault(name, []).extend(types)
        if not wanted:
            continue
        written = _typed(_narrowest(domain, wanted))
        yield Repair("variable", f"{written} of {action.name}")
        listed = _listed(node)
        if listed.at == node.at:
            at = next(o for o, token in tokens(text[node.at :]) if token == action.name) + node.at
            at += len(action.name)
            yield _Edit(at, at, f" :parameters ({written})")
            continue
        last = [kind for group, kind in typed_groups(listed) if group][-1:]
        at = end_of(text, listed.at) - 1
        yield _Edit(at, at, f"{' - object' if last == [None] else ''} {written}")


_STEPS = (
    _parameters,
    _types,
    _predicates,
    _undeclared_types,
    _variables,
)


def _unglue(text: str) -> tuple[str, list[Repair]]:
    """Separate hyphens from types; comments are unchanged."""
    log: list[Repair] = []

    def apart(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        word = re.match(r"-[^\s()]*", text[match.start() : match.start() + 80])
        log.append(Repair("glued type", word[0] if word else "-"))
        return "- "

    return _GLUED.sub(apart, text), log


def _undeclared(domain: AdlDomain, objects: Iterable[TypedName]) -> list[Repair]:
    """Return the missing declarations in order of use: requirements, supertypes, constants, predicates."""
    lacking = [name for name, _ in missing(domain)]
    # If a domain without requirements gets one, it gets all requirements that it uses.
    names = lacking if NEGATIVE in lacking and not domain.requirements else {NEGATIVE}.intersection(lacking)
    log = [Repair("requirement", name) for name in sorted(names)]
    declared = {typed.name for typed in domain.types} | {OBJECT}
    supertypes = dict.fromkeys(n for typed in domain.types for n in typed.types if n not in declared)
    log += [Repair("supertype", f"{name} - object") for name in supertypes]
    above = ancestors([*domain.types, *map(TypedName, supertypes)])
    constants, predicates = _undeclared_names(domain)
    object_types: dict[str, list[str]] = {}
    for typed in objects:
        object_types.setdefault(typed.name, []).extend(typed.types if len(typed.types) == 1 else ())
    for name, wanted in constants.items():
        kind = _below(above, object_types.get(name, ())) or _below(above, wanted) or OBJECT
        log.append(Repair("constant", f"{name} - {kind}"))
    return log + [Repair("predicate", text) for text in predicates.values()]


def _undeclared_names(domain: AdlDomain) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return undeclared constants with the types required at their positions, and undeclared predicates."""
    declared = {typed.name for typed in domain.constants}
    signatures = {symbol.name: symbol for symbol in (*domain.predicates, *domain.functions)}
    constants: dict[str, list[str]] = {}
    predicates: dict[str, str] = {}
    for formula, scope in (use for action in domain.actions for use in _uses(action)):
        if formula.head in CONNECTIVES or formula.head in NUMERIC or formula.head.startswith(":"):
            continue
        if formula.head not in signatures and not formula.formulas:
            predicates.setdefault(formula.head, _as_used(formula.head, formula, scope))
        for name, types in _required_types(signatures, formula.head, formula.parts):
            if name[0] != "?" and name not in scope and name not in declared and not is_number(name):
                constants.setdefault(name, []).extend(types)
    return constants, predicates
