"""Candidates of draws: their keys, and their table."""

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.keys import as_spelled, keys, keys_of
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.problems.candidates import candidates_of, candidates_table, draw_candidate
from orrery.problems.quotas import Draw
from tests.checkout import checkout
from tests.effort import sample
from tests.every_domain import CATALOG, difficulties, entry

OFFERING = ["blocksworld", "floor-tile", "gripper"]
SEED = 11


def draws(name, count):
    return [
        Draw(name, level, task, n)
        for n in range(count)
        for level in difficulties(name)
        for task in entry(name).tasks
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sample([*OFFERING, *(name for name in CATALOG.names if name not in OFFERING)], 5)
)
def test_keys_of_candidates_are_those_of_their_problems(name):
    domain, rule = entry(name).domain, entry(name).closure_rule
    for draw in draws(name, 3):
        candidate = draw_candidate(entry(name), draw, SEED)
        if candidate.record is None:
            continue
        problem = read_problem(candidate.record.problem_pddl, domain)
        has_texts = entry(name).description.texts
        written = as_spelled(domain, problem)
        expected = keys(domain, problem, rule=rule) if has_texts else keys_of(domain, problem, written)
        assert (candidate.record.strict_key, candidate.record.loose_key) == (expected.strict, expected.loose)
        open_goal = has_texts and candidate.draw.task.interchangeable
        holds = open_goal and goal_holds_permuted(domain, problem)
        assert candidate.record.goal_holds_initially == int(holds)


@pytest.mark.slow
def test_candidates_come_back_from_their_table():
    candidates = [draw_candidate(entry("blocksworld"), draw, SEED) for draw in draws("blocksworld", 4)]
    candidates.append(candidates[0]._replace(record=None, reason="a reason", detail="a message"))
    drawn = [candidate.draw for candidate in candidates]
    assert list(candidates_of(drawn, candidates_table(candidates))) == candidates


def test_a_generator_that_remembers_earlier_problems_is_refused(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    file = root / "generators" / "ferry.py"
    file.write_text(
        file.read_text().replace(
            "    SPACE.check(",
            "    globals().setdefault('made', []).append(task); rng.seed(len(made))\n    SPACE.check(",
        )
    )
    here = Catalog(root).entry("ferry")
    first = Draw("ferry", "hard", here.tasks[0], 0)
    with pytest.raises(OrreryError, match="another problem from the same random stream"):
        draw_candidate(here, first, SEED)
