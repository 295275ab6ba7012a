"""Grading of replies to planning questions: ``grade(reply, row)``, with nothing needed but the row.

Standard library only; this one file is shipped beside the dataset. Answers stored in a row are
complete, so that grading is a look-up: no planner, no limits of time, no files.

What counts as the answer within a reply, first rule that applies:

1. the last line that begins with ``ANSWER:``, with the lines after it as long as these hold nothing
   but answer (in capitals, ``ANSWER:`` counts within a line too);
2. the last paragraph, if it holds exactly one well-formed answer;
3. the whole reply, if it holds exactly one well-formed answer.

Anything else is ``unparsed``: several different answers are never guessed between. Case, commas,
quotes, missing parentheses, ``name(argument, ...)``, numbering, JSON, code fences, Markdown and
LaTeX dress are tolerated. Text in parentheses counts as an answer only if it begins with a name of
the row's domain and has its number of arguments.

A kind of question is one reader and one checker, listed in ``KINDS`` by the ``group`` of its rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Atom: TypeAlias = tuple[str, ...]
Row: TypeAlias = Mapping[str, Any]
Facts: TypeAlias = frozenset[Atom]

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

    ``row`` needs the columns ``group``, ``answer``, ``PDDL_domain`` and ``PDDL_problem``, and uses
    ``answer_all`` where the stored ``answer`` is capped.

    Raises:
        ValueError: ``row`` is of a group that this file does not grade.
    """
    group = row.get("group")
    kind = KINDS.get(group or "")
    if kind is None:
        raise ValueError(f"group {group!r} is not graded here (graded: {', '.join(sorted(KINDS))})")
    try:
        found = _find(answer or "", kind, kind.names(row))
    except _Unreadable as reason:
        return Score(0, UNPARSED, str(reason))
    return kind.check(found, row)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


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


def _names(row: Row, declared: Callable[[str], list[tuple[str, str]]]) -> _Names:
    domain, problem = _pddl(row["PDDL_domain"]), _pddl(row["PDDL_problem"])
    arities = {name: parameters.count("?") for name, parameters in declared(domain)}
    return _Names(arities, _objects(domain, problem))


def _action_names(row: Row) -> _Names:
    return _names(row, _ACTION.findall)


def _fact_names(row: Row) -> _Names:
    return _names(row, lambda domain: _PREDICATE.findall(_section(domain, "(:predicates")))


# ---- a reply as plain text, and where its answer stands ----

