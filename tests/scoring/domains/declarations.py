"""Domains with one declaration too many or too few, and whether that makes them unsound.

Lists are read and written here, without the reader under test. Whether a name is used is decided by the
occurrence of its word elsewhere.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from orrery.pddl.faults import DomainErrorClass

E = DomainErrorClass
# Words that need a requirement, where they occur in actions (and :types in the domain).
NEEDED_FOR = {
    ":typing": r"\(:types",
    ":conditional-effects": r"\(when |:effect .*\(forall ",
    ":action-costs": r"\(increase ",
    ":universal-preconditions": r":precondition (?!.*:effect.*\(forall).*\(forall ",
    ":equality": r"\(= ",
    ":negative-preconditions": r":precondition (?:(?!:effect).)*\(not \((?!= )",
}


class Mutant(NamedTuple):
    """A changed domain, the class of its fault (None if the change is harmless), and the change."""

    text: str
    kind: DomainErrorClass | None
    change: str


def tree(text):
    """A domain as nested lists of words."""
    stack = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if word == "(":
            stack.append([])
        elif word == ")":
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(word)
    return stack[0][0]


def written(node):
    return node if isinstance(node, str) else f"({' '.join(map(written, node))})"


def words(node):
    return set(re.findall(r"[^\s()]+", written(node)))


def with_part(node, old, *new):
    """The domain with the list ``old`` replaced."""
    if isinstance(node, str):
        return node
    parts = ([*new] if part is old else [with_part(part, old, *new)] for part in node)
    return [part for group in parts for part in group]


def groups(typed):
    """The names of a typed list with their types, in order; the type is None where none is written."""
    pairs, names, parts = [], [], iter(typed)
    for part in parts:
        if part == "-":
            kind = next(parts)
            pairs += [(name, kind) for name in names]
            names = []
        else:
            names.append(part)
    return pairs + [(name, None) for name in names]


def flat(pairs):
    return [part for name, kind in pairs for part in ([name] if kind is None else [name, "-", kind])]


def mutants(text) -> Iterator[Mutant]:
    """Double and remove every declaration of a sound domain."""
    domain = tree(text)
    sections = {part[0]: part for part in domain[2:] if part[0] != ":action"}
    for part in domain[2:]:
        if part[0] == ":action":
            yield _mutant([*domain, part], E.DUPLICATE_DEFINITION, f"action {part[1]} twice")
            yield from _typed(domain, part[part.index(":parameters") + 1], "parameter", part)
    for head, kind in ((":types", "type"), (":constants", "constant")):
        if head in sections:
            yield from _typed(domain, sections[head], kind, domain)
    for head in (":predicates", ":functions"):
        yield from _signatures(domain, sections.get(head, []))
    for requirement in sections[":requirements"][1:]:
        fewer = [word for word in sections[":requirements"] if word != requirement]
        kind = E.MISSING_REQUIREMENTS if _needs(domain, requirement) else None
        yield _mutant(with_part(domain, sections[":requirements"], fewer), kind, f"without {requirement}")


def _mutant(domain, kind, change):
    return Mutant(written(domain), kind, change)


UNDECLARED = {
    "parameter": E.UNDEFINED_VARIABLE,
    "type": E.UNDEFINED_TYPE,
    "constant": E.UNDEFINED_CONSTANT,
}


def _typed(domain, section, kind, scope):
    """Double and remove the names of a typed list; ``scope`` is where they may be used."""
    head = section[:1] if kind != "parameter" else []
    pairs = groups(section[len(head) :])
    for pair in pairs:
        twice = with_part(domain, section, head + flat([pair, *pairs]))
        yield _mutant(twice, E.DUPLICATE_DEFINITION, f"{kind} {pair[0]} twice")
        others = flat([other for other in pairs if other != pair])
        is_used = pair[0] in words(with_part(scope, section, others))
        fewer = with_part(domain, section, head + others)
        yield _mutant(fewer, UNDECLARED[kind] if is_used else None, f"without {kind} {pair[0]}")


def _signatures(domain, section):
    for signature in section[1:]:
        if isinstance(signature, str):
            continue  # the type of functions
        name = signature[0]
        twice = with_part(domain, section, [section[0], signature, *section[1:]])
        yield _mutant(twice, E.DUPLICATE_DEFINITION, f"{section[0]} {name} twice")
        only = sum(isinstance(part, list) for part in section) == 1
        fewer = [] if only else [[part for part in section if part is not signature]]
        kind = E.UNDEFINED_CONSTANT if f"({name}" in _applied(domain) else None
        yield _mutant(with_part(domain, section, *fewer), kind, f"without {section[0]} {name}")


def _applied(domain):
    """The words that begin a list in some action, each after its parenthesis."""
    actions = [written(part[2:]) for part in domain[2:] if part[0] == ":action"]
    return set(re.findall(r"\([^\s()]+", " ".join(actions)))


def _needs(domain, requirement):
    """Whether any section matches the sign of a requirement; derived from the spelling alone."""
    sign = NEEDED_FOR.get(requirement)
    return sign is not None and any(re.search(sign, written(part)) for part in domain[2:])
