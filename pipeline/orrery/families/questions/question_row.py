"""Questions as they are made: the rows of the tables, and why some are not asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from orrery.families.drafts import OPEN, Rejected
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


@dataclass(frozen=True)
class QuestionRow:
    """One question; ``answer`` as the published schema of its group stores it.

    ``proofs`` says of each stored list how its elements are known, in their order (what needs only
    the meaning of actions has none); ``extra`` holds further columns that only this kind or format has.
    ``format`` is ``gen``, ``bool`` or ``mcq``. ``rules`` and ``needs`` are not stored: they serve
    the choice of rows.
    """

    record: StateRecord
    kind: str
    group: str
    texts: QuestionTexts
    answer: Any
    proofs: Mapping[str, list[str]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    format: str = OPEN
    rules: tuple[tuple[str, int], ...] = ()
    needs: str = ""

    @property
    def id(self) -> str:
        """The name of the row: problem, state, kind, and the format where it is not open."""
        record = self.record
        name = f"{record.problem_id}/{record.source}-{record.step}/{self.kind}"
        return name if self.format == OPEN else f"{name}/{self.format}"

    def columns(self) -> dict[str, Any]:
        """Return the row as plain values by column name: the published columns first, then ours."""
        context, question, question_pddl, style, held_out = self.texts
        record = self.record
        return {
            "id": self.id,
            "group": self.group,
            "context": context,
            "question": question,
            "answer": self.answer,
            "PDDL_domain": record.domain_pddl,
            "PDDL_problem": record.problem_pddl,
            "kind": self.kind,
            "context_pddl": record.context_pddl,
            "context_both": f"{context}\n\n{record.context_pddl}",
            "question_pddl": question_pddl,
            "style": style,
            "held_out_language": int(held_out),
            "proofs": as_json(self.proofs),
            **record.measures,
            **self.extra,
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


@dataclass(frozen=True)
class ClaimRow:
    """A row with what must be balanced over all rows (see ``balance.RowCandidate``)."""

    row: QuestionRow
    shifts: tuple[tuple[str, int], ...] = ()
    matched: bool = True
    leans: tuple[tuple[str, int], ...] = ()


ClaimRows: TypeAlias = dict[str, list[ClaimRow] | Rejected]  # by format
