"""The common columns of all questions, and the format of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from orrery.families.drafts import OPEN
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom
from orrery.pddl.write import write_atom
from orrery.store.kinds import as_json

NONE = "None"  # the reply if no fact or action is correct
NEEDS = "answer_needs"  # the column for what a correct reply requires


class QuestionTexts(NamedTuple):
    """The texts of a question; ``question_pddl`` has facts and actions in PDDL in place of phrases."""

    context: str
    question: str
    question_pddl: str
    style: str  # style of the context
    held_out: bool  # whether some wording of the context is held out


def question_columns(
    record: StateRecord, kind: str, group: str, texts: QuestionTexts, answer: Any,
    proofs: Mapping[str, list[str]], extra: Mapping[str, Any], form: str = OPEN,
) -> dict[str, Any]:  # fmt: skip
    """Return a question as plain values by column name: first the published columns, then ours.

    Args:
        record: the state of the question.
        kind: the kind of question.
        group: its published name in this format.
        texts: its words.
        answer: the answer in the published schema of the group.
        proofs: how the elements of each stored list are known, in their order; lists that follow from the
            meaning of actions have none.
        extra: further columns of this kind or format only.
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
    """Return the proof of each fact, in the order of ``written``."""
    return [str(proven[atom]) for atom in sorted(proven)]


def listed(atoms: Iterable[str]) -> str:
    """Return facts or actions in the format of replies: sorted, in parentheses, with commas; or "None"."""
    return ", ".join(f"({atom})" for atom in sorted((a.strip("()") for a in atoms), key=str.split)) or NONE
