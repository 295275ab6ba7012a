"""Grading of replies to planning questions: ``grade(reply, row)``, with nothing needed but the row.

Standard library only; this one file is shipped beside the dataset. Answers stored in a row are
complete, so that grading is a look-up: no planner, no limits of time, no files.

What counts as the answer within a reply, first rule that applies:

1. the last line that begins with ``ANSWER:``, with the lines after it as long as these hold nothing
   but answer (in capitals, ``ANSWER:`` counts within a line too; so does a tag ``<answer>``);
2. the last paragraph, if it holds exactly one well-formed answer;
3. the whole reply, if it holds exactly one well-formed answer.

Anything else is ``unparsed``: several different answers are never guessed between. Blocks of thought
(``<think>``) are no part of the reply. Case, commas, quotes, missing parentheses, ``name(argument, ...)``,
numbering, JSON, code fences, Markdown and LaTeX dress are tolerated. What is well-formed, by kind:

- facts and actions: text in parentheses counts only if it begins with a name of the row's domain and
  has its number of arguments. Remarks behind the entries of a list are passed over, unless they deny;
- a simplified plan: the actions that remain, in their order (not those that were removed); the given plan
  repeated, and in prose a few actions of it, are none;
- an index: a number called one, or alone in its clause; after ``ANSWER:`` any single number. Ordinals and
  the numbers of steps and lists are none. An action in its place counts if it occurs exactly once in
  the sequence, and one beside the number must agree with it;
- yes or no: ``yes``, ``no``, ``true``, ``false`` alone in a clause but for words like "the answer is";
- a choice: a letter alone in a clause in the same sense, or behind "option"; the text of an option, in
  words or PDDL, if no other option reads alike. Clauses that deny, and "a" before a noun, are no choice.

A kind of question is one reader and one checker, listed in ``KINDS`` by the ``group`` of its rows. Values of
rows may be Python's own, JSON, or what numpy and Arrow give.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, ...]
Row: TypeAlias = Mapping[str, Any]
Facts: TypeAlias = frozenset[Atom]
Read: TypeAlias = Callable[[str, bool], Any]  # (text, whether it was marked as the answer) -> answer

RIGHT, WRONG, UNPARSED = "right", "wrong", "unparsed"


@dataclass(frozen=True, slots=True)
class Score:
    """The verdict on one reply.

    ``value`` is 1 for ``right`` and 0 for ``wrong`` and ``unparsed``; ``detail`` says why; ``parts``
    holds finer scores from 0 to 1 where the kind has them (``jaccard``, ``pos``, ``neg``).
    """

    value: int
    verdict: str
    detail: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


class _Unreadable(Exception):
    """No answer, or no single one; the message is the detail of the score."""


def grade(answer: str, row: Row) -> Score:
    """The score of the reply ``answer`` to the question of ``row``.

    ``row`` needs ``group`` and ``answer``; open questions also ``PDDL_domain`` and ``PDDL_problem``, choices
    ``choices``. Used where they are there: ``answer_all`` (the stored ``answer`` is capped), ``typing`` and
    ``answer_all_is`` (reachable actions), ``sequence`` or ``plan`` with ``positions`` (read from ``question``
    otherwise), ``choices_pddl``.

    Raises:
        ValueError: ``row`` is of a group that this file does not grade. No reply raises.
    """
    group = _value(row, "group")
    kind = KINDS.get(str(group))
    if kind is None:
        raise ValueError(f"group {group!r} is not graded here (graded: {', '.join(sorted(KINDS))})")
    try:
        found = _find(answer or "", kind.reader(row))
    except _Unreadable as reason:
        return Score(0, UNPARSED, str(reason))
    return kind.check(found, row)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _value(row: Row, column: str) -> Any:
    """The value of a column as Python's own, whoever read it; None where there is none."""
    value = row.get(column)
    for convert in ("as_py", "tolist"):
        value = getattr(value, convert)() if hasattr(value, convert) else value
    return value


def _given(row: Row, column: str) -> Any:
    """The value of a column that is more than text, which may be written as JSON."""
    value = _value(row, column)
    return json.loads(value) if isinstance(value, str) else value


def _atom(text: Any) -> Atom:
    """A stored fact or action, with or without parentheses."""
    return tuple(str(text).lower().strip("() \n").split())


# ---- what the names of the row's domain and problem are ----

_NESTED = r"[^()]*(?:\([^()]*\)[^()]*)*"
_COMMENT = re.compile(r";[^\n]*")
_ACTION = re.compile(rf"\(\s*:action\s+([^\s()]+)\s*(?::parameters\s*\(({_NESTED})\))?")
_PREDICATE = re.compile(rf"\(\s*([^\s()?]+)({_NESTED})\)")
_TYPE = re.compile(r"\s-\s*(?:\([^()]*\)|[^\s()]+)")


