"""Actions that bring the goal closer, against a breadth-first search from every successor."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from orrery.families.drafts import Rejected
from orrery.families.questions.kinds import nexta
from orrery.planning import execution
from tests.families.questions.asked_rows import ask_open, asked
from tests.universe import applicable_steps


def fewest(domain, problem):
    """The fewest actions to the goal, layer by layer; None where it is out of reach."""
    layer, seen, length = {problem.init}, {problem.init}, 0
    while layer:
        if any(map(problem.satisfied, layer)):
            return length
        layer = {
            execution.progress(domain, state, step)
            for state in layer
            for step in applicable_steps(domain, problem, state)
        } - seen
        seen |= layer
        length += 1
    return None


rows = partial(asked, nexta.TASK, least=8)
ask = partial(ask_open, nexta.TASK)


def test_each_applicable_action_is_on_the_side_that_search_says(cases_made):
    sides = set()
    for case, row in rows(cases_made)[::2]:
        item, answer = case.item, row["answer"]
        assert answer["opt"] == str(fewest(item.domain, item.problem))
        assert answer["maybe"] == []
        steps = applicable_steps(item.domain, item.problem, item.problem.init)
        assert sorted(answer["yes"] + answer["no"]) == [f"({' '.join(step)})" for step in sorted(steps)]
        for step in steps:
            after = execution.progress(item.domain, item.problem.init, step)
            steps_left = fewest(item.domain, replace(item.problem, init=after))
            nearer = steps_left is not None and steps_left == int(answer["opt"]) - 1
            assert f"({' '.join(step)})" in answer["yes" if nearer else "no"]
            sides.add((nearer, steps_left is None))
    assert {(True, False), (False, False)} <= sides


def test_every_action_has_a_proof(cases_made):
    for _, row in rows(cases_made):
        proofs = json.loads(row["proofs"])
        assert {side: len(proofs[side]) for side in proofs} == {
            s: len(row["answer"][s]) for s in ("yes", "no")
        }


def test_not_asked_unless_solvable_and_decided(cases_made):
    case = next(case for case, row in rows(cases_made) if row["answer"]["no"])
    item = case.item
    for changed in (
        replace(item, solvable=None),
        replace(item, solvable=False),
        replace(item, optimal_first_actions=None),
        replace(item, not_optimal_first_actions=None),
        replace(item, not_optimal_first_actions=dict(list(item.not_optimal_first_actions.items())[1:])),
        replace(item, h_star=None),
        replace(item, problem=replace(item.problem, goal=frozenset())),
    ):
        assert isinstance(ask(changed, case.words, case.rng), Rejected)
