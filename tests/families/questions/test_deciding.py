"""Which problems are asked about: so many of a split, spread over its problems, and none too large."""

import random

import pyarrow as pa
import pytest

from orrery.config import SolveSize
from orrery.families.questions.deciding import (
    HAVING,
    SHARE,
    TRIES,
    SolvedSize,
    choose,
    more_wanted,
    plan_states,
)
from orrery.families.questions.states import state_record
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.planning.grounding import Grounder
from orrery.planning.plans import Solver
from orrery.problems.solutions import solution_row
from tests.every_domain import easy_problems, entry


def chosen(splits, facts, most=10, count=3, fits=lambda _: True, difficulties=None, solvable=None):
    levels = zip(splits, difficulties or ["easy"] * len(splits), strict=True)
    solved = map(SolvedSize, solvable or [True] * len(facts), facts)
    return choose(levels, solved, most, count, fits)


@pytest.mark.parametrize("seed", range(30))
def test_of_each_split_as_many_as_there_are_up_to_the_count(seed):
    rng = random.Random(seed)
    splits = [rng.choice(["train", "test"]) for _ in range(rng.randint(0, 40))]
    facts = [rng.randint(5, 15) for _ in splits]
    picked = chosen(splits, facts)
    assert picked == sorted(set(picked))
    assert all(facts[number] <= 10 for number in picked)
    for split in ("train", "test"):
        fitting = [n for n, row_split in enumerate(splits) if row_split == split and facts[n] <= 10]
        assert len(set(picked) & set(fitting)) == min(3, len(fitting))


def test_they_are_spread_over_the_difficulties():
    assert chosen(["train"] * 100, [5] * 100, count=25) == list(range(0, 100, 4))
    assert chosen(["train"] * 3, [5] * 3, count=4) == [0, 1, 2]
    few = ["easy"] * 8 + ["medium"] * 2
    assert chosen(["test"] * 10, [5] * 10, count=5, difficulties=few) == [0, 2, 4, 6, 8]


def test_problems_without_a_plan_are_few_though_they_begin_each_stretch():
    solvable = [place % 4 == 3 for place in range(32)]
    picked = chosen(["test"] * 32, [5] * 32, count=8, solvable=solvable)
    assert len(picked) == 8
    assert sum(solvable[number] for number in picked) == 6
    assert len(chosen(["test"] * 32, [5] * 32, count=8, solvable=[False] * 32)) == 8
    large = [5 if place % 4 < 3 else 99 for place in range(32)]
    assert not any(solvable[n] for n in chosen(["test"] * 32, large, count=8, solvable=solvable))


def test_where_all_have_plans_or_none_is_known_the_first_of_each_stretch_is_chosen():
    for is_solvable in (True, None, False):
        assert chosen(["test"] * 12, [5] * 12, solvable=[is_solvable] * 12) == [0, 4, 8]


def test_a_difficulty_with_very_many_leaves_room_for_the_others():
    difficulties = ["easy"] * 10 + ["medium"] * 100 + ["hard"] * 1_000 + ["huge"] * 50
    picked = chosen(["test"] * 1_160, [5] * 1_160, count=6, difficulties=difficulties)
    assert [difficulties[number] for number in picked] == [*["easy"] * 2, *["medium"] * 2, *["hard"] * 2]


def test_what_was_not_grounded_is_looked_at_and_its_neighbours_stand_in():
    calls = []
    picked = chosen(["test"] * 8, [None] * 8, count=2, fits=lambda n: calls.append(n) or n in (2, 4))
    assert picked == [2, 4]
    assert calls == [0, 1, 2, 4]
    assert chosen(["test"] * 20, [None] * 20, count=2, fits=lambda _: False) == []


def test_a_place_is_given_up_after_some_tries():
    calls = []
    chosen(["test"] * 1000, [None] * 1000, count=2, fits=lambda number: calls.append(number))
    assert len(calls) == 2 * min(TRIES, SHARE)


def having(split, **numbers):
    """States of a split: how many have what of ``HAVING``."""
    rows = max(numbers.values())
    columns = {name: [1 if n < numbers.get(name, 0) else 0 for n in range(rows)] for name in HAVING}
    columns["source"] = ["initial"] * rows
    return pa.table({"problem_id": [f"d/{split}/{n:06}" for n in range(rows)], **columns})


@pytest.mark.parametrize(("few", "wanted"), [(0, 0), (1, 3), (4, 3), (5, 0), (10, 0)])
def test_more_problems_are_decided_where_some_states_but_few_have_what_is_needed(few, wanted):
    """Of ten states; the train split has enough of everything."""
    full = dict.fromkeys(HAVING, 10)
    states = [having("test", **full | {"unreachable_facts": few}), having("train", **full)]
    other_rows = [
        ({"problem_id": f"d/{split}/{n:06}"}, {}) for n in range(20, 26) for split in ("test", "train")
    ]
    wanted_states = more_wanted(
        states, other_rows, SolveSize(problems_with_questions=2, states=5, extra_problems=3)
    )
    assert [row["problem_id"] for row, _ in wanted_states] == [
        f"d/test/{n:06}" for n in range(20, 20 + wanted)
    ]


@pytest.mark.parametrize("name", ["ferry", "grid"])
def test_planned_states_lie_on_a_plan_and_nothing_else_is_known_of_them(name):
    (problem,), grounder = easy_problems(name, 1), Grounder(entry(name).domain)
    decided_state = Solver(grounder, entry(name).planner, max_states=20_000, seconds=5).find(problem)
    row = {"problem_id": f"{name}/test/000000", "problem_pddl": write_problem(problem)}
    states = plan_states(grounder, 1, 3, row, solution_row(row["problem_id"], decided_state))
    assert len({frozenset(state["state"]) for state in states}) == len(states) > 0
    assert len({(state["source"], state["step"]) for state in states}) == len(states)
    for state in states:
        record = state_record(
            entry(name).domain, {**row, **state, "difficulty": "", "names": "", "seen": "", "seed_path": ""}
        )
        assert state["planned"]
        assert record.trajectory  # raises unless the plan leads to the goal
        assert not read_problem(row["problem_pddl"], entry(name).domain, name).satisfied(record.problem.init)
        sizes = (
            record.landmarks,
            record.unreachable_facts,
            record.reachable_actions,
            record.optimal_first_actions,
        )
        assert {*sizes, record.h_star} == {None}
    assert plan_states(grounder, 1, 3, row, solution_row(row["problem_id"], decided_state)) == states