@dataclass(frozen=True, slots=True)
class _Names:
    """Symbols that an answer may begin with, with their number of arguments, and all objects."""

    arities: Mapping[str, int]
    objects: frozenset[str]

    def begins(self, atom: Atom) -> bool:
        """Whether ``atom`` begins with a symbol of the domain and has its number of arguments."""
        return bool(atom) and self.arities.get(atom[0], -1) == len(atom) - 1

    def about_objects(self, atom: Atom) -> bool:
        """Whether all arguments are objects, and there is one at least."""
        return len(atom) > 1 and atom[0] not in self.objects and self.objects.issuperset(atom[1:])

    def accept(self, atom: Atom, marked: bool) -> bool:
        """Whether ``atom`` is meant as an answer; within an ``ANSWER:`` line a wrong name is one too."""
        if self.begins(atom):
            return marked or self.objects.issuperset(atom[1:])
        return marked and self.about_objects(atom)


def _pddl(text: str) -> str:
    return (_COMMENT.sub("", text) if ";" in text else text).lower()


def _section(text: str, head: str) -> str:
    """The inside of ``(:head ...)``, up to the next section."""
    start = text.find(head)
    if start < 0:
        return ""
    end = text.find("(:", start + 1)
    return text[start + len(head) : end if end > 0 else len(text)]


def _objects(domain: str, problem: str) -> frozenset[str]:
    declared = _section(problem, "(:objects") + " " + _section(domain, "(:constants")
    return frozenset(_TYPE.sub(" ", declared).replace(")", " ").split())


# Rows of a domain, and replies to one row, follow each other: their PDDL is read once.
@lru_cache(maxsize=64)
def _arities(domain: str, facts: bool) -> Mapping[str, int]:
    text = _pddl(domain)
    found = _PREDICATE.findall(_section(text, "(:predicates")) if facts else _ACTION.findall(text)
    return {name: parameters.count("?") for name, parameters in found}


@lru_cache(maxsize=64)
def _names(domain: str, problem: str, facts: bool) -> _Names:
    return _Names(_arities(domain, facts), _objects(_pddl(domain), _pddl(problem)))


def _names_of(row: Row, facts: bool) -> _Names:
    """The facts, or else the actions, of the row's domain, and its objects."""
    return _names(_value(row, "PDDL_domain"), _value(row, "PDDL_problem"), facts)


# ---- a reply as plain text, and where its answer stands ----

_MARKS = "\"'`*#|<>$~\u2018\u2019\u201c\u201d\u00ab\u00bb\u00a0\r"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_WIDE = "\uff1a\uff08\uff09\uff0c"
_DRESS = str.maketrans(_MARKS + _DASHES + _WIDE, " " * len(_MARKS) + "-" * len(_DASHES) + ":(),")
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_LATEX = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*|left|right|q?quad|[,;:! ])")
_MARKER = re.compile(
    r"(?:^[ \t{_-]*(?i:(?:(?:the|my|final|so|correct)[ \t]+){0,3}answers?)|\bANSWERS?)[ \t_]*:", re.M
)
_TAG = re.compile(r"<(/?)(?:final[ _-]?)?answer>", re.I)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def _plain(reply: str) -> str:
    """What is said after any thought, without code fences, Markdown and LaTeX dress."""
    text = reply
    if "<" in text:
        # Thought without an end was cut off: nothing is said after it.
        text = text.replace("thinking>", "think>").rpartition("</think>")[2].partition("<think>")[0]
        text = _TAG.sub(lambda tag: "\n\n" if tag[1] else "\nANSWER: ", text)
    if "```" in text:
        text = _FENCE.sub("", text)
    if "\\" in text:
        text = _LATEX.sub(" ", text).replace("\\n", "\n").replace("\\", "")
    return text.translate(_DRESS)


def _find(reply: str, read: Read) -> Any:
    """The answer of ``reply`` as ``read`` gives it; raises _Unreadable."""
    text = _plain(reply)
    marks = list(_MARKER.finditer(text))
    if marks:
        before = text[text.rfind("\n", 0, marks[-1].start()) + 1 : marks[-1].start()].rstrip()
        if before.endswith(" or") and _MARKER.search(before):
            raise _Unreadable("repeats between which answers to choose")
        return read(text[marks[-1].end() :].lower(), True)
    text = text.lower().strip()
    last = _PARAGRAPH.split(text)[-1]
    try:
        return read(last, False)
    except _Unreadable:
        if last == text:
            raise
    return read(text, False)


def _only(found: Iterable[Any], none: str = "no answer found") -> Any:
    """The one thing found."""
    different = list(dict.fromkeys(found))
    if len(different) != 1:
        raise _Unreadable("several different answers" if different else none)
    return different[0]


# ---- the items of a text: answers, words, and the marks that matter ----

_Item: TypeAlias = tuple[str, Any]
ATOM, DENIED, NONE, WORD, MARK = "atom", "denied", "none", "word", "mark"

_TOKEN = re.compile(r"([a-z][\w-]*)?\(([^()]*)\)|(\w[\w-]*)|([:=\[\]{}\n∅])")
_NONE_WORDS = _set("none nil null")
_NEGATORS = _set("not except excluding without but")
_DENIALS = _NEGATORS | _set(
    "no never cannot t wrong incorrect false impossible inapplicable untrue neither nor unlike"
)
_FILLERS = _set("and then also as well plus step action fact proposition")
_REASONS = _set("because since")
_POLITE = _set("the final answer is so thus therefore hence my reply set list a an")
_ASIDE = "()"


