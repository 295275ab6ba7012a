"""Whether a sequence of actions is a plan (``verification``): verdict, failing step, and violated literals.

The answer is ``ANSWER: valid``, ``ANSWER: invalid, step 3, (clear b)`` or ``ANSWER: invalid, end, (on a b)``,
or the same in other words. The parts ``verdict``, ``step`` and ``literals`` have separate scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ...reply import find_answer, lists_items_too, only
from ...row import Atom, Row, action_sequence, structured_value, value
from ...score import Grader, Score, UnreadableAnswer, score_of
from ...symbols import fact_symbols
from ...words import ORDINALS, ordinal_of, word_set
from ..entries import ReplyEntry, mentioned_in
from ..plan_reply import NEEDS
from ..wordings import Token

PARTS = ("verdict", "step", "literals")
END = 0
_VALID = word_set("valid correct successful sound")
_INVALID = word_set("invalid incorrect inexecutable unsuccessful flawed")
_FAILS = word_set(
    "fail fails failed failing violates violated inapplicable unexecutable broken breaks first impossible"
    " unsatisfied unmet"
)
_REACHES = word_set(
    "reached achieved satisfied reach reaches achieve achieves satisfies satisfy attained met"
)
_NOT = word_set("not t never no isn doesn cannot neither without")
_UNMET = _NOT | word_set("unmet unsatisfied unreached unachieved")
_DOUBT = word_set("maybe perhaps might may could either or whether if possibly")
_LAST = word_set("last final")
_AFTER = word_set("after following once when upon")
_ALL = _LAST | word_set("all every whole entire plan sequence execution")
_PARTING = frozenset(".;!?,:")
_SENTENCES = frozenset(".;!?")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A verdict, the failing step (0: the goal is not reached, None: not given), and the named literals."""

    valid: bool
    step: int | None = None
    literals: frozenset[str] = frozenset()


def _read(reply: str, row: Row) -> _Answer:
    return find_answer(reply, partial(_read_text, row))  # type: ignore[no-any-return]


def _read_text(row: Row, text: str, marked: bool) -> _Answer:
    """Return the answer in a text; if marked, only its first paragraphs up to an answer are read."""
    paragraphs = _PARAGRAPH.split(text.strip()) if marked else [text]
    for count in range(1, min(len(paragraphs), 3) + 1):
        answer = _answer(row, "\n\n".join(paragraphs[:count]), marked)
        if answer is not None:
            return answer
    raise UnreadableAnswer("no verdict found")


def _answer(row: Row, text: str, marked: bool) -> _Answer | None:
    symbols = fact_symbols(row)
    entries, prose = mentioned_in(text.replace("\n", " . "), symbols)
    clauses = list(_parted(list(_without_questions(prose)), _PARTING))
    if any(not _DOUBT.isdisjoint(map(str, clause)) and _strong(clause) is not None for clause in clauses):
        raise UnreadableAnswer("the verdict is in doubt")
    strong = [verdict_said for clause in clauses if (verdict_said := _strong(clause)) is not None]
    weak = [verdict_said for clause in clauses if (verdict_said := _weak(clause)) is not None]
    step = _step(row, prose, marked)
    if not strong and not weak and not (marked and (step is not None or entries)):
        return None
    valid = only(strong) if strong else only(weak) if weak else False
    if valid and lists_items_too(text, "valid", symbols):
        raise UnreadableAnswer("is valid, and names literals or actions too")
    if valid:
        return _Answer(True)
    return _Answer(False, step, frozenset(map(_written, entries)))


