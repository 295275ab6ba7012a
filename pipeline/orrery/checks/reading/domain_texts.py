"""Compare the texts on a domain in its own words with the statements of its file (see ``statements``).

The statements leave a text no choice but that of wordings: each of its lines must be a wording of the
statements that belong there. Descriptions, summaries and steps of procedures are read like this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from orrery.checks.reading.cursor import SHOWN, UnreadableText
from orrery.checks.reading.wording_tree import either, listed, worded
from orrery.checks.statements import OBJECT, Statement, Tree, Typed, tree_of, typed
from orrery.language.choices import Wordings
from orrery.language.words import NEGATION, Words
from orrery.pddl.write import write_atom

COST = ("increase", ("total-cost",))
NO_TYPES = "There are no types: everything is an object."


class _Line(NamedTuple):
    """A line of a text: its fixed beginning, and the wordings of the rest, encoded."""

    beginning: str
    wordings: str = ""


class _Body(NamedTuple):
    """What an action needs and changes: wordings of clauses, and the cost in PDDL; empty without a cost."""

    needs: list[str]
    makes: list[str]
    ends: list[str]
    cost: str


@dataclass(frozen=True, eq=False)
class DomainTextReader:
    """Reads the texts on one domain; ``own`` are the statements of its own file, in the file's order."""

    words: Words
    own: Sequence[Statement]

    def check_description(self, text: str, title: str, *, details: bool) -> str:
        """Return the general part of a description whose other lines make the domain's statements.

        Raises:
            UnreadableText: some line is no wording of what belongs there.
        """
        lines = text.split("\n")
        general = "".join(lines[3:4])
        types, constants = ([_Line("- ", one) for one in declared] for declared in self._declared)
        predicates = [
            _Line(f"- {_signature(*predicate)}: ", f"{self._clause(_form(*predicate))}.")
            for predicate in self._all("predicate")
        ]
        expected = [
            *map(_Line, (f"# {title}", "", "## General", general)),
            *(_Line(""), _Line("## Types"), *(types or [_Line(NO_TYPES)])),
            *((_Line(""), _Line("## Constants"), *constants) if constants else ()),
            *(_Line(""), _Line("## Predicates"), *predicates),
            *(_Line(""), _Line("## Actions")),
        ]
        for _, name, parameters in self._all("action"):
            phrase = worded(self.words, "action", _form(name, parameters))
            expected.append(_Line(f"- {_signature(name, parameters)}: ", f"{phrase}."))
            expected += self._details(name) if details else []
        _match(list(map(_in_one_spelling, lines)), expected)
        return general

    def _details(self, action: str) -> list[_Line]:
        body = self._bodies[action]
        parts = {"Needs": body.needs, "Makes true": body.makes, "Makes false": body.ends}
        lines = [
            _Line(f"  {part}: ", f"{'; '.join(clauses) or 'nothing'}.") for part, clauses in parts.items()
        ]
        return [*lines, *([_Line(f"  Adds to the total cost: {body.cost}.")] if body.cost else [])]

    def is_introduction(self, text: str) -> bool:
        """Return whether a text is a wording of the introduction to the domain."""
        return self.words.every("intro").match(text) is not None

    def check_texts(self, texts: Mapping[str, str]) -> str:
        """Return the introduction in the text conditions whose other lines make the domain's statements.

        Raises:
            UnreadableText: some line is no wording of what belongs there, or the conditions differ in a step.
        """
        actions = [(name, worded(self.words, "action", _form(name, p))) for _, name, p in self._all("action")]
        _match(texts["sum"].split("\n"), [_Line(f"{name}: ", phrase) for name, phrase in actions])
        lines = texts["all"].split("\n")
        introduction = lines[0].removeprefix("(1) ")
        declared = list(self._declarations())
        sentences = [introduction, *declared, *(step for action in actions for step in self._steps(*action))]
        _match(lines, [_Line(f"({place}) ", sentence) for place, sentence in enumerate(sentences, 1)])
        steps = lines[1 + len(declared) :]
        mapped = [f"{name}: {' '.join(steps[3 * n : 3 * n + 3])}" for n, (name, _) in enumerate(actions)]
        if texts["rel"] != "\n".join(steps) or texts["map"] != "\n".join(mapped):
            raise UnreadableText("the text conditions rel and map do not repeat the steps of all")
        return introduction

    def _declarations(self) -> Iterable[str]:
        """Yield the sentences on all types and all constants."""
        types, constants = self._declared
        if types:
            opening = "There are these kinds" if len(types) > 1 else "There is one kind"
            yield f"{opening} of things: {listed(types)}."
        if constants:
            yield f"Always there: {listed(constants)}."

    def _steps(self, action: str, phrase: str) -> Iterable[str]:
        """Yield the sentences before, during and after an action."""
        body = self._bodies[action]
        needs = f"make sure that {listed(body.needs)}" if body.needs else "nothing needs to be prepared"
        yield f"Before you {phrase}, {needs}."
        parameters = next(parameters for _, name, parameters in self._all("action") if name == action)
        kinds = [f"{name} is {either(types)}" for name, types in parameters if types != OBJECT]
        yield f"Then {phrase}{f'; here {listed(kinds)}' if kinds else ''}."
        ended = f"it no longer holds that {', nor that '.join(body.ends)}" if body.ends else ""
        made = listed(body.makes) if body.makes else ""
        yield f"After that, {'; '.join(filter(None, (made, ended))) or 'nothing has changed'}."

    def _all(self, kind: str) -> list[Statement]:
        """Return the declarations of a kind, in order, without the kind."""
        return [one[1:] for one in self.own if one[0] == kind]

    @cached_property
    def _bodies(self) -> Mapping[str, _Body]:
        return {name: self._body(name) for _, name, _ in self._all("action")}

    def _body(self, action: str) -> _Body:
        needs = [one for name, one in self._all("needs") if name == action]
        makes = [one for name, one in self._all("makes") if name == action]
        costs = [one[2] for one in makes if one[:2] == COST]
        added = sorted(one for one in makes if one[0] not in ("not", COST[0]))
        deleted = sorted(one[1] for one in makes if one[0] == "not" and one[1] not in added)
        return _Body(
            list(map(self._clause, sorted(needs, key=lambda one: (one[0] == "not", _atom(one))))),
            list(map(self._clause, added)),
            list(map(self._clause, deleted)),
            "".join(write_atom(cost) if isinstance(cost, tuple) else cost for cost in costs),
        )

    def _clause(self, literal: Tree) -> str:
        """Return the wordings of a fact or of its negation."""
        atom = _atom(literal)
        if atom[0] == "=":
            return f"{atom[1]} is {'the same as' if atom is literal else 'different from'} {atom[2]}"
        return ("" if atom is literal else NEGATION) + worded(self.words, "fact", atom)

    @property
    def _declared(self) -> Iterable[list[str]]:
        """The wordings of the types and of the constants, each with its types."""
        for kind, form in (("type", "{} ({})"), ("constant", "{}, {}")):
            yield [
                name if kinds == OBJECT else form.format(name, either(kinds))
                for name, kinds in self._all(kind)
            ]