def _items(text: str, names: _Names, marked: bool) -> list[_Item]:
    """The items of ``text``; facts and actions without parentheses are put together by arity."""
    raw: list[_Item] = []
    for match in _TOKEN.finditer(text):
        glued, inside, word, mark = match.groups()
        if inside is not None:
            _add_group(raw, glued, tuple(inside.replace(",", " ").split()), names, marked)
        else:
            raw.append((WORD, word) if word else (MARK, mark))
    return _assembled(raw, names, marked)


def _add_group(raw: list[_Item], glued: str | None, group: Atom, names: _Names, marked: bool) -> None:
    """Add what parentheses hold: ``(name x y)``, ``name(x, y)``, nothing at all, or an aside."""
    if glued is not None:
        raw.append((WORD, glued))
    before = raw[-1][1] if raw and raw[-1][0] == WORD else ""
    if group and names.accept(group, marked) and not (glued and names.begins((glued, *group))):
        raw.append((ATOM, group))
    elif before and before != _ASIDE and names.accept((before, *group), marked):
        raw[-1] = (ATOM, (before, *group))
    elif not group or (len(group) == 1 and group[0] in _NONE_WORDS):
        raw.append((NONE, ""))
    elif not group[0].isdigit():
        raw.append((WORD, _ASIDE))


def _marked_items(text: str, names: _Names) -> list[_Item]:
    """What the ``ANSWER:`` line says, with the lines that go on with nothing but answer.

    Where its first entry has a remark, entries with remarks go on too.
    """
    found: list[_Item] = []
    said = remarks = False
    for line in text.split("\n"):
        items = _items(line, names, True)
        talks = any(_is_talk(item) for _, section in _sections(items) for item in section)
        if said and talks and not (remarks and _is_entry(items)):
            break
        if not said:
            said, remarks = any(what != MARK for what, _ in items), talks and _is_entry(items)
        found += items
        found.append((MARK, "\n"))
    return found


def _is_entry(line: list[_Item]) -> bool:
    """Whether a line of items is one atom with at most a remark behind it, which does not deny."""
    atoms = [index for index, (what, _) in enumerate(line) if what in (ATOM, DENIED)]
    if len(atoms) != 1 or line[atoms[0]][0] == DENIED or any(map(_is_talk, line[: atoms[0]])):
        return False
    return not any(what == WORD and value in _DENIALS for what, value in line)


def _without_remarks(items: list[_Item]) -> list[_Item]:
    """``items`` without what stands behind the entries of a list that has one a line."""
    lines: list[list[_Item]] = [[]]
    for item in items:
        lines[-1].append(item)
        if item == (MARK, "\n"):
            lines.append([])
    entries = [line for line in lines if any(what in (ATOM, DENIED) for what, _ in line)]
    if len(entries) < 2 or not all(map(_is_entry, entries)):
        return items
    kept = [[item for item in line if not _is_talk(item)] if _is_entry(line) else line for line in lines]
    return [item for line in kept for item in line]


def _assembled(raw: list[_Item], names: _Names, marked: bool) -> list[_Item]:
    """``raw`` with bare facts, empty lists and negations recognised."""
    found: list[_Item] = []
    index = 0
    while index < len(raw):
        what, value = raw[index]
        width = 1
        if what == WORD and value in names.arities:
            width = _add_bare(found, raw, index, names, marked)
        elif (what == WORD and value in _NONE_WORDS) or value == "∅":
            found.append((NONE, ""))
        elif what == MARK and raw[index + 1 : index + 2] == [(MARK, {"[": "]", "{": "}"}.get(value))]:
            found.append((NONE, ""))
            width = 2
        else:
            found.append((DENIED if what == ATOM and _denied(found) else what, value))
        index += width
    return found


def _add_bare(found: list[_Item], raw: list[_Item], index: int, names: _Names, marked: bool) -> int:
    """Add the fact or action that begins at ``raw[index]`` without parentheses, or the word; its width."""
    head = raw[index][1]
    arity = names.arities[head]
    following = raw[index + 1 : index + 1 + arity]
    arguments = tuple(value for what, value in following if what == WORD and value in names.objects)
    if len(arguments) == arity and (arity or marked or "-" in head or "_" in head):
        found.append((DENIED if _denied(found) else ATOM, (head, *arguments)))
        return 1 + arity
    found.append((WORD, head))
    return 1


def _denied(found: list[_Item]) -> bool:
    return bool(found) and found[-1][0] == WORD and found[-1][1] in _NEGATORS


def _is_talk(item: _Item) -> bool:
    """Whether the item is a word that belongs to no list of answers."""
    what, value = item
    return what == WORD and value not in _FILLERS and not value.isdigit()


def _ordered_runs(items: Iterable[_Item]) -> list[tuple[Atom, ...]]:
    """The atoms that stand together, with no word between them."""
    runs: list[list[Atom]] = [[]]
    for item in items:
        if item[0] in (ATOM, DENIED):
            runs[-1].append(item[1])
        elif runs[-1] and _is_talk(item):
            runs.append([])
    return [tuple(run) for run in runs if run]


def _runs(items: Iterable[_Item]) -> list[Facts]:
    """The different sets of atoms that stand together."""
    return list(dict.fromkeys(map(frozenset, _ordered_runs(items))))


def _says_none(items: list[_Item], marked: bool) -> bool:
    """Whether the reply is None: on an ``ANSWER:`` line the word is enough, elsewhere it stands alone."""
    alone = all(value in _POLITE for what, value in items if what == WORD)
    return (marked or alone) and any(what == NONE for what, _ in items)


