"""Which step provides a fact, or fails first (``causality``): its number, 0 for the initial state.

The number is called that of a step, or is alone in its clause; after ``ANSWER:`` any single number. The
action itself counts if it occurs exactly once in the given plan. These are not answers:

- the step in the question, if another step is named; a clause that omits this step repeats the question.
- a step, or the initial state, that a clause denies.
"""

from __future__ import annotations

import re
from functools import partial

from ...clauses import PHRASE
from ...reply import find_answer, only
from ...row import Row, action_sequence, needed_value, value
from ...score import Grader, Score, UnreadableAnswer, score_of
from ...symbols import step_symbols
from ...words import DOUBTS, NUMERALS, ORDINALS, ordinal_of, word_set
from ..entries import mentioned_in
from ..plan_reply import NEEDS

_INITIAL = re.compile(
    r"\b(?:initial(?:ly)?|initial state|(?:at|from) the (?:start|beginning|outset)|starting state|start state"
    r"|step 0|zeroth step)\b"
)
_SENTENCE = re.compile(r"[.;!\n](?=\s|$)")
_CONDITION = re.compile(
    r"\b(?:if|unless|without|when|once)\b[^,;!\n]*?(?:,|\bthen\b|(?=[.;!\n](?:\s|$))|(?=[;!\n]|$))"
)
_REASON = re.compile(r"^\W*(?:because|since)\b[^,.;\n]*,|\b(?:because|since)\b[^.;\n]*")
_CLAUSE = re.compile(r"([,;:!\n]|\.(?=\s|$)|\b(?:but|and|because|since|so|while)\b)")
_WORD = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*|[#:()\[\]=]")
_NO_INDEX = re.compile(r"(?<![\w.])-\d+(?![\w])|(?<!\d)\d+\.\d+")  # "-3" and "3.5" are not 3
_CALLED = word_set("step steps action number # no index is : answer = ( [")
_PHRASE = PHRASE | word_set("step action number # no : ( ) [ ] = a first fails provides provider index")
_CONDITIONAL = word_set("if unless without not never no don t cannot")
_NOT = word_set("not t never no isn cannot neither nor")
_EXCEPTING = word_set("except excepting excluding anything everything")
_PAIRING = word_set("and both between vs versus step steps : # ( ) [ ]")  # words of a list of steps
_NAMING = word_set("step steps action # number initial initially") | frozenset(ORDINALS)
_PASSED = word_set("the at in by with from true it is because of")
# Verbs of the step in the answer, by question type.
_DOES = {
    "provider": word_set(
        "provide provides provided add adds added touch touches change changes make makes affect affects"
        " set sets establish establishes produce produces cause causes give gives achieve achieves hold"
        " holds true"
    ),
    "fails": word_set("fail fails failed failing first inapplicable impossible violated affect affected"),
}
# "Cannot be executed" describes a failing step.
_FAILING = re.compile(
    r"\b(?:cannot|can (?:not|t)|is not|isn t|is no longer|will not|won t)(?: longer| be)*"
    r" (?:executed|executable|applicable|applied|possible|performed|done|carried out|feasible)\b"
)
_ABLE = word_set("executed executable applicable applied possible performed done carried feasible works")
_FAILS = word_set("fail fails failed failing")  # "the first step that" is not step 1
_LATER = word_set("only until before without if unless")
_HUGE = -1


def _read(reply: str, row: Row) -> int:
    """Return the number of the step that a reply names."""
    return int(find_answer(reply, partial(_read_text, row)))


def _read_text(row: Row, text: str, marked: bool) -> int:
    step_asked = int(needed_value(row, "step"))
    text = _NO_INDEX.sub("no-index", text)
    if marked:
        text = _without_conditions(row, text, step_asked)
        text = _FAILING.sub("fails", text) if value(row, "question_type") == "fails" else text
        text = _without_reasons(text)
    else:
        text = _without_denials(row, text)
    sentences = [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]
    if marked:
        _check_other_numbers(text)
    for part in sentences if marked else [text]:
        numbers = _numbers(row, part, marked)
        different = list(dict.fromkeys(numbers))
        is_list = _PAIRING.issuperset(word for word in _WORD.findall(part) if not word.isdigit())
        different_steps = different if is_list else [number for number in different if number != step_asked]
        if different_steps or different:
            return int(only(different_steps or different))
    raise UnreadableAnswer("no step found")


def _check_other_numbers(text: str) -> None:
    """Raise UnreadableAnswer if sentences of the first line are different numbers: "4; 5"."""
    first_line = text.strip().split("\n")[0]
    only_numbers = [number for part in _SENTENCE.split(first_line) if (number := part.strip()).isdecimal()]
    if len(set(only_numbers)) > 1:
        raise UnreadableAnswer("several different answers")


def _without_conditions(row: Row, text: str, step_asked: int) -> str:
    """Return a text without "if step 1 were left out" if step 1 is the one in the question."""

    def drop_if_asked(condition: re.Match[str]) -> str:
        words = _WORD.findall(condition[0])
        if not DOUBTS.isdisjoint(set(words) - _CONDITIONAL):
            return condition[0]
        named = {number for place, word in enumerate(words) if (number := _called(words, place, word))}
        named |= {_value(word) for word in words if word.isdigit()}
        if not named:
            shown = action_sequence(row, "given_actions")
            entries, _ = mentioned_in(condition[0], step_symbols(row))
            named = {
                number for entry in entries for number, step in enumerate(shown, 1) if step == entry.atom
            }
        return " " if named == {step_asked} else condition[0]

    return _CONDITION.sub(drop_if_asked, text)


def _without_reasons(text: str) -> str:
    """Return a text without "because step 1 ...", unless nothing else remains."""
    remainder = _REASON.sub(" ", text)
    return remainder if _WORD.search(remainder) else text


def _without_denials(row: Row, text: str) -> str:
    """Return a text without clauses that deny a step or the initial state."""
    does = _DOES.get(str(value(row, "question_type")), frozenset())
    pieces = _CLAUSE.split(text)
    before: list[str] = []
    for place, piece in enumerate(pieces):
        words = _WORD.findall(piece) if place % 2 == 0 else []
        if words and _is_denied(words, before, does):
            pieces[place] = " "
        before = words or before
    return "".join(pieces)


def _is_denied(words: list[str], before: list[str], does: frozenset[str]) -> bool:
    """Return whether a clause denies that a step is the answer.

    "Is not" without further words negates the clause ``before``, if that clause is about executability: "step
    2 is possible, step 3 is not". Otherwise it denies that the step is the answer.
    """
    if not _LATER.isdisjoint(words):
        return False
    at = next((place for place, word in enumerate(words) if word in _NOT), None)
    if at is None:
        possible = "no" not in words and not _ABLE.isdisjoint(words) and not _NAMING.isdisjoint(words)
        return possible and does == _DOES["fails"] and does.isdisjoint(words)
    following = words[at + 1 :]
    if not following and not _NAMING.isdisjoint(words[:at]):
        return does != _DOES["fails"] or _ABLE.isdisjoint(before)
    named = next((word for word in following if word not in _PASSED), "")
    return named in _NAMING or named.isdigit() or not does.isdisjoint(following)


def _numbers(row: Row, text: str, marked: bool) -> list[int]:
    """Return the steps that a text names: by number, as the initial state, or by their action."""
    words = _WORD.findall(text)
    if marked and not (DOUBTS | _EXCEPTING).isdisjoint(words):
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
    plan_shown = action_sequence(row, "given_actions")
    places = [
        [number for number, step in enumerate(plan_shown, 1) if step == step_named.atom]
        for step_named in entries
    ]
    if any(len(step_named) != 1 for step_named in places):
        raise UnreadableAnswer("an action that is not shown, or several times: which step is meant?")
    return [step_named[0] for step_named in places]


def _called(words: list[str], place: int, word: str) -> int | None:
    """Return the number of a word that is called a step: "step 3", "the third action"; otherwise None."""
    if word.isdigit():
        before = words[place - 1] if place else ""
        return _value(word) if before in ("step", "#", "action", "number") else _joined(words, place, word)
    following = words[place + 1] if place + 1 < len(words) else ""
    if following not in ("step", "action") and (following or word == "first"):
        return None
    return ordinal_of(word) if word != "first" or _FAILS.isdisjoint(words) else None


def _joined(words: list[str], place: int, word: str) -> int | None:
    """Return the number of a word if only signs separate it from "step"; otherwise None."""
    at = place - 1
    while at >= max(place - 3, 0) and words[at] in _CALLED - {"step", "steps"}:
        at -= 1
    return _value(word) if 0 <= at < place - 1 and words[at] in ("step", "steps", "action") else None


def _value(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 10 else _HUGE


def _check(number: int, row: Row) -> Score:
    return score_of(
        number == int(needed_value(row, "answer")),
        f"it is not {f'step {number}' if number else 'the initial state'}",
    )


GRADERS = {"plan_causality": Grader(_read, _check, needs=NEEDS)}
