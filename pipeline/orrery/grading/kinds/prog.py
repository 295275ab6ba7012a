"""Progression (``prog``): the facts that an action makes true (``pos``) and false (``neg``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

from ..atoms import AtomSet, atom_set, difference
from ..boolean import BOOLEAN
from ..choice import CHOICE
from ..effect_labels import sections_of
from ..facts_and_actions import reader_of_atoms
from ..grader import Grader
from ..names import predicate_names
from ..reply import answer_finder
from ..row import Row, structured_value
from ..score import Score, UnreadableAnswer, score_of
from ..tokens import ATOM, DENIED, MARK, NEWLINE, NONE, Token, runs_of, says_none


def _read(tokens: list[Token], marked: bool) -> dict[str, AtomSet]:
    """Return the facts by label, ``pos`` and ``neg``."""
    sections = sections_of(tokens)[1:] or _unlabelled_sections(tokens)
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
    """Return the verdict: right iff both sets are equal, with a partial score for each."""
    answer = structured_value(row, "answer")
    gold = {label: atom_set(answer[label]) for label in ("pos", "neg")}
    wrong = [
        f"{label}: {difference(facts[label], gold[label])}" for label in gold if facts[label] != gold[label]
    ]
    return score_of(
        not wrong, "; ".join(wrong), {label: float(facts[label] == gold[label]) for label in gold}
    )


GRADERS = {
    "progression_gen": Grader(
        answer_finder(partial(reader_of_atoms, _read, predicate_names, labels=True)), _check, ("pos", "neg")
    ),
    "progression_bool": BOOLEAN,
    "progression_mcq": CHOICE,
}
