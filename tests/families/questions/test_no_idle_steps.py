"""No plan or sequence shown has a step that changes nothing, up to the first that cannot be taken."""

from __future__ import annotations

import json

import pytest

from orrery.families.questions.distractors import turn_of
from orrery.families.questions.kinds import question_kinds
from orrery.planning import execution
from tests.families.questions.asked_rows import ask_open, claim_rows, steps_of


def shown(case, kind):
    """The plans and sequences of the rows of a kind on a state."""
    kind_asked = question_kinds()[kind]
    row = ask_open(kind_asked, case.item, case.words, case.rng)
    if isinstance(row, dict):
        yield row["plan" if kind == "just" else "sequence"]
    turn = turn_of(1, (kind,), case.seed)
    for _, row in claim_rows(kind_asked, case.item, case.words, turn, case.rng, case.rng):
        claim = json.loads(row["claim"]) if "claim" in row else json.loads(row["claims"])[0]
        yield claim["plan" if kind == "just" else "sequence"]


def idle(item, steps):
    """The steps that change nothing."""
    state, steps_taken = item.problem.init, []
    for step in steps:
        if step[0] not in item.domain.action_named or not execution.applicable(item.domain, state, step):
            break
        after = execution.progress(item.domain, state, step)
        steps_taken += [step] * (after == state)
        state = after
    return steps_taken


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["just", "val"])
def test_every_step_shown_changes_something(cases_made, kind):
    seen = 0
    for case in cases_made:
        for texts in shown(case, kind):
            steps = steps_of(texts)
            assert idle(case.item, steps) == [], texts
            seen += len(steps)
    assert seen > 100