# ---- readers: the items of a text as an answer of the kind, or _Unreadable ----


def _reader_of_items(read: Callable[[list[_Item], bool], Any], facts: bool, row: Row) -> Read:
    """A reader of answers made of facts, or of actions."""
    names = _names_of(row, facts)

    def read_text(text: str, marked: bool) -> Any:
        return read(_marked_items(text, names) if marked else _items(text, names, False), marked)

    return read_text


def _put_forward(items: list[_Item], marked: bool) -> list[_Item]:
    """``items`` without remarks and, on an ``ANSWER:`` line, reasons; raises where they deny."""
    items = _without_reasons(items) if marked else items
    if any(what == DENIED for what, _ in items):
        raise _Unreadable("the answer is put in the negative")
    spoken = next((what for what, _ in items if what != MARK), "")
    if marked and spoken == NONE and any(what == ATOM for what, _ in items):
        raise _Unreadable("says none and names an answer too")
    return _without_remarks(items)


def _without_reasons(items: list[_Item]) -> list[_Item]:
    """``items`` without what follows "because" in a line that has named something before it."""
    kept: list[_Item] = []
    named = reason = False
    for what, value in items:
        if value == "\n":
            named = reason = False
        reason = reason or (named and what == WORD and value in _REASONS)
        named = named or what in (ATOM, DENIED, NONE)
        if not reason:
            kept.append((what, value))
    return kept


def _read_set(items: list[_Item], marked: bool) -> Facts:
    """A list of facts or actions, in any order; the empty set for None."""
    items = _put_forward(items, marked)
    return _single(_runs(items), items, marked)