_MARKS = "\"'`*#|<>$~\u2018\u2019\u201c\u201d\u00ab\u00bb\u00a0\r"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
_WIDE = "\uff1a\uff08\uff09\uff0c"
_DRESS = str.maketrans(_MARKS + _DASHES + _WIDE, " " * len(_MARKS) + "-" * len(_DASHES) + ":(),")
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$", re.M)
_LATEX = re.compile(r"\\(?:boxed|text[a-z]*|math[a-z]*|left|right|q?quad|[,;:! ])")
_MARKER = re.compile(
    r"(?:^[ \t{_-]*(?i:(?:(?:the|my|final|so)[ \t]+){0,3}answers?)|\bANSWERS?)[ \t_]*:", re.M
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


def _plain(reply: str) -> str:
    """The reply after any reasoning block, without code fences, Markdown and LaTeX dress."""
    text = reply.rpartition("</think>")[2]
    if "```" in text:
        text = _FENCE.sub("", text)
    if "\\" in text:
        text = _LATEX.sub(" ", text).replace("\\n", "\n").replace("\\", "")
    return text.translate(_DRESS)


def _find(reply: str, kind: _Kind, names: _Names) -> Any:
    """The answer of ``reply`` in the form that ``kind`` checks; raises _Unreadable."""
    text = _plain(reply)
    marks = list(_MARKER.finditer(text))
    if marks:
        return kind.read(_marked_items(text[marks[-1].end() :].lower(), names), True)
    text = text.lower().strip()
    last = _PARAGRAPH.split(text)[-1]
    try:
        return kind.read(_items(last, names, False), False)
    except _Unreadable:
        if last == text:
            raise
    return kind.read(_items(text, names, False), False)


def _marked_items(text: str, names: _Names) -> list[_Item]:
    """What the ``ANSWER:`` line says, with the lines that go on with nothing but answer."""
    found: list[_Item] = []
    said = False
    for line in text.split("\n"):
        items = _items(line, names, True)
        if said and any(_is_talk(item) for _, section in _sections(items) for item in section):
            break
        found += items
        found.append((MARK, "\n"))
        said = said or any(what != MARK for what, _ in items)
    return found


# ---- the items of a text: answers, words, and the marks that matter ----

_Item: TypeAlias = tuple[str, Any]
ATOM, DENIED, NONE, WORD, MARK = "atom", "denied", "none", "word", "mark"

_TOKEN = re.compile(r"([a-z][\w-]*)?\(([^()]*)\)|(\w[\w-]*)|([:=\[\]{}\n∅])")
_NONE_WORDS = _set("none nil null")
_NEGATORS = _set("not except excluding without but")
_FILLERS = _set("and then also plus step action fact proposition")
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


def _runs(items: Iterable[_Item]) -> list[Facts]:
    """The different sets of atoms that stand together, with no word between them."""
    runs: list[list[Atom]] = [[]]
    for item in items:
        if item[0] in (ATOM, DENIED):
            runs[-1].append(item[1])
        elif runs[-1] and _is_talk(item):
            runs.append([])
    return list(dict.fromkeys(frozenset(run) for run in runs if run))


def _says_none(items: list[_Item], marked: bool) -> bool:
    """Whether the reply is None: on an ``ANSWER:`` line the word is enough, elsewhere it stands alone."""
    alone = all(value in _POLITE for what, value in items if what == WORD)
    return (marked or alone) and any(what == NONE for what, _ in items)


def _refuse_denials(items: list[_Item], marked: bool) -> None:
    if any(what == DENIED for what, _ in items):
        raise _Unreadable("the answer is put in the negative")
    spoken = next((what for what, _ in items if what != MARK), "")
    if marked and spoken == NONE and any(what == ATOM for what, _ in items):
        raise _Unreadable("says none and names an answer too")


# ---- readers: the items of a text as an answer of the kind, or _Unreadable ----


def _read_set(items: list[_Item], marked: bool) -> Facts:
    """A list of facts or actions, in any order; the empty set for None."""
    _refuse_denials(items, marked)
    return _single(_runs(items), items, marked)


def _read_one(items: list[_Item], marked: bool) -> Facts:
    """One fact or action, as a set; the empty set for None."""
    _refuse_denials(items, marked)
    atoms = frozenset(atom for run in _runs(items) for atom in run)
    return _single([frozenset([atom]) for atom in atoms], items, marked)


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


# ---- checkers: what was read against what the row stores ----


def _stored(facts: Iterable[str]) -> Facts:
    """Stored facts or actions, with or without parentheses."""
    return frozenset(tuple(text.lower().strip("() \n").split()) for text in facts)


def _score(right: bool, detail: str, parts: Mapping[str, float] | None = None) -> Score:
    return Score(int(right), RIGHT if right else WRONG, "" if right else detail, parts or {})


def _spoken(facts: Facts) -> str:
    return ", ".join(f"({' '.join(fact)})" for fact in sorted(facts)) or "none"


def _difference(found: Facts, gold: Facts) -> str:
    said = [("missing", gold - found), ("not in the answer", found - gold)]
    return "; ".join(f"{what}: {_spoken(facts)}" for what, facts in said if facts)


def _check_set(found: Facts, row: Row) -> Score:
    """Right iff the sets are equal; ``jaccard`` is their similarity, 1 for two empty sets."""
    gold = _stored(row["answer"])
    union = len(found | gold)
    similarity = len(found & gold) / union if union else 1.0
    return _score(found == gold, _difference(found, gold), {"jaccard": similarity})


def _check_sides(found: Mapping[str, Facts], row: Row) -> Score:
    """Right iff both sides are equal; a part for each side."""
    gold = {side: _stored(row["answer"][side]) for side in ("pos", "neg")}
    wrong = [f"{side}: {_difference(found[side], gold[side])}" for side in gold if found[side] != gold[side]]
    return _score(not wrong, "; ".join(wrong), {side: float(found[side] == gold[side]) for side in gold})


def _check_member(found: Facts, gold: Facts) -> Score:
    """One element of ``gold``, or None where it is empty."""
    if not found:
        return _score(not gold, "there is one, for example " + _spoken(frozenset(sorted(gold)[:1])))
    return _score(found <= gold, f"{_spoken(found)} is not an answer")


def _check_landmark(found: Facts, row: Row) -> Score:
    return _check_member(found, _stored(row["answer"]["yes"]))


def _check_unreachable(found: Facts, row: Row) -> Score:
    return _check_member(found, _stored(row["answer_all"] if "answer_all" in row else row["answer"]))


@dataclass(frozen=True, slots=True)
class _Kind:
    """How replies to one kind of question are read and checked."""

    names: Callable[[Row], _Names]
    read: Callable[[list[_Item], bool], Any]
    check: Callable[[Any, Row], Score]


KINDS: Mapping[str, _Kind] = {
    "applicable_actions_gen": _Kind(_action_names, _read_set, _check_set),
    "progression_gen": _Kind(_fact_names, _read_sides, _check_sides),
    "reachable_atom_gen": _Kind(_fact_names, _read_one, _check_unreachable),
    "landmarks_gen": _Kind(_fact_names, _read_one, _check_landmark),
}
