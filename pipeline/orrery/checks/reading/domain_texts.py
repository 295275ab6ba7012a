"""Read the texts on a domain in its own words: descriptions, summaries and steps of procedures.

Each sentence is read to the statement that it makes (see ``statements``). A sentence that is no wording of
the domain, or that stands in another place than the form of the text gives it, makes the text unreadable.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from orrery.checks.reading.cursor import UnreadableText
from orrery.checks.reading.sentences import ARGUMENT, SentenceReader, sentence_reader
from orrery.checks.statements import OBJECT, Statement, Tree, tree_of, typed
from orrery.language.words import Words
from orrery.model import Domain, Literal

ACTION = ":action"
ONE_OR_MORE = r"an? \S+(?: or an? \S+)*"
TYPE = re.compile(rf"(\S+)(?: \(({ONE_OR_MORE})\))?")
CONSTANT = re.compile(rf"(\S+?)(?:, ({ONE_OR_MORE}))?")
KIND = re.compile(rf"(\S+) is ({ONE_OR_MORE})")
IDENTICAL = re.compile(rf"({ARGUMENT}) is (the same as|different from) ({ARGUMENT})")
JOINTS = re.compile(r", nor that |, | and |; ")
NO_TYPES = "There are no types: everything is an object."
DETAILS = ("Needs", "Makes true", "Makes false")
COST = "Adds to the total cost"
NO_LONGER = "; it no longer holds that "
NUMBERED = re.compile(r"\((\d+)\) (.*)")
SHOWN = 60  # maximum number of characters of a text in a message


class DomainTextReader:
    """Reads the texts on one domain; ``domain`` and ``words`` are those of its own files."""

    def __init__(self, words: Words, domain: Domain) -> None:
        """Prepare to read texts in ``words``."""
        self.words = words
        self.sentences: SentenceReader = sentence_reader(words, domain)

    def description(self, text: str, title: str, details: bool) -> tuple[str, Counter[Statement]]:
        """Return the general part of a description, and the statements of the other parts.

        Raises:
            UnreadableText: some part is missing or unknown, or a sentence cannot be read.
        """
        heading, *sections = text.split("\n\n## ")
        parts = {name: body for name, _, body in (section.partition("\n") for section in sections)}
        names = ["General", "Types", *["Constants"][: "Constants" in parts], "Predicates", "Actions"]
        if heading != f"# {title}" or list(parts) != names or len(sections) != len(names):
            raise UnreadableText(f"has other parts than # {title}, {', '.join(names)}")
        types = parts["Types"] if parts["Types"] != NO_TYPES else ""
        statements = chain(
            (_declared("type", line, TYPE) for line in _items(types)),
            (_declared("constant", line, CONSTANT) for line in _items(parts.get("Constants", ""))),
            map(self._predicate, _items(parts["Predicates"])),
            *(self._action(item, details) for item in _items(parts["Actions"])),
        )
        return parts["General"], Counter(statements)

    def is_introduction(self, text: str) -> bool:
        """Return whether a text is a wording of the introduction to the domain."""
        return self.words.every("intro").match(text) is not None

    def _predicate(self, line: str) -> Statement:
        signature, clause = _signature(line)
        _, name, parameters = statement = ("predicate", *signature)
        if self._clauses(_without_stop(clause)) != [(name, *(variable for variable, _ in parameters))]:
            raise UnreadableText(f"says something else of the predicate {name}: {clause[:SHOWN]!r}")
        return statement

    def _action(self, item: str, details: bool) -> Iterator[Statement]:
        """Yield the statements of an action in a description, with or without conditions and effects."""
        first, *lines = item.split("\n  ")
        (name, parameters), phrase = _signature(first)
        if self._phrase(_without_stop(phrase)) != (name, *(variable for variable, _ in parameters)):
            raise UnreadableText(f"says something else of the action {name}: {phrase[:SHOWN]!r}")
        yield ("action", ACTION, name, parameters)
        stated = [line.partition(": ") for line in lines]
        if [opening for opening, _, _ in stated if opening != COST] != [*DETAILS][: 3 * details]:
            raise UnreadableText(f"does not tell what {name} needs, makes true and makes false, once each")
        for opening, _, told in stated:
            yield from self._detail(name, opening, _without_stop(told))

    def _detail(self, action: str, opening: str, text: str) -> Iterator[Statement]:
        if opening == COST:
            cost = tree_of(text) if text.startswith("(") else text
            yield ("makes", action, ("increase", ("total-cost",), cost))
        elif text != "nothing":
            yield from self._literals(action, opening, text)

    def _literals(self, action: str, opening: str, text: str) -> Iterator[Statement]:
        for literal in self._clauses(text):
            if opening == "Needs":
                yield ("needs", action, literal)
            else:
                yield ("makes", action, literal if opening == "Makes true" else ("not", literal))

    def summary(self, line: str) -> Tree:
        """Return the action that a line of summaries names, with its variables."""
        name, _, phrase = line.partition(": ")
        if (action := self._phrase(phrase))[0] != name:
            raise UnreadableText(f"the summary of {name} is that of {action[0]}")
        return action

    def procedure(self, texts: Mapping[str, str]) -> tuple[str, Counter[Statement]]:
        """Return the introduction in the text conditions, and the statements of the other sentences.

        The whole procedure is read; the steps by action and their union must repeat its steps.

        Raises:
            UnreadableText: a sentence cannot be read, or the conditions differ in a step.
        """
        lines = texts["all"].split("\n")
        read = [NUMBERED.fullmatch(line) for line in lines]
        if [match and match[1] for match in read] != [str(place) for place in range(1, len(lines) + 1)]:
            raise UnreadableText("the steps of the whole procedure are not numbered one by one")
        sentences = [line.partition(") ")[2] for line in lines]
        start = next((n for n, told in enumerate(sentences) if told.startswith("Before you ")), len(lines))
        steps = [sentences[at : at + 3] for at in range(start, len(lines), 3)]
        statements, names = Counter(chain.from_iterable(map(self._opening, sentences[1:start]))), []
        for step in steps:
            name, told = self._step(step)
            names.append(name)
            statements.update(told)
        mapped = [
            f"{name}: {' '.join(lines[start + 3 * n : start + 3 * n + 3])}" for n, name in enumerate(names)
        ]
        if texts["rel"] != "\n".join(lines[start:]) or texts["map"] != "\n".join(mapped):
            raise UnreadableText("the text conditions rel and map do not repeat the steps of all")
        return sentences[0], statements

    def _opening(self, sentence: str) -> Iterator[Statement]:
        """Yield the statements of a sentence on all types or all constants."""
        opening, _, listed = _without_stop(sentence).partition(": ")
        if opening in ("There are these kinds of things", "There is one kind of things"):
            yield from (_declared("type", name, TYPE) for name in re.split(r", | and ", listed))
        elif opening == "Always there":
            yield from (
                _declared("constant", name, CONSTANT) for name in re.split(r", (?!an? )| and ", listed)
            )
        else:
            raise UnreadableText(f"cannot be read: {sentence[:SHOWN]!r}")

    def _step(self, sentences: Sequence[str]) -> tuple[str, list[Statement]]:
        """Return the action of three sentences, before, during and after it, and their statements."""
        if len(sentences) != 3:
            raise UnreadableText("an action has less than three steps")
        before, during, after = map(_without_stop, sentences)
        action, needs = self._phrase_in(before, "Before you ", ", ")
        same, told_kinds = self._phrase_in(during, "Then ", "; here ")
        if action != same:
            raise UnreadableText(f"the steps of {action[0]} are on two actions")
        name, *variables = action
        kinds = _kinds(told_kinds)
        if not kinds.keys() <= set(variables):
            raise UnreadableText(f"the steps of {name} tell types of other variables")
        statements: list[Statement] = [
            ("action", ACTION, name, tuple((variable, kinds.get(variable, OBJECT)) for variable in variables))
        ]
        if needs != "nothing needs to be prepared":
            told = _after(needs, "make sure that ")
            statements += [("needs", name, literal) for literal in self._clauses(told)]
        return name, [*statements, *self._effects(name, _after(after, "After that, "))]

    def _effects(self, action: str, text: str) -> Iterator[Statement]:
        if text == "nothing has changed":
            return
        added, _, deleted = f"; {text}".partition(NO_LONGER)
        if added:
            yield from (("makes", action, literal) for literal in self._clauses(added.removeprefix("; ")))
        if deleted:
            yield from (("makes", action, ("not", literal)) for literal in self._clauses(deleted))

    def _phrase_in(self, sentence: str, opening: str, joint: str) -> tuple[Tree, str]:
        """Return the action named after an opening, and the text after a joint, if there is some."""
        text = _after(sentence, opening)
        phrase = self.sentences.phrase(text, 0)
        if phrase is None:
            raise UnreadableText(f"names no action: {sentence[:SHOWN]!r}")
        rest = text[phrase.end :]
        return phrase.literals[0].atom, _after(rest, joint) if rest else ""

    def _phrase(self, text: str) -> Tree:
        """Return the action that a text names."""
        phrase = self.sentences.phrase(text, 0)
        if phrase is None or phrase.end < len(text):
            raise UnreadableText(f"names no action: {text[:SHOWN]!r}")
        return phrase.literals[0].atom

    def _clauses(self, text: str) -> list[Tree]:
        """Return the literals that clauses state, between commas, semicolons or "and"."""
        literals, at = list[Tree](), 0
        while True:
            literal, at = self._clause(text, at)
            literals.append(literal)
            if at == len(text):
                return literals
            if (joint := JOINTS.match(text, at)) is None:
                raise UnreadableText(f"cannot be read: {text[at : at + SHOWN]!r}")
            at = joint.end()

    def _clause(self, text: str, at: int) -> tuple[Tree, int]:
        if clause := self.sentences.clause(text, at, opening=False):
            return _tree(clause.literals[0]), clause.end
        if match := IDENTICAL.match(text, at):
            return _tree(Literal(("=", match[1], match[3]), match[2] == "the same as")), match.end()
        raise UnreadableText(f"cannot be read: {text[at : at + SHOWN]!r}")


def _tree(literal: Literal) -> Tree:
    return literal.atom if literal.positive else ("not", literal.atom)


def _items(text: str) -> list[str]:
    """Return the items of a list in lines with a dash; an item may have further lines."""
    first, *items = f"\n{text}".split("\n- ")
    if first.strip():
        raise UnreadableText(f"cannot be read: {first[:SHOWN]!r}")
    return items


def _signature(line: str) -> tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], str]:
    """Return the name and the typed parameters at the beginning of a line, and the text behind the colon."""
    signature, colon, rest = line.partition("): ")
    name, *parameters = tree_of(f"{signature})") if colon else ("",)
    return (name, typed(parameters)), rest


def _declared(kind: str, text: str, pattern: re.Pattern[str]) -> Statement:
    """Return the declaration of a type or a constant in words."""
    if (match := pattern.fullmatch(text)) is None:
        raise UnreadableText(f"declares no {kind}: {text[:SHOWN]!r}")
    return (kind, match[1], _types(match[2]) if match[2] else OBJECT)


def _kinds(text: str) -> dict[str, tuple[str, ...]]:
    """Return the types of variables from "?a is a car and ?b is a ship or a boat"."""
    kinds: dict[str, tuple[str, ...]] = {}
    for part in re.split(r", | and ", text) if text else ():
        match = KIND.fullmatch(part)
        if match is None or match[1] in kinds:
            raise UnreadableText(f"tells no type, or one twice: {part[:SHOWN]!r}")
        kinds[match[1]] = _types(match[2])
    return kinds


def _types(text: str) -> tuple[str, ...]:
    return tuple(sorted(re.sub("^an? ", "", name) for name in text.split(" or ")))


def _without_stop(sentence: str) -> str:
    if not sentence.endswith("."):
        raise UnreadableText(f"ends without a full stop: {sentence[-SHOWN:]!r}")
    return sentence[:-1]


def _after(text: str, opening: str) -> str:
    if not text.startswith(opening):
        raise UnreadableText(f"does not begin with {opening!r}: {text[:SHOWN]!r}")
    return text[len(opening) :]
