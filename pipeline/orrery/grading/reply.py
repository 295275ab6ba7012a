"""Find the answer of a reply.

The first applicable rule is used:

1. the last line that begins with ``ANSWER:``, with the following lines as long as they contain only the
   answer (in capitals, ``ANSWER:`` also counts within a line; so does a tag ``<answer>``);
2. the last paragraph, if it contains exactly one well-formed answer (paragraphs with only items in
   parentheses count as one, and items of one list with reasons are no paragraphs of their own);
3. the whole reply, if it contains exactly one well-formed answer.

Anything else is ``unparsed``: there is no guess between several different answers. Case, commas, quotes,
missing parentheses, ``name(argument, ...)``, ``pick_up`` for ``pick-up``, numbering, JSON and markup are
tolerated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeAlias

from .corrections import refuse_other_answer
from .markup import ANSWER, FENCE, plain_text, without_markup
from .score import UnreadableAnswer, bounded
from .symbols import Symbols
from .words import HEDGED_BY, HEDGES

# Reads an answer from a text, which may be marked as the answer, or raises UnreadableAnswer.
Read: TypeAlias = Callable[[str, bool], Any]

_BORDERS = str.maketrans("#|<>", "    ", FENCE)
_BULLET = re.compile(r"[\d*+-]")
_NUMBER = re.compile(r"\d+")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_JOINING = "|".join(("and", "also", "it", "that", *sorted(HEDGES | HEDGED_BY)))
_ITEMS = re.compile(r"(?:[^\w()]*(?:(?:step[ ])?\d+[.):][^\w()]*)?(?:[^\W\d][\w-]*)?\([^()]*\))+[^\w()]*")


def find_answer(reply: str, read: Read, words: Callable[[], Collection[str]] = tuple) -> Any:
    """Return the answer of ``reply``, as parsed by ``read``. The ``words`` of options correct no answer.

    Raises:
        UnreadableAnswer: There is no answer, or no single one.
    """
    text = plain_text(without_markup(reply)).translate(_BORDERS)
    markers = list(ANSWER.finditer(text))
    if markers:
        before = text[text.rfind("\n", 0, markers[-1].start()) + 1 : markers[-1].start()].rstrip()
        if before.endswith(" or") and ANSWER.search(before):
            raise UnreadableAnswer("repeats between which answers to choose")
        text = bounded(text[markers[-1].end() :]).lower()
        answer = read(text, True)
        refuse_other_answer(text, answer, lambda correction: read(correction, True), words)
        return answer
    text = text.lower().strip()
    last = _last_paragraph(text)
    try:
        return read(bounded(last), False)
    except UnreadableAnswer:
        if last == text:
            raise
    return read(bounded(text), False)


def _last_paragraph(text: str) -> str:
    """Return the last paragraph; if it has only items in parentheses, with all such paragraphs before it.

    If each has one item, words and a colon may precede the first item. If the last paragraph begins with an
    item of the same list as the one before ("Step 2: (wave)", and a reason), the answer is the whole text.
    """
    paragraphs = _PARAGRAPH.split(text)
    if len(paragraphs) > 1 and _is_next_item(*paragraphs[-2:]):
        return text
    first = len(paragraphs) - 1
    while first and all(map(_ITEMS.fullmatch, paragraphs[first - 1 : first + 1])):
        first -= 1
    single = (
        first and len(paragraphs) - first > 1 and all(text.count("(") == 1 for text in paragraphs[first:])
    )
    items = paragraphs[first - 1].partition(":")[2] if single else ""
    announced = [items] if items.count("(") == 1 and _ITEMS.fullmatch(items) else []
    return "\n".join((*announced, *paragraphs[first:]))


def _is_next_item(before: str, paragraph: str) -> bool:
    """Return whether two paragraphs have the same bullet or label, apart from its number, before an item.

    Paragraphs that have only items are none of these.
    """
    labels = {_NUMBER.sub("0", text.partition("(")[0].strip()) for text in (before, paragraph) if "(" in text}
    is_labelled = len(labels) == 1 and _BULLET.search(labels.pop()) is not None
    return is_labelled and not all(map(_ITEMS.fullmatch, (before, paragraph)))


def lists_items_too(text: str, verdict: str, symbols: Symbols) -> bool:
    """Return whether facts or actions directly follow a verdict such as "none": "none, (pick-up b1)".

    Words such as "and maybe" may stand between them.
    """
    groups = re.findall(rf"\b{verdict}\b[\s,;.:>\u2192\u21d2-]*(?:(?:{_JOINING})\s+)*\(([^()]+)\)", text)
    atoms = (tuple(group.replace(",", " ").split()) for group in groups)
    return any(atom and (atom[0] in symbols.types or symbols.is_well_formed(atom)) for atom in atoms)


def only(answers: Iterable[Any], none: str = "no answer found") -> Any:
    """Return the only distinct answer.

    Raises:
        UnreadableAnswer: There are several different answers, or none; ``none`` is the message for no answer.
    """
    different = list(dict.fromkeys(answers))
    if len(different) != 1:
        raise UnreadableAnswer("several different answers" if different else none)
    return different[0]
