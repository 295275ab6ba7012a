"""Traces: derivations in English that end with the answer to a row, for supervised learning.

``trace_of(row)`` writes the trace of a row of a table of questions or plan tasks. Every line follows from the
domain and the problem of the row alone: no line cites a result of a search. Where there is no short
derivation, there is no trace. ``grading.traces`` checks traces and imports nothing from here.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery.grading.pddl import UngradedConstruct
from orrery.grading.row import structured_value, value
from orrery.model import Row
from orrery.traces import plans, questions
from orrery.traces.case import Case, NoTrace, answer, case_of
from orrery.traces.claims import Claim, derive
from orrery.traces.wording import in_words

__all__ = ["NoTrace", "trace_of"]


def trace_of(row: Row, *, words: bool = False) -> str:
    """Return the trace of a row, which ends with a correct answer.

    Args:
        row: a row of a table of questions or plan tasks.
        words: whether facts and actions are said in the words of the row; rows of questions have none.

    Raises:
        NoTrace: there is no short derivation, or the PDDL is outside the subset that is executed.
    """
    if value(row, "group") is None:
        raise NoTrace("the row is neither a question nor a plan task")
    try:
        lines = _lines(case_of(row), row)
    except UngradedConstruct as construct:
        raise NoTrace(str(construct)) from construct
    end = next(place for place, line in enumerate(lines) if line.startswith(("ANSWER:", "[PLAN]")))
    return "\n".join([*(in_words(lines[:end], row) if words else lines[:end]), *lines[end:]])


def _lines(case: Case, row: Row) -> list[str]:
    group = str(value(row, "group"))
    if value(row, "claim") is not None:
        lines, truth = derive(case, structured_value(row, "claim"))
        return [*lines, f"So the claim is {'true' if truth else 'false'}.", answer("yes" if truth else "no")]
    if value(row, "claims") is not None:
        claims, labels = structured_value(row, "claims"), structured_value(row, "choices")["label"]
        return _choice(case, claims, labels)
    by_group = {**questions.TRACES, **plans.TRACES}
    if group not in by_group:
        raise NoTrace(f"rows of the group {group} have no traces")
    return by_group[group](case, row)


def _choice(case: Case, claims: Sequence[Claim], labels: Sequence[str]) -> list[str]:
    kind = claims[0]["kind"]
    if kind == "prog":  # one action, so that the step is told once
        together = {**claims[0], "facts": sorted({fact for claim in claims for fact in claim["facts"]})}
        lines = derive(case, together)[0]
    else:
        lines = []
    right = []
    for label, claim in zip(labels, claims, strict=True):
        of_claim, truth = derive(case, claim)
        conclusion = f"So option {label} is {'right' if truth else 'wrong'}."
        right += [label] if truth else []
        if kind == "val":  # one sequence; exactly one claim is true of it
            lines += [*of_claim, conclusion] if truth else []
        else:
            lines += [conclusion] if kind == "prog" else [f"Option {label}:", *of_claim, conclusion]
    return [*lines, answer(" ".join(right))]
