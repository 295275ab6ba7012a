"""Mechanical repairs of published domains and problems; each repair is logged.

Five defects fill the published sets: types used above others but not declared, negative preconditions
without their requirement, predicates and constants that are used but not declared, and hyphens glued to
types (``?x -block``). The text keeps its comments and layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from orrery.model import OBJECT, TypedName
from orrery.pddl.adl import CONNECTIVES, NUMERIC, AdlDomain, Formula, is_number
from orrery.pddl.faults import DomainErrorClass, FaultLog, SourceText
from orrery.pddl.formulas import typed_list
from orrery.pddl.recover import sections_of
from orrery.pddl.requirements import missing
from orrery.pddl.soundness import ancestors
from orrery.pddl.tolerant import read_adl
from orrery.pddl.tree import Node, end_of
from orrery.pddl.write import write_type

NEGATIVE = ":negative-preconditions"
_GLUED = re.compile(r"(;[^\n]*)|(?<![^\s()])-(?=[A-Za-z_])")
_ORDER = (":requirements", ":types", ":constants", ":predicates", ":functions")
_SECTION_OF: Mapping[str, str] = MappingProxyType(
    {
        "supertype": ":types",
        "constant": ":constants",
        "predicate": ":predicates",
        "requirement": ":requirements",
    }
)


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair: its kind (``supertype``, ``requirement`` ...) and the written text."""

    kind: str
    written: str

    def __str__(self) -> str:
        """Return the repair as a line of a log."""
        return f"{self.kind}: {self.written}"


def repair(text: str, objects: Iterable[TypedName] = ()) -> tuple[str, tuple[Repair, ...]]:
    """Return the repaired domain of ``text`` and the repairs; the text itself without repairs.

    Repairing again changes nothing. Prose around a domain that needs repair is left out. ``objects`` are
    those of the domain's problems: a constant that lacks its declaration has the type that they give it.
    """
    domain = read_adl(text)
    unglued, log = _unglue(domain.text)
    if log:
        domain = read_adl(unglued)
    log += _declarations(domain, objects)
    if not log:
        return text, ()
    return _inserted(domain.text, log), tuple(log)


def objects_of(problem: str) -> list[TypedName]:
    """Return the objects that a problem declares, hyphens unglued."""
    return [
        typed
        for node, _ in _sections(problem, (":objects",))
        for typed in typed_list(FaultLog(SourceText("")), node[1:], node, "object")
    ]


def repair_problem(text: str, domain: AdlDomain) -> tuple[str, tuple[Repair, ...]]:
    """Return a problem's text adapted to a repaired ``domain``, and the repairs.

    Objects that the domain declares as constants are no longer declared, others once; hyphens are
    unglued; the problem names the domain by its name.
    """
    text, log = _unglue(text)
    for node, end in _sections(text, (":objects", ":domain")):
        if node.head == ":domain" and domain.name and node[1:] != [domain.name]:
            text = f"{text[: node.at]}(:domain {domain.name}){text[end:]}"
            log.append(Repair("domain name", domain.name))
        elif node.head == ":objects":
            notes = FaultLog(SourceText(""))
            objects = typed_list(notes, node[1:], node, "object")
            twice = [f for f in notes.faults() if f.kind is DomainErrorClass.DUPLICATE_DEFINITION]
            constants = {typed.name for typed in domain.constants}
            remaining = [typed for typed in objects if typed.name not in constants]
            if twice or len(remaining) < len(objects):
                text = f"{text[: node.at]}(:objects {_typed(remaining)}){text[end:]}"
            log += [Repair("first declaration counts", fault.message) for fault in twice]
            if dropped := " ".join(typed.name for typed in objects if typed.name in constants):
                log.append(Repair("object is a constant", dropped))
    return text, tuple(log)


