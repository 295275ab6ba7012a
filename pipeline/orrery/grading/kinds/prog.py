"""Progression (``prog``): the facts that an action makes true (``pos``) and false (``neg``).

They have labels, for example "positive effects:", or are two lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..facts_and_actions import atoms_finder
from ..row import AtomSet, Row, atom_set, difference, jaccard, structured_value
from ..score import Grader, Score, UnreadableAnswer, score_of
from ..symbols import fact_symbols
from ..tokens import ASIDE, ATOM, DENIED, ENDS, MARK, NEWLINE, NONE, WORD, Token, runs_of, says_none
from ..words import word_set

_ADD = word_set("pos positive positives add adds added additions true")
_DELETE = word_set("neg negative negatives del delete deletes deleted deletions remove removes removed false")
_NOUNS = word_set("effect effects list lists fact facts propositions literals fluents set are is")


def _read(tokens: list[Token], marked: bool) -> dict[str, AtomSet]:
    """Return the facts by label, ``pos`` and ``neg``."""
    sections = _sections_of(tokens)[1:] or _unlabelled_sections(tokens)
    if not sections:
        if says_none(tokens, marked) and not runs_of(tokens):
            return {"pos": frozenset(), "neg": frozenset()}
        raise UnreadableAnswer("no positive and negative effects found")
    effects: dict[str, AtomSet] = {}
    for label, section in sections:
        facts = _facts(label, section, marked)
        if effects.setdefault(label, facts) != facts:
            raise UnreadableAnswer(f"several different lists of '{label}' effects")
    if len(effects) != 2:
        raise UnreadableAnswer(f"only the '{next(iter(effects))}' effects are named")
    return effects


def _sections_of(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Return the tokens after each label ``pos`` or ``neg``.

    The first entry, "", has the tokens before any label.
    """
    sections: list[tuple[str, list[Token]]] = [("", [])]
    index = 0
    while index < len(tokens):
        label, start = _label_at(tokens, index)
        if label:
            sections.append((label, []))
            index = start
        else:
            sections[-1][1].append(tokens[index])
            index += 1
    return sections


def _label_at(tokens: list[Token], index: int) -> tuple[str, int]:
    """Return the label at ``index`` and the place after it; or ("", index) if there is no label."""
    kind, value = tokens[index]
    base, *endings = re.split("[-_]", value) if kind == WORD else ("",)
    label = "pos" if base in _ADD else "neg" if base in _DELETE else ""
    if not label or not _NOUNS.issuperset(endings):
        return "", index
    after = index + 1
    while after < len(tokens) and tokens[after][0] == WORD and tokens[after][1] in _NOUNS | {ASIDE}:
        after += 1
    kind, value = tokens[after] if after < len(tokens) else NEWLINE
    if (kind, value) in ((MARK, ":"), (MARK, "=")):
        return label, after + 1
    if base in ("true", "false") or kind == WORD or (value in ENDS and value != "\n"):
        return "", index
    return (label, after) if value != "\n" or after > index + 1 or endings else ("", index)


def _unlabelled(tokens: list[Token]) -> list[Token]:
    """Return tokens without labels."""
    return [token for _, section in _sections_of(tokens) for token in section]


def _facts(label: str, section: list[Token], marked: bool) -> AtomSet:
    """Return the facts of one section; empty for an empty section of an ``ANSWER:`` line."""
    runs = runs_of(section)
    if label == "pos" and any(kind == DENIED for kind, _ in section):
        raise UnreadableAnswer("a negated fact among the positive effects")
    if not runs and (says_none(section, True) or (marked and all(kind == MARK for kind, _ in section))):
        return frozenset()
    if len(runs) != 1:
        raise UnreadableAnswer(f"{'several different' if runs else 'no'} lists of '{label}' effects")
    return runs[0]


def _unlabelled_sections(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Return effects without labels: two bracketed lists, or ``(not ...)`` for delete effects."""
    lists: list[list[Token]] = []
    for token, after in pairwise((*tokens, NEWLINE)):
        if token == (MARK, "[") and after in ((MARK, "["), (NONE, "")):  # an outer bracket around both lists
            continue
        if token in ((MARK, "["), (NONE, "")):
            lists.append([token])
        elif lists and token != (MARK, "]"):
            lists[-1].append(token)
    if len(lists) == 2:
        return [("pos", lists[0]), ("neg", lists[1])]
    if any(kind == DENIED for kind, _ in tokens) and len(runs_of(tokens)) <= 2:
        atoms = [token for token in tokens if token[0] == ATOM]
        return [("pos", atoms or [(NONE, "")]), ("neg", [token for token in tokens if token[0] == DENIED])]
    return []


def _check(facts: Mapping[str, AtomSet], row: Row) -> Score:
    """Return the verdict: right iff both sets are equal, with a partial score for each, and for both."""
    answer = structured_value(row, "answer")
    gold = {label: atom_set(answer[label]) for label in ("pos", "neg")}
    wrong = [
        f"{label}: {difference(facts[label], gold[label])}" for label in gold if facts[label] != gold[label]
    ]
    parts = {label: float(facts[label] == gold[label]) for label in gold}
    similarity = jaccard(_labelled(facts), _labelled(gold))
    return score_of(not wrong, "; ".join(wrong), {**parts, "jaccard": similarity})


def _labelled(facts: Mapping[str, AtomSet]) -> AtomSet:
    """Return all facts, each with its label as the first symbol."""
    return frozenset((label, *fact) for label, of_label in facts.items() for fact in of_label)


GRADERS = {
    "progression_gen": Grader(
        atoms_finder(_read, fact_symbols, _unlabelled), _check, ("pos", "neg", "jaccard")
    ),
    "progression_bool": BOOLEAN,
    "progression_mcq": CHOICE,
}
