"""The columns that all questions share, and how answers are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from orrery.families.drafts import OPEN
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom
from orrery.pddl.write import write_atom
from orrery.store.kinds import as_json

NONE = "None"  # the reply where nothing is right
NEEDS = "answer_needs"  # the column that says what a right reply takes


class QuestionTexts(NamedTuple):
    """The words of a question; ``question_pddl`` has facts and actions in PDDL in place of phrases."""

    context: str
    question: str
    question_pddl: str
    style: str  # of the context
    held_out: bool  # whether some wording of the context is


def question_columns(
    record: StateRecord, kind: str, group: str, texts: QuestionTexts, answer: Any,
    proofs: Mapping[str, list[str]], extra: Mapping[str, Any], form: str = OPEN,
) -> dict[str, Any]:  # fmt: skip
    """Return a question as plain values by column name: the published columns first, then ours.

    Args:
        record: the state asked about.
        kind: the kind of question.
        group: its published name in this format.
        texts: its words.
        answer: the answer as the published schema of the group stores it.
        proofs: how the elements of each stored list are known, in their order; what needs only the meaning
            of actions has none.
        extra: further columns that only this kind or format has.
        form: ``gen``, ``bool`` or ``mcq``.
    """
    context, question, question_pddl, style, held_out = texts
    name = f"{record.problem_id}/{record.source}-{record.step}/{kind}"
    return {
        "id": name if form == OPEN else f"{name}/{form}",
        "group": group,
        "context": context,
        "question": question,
        "answer": answer,
        "PDDL_domain": record.domain_pddl,
        "PDDL_problem": record.problem_pddl,
        "kind": kind,
        "context_pddl": record.context_pddl,
        "context_both": f"{context}\n\n{record.context_pddl}",
        "question_pddl": question_pddl,
        "style": style,
        "unseen_templates": int(held_out),
        "proofs": as_json(proofs),
        **record.measures,
        **extra,
    }


def written(atoms: Iterable[Atom]) -> list[str]:
    """Return facts or actions as sorted PDDL text."""
    return [write_atom(atom) for atom in sorted(atoms)]


def proofs_of(proven: Mapping[Atom, str]) -> list[str]:
    """Return how each fact is proven, in the order of ``written``."""
    return [str(proven[atom]) for atom in sorted(proven)]


def listed(atoms: Iterable[str]) -> str:
    """List facts or actions as replies do: sorted, in parentheses, with commas; None where there are none."""
    return ", ".join(f"({atom})" for atom in sorted((a.strip("()") for a in atoms), key=str.split)) or NONE