def _unglue(text: str) -> tuple[str, list[Repair]]:
    """Separate hyphens from types, comments left alone."""
    log: list[Repair] = []

    def apart(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        word = re.match(r"-[^\s()]*", text[match.start() : match.start() + 80])
        log.append(Repair("glued type", word[0] if word else "-"))
        return "- "

    return _GLUED.sub(apart, text), log


def _typed(names: Iterable[TypedName]) -> str:
    return " ".join(f"{typed.name} - {write_type(typed.types)}" for typed in names)


def _sections(text: str, heads: Sequence[str]) -> Iterator[tuple[Node, int]]:
    """Yield the sections with one of ``heads`` and their ends, last first: edits keep offsets valid."""
    sections = [node for node in sections_of(text, loose=True) if node.head in heads]
    for node in sorted(sections, key=lambda node: node.at, reverse=True):
        yield node, end_of(text, node.at)


def _declarations(domain: AdlDomain, objects: Iterable[TypedName]) -> list[Repair]:
    """Return the missing declarations in order of use: requirements, supertypes, constants, predicates."""
    lacking = [name for name, _ in missing(domain)]
    # A domain that states no requirement at all gets, once it states one, all that it uses.
    names = lacking if NEGATIVE in lacking and not domain.requirements else {NEGATIVE}.intersection(lacking)
    log = [Repair("requirement", name) for name in sorted(names)]
    declared = {typed.name for typed in domain.types} | {OBJECT}
    above = dict.fromkeys(name for typed in domain.types for name in typed.types if name not in declared)
    log += [Repair("supertype", f"{name} - object") for name in above]
    uses = _Uses(domain, [*domain.types, *map(TypedName, above)])
    object_types: dict[str, list[str]] = {}
    for typed in objects:
        object_types.setdefault(typed.name, []).extend(typed.types if len(typed.types) == 1 else ())
    for name, wanted in uses.constants.items():
        kind = uses.type_of(object_types.get(name, ())) or uses.type_of(wanted) or OBJECT
        log.append(Repair("constant", f"{name} - {kind}"))
    log += [Repair("predicate", text) for text in uses.predicates.values()]
    return log


class _Uses:
    """Undeclared constants with the types that their places ask for, and undeclared predicates as used."""

    def __init__(self, domain: AdlDomain, types: Iterable[TypedName]) -> None:
        self.above = ancestors(types)
        self.declared = {typed.name for typed in domain.constants}
        self.signatures = {p.name: p for p in (*domain.predicates, *domain.functions)}
        self.constants: dict[str, list[str]] = {}
        self.predicates: dict[str, str] = {}
        for action in domain.actions:
            scope = {typed.name: typed.types for typed in action.parameters}
            for formula in (*action.preconditions, *action.effects):
                self._visit(formula, scope)

    def _visit(self, formula: Formula, scope: Mapping[str, tuple[str, ...]]) -> None:
        inner = {**scope, **{typed.name: typed.types for typed in formula.variables}}
        if formula.head in CONNECTIVES or formula.head in NUMERIC or formula.head.startswith(":"):
            for part in formula.formulas:
                self._visit(part, inner)
            return
        signature = self.signatures.get(formula.head)
        names = [part for part in formula.parts if isinstance(part, str)]
        if signature is None and len(names) == len(formula.parts):
            typed = [TypedName(f"?x{i}", inner.get(n, (OBJECT,))) for i, n in enumerate(names, 1)]
            arguments = [formula.head, _typed(typed)] if typed else [formula.head]
            self.predicates.setdefault(formula.head, f"({' '.join(arguments)})")
        for position, name in enumerate(names):
            if name[0] != "?" and name not in inner and name not in self.declared and not is_number(name):
                fits = signature is not None and signature.arity == len(formula.parts)
                types = signature.parameters[position].types if signature and fits else (OBJECT,)
                self.constants.setdefault(name, []).extend(types)

    def type_of(self, wanted: Iterable[str]) -> str:
        """Return the type below all others that are wanted, or the empty string if there is none."""
        types = [name for name in dict.fromkeys(wanted) if name in self.above]
        return next((name for name in types if self.above[name].issuperset(types)), "")


def _inserted(text: str, log: Iterable[Repair]) -> str:
    """Return the text with everything logged written into its section, or into a new one."""
    words: dict[str, list[str]] = {}
    for entry in log:
        if entry.kind in _SECTION_OF:
            words.setdefault(_SECTION_OF[entry.kind], []).append(entry.written)
    sections = {node.head: node for node, _ in _sections(text, (*_ORDER, ":action", ":durative-action"))}
    edits = [_edit(text, head, " ".join(written), sections) for head, written in words.items()]
    for at, _, addition in sorted(edits, reverse=True):
        text = text[:at] + addition + text[at:]
    return text


def _edit(text: str, head: str, written: str, sections: Mapping[str, Node]) -> tuple[int, int, str]:
    """Return offset, rank and text of an edit; the rank orders new sections at one offset."""
    rank = _ORDER.index(head)
    if head in sections:
        return text.lower().index(head, sections[head].at) + len(head), rank, f" {written}"
    later = [node.at for section_head, node in sections.items() if section_head not in _ORDER[: rank + 1]]
    extra = ":strips " if head == ":requirements" else ""
    at = min(later, default=max(text.rfind(")"), 0))
    return at, rank, f"({head} {extra}{written})\n  "
