"""Rows of every task on every domain, decided again by executing the action schemas on sets of facts."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest

from orrery.families.drafts import Draft
from orrery.families.plans.posing import drafts_of
from orrery.families.plans.tasks import PLANS, causality, plan_tasks
from orrery.families.plans.tasks.verification import look_of
from orrery.grading import grade
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom
from orrery.planning.execution import applicable, check_plan, progress
from orrery.seeds import stream
from orrery.store.columns import from_rows
from tests.effort import by_day, slow
from tests.every_domain import CATALOG
from tests.families.plans.made import made as drawn
from tests.families.plans.made import of_six_blocks, rows
from tests.plain_search import PlainSearch

DOMAINS = CATALOG.names
# In small problems all can be reached, or a look at two facts of the goal tells what cannot be.
WITHOUT_PAIRS = ("blocksworld", "depots", "ferry", "goldminer", "swap", "visitall")
every_domain = pytest.mark.parametrize("name", DOMAINS)


def read(row, column="problem_pddl"):
    domain = read_domain(row["domain_pddl"])
    return domain, read_problem(row[column], domain)


def steps(row, column="plan"):
    return [parse_atom(step) for step in row[column]]


def states_along(domain, problem, plan):
    """The states of a plan as far as its steps are applicable."""
    found = [problem.init]
    for step in plan:
        if not applicable(domain, found[-1], step):
            break
        found.append(progress(domain, found[-1], step))
    return found


def solves(domain, problem, plan):
    return check_plan(domain, problem, plan).valid


@by_day(10)
@every_domain
@pytest.mark.parametrize("task", plan_tasks())
def test_rows_fit_their_table_and_their_gold_reply_is_right(name, task):
    made = [row for _, row in rows(name, task)]
    from_rows(PLANS[task], made)
    assert len({row["id"] for row in made}) == len(made)
    for row in made:
        score = grade(plan_tasks()[task].replies(row)[0], row)
        assert score.value == 1, (row["id"], score)


@every_domain
@pytest.mark.parametrize(
    "task", ["generation", "optimal", "reuse", "replanning", "generalization", "reformulation", "solvability"]
)
def test_stored_plans_are_plans_without_idle_steps(name, task):
    for _, row in rows(name, task):
        domain, problem = read(row)
        if task == "solvability" and not row["solvable"]:
            assert not row["plan"]
            continue
        plan = steps(row)
        assert solves(domain, problem, plan), row["id"]
        assert not problem.satisfied(problem.init)
        assert all(one != other for one, other in pairwise(states_along(domain, problem, plan)))
        assert len(plan) == row["plan_length"] >= 2
        if row["h_star"] is not None and task != "optimal":
            assert row["h_star"] == len(plan)
        assert grade("\n".join(row["plan"][:-1]), row).value == 0


@every_domain
def test_a_glance_at_a_sequence_does_not_show_whether_it_is_a_plan(name):
    """Both of a pair, and the halves that may become one, agree in what shows."""
    looks = {True: Counter(), False: Counter()}
    drafts = [each for _, each in drawn(name, "verification") if isinstance(each, Draft)]
    for draft, row in ((each, row) for each in drafts for row in each.rows):
        look = look_of(steps(row, "given_actions"))
        if draft.half:
            assert draft.half == ("+" if row["valid"] else "-") + look
        else:
            looks[row["valid"]][look] += 1
    assert looks[True] == looks[False]


def test_what_a_glance_at_a_sequence_shows():
    there, back, far = ("go", "a", "b"), ("go", "b", "a"), ("go", "c", "d")
    assert look_of([there, back]) == "2"
    assert look_of([there, back, there]) == "3 twice"
    assert look_of([there, far, there, back]) == "4 twice apart"


@slow
@every_domain
def test_half_of_the_pairs_have_a_plan_and_nothing_else_tells(name):
    pairs = {}
    for source, row in rows(name, "solvability"):
        pairs.setdefault(row["pair"], []).append((source, row))
    assert pairs or name in WITHOUT_PAIRS
    for members in pairs.values():
        assert sorted(row["solvable"] for _, row in members) == [False, True]
        (_, one), (_, other) = members
        for column in ("num_objects", "pair_type"):
            assert one[column] == other[column]
        (_, first), (_, second) = read(one), read(other)
        assert len(first.goal) == len(second.goal)
        assert len(first.init) == len(second.init)
        for row in (one, other):
            assert (PlainSearch(*read(row)).distance is not None) == row["solvable"]


def joints(problem):
    """Of each two facts of the goal, in either order, the predicates and the places of common objects."""
    atoms = [literal.atom for literal in problem.goal]
    return Counter(
        frozenset(
            (one[0], other[0], tuple(m * (name == each) for m, name in enumerate(one) for each in other[1:]))
            for one, other in (two, two[::-1])
        )
        for two in combinations(atoms, 2)
    )


def test_of_six_blocks_there_are_goals_of_which_no_two_facts_tell_that_there_is_no_plan():
    """Rings of three blocks beside a tower, which are rare."""
    task = plan_tasks()["solvability"]
    each = (made for source in of_six_blocks() for made in drafts_of(source, task, stream(5, source.name)))
    found = next(made for made in each if isinstance(made, Draft))
    one, other = (read(row)[1] for row in found.rows)
    assert [row["solvable"] for row in found.rows].count(True) == 1
    assert joints(one) == joints(other)
    assert one.goal != other.goal


def test_each_distance_comes_first_as_often_as_the_others():
    cases = [causality._Link("fails", 1, (), 1 + n) for n in [2] * 30 + [3] * 2 + [4]]
    first = Counter(causality._by_distance(cases, random.Random(n))[0].answer - 1 for n in range(300))
    assert min(first[n] for n in (2, 3, 4)) > 60


def test_a_glance_finds_the_step_that_names_the_same():
    steps = [("a", "x"), ("b", "x", "y"), ("a", "z"), ("c", "x", "y"), ("a", "y"), ("b", "y", "x")]
    assert causality.glance("provider", 6, ("p", "x", "y"), steps) == 4
    assert causality.glance("provider", 6, ("p", "z"), steps) == 3
    assert causality.glance("provider", 3, ("p", "y"), steps) == 0
    assert causality.glance("fails", 2, (), steps) == 4
    assert causality.glance("fails", 1, (), steps) == 4


@slow
@pytest.mark.parametrize("question_type", ["provider", "fails"])
def test_links_are_drawn_that_a_glance_finds_and_that_it_does_not(question_type):
    found = Counter()
    for name in DOMAINS:
        for _, draft in drawn(name, "causality"):
            if isinstance(draft, Draft) and draft.rows[0]["question_type"] == question_type:
                row, look = draft.rows[0], draft.stratum.partition("/")[0].partition(" ")[2]
                fact = parse_atom(row["fact"]) if row["fact"] else ()
                told = causality.glance(question_type, row["step"], fact, steps(row, "given_actions"))
                assert look == ("seen" if told == row["answer"] else "hidden")
                found[look] += 1
    assert min(found["seen"], found["hidden"]) > 0.25 * found.total()