def _reader_of_plans(row: Row) -> Read:
    """A reader of actions in their order; none for None.

    The given plan beside another is a repetition. Without ``ANSWER:``, what names less than half as many
    actions as the given plan does is a remark.
    """
    plan = tuple(_told(row, "plan"))

    def read_plan(items: list[_Item], marked: bool) -> tuple[Atom, ...]:
        items = _put_forward(items, marked)
        runs = list(dict.fromkeys(_ordered_runs(items)))
        if not runs and _says_none(items, marked):
            return ()
        least = min(len(plan) - 2, len(plan) // 2)
        whole = [run for run in runs if marked or len(run) >= least]
        others = [run for run in whole if run != plan]
        return tuple(_only(others or whole, "no plan found"))

    return _reader_of_items(read_plan, False, row)


def _read_one(items: list[_Item], marked: bool) -> Facts:
    """One fact or action, as a set; the empty set for None."""
    items = _put_forward(items, marked)
    return _single([frozenset([atom]) for atom in frozenset().union(*_runs(items))], items, marked)


def _single(found: list[Facts], items: list[_Item], marked: bool) -> Facts:
    """The only one of the answers found, or the empty set where the reply says none."""
    if not found and _says_none(items, marked):
        return frozenset()
    if len(found) != 1:
        raise _Unreadable("several different answers" if found else "no answer found")
    return found[0]


_GAINED = _set("pos positive positives add adds added additions true")
_LOST = _set("neg negative negatives del delete deletes deleted deletions remove removes removed false")
_NOUNS = _set("effect effects list lists fact facts propositions literals fluents set are is")


def _label(items: list[_Item], index: int) -> tuple[str, int]:
    """Which side the words at ``index`` announce, and where its facts begin; ("", index) if none."""
    what, value = items[index]
    base, *rest = re.split("[-_]", value) if what == WORD else ("",)
    side = "pos" if base in _GAINED else "neg" if base in _LOST else ""
    if not side or not _NOUNS.issuperset(rest):
        return "", index
    after = index + 1
    while after < len(items) and items[after][0] == WORD and items[after][1] in _NOUNS | {_ASIDE}:
        after += 1
    what, value = items[after] if after < len(items) else (MARK, "\n")
    if (what, value) in ((MARK, ":"), (MARK, "=")):
        return side, after + 1
    if base in ("true", "false") or (what == WORD):
        return "", index
    return (side, after) if value != "\n" or after > index + 1 or rest else ("", index)


def _sections(items: list[_Item]) -> list[tuple[str, list[_Item]]]:
    """The items that follow each announced side; what stands before the first belongs to none ("")."""
    found: list[tuple[str, list[_Item]]] = [("", [])]
    index = 0
    while index < len(items):
        side, start = _label(items, index)
        if side:
            found.append((side, []))
            index = start
        else:
            found[-1][1].append(items[index])
            index += 1
    return found


def _read_sides(items: list[_Item], marked: bool) -> dict[str, Facts]:
    """The facts that become true (``pos``) and false (``neg``)."""
    sections = _sections(items)[1:] or _unlabelled(items)
    if not sections:
        if _says_none(items, marked) and not _runs(items):
            return {"pos": frozenset(), "neg": frozenset()}
        raise _Unreadable("no positive and negative effects found")
    sides: dict[str, Facts] = {}
    for side, section in sections:
        facts = _side(side, section, marked)
        if sides.setdefault(side, facts) != facts:
            raise _Unreadable(f"several different lists of '{side}' effects")
    if len(sides) != 2:
        raise _Unreadable(f"only the '{next(iter(sides))}' effects are named")
    return sides


def _side(side: str, section: list[_Item], marked: bool) -> Facts:
    """The facts of one section; an empty section of an ``ANSWER:`` line has none."""
    runs = _runs(section)
    if side == "pos" and any(what == DENIED for what, _ in section):
        raise _Unreadable("a negated fact among the positive effects")
    if not runs and (_says_none(section, True) or (marked and all(what == MARK for what, _ in section))):
        return frozenset()
    if len(runs) != 1:
        raise _Unreadable(f"{'several different' if runs else 'no'} lists of '{side}' effects")
    return runs[0]


def _unlabelled(items: list[_Item]) -> list[tuple[str, list[_Item]]]:
    """Sides told apart without words: two bracketed lists, or ``(not ...)`` for what becomes false."""
    lists: list[list[_Item]] = []
    for item in items:
        if item in ((MARK, "["), (NONE, "")):
            lists.append([item])
        elif lists and item != (MARK, "]"):
            lists[-1].append(item)
    if len(lists) == 2:
        return [("pos", lists[0]), ("neg", lists[1])]
    if any(what == DENIED for what, _ in items) and len(_runs(items)) <= 2:
        kept = [item for item in items if item[0] == ATOM]
        return [("pos", kept or [(NONE, "")]), ("neg", [item for item in items if item[0] == DENIED])]
    return []


# ---- clauses, for answers that are a word: an index, yes or no, a choice ----

_WORD = r"[^\W_](?:[\w-]*[^\W_])?"
_WORDS = re.compile(_WORD)
_PIECE = re.compile(rf"(?<![\w-])-[0-9]+|[0-9]+\.[0-9]+|(?<![^\s(])\?{_WORD}|{_WORD}|[^\w\s/]|\n")
_CONNECTORS = _set(
    "because since as while whereas although though but if when after before so therefore thus hence"
)
_PHRASE = _set(
    "the an answer answers final is it s be this that statement claim fact proposition my reply correct"
    " right best option options choice letter alternative one would must should will i say think believe"
    " choose pick select go going with to and or both either definitely certainly clearly indeed conclusion"
    " sure let am m d ll"
)
_CHOICE_PHRASE = _PHRASE | _set("only works holds applies true valid possible applicable reachable")
_KEYS = _set("option options choice answer letter alternative")
_INDEX = _set("index idx")
_INDEX_PHRASE = _set("is of the number no at action step first inapplicable : = ( [")
_STEPS = _set("action actions step steps")
_INDEX_WORDS = _PHRASE | _set("a action first inapplicable")
_NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(r"-?[0-9]+")
_NUMBERING = re.compile(r"^[ \t(\[-]*[0-9]+[.):\]]+[ \t]+(?=\S)", re.M)
_REASON = re.compile(r"\b(?:because|since|as|after|before|when|while)\b")
_NOWHERE = -1


def _clauses(pieces: Iterable[str]) -> Iterator[list[str]]:
    """The words between marks of punctuation and words such as "because"."""
    clause: list[str] = []
    for piece in pieces:
        if piece in _CONNECTORS or (len(piece) == 1 and not piece.isalnum()):
            if piece == "(" and clause[-1:] == ["not"]:
                continue
            if clause:
                yield clause
            clause = []
        else:
            clause.append(piece)
    if clause:
        yield clause


def _reader_of_words(prepare: Callable[[Row], Callable[[str, bool], list[Any]]], row: Row) -> Read:
    """A reader of the one thing that a text says; of marked text, its first line that says anything."""
    say = prepare(row)

    def read_text(text: str, marked: bool) -> Any:
        lines = text.split("\n") if marked else [text]
        return _only(next((found for line in lines if (found := say(line, marked))), []))

    return read_text


def _indices(row: Row, names: _Names, text: str, marked: bool) -> list[int]:
    """The places that a text names, by number or action; ``_NOWHERE`` for none in the sequence."""
    text = text if marked else _NUMBERING.sub("", text)
    numbers = _numbers(text, marked)
    items = _items(_REASON.split(text, maxsplit=1)[0] if numbers else text, names, marked)
    items = _put_forward(items, marked)
    atoms = list(dict.fromkeys(value for what, value in items if what == ATOM))
    if not atoms:
        return numbers or ([_NOWHERE] if _says_none(items, marked) else [])
    sequence = _told(row, "sequence")
    if numbers and not any(_at(sequence, number) in atoms for number in numbers):
        raise _Unreadable("index and action disagree")
    return numbers or [_place(sequence, _only(atoms))]


def _numbers(text: str, marked: bool) -> list[int]:
    """Numbers called an index; or else those alone in their clause; or, if ``marked``, any."""
    pieces = _PIECE.findall(text)
    clauses = list(_clauses(pieces))
    words = [word for clause in clauses for word in clause]
    if marked and len(words) == 1 and words[0] in _NUMERALS:
        return [_NUMERALS.index(words[0])]
    found = _called_index(pieces) or _alone(clauses) or (words if marked else [])
    return [int(word) if len(word) < 10 else _NOWHERE for word in found if _NUMBER.fullmatch(word)]


def _alone(clauses: Iterable[list[str]]) -> list[str]:
    """The numbers in clauses that hold no other words than "the first inapplicable action is"."""
    found = []
    for clause in clauses:
        numbers = [word for word in clause if _NUMBER.fullmatch(word)]
        named = any(word in _STEPS and _NUMBER.fullmatch(after) for word, after in pairwise(clause))
        if not named and _INDEX_WORDS.issuperset(set(clause).difference(numbers)):
            found += numbers
    return found


def _called_index(pieces: list[str]) -> list[str]:
    found = []
    for place, piece in enumerate(pieces):
        if piece in _INDEX:
            rest = (other for other in pieces[place + 1 : place + 9] if other not in _INDEX_PHRASE)
            found += [word for word in [next(rest, "")] if _NUMBER.fullmatch(word)]
    return found


def _at(sequence: Sequence[Atom], index: int) -> Atom:
    return sequence[index] if 0 <= index < len(sequence) else ()


def _place(sequence: Sequence[Atom], action: Atom) -> int:
    """Where the only occurrence of an action is."""
    if sequence.count(action) > 1:
        raise _Unreadable("the action occurs several times: which is meant?")
    return sequence.index(action) if action in sequence else _NOWHERE


_TOLD = re.compile(r"(?:\([^()]*\)\s*)+")
_GROUP = re.compile(r"\(([^()]*)\)")


def _told(row: Row, column: str) -> list[Atom]:
    """The actions of a column, or else of the longest list of actions in the question."""
    if (stored := _given(row, column)) is not None:
        return [_atom(step) for step in stored]
    longest = max(_TOLD.findall(str(_value(row, "question"))), key=len, default="")
    return [_atom(step) for step in _GROUP.findall(longest)]


_YES, _NO = _set("yes true yep y"), _set("no false nope n")
_GOES_ON = _set("it this that the there they we you i he she")
_NAMED = _set(
    "answer answers statement claim fact proposition reply correct right best option options choice one"
)


def _verdicts(text: str, _: bool) -> list[str]:
    """What each clause of a text says, if it says one; "yes or no" repeats the question."""
    said = (_verdict(clause) for clause in _clauses(_PIECE.findall(text)))
    return [verdict for verdict in said if verdict]


def _verdict(clause: list[str]) -> str:
    """``yes`` or ``no`` if the clause is nothing else, or a sentence begins behind it ("yes it can")."""
    words = [word for word in clause if word not in _PHRASE and word != "a"]
    if not words or words[0] not in _YES | _NO:
        return ""
    verdict, alike = ("yes", _YES) if words[0] in _YES else ("no", _NO)
    after = [*clause[clause.index(words[0]) + 1 :], ""][0]
    if words[0] == verdict and after in _GOES_ON:
        return verdict
    return verdict if alike.issuperset(words) and not (verdict == "no" and after in _NAMED) else ""


# ---- choices ----


@dataclass(frozen=True, slots=True)
class _Options:
    """The letters of a choice, and what each option says, longest first, where no other says it too."""

    labels: frozenset[str]
    texts: tuple[tuple[str, str], ...]


def _options(row: Row) -> _Options:
    choices = _given(row, "choices") or {"text": (), "label": "abcd"}
    labels = [str(label).lower() for label in choices["label"]]
    formal = _given(row, "choices_pddl")
    by_text: dict[str, set[str]] = {}
    for texts in (choices["text"], () if formal is None else formal):
        for label, text in zip(labels, texts, strict=False):
            by_text.setdefault(_key(_WORDS.findall(str(text).lower())), set()).add(label)
    single = [
        (text, label)
        for text, found in by_text.items()
        for label in found
        if text.strip() and len(found) == 1
    ]
    return _Options(frozenset(labels), tuple(sorted(single, key=lambda each: (-len(each[0]), each))))


def _key(words: Iterable[str]) -> str:
    """Words as they are compared: marks do not count, nor does "and"."""
    return " " + "".join(f"{word} " for word in words if word != "and")


def _choices(options: _Options, text: str, marked: bool) -> list[str]:
    """The options that a text gives as its answer; if none, those that it mentions.

    Marked text that does neither may begin with the letter, if it cannot be the article.
    """
    given: list[str] = []
    mentioned: list[str] = []
    first: list[str] = []
    for clause in _clauses(_with_options(options, _PIECE.findall(text))):
        if _DENIALS.isdisjoint(clause):
            given += _letters(options, clause)
            mentioned += [word[1:] for word in clause if word[0] == "="]
            first = first or clause
    begins = [word for word in first[:1] if marked and word in options.labels and word != "a"]
    return given or mentioned or begins


def _with_options(options: _Options, pieces: list[str]) -> list[str]:
    """The pieces of a text, with ``=b`` in place of the text of option b."""
    places = [place for place, piece in enumerate(pieces) if piece != "and" and _WORDS.match(piece)]
    words = [pieces[place] for place in places]
    flat = _key(words)
    if not any(text in flat for text, _ in options.texts):
        return pieces
    offsets = accumulate((len(word) + 1 for word in words), initial=0)
    number = {offset: place for place, offset in enumerate(offsets)}
    found = _occurrences(options, flat, number)
    spans = {places[first]: (places[last - 1], label) for first, (last, label) in found.items()}
    return list(_put_in(pieces, spans))


def _occurrences(options: _Options, flat: str, number: Mapping[int, int]) -> dict[int, tuple[int, str]]:
    """The words that spell an option: the number of the first, of the one after the last, its letter.

    Where texts overlap, the longer is meant.
    """
    taken = bytearray(len(number))
    found = {}
    for text, label in options.texts:
        at = flat.find(text)
        while at >= 0:
            first, last = number[at], number[at + len(text) - 1]
            if not any(taken[first:last]):
                taken[first:last] = b"\1" * (last - first)
                found[first] = last, label
            at = flat.find(text, at + len(text) - 1)
    return found


def _put_in(pieces: list[str], spans: Mapping[int, tuple[int, str]]) -> Iterator[str]:
    """``pieces`` with one sign for each span: by first place, the last place and the letter."""
    until = -1
    for place, piece in enumerate(pieces):
        if place in spans:
            until, label = spans[place]
            yield f"={label}"
        elif place > until:
            yield piece


def _letters(options: _Options, clause: list[str]) -> list[str]:
    """The letters that a clause gives: alone, or behind a word such as "option"."""
    found: list[tuple[str, bool]] = []
    alone = True
    for before, word, after in zip(["", *clause], clause, [*clause[1:], ""], strict=False):
        if word[0] == "=":
            found.append((word[1:], False))
        elif word in options.labels and _is_letter(options, before, word, after):
            found.append((word, before in _KEYS or (before == "is" and not _KEYS.isdisjoint(clause))))
        elif word not in _CHOICE_PHRASE and word not in options.labels and word != "a":
            alone = False
    return [letter for letter, keyed in found if alone or keyed]


def _is_letter(options: _Options, before: str, word: str, after: str) -> bool:
    """Whether a word of one letter is a label: not an article, nor what is left of "I'd"."""
    if word == "d" and before in _GOES_ON:
        return False
    known = not after or after in ("is", "and", "or") or after in options.labels or after[0] == "="
    return word != "a" or known or before in ("option", "choice", "letter", "alternative")


# ---- checkers: what was read against what the row stores ----


def _stored(facts: Iterable[Any]) -> Facts:
    return frozenset(map(_atom, facts))


def _score(right: bool, detail: str, parts: Mapping[str, float] | None = None) -> Score:
    return Score(int(right), RIGHT if right else WRONG, "" if right else detail, parts or {})


def _spoken(facts: Facts) -> str:
    return ", ".join(f"({' '.join(fact)})" for fact in sorted(facts)) or "none"


def _difference(found: Facts, gold: Facts) -> str:
    said = [("missing", gold - found), ("not in the answer", found - gold)]
    return "; ".join(f"{what}: {_spoken(facts)}" for what, facts in said if facts)


def _check_set(found: Facts, row: Row) -> Score:
    """Right iff the sets are equal; ``jaccard`` is their similarity, 1 for two empty sets."""
    gold = _stored(_given(row, "answer"))
    union = len(found | gold)
    similarity = len(found & gold) / union if union else 1.0
    return _score(found == gold, _difference(found, gold), {"jaccard": similarity})


def _check_sides(found: Mapping[str, Facts], row: Row) -> Score:
    """Right iff both sides are equal; a part for each side."""
    answer = _given(row, "answer")
    gold = {side: _stored(answer[side]) for side in ("pos", "neg")}
    wrong = [f"{side}: {_difference(found[side], gold[side])}" for side in gold if found[side] != gold[side]]
    return _score(not wrong, "; ".join(wrong), {side: float(found[side] == gold[side]) for side in gold})


class _Listed:
    """Stored facts or actions, of which there may be thousands: found as text, without parsing each."""

    def __init__(self, facts: Iterable[str]) -> None:
        text = "\n".join(facts).lower()
        if "  " in text or "( " in text:
            text = "\n".join(" ".join(_atom(line)) for line in text.split("\n"))
        self._text = f"\n{text}\n"

    def has(self, atoms: Facts) -> bool:
        """Whether all of ``atoms`` are among them, with parentheses or without."""
        spelled = (" ".join(atom) for atom in atoms)
        return all(f"\n({each})\n" in self._text or f"\n{each}\n" in self._text for each in spelled)

    @property
    def first(self) -> str:
        """The first of them, in parentheses; empty where there is none."""
        text = self._text.split("\n", 2)[1].strip("()")
        return f"({text})" if text else ""


def _check_member(found: Facts, gold: _Listed) -> Score:
    """One element of ``gold``, or None where it is empty."""
    if not found:
        return _score(not gold.first, f"there is one, for example {gold.first}")
    return _score(gold.has(found), f"{_spoken(found)} is not an answer")


def _check_landmark(found: Facts, row: Row) -> Score:
    return _check_member(found, _Listed(_given(row, "answer")["yes"]))


def _check_unreachable(found: Facts, row: Row) -> Score:
    complete = _given(row, "answer_all")
    return _check_member(found, _Listed(_given(row, "answer") if complete is None else complete))


def _check_unreachable_action(found: Facts, row: Row) -> Score:
    """As ``_check_unreachable``; the row may store the reachable actions instead, with what is well-typed."""
    for atom in found:
        if ill := _ill_typed(atom, row):
            return _score(False, f"{_spoken(found)} is no action of the problem: {ill}")
    if _value(row, "answer_all_is") != "reachable":
        return _check_unreachable(found, row)
    if not found:
        return _check_member(found, _Listed(_given(row, "answer")))
    reachable = _Listed(_given(row, "answer_all"))
    return _score(not reachable.has(found), f"{_spoken(found)} can become applicable")


@lru_cache(maxsize=64)
def _typing(text: str) -> tuple[Mapping[str, Sequence[Sequence[str]]], Mapping[str, frozenset[str]]]:
    """For each action the types of its parameters, for each type its objects."""
    typing = json.loads(text)
    objects = {kind: frozenset(map(str.lower, names)) for kind, names in typing["objects"].items()}
    return {name.lower(): kinds for name, kinds in typing["actions"].items()}, objects


def _ill_typed(atom: Atom, row: Row) -> str:
    """Why ``atom`` is no well-typed ground action; empty if it is one, or the row does not tell."""
    if (text := _value(row, "typing")) is None:
        return ""
    actions, objects = _typing(text)
    kinds = actions.get(atom[0])
    if kinds is None or len(kinds) != len(atom) - 1:
        return f"no action '{atom[0]}' of {len(atom) - 1} arguments"
    for name, allowed in zip(atom[1:], kinds, strict=True):
        if not any(name in objects.get(kind, ()) for kind in allowed):
            return f"'{name}' is no {' or '.join(allowed)}"
    return ""


def _check_closer(found: Facts, row: Row) -> Score:
    """One of ``yes``; a published row may leave actions open (``maybe``), which count as wrong."""
    answer = _given(row, "answer")
    score = _check_member(found, _Listed(answer["yes"]))
    if score.value or not found:
        return score
    reasons = {"no": "does not bring the goal closer", "maybe": "is not decided in the row"}
    known = (why for side, why in reasons.items() if _Listed(answer.get(side, ())).has(found))
    return _score(False, f"{_spoken(found)} {next(known, 'is not applicable')}")


def _check_index(found: int, row: Row) -> Score:
    gold = int(_given(row, "answer"))
    return _score(found == gold, f"it is not {'in the sequence' if found == _NOWHERE else f'index {found}'}")


def _check_removal(found: tuple[Atom, ...], row: Row) -> Score:
    """Right iff the plan is what one of the removals leaves."""
    plan = _told(row, "plan")
    gone = len(plan) - len(found)
    starts = {start for start, width in _removals(row, plan) if width == gone}
    right = any((*plan[:start], *plan[start + gone :]) == found for start in starts)
    if gone in (1, 2):
        return _score(right, "these actions cannot be removed, or others were changed")
    return _score(right, f"one action or two are to be removed; {len(found)} of {len(plan)} are left")


def _removals(row: Row, plan: Sequence[Atom]) -> Iterator[tuple[int, int]]:
    """Where each stored removal begins, and how many actions it takes away.

    Without ``positions``, a pair is removed wherever it stands, an action at the occurrence named.
    """
    answer = _given(row, "answer")
    positions = _given(row, "positions")
    if positions is not None:
        yield from ((int(start), len(each) - 1) for start, each in zip(positions, answer, strict=True))
        return
    for *removed, occurrence in answer:
        atoms = [_atom(step) for step in removed]
        places = [i for i in range(len(plan)) if list(plan[i : i + len(atoms)]) == atoms]
        kept = places if len(atoms) == 2 else places[int(occurrence) - 1 :][:1]
        yield from ((place, len(atoms)) for place in kept)


def _check_word(found: str, row: Row) -> Score:
    """``yes`` or ``no``, or a letter."""
    return _score(found == str(_value(row, "answer")).strip().lower(), f"it is not {found}")


@dataclass(frozen=True, slots=True)
class _Kind:
    """How replies to one kind of question are read and checked."""

    reader: Callable[[Row], Read]
    check: Callable[[Any, Row], Score]


_SAID = _Kind(partial(_reader_of_words, lambda _: _verdicts), _check_word)
_CHOSEN = _Kind(partial(_reader_of_words, lambda row: partial(_choices, _options(row))), _check_word)
_MC = ("applicable_actions", "reachable_atom", "reachable_action")
_MCQ = ("progression", "validation", "action_justification", "landmarks")
KINDS: Mapping[str, _Kind] = {
    "applicable_actions_gen": _Kind(partial(_reader_of_items, _read_set, False), _check_set),
    "progression_gen": _Kind(partial(_reader_of_items, _read_sides, True), _check_sides),
    "reachable_atom_gen": _Kind(partial(_reader_of_items, _read_one, True), _check_unreachable),
    "reachable_action_gen": _Kind(partial(_reader_of_items, _read_one, False), _check_unreachable_action),
    "validation_gen": _Kind(
        partial(_reader_of_words, lambda row: partial(_indices, row, _names_of(row, False))), _check_index
    ),
    "action_justification_gen": _Kind(_reader_of_plans, _check_removal),
    "landmarks_gen": _Kind(partial(_reader_of_items, _read_one, True), _check_landmark),
    "goal_closer_gen": _Kind(partial(_reader_of_items, _read_one, False), _check_closer),
    **{f"{name}_bool": _SAID for name in _MC + _MCQ},
    **{f"{name}_mc": _CHOSEN for name in _MC},
    **{f"{name}_mcq": _CHOSEN for name in _MCQ},
}
