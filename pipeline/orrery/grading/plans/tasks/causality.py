"""Which step provides a fact, or fails first (``causality``): its number, 0 for the initial state.

The number is called that of a step, or stands alone in its clause; after ``ANSWER:`` any single number. The
action itself counts if it occurs exactly once among those shown. The step that is asked about is no answer
where another is named.
"""

from __future__ import annotations

import re
from functools import partial

from ...clauses import PHRASE
from ...reply import find_answer, only
from ...row import Row, action_sequence, value
from ...score import Score, UnreadableAnswer, score_of
from ...tokens import NUMERALS, ORDINALS, word_set
from ..grader import PlanGrader
from ..lines import mentioned_in
from ..plan_reply import step_symbols
from ..tokens import DOUBTS

_INITIAL = re.compile(
    r"\b(?:initial(?:ly)?|initial state|(?:at|from) the (?:start|beginning|outset)|starting state|start state"
    r"|step 0|zeroth step)\b"
)
_SENTENCE = re.compile(r"[.;!\n](?=\s|$)")
_WORD = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*|[#:()\[\]=]")
_CALLED = word_set("step steps action number # no index is : answer = ( [")
_PHRASE = PHRASE | word_set("step action number # no : ( ) [ ] = a first fails provides provider index")
_HUGE = -1


def _read(reply: str, row: Row) -> int:
    """Return the number of the step that a reply names."""
    return int(find_answer(reply, partial(_read_text, row)))


def _read_text(row: Row, text: str, marked: bool) -> int:
    asked = int(value(row, "step"))
    sentences = [each for each in _SENTENCE.split(text) if each.strip()]
    for part in sentences if marked else [text]:
        found = _numbers(row, part, marked)
        different = list(dict.fromkeys(found))
        others = [number for number in different if number != asked]
        if others or different:
            return int(only(others or different))
    raise UnreadableAnswer("no step found")


def _numbers(row: Row, text: str, marked: bool) -> list[int]:
    """Return the steps that a text names: by number, as the initial state, or by their action."""
    words = _WORD.findall(text)
    if marked and not DOUBTS.isdisjoint(words):
        raise UnreadableAnswer("the answer is put in doubt, or in the negative")
    called = [
        number for place, word in enumerate(words) if (number := _called(words, place, word)) is not None
    ]
    alone = [_value(word) for word in words if word.isdigit()]
    if _INITIAL.search(text):
        return [0, *(number for number in called if number)]
    if called:
        return called
    if alone and (marked or all(word.isdigit() or word in _PHRASE for word in words)):
        return alone
    if marked and len(words) == 1 and words[0] in NUMERALS:
        return [NUMERALS.index(words[0])]
    entries, _ = mentioned_in(text, step_symbols(row))
    shown = action_sequence(row, "shown")
    places = [[number for number, step in enumerate(shown, 1) if step == each.atom] for each in entries]
    if any(len(each) != 1 for each in places):
        raise UnreadableAnswer("an action that is not shown, or several times: which step is meant?")
    return [each[0] for each in places]


def _called(words: list[str], place: int, word: str) -> int | None:
    """Return the number of the word if it is called that of a step: "step 3", "the third action"."""
    if word.isdigit():
        before = words[place - 1] if place else ""
        return _value(word) if before in ("step", "#", "action", "number") else _joined(words, place, word)
    behind = words[place + 1] if place + 1 < len(words) else ""
    if behind not in ("step", "action") and (behind or word == "first"):
        return None
    if word in ORDINALS:
        return ORDINALS.index(word) if word != "first" or "fails" not in words else None
    ordinal = re.fullmatch(r"(\d{1,9})(?:st|nd|rd|th)", word)
    return int(ordinal[1]) if ordinal else None


def _joined(words: list[str], place: int, word: str) -> int | None:
    """Return the number of the word if only signs stand between it and "step"."""
    at = place - 1
    while at >= max(place - 3, 0) and words[at] in _CALLED - {"step", "steps"}:
        at -= 1
    return _value(word) if 0 <= at < place - 1 and words[at] in ("step", "steps", "action") else None


def _value(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 10 else _HUGE


def _check(found: int, row: Row) -> Score:
    return score_of(
        found == int(value(row, "answer")), f"it is not {f'step {found}' if found else 'the initial state'}"
    )


GRADERS = {"plan_causality": PlanGrader(_read, _check)}
