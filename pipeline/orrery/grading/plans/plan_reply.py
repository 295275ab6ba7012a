"""Read the plan in a reply: its steps, each with its line number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from ..corrections import refuse_other_answer, refuse_other_entries
from ..row import Atom, Row
from ..score import UnreadableAnswer
from ..symbols import Symbols, step_symbols
from ..words import DOUBTS
from .blocks import NumberedEntry, all_lines, first_lines, last_block, lines_of, refuse_others, unreadable
from .lines import BLANK, MISREAD, Line, is_name_alone
from .markup import marked_text
from .no_plan import says_no_plan
from .wordings import Token, tokens_of

Step: TypeAlias = "tuple[Atom, int]"
# None: the reply says that there is no plan.
Plan: TypeAlias = "list[Step] | None"

NEEDS = ("domain_pddl", "problem_pddl")  # columns required to check plans
EMPTY = frozenset(["[]", "()", "{}", "[ ]"])
# Statements that the empty plan is enough, for example "no actions are needed, because the goal holds".
_NEEDLESS = re.compile(
    r"\b(?:no (?:further |more )?(?:actions?|steps?|moves?|plan) (?:is |are )?(?:needed|necessary|required)"
    r"|nothing (?:needs to|has to|must) be done|(?:the )?empty plan\b(?! (?:does|is|would|will|can)? ?not))"
)


def read_plan(reply: str, row: Row) -> Plan:
    """Return the plan of a reply; None if it says that there is no plan.

    Raises:
        UnreadableAnswer: The reply has neither; the message quotes the first unreadable line.
    """
    symbols = step_symbols(row)
    marked = marked_text(reply)
    if not marked.marked:
        return _unmarked(list(lines_of(marked.text, symbols, False)), symbols)
    text = marked.text.strip(" \n")
    if marked.marked == "plan" and not text and not marked.closed:
        raise UnreadableAnswer("the plan is begun and not written")
    if text.strip(".") in EMPTY or _NEEDLESS.fullmatch(text.strip(".")):
        return []
    read = all_lines if marked.marked == "plan" else first_lines
    denies = cache(lambda: says_no_plan(marked.text, True))  # asked at every line that is no step
    entries = read(marked.text, symbols, denies)
    whole = f"{marked.text}\n{marked.below}"
    _refuse_correction(whole, entries, symbols)
    if entries is None:
        refuse_other_entries(whole.split("\n"), symbols, frozenset())
    elif marked.below:
        refuse_others(lines_of(whole, symbols, True), entries, symbols)
    return None if entries is None else [(entry.atom, line) for entry, line in entries]


def _unmarked(lines: Sequence[Line], symbols: Symbols) -> Plan:
    """Return the plan of a reply without marks: the last block, or the steps in prose.

    Text after a plan may say that there is no plan. Then the reply contradicts itself.
    """
    block = last_block(lines, symbols)
    text = "\n".join(line.text for line in lines[block.end if block else 0 :]).strip()
    paragraphs = text.split("\n\n")
    has_block = block is not None
    if any(
        says_no_plan(paragraph, False, has_block)
        for paragraph in dict.fromkeys((paragraphs[-1], paragraphs[0]))
    ):
        if has_block:
            raise UnreadableAnswer("gives steps, and says that there is no plan")
        return None
    if not has_block and paragraphs[-1].strip(" .\f\n") == "none":
        return None
    if block:
        _refuse_correction(text, block.entries, symbols)
        return [(entry.atom, line) for entry, line in block.entries]
    if text.strip() in EMPTY or _NEEDLESS.search(paragraphs[-1]):
        return []
    return _mentioned(lines, symbols)


def _refuse_correction(text: str, plan: Sequence[NumberedEntry] | None, symbols: Symbols) -> None:
    """Raise UnreadableAnswer if other steps or "none" follow "wait:" below a plan."""

    def read(correction: str) -> list[Atom] | None:
        entries = [entry.atom for line in lines_of(correction, symbols, True) for entry in line.entries]
        if not entries and not says_no_plan(correction, True):
            raise UnreadableAnswer("no plan found")
        return entries or None

    refuse_other_answer(text, plan and [entry.atom for entry, _ in plan], read)


def _is_refused(token: Token, symbols: Symbols) -> bool:
    """Return whether a token beside a step of prose doubts it, or is a step with a made-up name."""
    return token in DOUBTS or token == "?" or is_name_alone(token) or symbols.is_made_up(token)


def _mentioned(lines: Sequence[Line], symbols: Symbols) -> Plan:
    """Return the steps that prose mentions as PDDL. A doubted step is an error."""
    steps: list[Step] = []
    text_lines = [line for line in lines if line.kind != BLANK]
    for line in text_lines:
        tokens = tokens_of(line.text)
        atoms = [
            token for token in tokens if isinstance(token, tuple) and token and token[0] in symbols.types
        ]
        if line.kind == MISREAD or (atoms and any(_is_refused(token, symbols) for token in tokens)):
            raise unreadable(line)
        steps += [(atom, line.position) for atom in atoms]
    if not steps:
        raise unreadable(text_lines[0]) if text_lines else UnreadableAnswer("no plan found")
    return steps