def _without_questions(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens outside questions: "is it valid?" is no verdict."""
    clause: list[Token] = []
    for token in tokens:
        if token == "?":
            clause = []
            continue
        clause.append(token)
        if token in _PARTING:
            yield from clause
            clause = []
    yield from clause


def _parted(tokens: list[Token], marks: frozenset[str]) -> Iterator[list[Token]]:
    """Yield the tokens between punctuation marks."""
    part: list[Token] = []
    for token in (*tokens, "."):
        if token in marks:
            if part:
                yield part
            part = []
        else:
            part.append(token)


def _strong(clause: list[Token]) -> bool | None:
    """Return the verdict of a clause about the whole plan."""
    words = [token for token in clause if isinstance(token, str)]
    denied = not _NOT.isdisjoint(words)
    if len(words) == 1 and words[0] in ("yes", "no"):
        return words[0] == "yes"
    verdict_words = [word for word in words if word in _VALID or word in _INVALID]
    if not denied and len({word in _VALID for word in verdict_words}) > 1:
        raise UnreadableAnswer("gives both verdicts")
    if verdict_words:
        if (
            "plan" not in words
            and "sequence" not in words
            and not {"step", "steps", "action"}.isdisjoint(words)
        ):
            return None
        return (verdict_words[0] in _VALID) != denied
    text = " ".join(words)
    for phrase in ("is a plan", "is not a plan", "is no plan", "isn t a plan"):
        if text.endswith(phrase) or f"{phrase} for" in text:
            return phrase == "is a plan"
    return None


def _weak(clause: list[Token]) -> bool | None:
    """Return the verdict implied by a clause: a step fails, or the goal is not reached."""
    words = [token for token in clause if isinstance(token, str)]
    denied = not _NOT.isdisjoint(words)
    if "goal" in words and not _REACHES.isdisjoint(words):
        return not denied
    if not {"fails", "fail", "failed", "inapplicable", "violated"}.isdisjoint(words):
        return denied
    if denied and not {"applicable", "executable", "executed", "possible"}.isdisjoint(words):
        return False
    return None


def _step(row: Row, tokens: list[Token], marked: bool) -> int | None:
    """Return the failing step, 0 for the end; None if no step is named."""
    flat = [word for token in tokens for word in (token if _is_aside(token) else (token,))]
    sentences = list(_parted(flat, _SENTENCES))
    failing = [
        sentence
        for sentence in sentences
        if any(token in _FAILS for token in sentence if isinstance(token, str))
    ]
    for group in (failing, sentences):
        numbers = [number for sentence in group for number in _numbers(sentence, marked)]
        if numbers:
            return int(only(numbers, "no step found"))
    plan_shown = action_sequence(row, "given_actions")
    places = [place for sentence in sentences if (place := _last(sentence, len(plan_shown))) is not None]
    if places:
        return places[0]
    if ["goal"] in list(_parted(tokens, _PARTING)):
        return END
    atoms = [token for token in tokens if isinstance(token, tuple) and token in plan_shown]
    return (
        plan_shown.index(atoms[0]) + 1 if len(set(atoms)) == 1 and plan_shown.count(atoms[0]) == 1 else None
    )


def _is_aside(token: Token) -> bool:
    """Return whether a token is words in parentheses, as in "invalid (step 3)"."""
    return isinstance(token, tuple) and token[:1] in (("step",), ("action",), ("at",), ("the",))


def _last(sentence: list[Token], steps: int) -> int | None:
    """Return END if a sentence mentions the end, ``steps`` if it mentions the last step, or None."""
    words = [token for token in sentence if isinstance(token, str)]
    if "end" in words or ("goal" in words and not _UNMET.isdisjoint(words)):
        return END
    for place, word in enumerate(words):
        if word in _AFTER and not _ALL.isdisjoint(words[place + 1 : place + 6]):
            return END
        if word in _LAST and words[place + 1 : place + 2] in (["step"], ["action"]):
            return None if "before" in words[max(place - 3, 0) : place] else steps
    return END if "final" in words else None


def _numbers(sentence: list[Token], marked: bool) -> Iterator[int]:
    """Yield the step numbers in a sentence: "step 3", "the third step"; if marked, any number."""
    for place, token in enumerate(sentence):
        if not isinstance(token, str):
            continue
        before = [
            word_before
            for word_before in sentence[max(place - 3, 0) : place]
            if word_before not in ("#", ":", "(", "no", "number")
        ]
        following = sentence[place + 1] if place + 1 < len(sentence) else ""
        ordinal = ordinal_of(token) if token not in ORDINALS[:2] else None
        if ordinal is not None and following in ("step", "action"):
            yield ordinal
        elif token.isdecimal() and len(token) < 10 and (marked or before[-1:] in (["step"], ["action"])):
            yield int(token)


def _written(entry: ReplyEntry) -> str:
    """Return a literal in its stored form; "block b is not clear" means that ``(clear b)`` is missing."""
    atom = f"({' '.join(entry.atom)})"
    return atom if entry.positive or entry.verb else f"(not {atom})"


def _check(answer_read: _Answer, row: Row) -> Score:
    """Return the verdict: right iff all three parts are right."""
    valid, step = bool(value(row, "valid")), int(value(row, "fails_at"))
    missing = frozenset(map(_spelled, structured_value(row, "missing")))
    parts = dict.fromkeys(PARTS, 0.0)
    if answer_read.valid != valid:
        return score_of(False, f"it is {'valid' if valid else 'invalid'}", parts)
    parts = {"verdict": 1.0, "step": float(valid or answer_read.step == step)}
    parts["literals"] = float(valid or answer_read.literals == missing)
    wrong = [name for name, part in parts.items() if not part]
    position = f"step {step}" if step else "the end"
    details = {
        "step": f"it fails at {position}",
        "literals": f"what does not hold: {', '.join(sorted(missing))}",
    }
    return score_of(not wrong, "; ".join(details[name] for name in wrong), parts)


def _spelled(literal: str) -> str:
    """Return a stored literal in normalized spelling."""
    words = str(literal).lower().replace("(", " ").replace(")", " ").split()
    atom: Atom = tuple(words[1:] if words[:1] == ["not"] else words)
    return _written(ReplyEntry(atom, words[:1] != ["not"]))


GRADERS = {"plan_verification": Grader(_read, _check, PARTS, NEEDS)}
