"""Check yes/no and multiple-choice rows: decide their claims again; exactly one option must be correct."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionView
from orrery.checks.verdicts import undecided
from orrery.model import OrreryError, Row

LABELS = ("A", "B", "C", "D")
ANSWER_OF = ("no", "yes")


def check_bool(question: QuestionView) -> list[str]:
    """Return the faults of the answer of a yes/no row."""
    row, rechecked = question
    if row["answer"] not in ANSWER_OF:
        return [f"answer is '{row['answer']}'"]
    truth = holds(_read(row["claim"], dict), row["kind"], rechecked)
    if truth is None:
        return [undecided("the claim")]
    return [] if ANSWER_OF[truth] == row["answer"] else [f"answer is {row['answer']}, the claim is {truth}"]


def check_mcq(question: QuestionView) -> list[str]:
    """Return the faults of the options and the answer of a multiple-choice row."""
    row, rechecked = question
    claims = _read(row["claims"], list)
    faults = _ill_formed(row, claims)
    if faults:
        return faults
    verdicts = [holds(claim, row["kind"], rechecked) for claim in claims]
    right = LABELS.index(row["answer"])
    faults = [] if verdicts[right] is not False else [f"{row['answer']} is wrong"]
    faults += [f"{LABELS[n]} is right, too" for n, true in enumerate(verdicts) if true and n != right]
    still_open = [LABELS[n] for n, true in enumerate(verdicts) if true is None]
    return faults + ([undecided(f"options {', '.join(still_open)}")] if still_open else [])


def _ill_formed(row: Row, claims: list[Any]) -> list[str]:
    """Return a message if options are not four, not labelled, repeated, or not those in the question."""
    texts = row["choices"]["text"]
    lists = {"texts": texts, "claims": claims, "choices_pddl": row["choices_pddl"], "forms": row["forms"]}
    faults = [f"{len(values)} {label}" for label, values in lists.items() if len(values) != len(LABELS)]
    if tuple(row["choices"]["label"]) != LABELS or row["answer"] not in LABELS:
        return [*faults, f"labels are {row['choices']['label']}, the answer {row['answer']}"]
    for name in ("texts", "claims", "choices_pddl"):
        counts = Counter(json.dumps(values, sort_keys=True).lower() for values in lists[name])
        faults += [f"{name}: {values} stands {n} times" for values, n in counts.items() if n > 1]
    listed = "".join(f"{label}. {text}\n" for label, text in zip(LABELS, texts, strict=False))
    if not row["question"].startswith(f"{row['query']}\n{listed}"):
        faults.append("the question is not made of its query and its options")
    return faults


def _read(text: str, kind: type) -> Any:
    """Return parsed JSON of the type ``kind``; raise OrreryError for any other."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise OrreryError("claim", f"is no JSON: {error}") from error
    if not isinstance(value, kind):
        raise OrreryError("claim", f"is {value!r}")
    return value


def holds(claim: Mapping[str, Any], kind: str, rechecked: RecheckedState) -> bool | None:
    """Return whether a claim of ``kind`` is true; None if this is undecided.

    Raises:
        OrreryError: the claim is not of this kind, or names something that the problem does not have.
    """
    check = kind_checks().of(kind)
    if check.holds is None or claim.get("kind") != kind or claim.keys() != check.keys | {"kind"}:
        raise OrreryError("claim", f"{dict(claim)} is no claim of kind {kind}")
    return check.holds(claim, rechecked)