def _match(lines: Sequence[str], expected: Sequence[_Line]) -> None:
    """Compare the lines of a text with those expected.

    Raises:
        UnreadableText: some line is another.
    """
    if len(lines) != len(expected):
        raise UnreadableText(f"has {len(lines)} lines, should have {len(expected)}")
    for line, (beginning, wordings) in zip(lines, expected, strict=True):
        known = Wordings.of(wordings)
        if not line.startswith(beginning) or known.match(line[len(beginning) :]) is None:
            should = f"should be like {beginning + next(known.every(1))!r}"
            raise UnreadableText(f"{should}: {line[:SHOWN]!r}")


def _atom(literal: Tree) -> Tree:
    return literal[1] if literal[0] == "not" else literal


def _form(name: str, parameters: Sequence[Typed]) -> tuple[str, ...]:
    return (name, *(variable for variable, _ in parameters))


def _signature(name: str, parameters: Iterable[Typed]) -> str:
    """Return a name with parameters and their types, in one spelling."""
    return " ".join([name, *(f"{variable} - {'/'.join(types)}" for variable, types in parameters)])


def _in_one_spelling(line: str) -> str:
    """Return a line with the signature behind its dash in one spelling."""
    signature, colon, text = line.partition("): ")
    if not colon or not signature.startswith("- ("):
        return line
    name, *parameters = tree_of(f"{signature[2:]})")
    return f"- {_signature(name, typed(parameters))}: {text}"
