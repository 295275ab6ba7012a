"""Read descriptions that a generic grammar makes of a domain without words of its own.

Names are in quotes or keep their spelling, so that each line is read to the statement that it makes (see
``statements``). A line that the grammar does not explain makes the description unreadable. The grammar
consists of templates with slots; a slot takes the longest text that its kind of phrase explains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from orrery.checks.reading.cursor import SHOWN, UnreadableText
from orrery.checks.statements import OBJECT, Statement, Tree, Typed, conjuncts, normal, tree_of

TITLES = ("General", "Types", "Constants", "Predicates", "Functions", "Rules", "Actions")
COUNTED = r"(?P<{0}>no|\d+) {0}s?"
COUNTS = ", ".join(map(COUNTED.format, ("type", "predicate"))) + " and " + COUNTED.format("action")
GENERAL = re.compile(rf"The planning domain '(?P<name>.*)' has {COUNTS}\. Its requirements: (?P<listed>.+)\.")
JOINT = re.compile(r", | and | or ")
NAME = r"[^\s(),;:']+"
DECLARED = re.compile(r"- (\S+)(?:: of type (.+))?")
VARIABLE = re.compile(rf"({NAME})(?: of type ({NAME}(?:(?:, {NAME})* or {NAME})?))?")
KINDS = {"an action": ":action", "an action that takes time": ":durative-action"}
OPERATORS = ("+", "-", "*", "/")
SLOT = re.compile(r"\{([^{}]+)\}")
# Templates of phrases by kind. A tree has the head and what the slots say; "not" before a head negates it.
# Without a head, the phrase says what its slots say.
GRAMMAR: Mapping[str, Mapping[str, str | None]] = {
    "formula": {
        **{"nothing is needed": "and", "nothing changes": "and", "what is never true": "or"},
        "exactly one of these, by chance: {outcomes}": "oneof",
        "by chance: {outcomes}": "probabilistic",
        "either {disjuncts}": "or",
        "it is not the case that ({formula})": "not",
        "if before it {formula}, then {formula}": "when",
        "if {formula}, then {formula}": "imply",
        "for every {variables}: {formula}": "forall",
        "for some {variables}: {formula}": "exists",
        "at the start, {formula}": "at start",
        "at the end, {formula}": "at end",
        "all the while, {formula}": "over all",
        "{conjuncts}": "and",
        "{fact}": None,
    },
    "fact": {
        **{"{quoted} holds": "", "{quoted} holds for {terms}": ""},
        **{"{quoted} does not hold": "not ", "{quoted} does not hold for {terms}": "not "},
        **{"{quoted} no longer holds": "not ", "{quoted} no longer holds for {terms}": "not "},
        "{term} grows by {term}": "increase",
        "{term} falls by {term}": "decrease",
        "{term} becomes {term}": "assign",
        "{term} is multiplied by {term}": "scale-up",
        "{term} is divided by {term}": "scale-down",
        **{
            f"{{term}} is {sign}{comparison} {{term}}": f"{sign}{head}"
            for sign in ("", "not ")
            for comparison, head in (
                ("the same as", "="),
                ("equal to", "="),
                ("less than", "<"),
                ("more than", ">"),
                ("at most", "<="),
                ("at least", ">="),
            )
        },
    },
    "meaning": {"whether {fact}": None},
    "conjuncts": {"({formula})": None, "({formula}) and {conjuncts}": None},
    "disjuncts": {"{formula}": None, "({formula}) or {alternatives}": None},
    "alternatives": {"({formula})": None, "({formula}) or {alternatives}": None},
    "outcomes": {"{outcome}": None, "{outcome}; {outcomes}": None},
    "outcome": {"with probability {symbol}": None, "{formula}": None},
    "terms": {"{term}": None, "{listed}": None},
    "listed": {"{term} and {term}": None, "{term}, {listed}": None},
    "term": {
        **{"{symbol}": None, "{quoted}": "", "{quoted} of {terms}": "", "(minus {term})": "-"},
        **{f"({{term}} {operator} {{after {operator}}})": operator for operator in OPERATORS},
    },
    **{
        f"after {operator}": {"{term}": None, f"{{term}} {operator} {{after {operator}}}": None}
        for operator in OPERATORS
    },
}
READINGS_KEPT = 10_000


class GeneratedDescription(NamedTuple):
    """The general part (name, counts and requirements) and the statements of the other parts."""

    name: str
    counts: dict[str, int]
    requirements: list[str]
    statements: Counter[Statement]


def read_description(text: str) -> GeneratedDescription:
    """Return what a description says.

    Raises:
        UnreadableText: some line cannot be read, or a part has an unknown title or occurs twice.
    """
    sections = [part.partition("\n") for part in f"\n{text}".removesuffix("\n").split("\n### ")]
    titles = [title for title, _, _ in sections[1:]]
    if "".join(sections[0]) or titles != [title for title in TITLES if title in titles]:
        raise UnreadableText(f"has other parts than {', '.join(TITLES)}, each once and in this order")
    lines_of = {title: body.strip("\n").split("\n") for title, _, body in sections[1:]}
    general = GENERAL.fullmatch("\n".join(lines_of.pop("General", [])))
    if general is None:
        raise UnreadableText("does not begin with the name, the numbers and the requirements of the domain")
    read: Counter[Statement] = Counter()
    for title, lines in lines_of.items():
        read.update(_section(title, lines))
    counts = {
        name: 0 if general[name] == "no" else int(general[name]) for name in ("type", "predicate", "action")
    }
    return GeneratedDescription(general["name"], counts, JOINT.split(general["listed"]), read)


def _section(title: str, lines: list[str]) -> Iterator[Statement]:
    if title == "Actions":
        yield from _actions(lines)
    for line in lines if title != "Actions" else ():
        if title in ("Types", "Constants"):
            if (match := DECLARED.fullmatch(line)) is None:
                raise _unread(line)
            yield (title.removesuffix("s").lower(), match[1], _types(match[2]))
        elif title == "Rules":
            yield from _rules(line)
        else:
            name, parameters, meaning = _signature(line)
            fact = (name, *(variable for variable, _ in parameters))
            if meaning != "a number" if title == "Functions" else _whole("meaning", meaning) != fact:
                raise UnreadableText(f"says something else of {name}: {meaning[:SHOWN]!r}")
            yield (title.removesuffix("s").lower(), name, parameters)


def _actions(lines: list[str]) -> Iterator[Statement]:
    action = ""
    for line in lines:
        if line.startswith("- "):
            action, parameters, purpose = _signature(line)
            kind, _, about = purpose.partition(" on ")
            names = [variable for variable, _ in parameters]
            if (JOINT.split(about) if about else []) != names:
                raise UnreadableText(f"says something else of the action {action}: {purpose[:SHOWN]!r}")
            yield ("action", KINDS.get(kind, f":{kind.removeprefix('a ')}"), action, parameters)
        elif action and line.startswith(("  - before: ", "  - after: ")):
            part, _, phrase = line.partition(": ")
            told = _whole("formula", phrase)
            yield from (("needs" if "before" in part else "makes", action, one) for one in conjuncts(told))
        else:
            raise _unread(line)


def _rules(line: str) -> Iterator[Statement]:
    if line.startswith("- constraints: "):
        told = _whole("formula", line.partition(": ")[2])
        yield from (("rule", ":constraints", one) for one in conjuncts(told))
    else:
        fact, joint, why = line.removeprefix("- ").partition(" whenever ")
        if not joint:
            raise _unread(line)
        condition = normal(_whole("formula", why))
        yield ("rule", ":derived", _whole("fact", fact), condition)


def _signature(line: str) -> tuple[str, tuple[Typed, ...], str]:
    """Return the name and the parameters before the colon of a line, and the text behind it.

    A type belongs to the parameter before it alone.
    """
    signature, colon, rest = line.removeprefix("- ").partition("): ")
    if not colon:
        raise _unread(line)
    name, *items = tree_of(f"{signature})")
    parameters: list[Typed] = []
    at = 0
    while at < len(items):
        has_type = items[at + 1 : at + 2] == ["-"]
        types = items[at + 2] if has_type else OBJECT
        parameters.append((items[at], _sorted_types(types)))
        at += 3 if has_type else 1
    return name, tuple(parameters), rest


def _sorted_types(types: Tree) -> tuple[str, ...]:
    if isinstance(types, str):
        return (types,)
    return tuple(sorted(types[1:] if types[0] == "either" else types))


def _types(listed: str | None) -> tuple[str, ...]:
    return tuple(sorted(JOINT.split(listed))) if listed else OBJECT


def _unread(text: str) -> UnreadableText:
    return UnreadableText(f"cannot be read: {text[:SHOWN]!r}")


def _whole(kind: str, text: str) -> Tree:
    """Return what a text says as a phrase of a kind."""
    if (trees := _trees(kind, text)) is None:
        raise _unread(text)
    return trees[0]


@lru_cache(maxsize=READINGS_KEPT)
def _trees(kind: str, text: str) -> tuple[Tree, ...] | None:
    """Return what a phrase of a kind says, by the first template that fits; None if none does."""
    if kind in LEAVES:
        return LEAVES[kind](text)
    if text.count("(") != text.count(")"):
        return None
    for template, head in GRAMMAR[kind].items():
        if (trees := next(_fillings(SLOT.split(template), text), None)) is not None:
            return trees if head is None else (_tree(head, trees),)
    return None


def _fillings(parts: Sequence[str], text: str) -> Iterator[tuple[Tree, ...]]:
    """Yield what the slots of a template say, the longest first; ``parts`` are words and slots in turn."""
    words, *further = parts
    if not further and text == words:
        yield ()
    if not further or not text.startswith(words):
        return
    kind, *tail = further
    following = re.escape(tail[0]) + (r"\Z" if len(tail) == 1 else "")
    ends = [match.start() for match in re.compile(f"(?={following})").finditer(text, len(words))]
    for end in reversed(ends):
        if (trees := _trees(kind, text[len(words) : end])) is not None:
            yield from ((*trees, *others) for others in _fillings(tail, text[end:]))


def _tree(head: str, trees: tuple[Tree, ...]) -> Tree:
    """Return the tree of a phrase; without a head, the first part is the head."""
    name = head.removeprefix("not ")
    tree = (name, *trees) if name else trees
    return ("not", tree) if head.startswith("not ") else tree


def _symbol(text: str) -> tuple[Tree, ...] | None:
    return (text,) if re.fullmatch(NAME, text) else None


def _quoted(text: str) -> tuple[Tree, ...] | None:
    return (text[1:-1],) if re.fullmatch("'[^']+'", text) else None


def _variables(text: str) -> tuple[Tree, ...] | None:
    """Return the variables of a quantifier."""
    variables, end = list[Typed](), 0
    while match := VARIABLE.match(text, end):
        variables.append((match[1], _types(match[2])))
        joint = JOINT.match(text, match.end())
        end = joint.end() if joint else match.end()
    return None if end < len(text) else (tuple(variables),)


LEAVES = MappingProxyType({"symbol": _symbol, "quoted": _quoted, "variables": _variables})
