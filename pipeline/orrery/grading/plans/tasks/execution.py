"""The state after a sequence of actions (``execution``): its fluent facts; ``f1`` compares the sets.

True static facts, and negated facts of the problem that do not hold, may be listed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ...row import Atom, Row, atom_set, difference, structured_value
from ...score import Grader, Score, UnreadableAnswer, score_of
from ...symbols import Symbols, fact_symbols, problem_of
from ..blocks import all_lines, first_lines, last_block, lines_of, unreadable
from ..entries import ReplyEntry, mentioned_in
from ..lines import BLANK, DOUBTED, MISREAD, REMARK, Line, is_claim
from ..markup import marked_text
from ..plan_reply import NEEDS
from ..wordings import Token

_NONE = ("none", "nothing", "no facts", "[]", "()", "{}")


def _read(reply: str, row: Row) -> frozenset[ReplyEntry]:
    """Return the literals that a reply gives as the state."""
    symbols = fact_symbols(row)
    marked = marked_text(reply)
    if not marked.marked:
        lines = list(lines_of(marked.text, symbols, False))
        block = last_block(lines, symbols)
        if block is None:
            return frozenset(_mentioned(lines, symbols))
        return frozenset(entry for entry, _ in block.entries)
    if marked.text.strip(" \n.") in _NONE:
        return frozenset()
    read = all_lines if marked.marked == "plan" else first_lines
    entries = read(marked.text, symbols, lambda: False)
    return frozenset(entry for entry, _ in entries or ())


def _mentioned(lines: Sequence[Line], symbols: Symbols) -> list[ReplyEntry]:
    """Return the literals in the last line of prose that mentions any."""
    for line in reversed(lines):
        entries, prose = mentioned_in(line.text, symbols) if line.kind not in (BLANK, REMARK) else ([], [])
        if entries:
            is_more = is_claim(prose) or any(_may_be_fact(token, symbols) for token in prose)
            if is_more or line.kind in (DOUBTED, MISREAD):
                raise unreadable(line)
            return entries
    raise UnreadableAnswer("no facts found")


def _may_be_fact(token: Token, symbols: Symbols) -> bool:
    """Return whether a token beside facts may belong to another one: a name, or an entry in parentheses."""
    if isinstance(token, tuple):
        return symbols.is_strange(token) or symbols.is_made_up(token)
    return token in symbols.objects or symbols.is_like_an_object(token) or "-" in token[1:] or "_" in token


def _check(literals: frozenset[ReplyEntry], row: Row) -> Score:
    """Return the verdict: right iff the facts are those that hold."""
    gold = atom_set(structured_value(row, "answer"))
    affirmed = {entry.atom for entry in literals if entry.positive} - problem_of(row).static_facts
    denied = {entry.atom for entry in literals if not entry.positive}
    given_only = frozenset(affirmed - denied)
    same = len(given_only & gold)
    f1 = 2 * same / (len(given_only) + len(gold)) if given_only or gold else 1.0
    contradiction = "" if denied.isdisjoint(affirmed) else "a fact is both affirmed and denied"
    wrong = difference(given_only, gold) or contradiction or _misfit_of(denied, row)
    return score_of(not wrong, wrong, {"f1": f1})


def _misfit_of(denied: AbstractSet[Atom], row: Row) -> str:
    """Return why a denied fact is no fact of the problem; empty if all are."""
    problem = problem_of(row)
    for fact in sorted(denied):
        types = problem.domain.predicates.get(fact[0])
        why = f"there is no predicate {fact[0]!r}" if types is None else problem.misfit(types, fact[1:])
        if why:
            return f"(not ({' '.join(fact)})): {why}"
    return ""


GRADERS = {"plan_execution": Grader(_read, _check, ("f1",), needs=NEEDS)}
