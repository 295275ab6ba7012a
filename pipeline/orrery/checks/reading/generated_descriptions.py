"""Read descriptions that a generic grammar makes of a domain without words of its own.

Names are in quotes or keep their spelling, so that each line is read to the statement that it makes (see
``statements``). A line that the grammar does not explain makes the description unreadable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from orrery.checks.reading.cursor import SHOWN, UnreadableText
from orrery.checks.statements import OBJECT, Statement, Tree, Typed, conjuncts, normal, tree_of

TITLES = ("General", "Types", "Constants", "Predicates", "Functions", "Rules", "Actions")
COUNTED = r"(?P<{0}>no|\d+) {0}s?"
COUNTS = ", ".join(map(COUNTED.format, ("type", "predicate"))) + " and " + COUNTED.format("action")
GENERAL = re.compile(rf"The planning domain '(?P<name>.*)' has {COUNTS}\. Its requirements: (?P<listed>.+)\.")
JOINT = re.compile(r", | and | or ")
NAME = r"[^\s(),;:']+"
QUOTED = re.compile(r"'([^']+)'")
SYMBOL = re.compile(NAME)
OPERATOR = re.compile(r" ([-+*/]) ")
DECLARED = re.compile(r"- (\S+)(?:: of type (.+))?")
VARIABLE = re.compile(rf"({NAME})(?: of type ({NAME}(?:(?:, {NAME})* or {NAME})?))?")
KINDS = {"an action": ":action", "an action that takes time": ":durative-action"}
TIMES = {"at the start, ": "at start", "at the end, ": "at end", "all the while, ": "over all"}
CHANCES = {"exactly one of these, by chance: ": "oneof", "by chance: ": "probabilistic"}
QUANTIFIERS = {"for every ": "forall", "for some ": "exists"}
VERBS = {" no longer holds": False, " does not hold": False, " holds": True}
COMPARISONS = {
    "the same as": "=",
    "equal to": "=",
    "less than": "<",
    "more than": ">",
    "at most": "<=",
    "at least": ">=",
}
CHANGES = {
    " grows by ": "increase",
    " falls by ": "decrease",
    " becomes ": "assign",
    " is multiplied by ": "scale-up",
    " is divided by ": "scale-down",
}
EMPTY = {"nothing is needed": ("and",), "nothing changes": ("and",), "what is never true": ("or",)}


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
            if meaning != "a number" if title == "Functions" else _meaning(meaning) != fact:
                raise UnreadableText(f"says something else of {name}: {meaning[:SHOWN]!r}")
            yield (title.removesuffix("s").lower(), name, parameters)


def _meaning(text: str) -> Tree:
    """Return the fact after "whether"."""
    phrase = _Phrase(text)
    phrase.need("whether ")
    return phrase.whole(_Phrase.fact)


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
            told = _Phrase(phrase).whole(_Phrase.formula)
            yield from (("needs" if "before" in part else "makes", action, one) for one in conjuncts(told))
        else:
            raise _unread(line)


def _rules(line: str) -> Iterator[Statement]:
    if line.startswith("- constraints: "):
        told = _Phrase(line.partition(": ")[2]).whole(_Phrase.formula)
        yield from (("rule", ":constraints", one) for one in conjuncts(told))
    else:
        fact, joint, why = line.removeprefix("- ").partition(" whenever ")
        if not joint:
            raise _unread(line)
        condition = normal(_Phrase(why).whole(_Phrase.formula))
        yield ("rule", ":derived", _Phrase(fact).whole(_Phrase.fact), condition)


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


class _Phrase:
    """A condition or an effect in words, read from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def whole(self, read: Callable[[_Phrase], Tree]) -> Tree:
        """Return what ``read`` makes of the whole text."""
        tree = read(self)
        if self.at < len(self.text):
            raise _unread(self.text[self.at :])
        return tree

    def take(self, wording: str) -> bool:
        """Move over a wording if it stands here."""
        if found := self.text.startswith(wording, self.at):
            self.at += len(wording)
        return found

    def need(self, wording: str) -> None:
        """Move over a wording that must stand here."""
        if not self.take(wording):
            raise _unread(self.text[self.at :])

    def one_of(self, wordings: dict[str, Tree]) -> Tree | None:
        """Move over the wording that stands here, and return its value; None if none does."""
        return next((value for wording, value in wordings.items() if self.take(wording)), None)

    def formula(self) -> Tree:
        """Return a condition or an effect."""
        if (empty := self.one_of(EMPTY)) is not None:
            return empty
        if chance := self.one_of(CHANCES):
            return (chance, *self.outcomes())
        if self.take("either "):
            return ("or", self.formula(), *self.others(" or "))
        if self.take("it is not the case that ("):
            inner = self.formula()
            self.need(")")
            return ("not", inner)
        if self.take("if "):
            head = "when" if self.take("before it ") else "imply"
            condition = self.formula()
            self.need(", then ")
            return (head, condition, self.formula())
        if quantifier := self.one_of(QUANTIFIERS):
            return (quantifier, self.variables(), self.formula())
        if time := self.one_of(TIMES):
            return (time, self.formula())
        start = self.at
        try:
            first = self.inner()
            return ("and", first, *self.others(" and "))
        except UnreadableText:
            self.at = start
        return self.fact()

    def inner(self) -> Tree:
        """Return a condition or an effect in parentheses."""
        self.need("(")
        inner = self.formula()
        self.need(")")
        return inner

    def others(self, joint: str) -> Iterator[Tree]:
        """Yield the further parts in parentheses, each behind a joint."""
        while self.take(joint):
            yield self.inner()

    def outcomes(self) -> Iterator[Tree]:
        """Yield outcomes and their probabilities."""
        while True:
            yield self.symbol() if self.take("with probability ") else self.formula()
            if not self.take("; "):
                return

    def variables(self) -> tuple[Typed, ...]:
        """Return the variables of a quantifier, up to the colon."""
        listed, _, _ = self.text[self.at :].partition(": ")
        variables, end = list[Typed](), 0
        while match := VARIABLE.match(listed, end):
            variables.append((match[1], _types(match[2])))
            joint = JOINT.match(listed, match.end())
            end = joint.end() if joint else match.end()
        if end < len(listed):
            raise _unread(listed[end:])
        self.at += len(listed)
        self.need(": ")
        return tuple(variables)

    def fact(self) -> Tree:
        """Return a fact, its negation, a comparison or a change of a number."""
        if name := QUOTED.match(self.text, self.at):
            for verb, is_true in VERBS.items():
                if self.text.startswith(verb, name.end()):
                    self.at = name.end() + len(verb)
                    fact = (name[1], *(self.terms() if self.take(" for ") else ()))
                    return fact if is_true else ("not", fact)
        first = self.term()
        if change := self.one_of(CHANGES):
            return (change, first, self.term())
        self.need(" is ")
        is_true = not self.take("not ")
        comparison = self.one_of({f"{words} ": head for words, head in COMPARISONS.items()})
        if comparison is None:
            raise _unread(self.text[self.at :])
        whole = (comparison, first, self.term())
        return whole if is_true else ("not", whole)

    def terms(self) -> list[Tree]:
        """Return the terms of a list with commas and "and"."""
        first, end, others = self.term(), self.at, list[Tree]()
        while self.take(", "):
            others.append(self.term())
        if self.take(" and "):
            return [first, *others, self.term()]
        self.at = end  # a comma that does not belong to the list
        return [first]

    def term(self) -> Tree:
        """Return a name, a number or a numeric term."""
        if self.take("(minus "):
            inner = self.term()
            self.need(")")
            return ("-", inner)
        if self.take("("):
            first = self.term()
            rest, operator = list[Tree](), ""
            while match := OPERATOR.match(self.text, self.at):
                operator, self.at = match[1], match.end()
                rest.append(self.term())
            self.need(")")
            return (operator, first, *rest)
        if name := QUOTED.match(self.text, self.at):
            self.at = name.end()
            return (name[1], *(self.terms() if self.take(" of ") else ()))
        return self.symbol()

    def symbol(self) -> str:
        """Return a name or a number."""
        if (match := SYMBOL.match(self.text, self.at)) is None:
            raise _unread(self.text[self.at :])
        self.at = match.end()
        return match[0]
