"""Rows that break a rule of their task are seen, however well their columns agree with each other."""

import json
from dataclasses import replace
from hashlib import md5
from types import SimpleNamespace

import pytest

from orrery.checks import plans, splits, verdict_parts
from orrery.checks.inputs import CheckedProblem
from orrery.checks.plans import PROBLEM_SPLITS, SPLITS, _noted
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.plans.tasks import solvability, task_checks
from orrery.checks.plans.tasks.optimal import Prices, least_cost
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Verdicts
from orrery.families.plans.space import space_of
from orrery.families.plans.tasks import PLANS, plan_tasks
from orrery.model import Literal, Problem, literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom, write_atom, write_problem
from orrery.planning.execution import progress
from tests.checks.plans.checked import INPUTS, changed, faults, made, origin, some
from tests.effort import slow
from tests.every_domain import CATALOG, ROOT, entry
from tests.store.samples import row as row_of
from tests.store.samples import write_shards
from tests.tables import PUBLISHED
from tests.universe import applicable_steps

NAMES = ("blocksworld", "ferry", "visitall", "swap", "gripper")


def plain(task, *names):
    """A domain, the plain rows of a task on one of its problems, and domain and problem of the first row."""
    name, listed = some(task, *(names or NAMES))
    rows = [row for row in listed if row["vocabulary"] == "plain"]
    return name, rows, read_domain(rows[0]["domain_pddl"])


def problem_of(row, column="problem_pddl"):
    return read_problem(row[column], read_domain(row["domain_pddl"]))


def after(domain, state, steps):
    for step in steps:
        state = progress(domain, state, parse_atom(step))
    return state


def said(name, task, rows, place=0, **columns):
    return " ".join(faults(name, task, changed(rows, place, **columns)))


def test_a_plan_with_a_step_that_goes_there_and_back_is_not_optimal():
    name, rows, domain = plain("generation", "ferry")
    problem = problem_of(rows[0])
    there = next(
        [step, back]
        for step in applicable_steps(domain, problem, problem.init)
        for back in applicable_steps(domain, problem, progress(domain, problem.init, step))
        if progress(domain, progress(domain, problem.init, step), back) == problem.init
    )
    plan = [*map(write_atom, there), *rows[0]["plan"]]
    columns = {"plan": plan, "plan_length": len(plan)}
    assert "plan_optimal" in said(name, "generation", rows, **columns, plan_optimal=True)
    assert said(name, "generation", rows, **columns, plan_optimal=False) == ""


def test_a_goal_that_holds_at_the_start_is_seen():
    name, rows, _ = plain("generation")
    problem = problem_of(rows[0])
    text = write_problem(replace(problem, goal=frozenset()))
    assert "the goal holds at the start" in said(name, "generation", rows, problem_pddl=text)


def test_a_cost_that_agrees_with_a_dearer_plan_is_not_the_least():
    name, rows, domain = plain("optimal", "ferry")
    problem, costs = problem_of(rows[0]), json.loads(rows[0]["action_costs"])
    step = applicable_steps(domain, problem, problem.init)[0]
    back = next(
        each
        for each in applicable_steps(domain, problem, progress(domain, problem.init, step))
        if progress(domain, progress(domain, problem.init, step), each) == problem.init
    )
    plan = [write_atom(step), write_atom(back), *rows[0]["plan"]]
    prices = Prices(costs, json.loads(rows[0]["object_costs"]))
    cost = rows[0]["cost"] + prices.of(step) + prices.of(back)
    found = said(name, "optimal", rows, plan=plan, plan_length=len(plan), cost=cost)
    assert f"should be {rows[0]['cost']}" in found


def test_a_problem_without_a_plan_has_no_least_cost():
    name, rows, _ = plain("optimal", "ferry")
    problem = problem_of(rows[0])
    places = [typed.name for typed in problem.objects if "location" in typed.types]
    goal = literals(("at-ferry", place) for place in places[:2])
    found = said(name, "optimal", rows, problem_pddl=write_problem(replace(problem, goal=goal)))
    assert "there is no plan" in found
    assert "least cost" not in found


@pytest.mark.parametrize("name", NAMES)
def test_two_ways_to_the_least_cost_agree(name):
    domain, problem = entry(name).domain, problem_of(made(name, "execution")[0][0])
    state = RecheckedState(domain, problem, 5.0, 5.0)
    space = space_of(state.task, state.most)
    goal = space.goal_states(problem.goal)
    for first in (1, 3, 7):
        actions = {action.name: first + 2 * number for number, action in enumerate(domain.actions)}
        costs = Prices(actions, {problem.objects[0].name: first})
        assert least_cost(state, costs) == space.costs(goal, costs.of)[0]
        assert least_cost(state, Prices(dict.fromkeys(actions, 1))) == state.h_star
    part = RecheckedState(domain, problem, 5.0, 5.0, most=1)
    assert least_cost(part, costs) is None


def test_a_part_of_the_shown_plan_that_solves_the_other_goal_is_seen():
    name, rows, domain = plain("reuse", "blocksworld", "ferry")
    first = problem_of(rows[0], "given_problem_pddl")
    steps = rows[0]["given_actions"][:-1]
    state = after(domain, first.init, steps)
    goal = frozenset(
        type(next(iter(first.goal)))(fact) for fact in state - first.init if fact[0] in domain.fluents
    )
    text = write_problem(replace(first, goal=goal))
    found = said(
        name, "reuse", rows, problem_pddl=text, plan=steps, plan_length=len(steps), h_star=len(steps)
    )
    assert "that are shown solve it" in found


def test_a_share_of_steps_that_is_too_large_is_seen():
    name, rows, _ = plain("reuse", "blocksworld", "ferry")
    wrong = 1.0 if rows[0]["reusable"] < 1 else 0.5
    assert "reusable is" in said(name, "reuse", rows, reusable=wrong)


def test_an_event_that_no_state_allows_is_seen():
    name, rows, _ = plain("replanning", "blocksworld")
    row, problem = rows[0], problem_of(rows[0])
    fact = ("arm-empty",) if ("arm-empty",) in problem.init else next(iter(sorted(problem.init)))
    state = problem.init - {fact}
    gone = f"(not {write_atom(fact)})"
    text = write_problem(replace(problem, init=state))
    found = said(name, "replanning", rows, problem_pddl=text, event=sorted([*row["event"], gone]))
    assert "out of reach" in found


def test_an_event_after_which_the_old_plan_goes_on_is_seen():
    name, rows, domain = plain("replanning")
    row = rows[0]
    state = after(
        domain, problem_of(row, "given_problem_pddl").init, row["given_actions"][: row["event_step"]]
    )
    rest = row["given_actions"][row["event_step"] :]
    text = write_problem(replace(problem_of(row), init=state))
    found = said(name, "replanning", rows, problem_pddl=text, plan=rest, plan_length=len(rest))
    assert "a part of the old plan still solves it" in found


@slow
def test_a_problem_said_to_have_no_plan_that_has_one_is_seen():
    name, rows, _ = plain("solvability", *CATALOG.names)
    place = next(n for n, row in enumerate(rows) if row["solvable"])
    columns = {"solvable": False, "plan": [], "plan_length": 0, "proof": "exhaustion", "h_star": None}
    found = said(name, "solvability", rows, place, **columns)
    assert "there is a plan" in found
    assert "is no pair" in found


@slow
def test_a_pair_without_its_other_half_is_seen():
    name, rows, _ = plain("solvability", *CATALOG.names)
    assert "is no pair" in " ".join(faults(name, "solvability", rows[1:]))


def towers(*pairs):
    """A half of a pair of arrangements: blocks that are to be on others."""
    goal = frozenset(Literal(("on", *pair)) for pair in pairs)
    problem = Problem("p", "blocksworld", (), frozenset(), goal)
    return SimpleNamespace(row={"pair_type": "arrangement"}, plain_problem=problem)


def test_a_goal_of_which_two_facts_show_that_it_has_no_plan_is_seen():
    tower, ring = towers("ab", "bc", "cd", "ea"), towers("ab", "bc", "ca", "ed")
    assert not solvability._unlike(tower, ring)
    fault = "share other arguments"
    assert fault in " ".join(solvability._unlike(towers("ab", "bc"), towers("ab", "cb")))
    assert fault in " ".join(solvability._unlike(towers("ab", "bc", "cd"), towers("ab", "ba", "cd")))


def test_a_form_with_another_goal_is_seen():
    name, rows, _ = plain("reformulation", "blocksworld")
    place = next(n for n, row in enumerate(rows) if row["form"] == "reworded")
    problem = problem_of(rows[place])
    text = write_problem(replace(problem, goal=frozenset(sorted(problem.goal)[:1])))
    row = {**rows[place], "problem_pddl": text, "form": "reduced"}
    assert "other states satisfy" in " ".join(faults(name, "reformulation", changed(rows, place, **row)))


def test_fewer_than_three_forms_and_forms_in_the_same_words_are_seen():
    name, rows, _ = plain("reformulation", "blocksworld")
    mine = [row for row in rows if row["twin_group"] == rows[0]["twin_group"]]
    assert "alone" in " ".join(faults(name, "reformulation", mine[:2]))
    again = changed(mine, 1, context=mine[0]["context"], context_both=mine[0]["context_both"])
    assert "the same words" in " ".join(faults(name, "reformulation", again))


def test_a_step_beside_is_no_question_of_causality():
    name, rows, domain = plain("causality")
    row = rows[0]
    steps = [parse_atom(step) for step in row["given_actions"]]
    made_by_first = progress(domain, problem_of(row).init, steps[0]) - problem_of(row).init
    fact = next(fact for fact in sorted(made_by_first))
    found = said(name, "causality", rows, question_type="provider", step=2, fact=write_atom(fact), answer=1)
    assert "it is the step beside" in found or "does not need" in found


@slow
def test_an_example_as_large_or_as_long_is_seen():
    name, listed = some("generalization", "swap", "gripper", "logistics", "depots", "satellite", "alfworld")
    row = listed[0]
    same = {"problem_pddl": row["problem_pddl"], "plan": row["plan"]}
    found = said(name, "generalization", listed, given_examples=[same, *row["given_examples"][1:]])
    assert "is not smaller" in found
    assert "as long as one" in found


class TestAllRowsTogether:
    """What only many rows show."""

    row = staticmethod(
        lambda number, valid, fault="", fails_at=0, length=6: {
            "id": f"ferry/test/{number:06}/x",
            "domain": "ferry",
            "valid": valid,
            "given_actions": ["(a)"] * length,
            "fault": fault,
            "fails_at": fails_at,
        }
    )

    def verification(self, rows):
        check = task_checks().of("verification")
        return " ".join(check.across([check.note(row) for row in rows]))

    def test_plans_and_others_look_alike(self):
        rows = [self.row(0, True), self.row(1, False, "doubled", 2)]
        assert self.verification(rows) == ""
        assert "look the same" in self.verification([*rows, self.row(2, True)])
        assert "look the same" in self.verification([rows[0], self.row(1, False, "doubled", 2, length=5)])

    @pytest.mark.parametrize(
        ("one", "other", "alike"),
        [
            (["(a b)", "(c b)"], ["(c d)", "(a d e)"], True),
            (["(a b)", "(c b)"], ["(c d)", "(a e)"], False),  # neighbours without a common object
            (["(a b)", "(c b)", "(a b)"], ["(c d)", "(a d)", "(b d)"], False),  # a step twice
            (["(a b)", "(c b)", "(a b)"], ["(c d)", "(b d)", "(c d)"], True),
        ],
    )
    def test_a_glance_at_the_steps_does_not_tell_plans_from_others(self, one, other, alike):
        rows = [
            {**self.row(0, True), "given_actions": one},
            {**self.row(1, False, "doubled", 2), "given_actions": other},
        ]
        assert ("look the same" not in self.verification(rows)) == alike

    def test_faults_and_places_of_failure_are_spread(self):
        faults_of = ("left_out", "doubled", "exchanged", "other_object", "other_action", "goal_missed")
        rows = []
        for number in range(120):
            fault = faults_of[number % 6]
            at = 0 if fault == "goal_missed" else 1 + number // 6 % 6
            rows += [self.row(number, True), self.row(number, False, fault, at)]
        assert self.verification(rows) == ""
        early = [{**row, "fails_at": min(row["fails_at"], 1)} for row in rows]
        assert "alone fail in third 3" in self.verification(early)
        one = [{**row, "fault": "doubled"} if row["fault"] else row for row in rows]
        assert "of left_out there are 0 rows" in self.verification(one)

    def test_costs_differ_in_half_of_the_rows(self):
        check = task_checks().of("optimal")
        costs = [json.dumps({"a": 1, "b": 1 + (number < 4)}) for number in range(10)]
        noted = [check.note({"action_costs": each, "object_costs": "{}"}) for each in costs]
        assert check.across(noted)
        assert check.across(noted[:8]) == []


def asked(name, row):
    source, its = origin(name, row["problem_id"])
    inputs = replace(INPUTS, domains=(name,))
    checked = CheckedProblem(inputs, entry(name), None, its, source.problem, {}, False)
    return PlanRow(
        checked,
        row,
        None,
        lambda problem: RecheckedState(entry(name).domain, problem, 5.0, 5.0),
    )


def test_a_problem_in_two_splits_is_seen_under_other_names(tmp_path):
    listed = made("blocksworld", "generation")[0]
    row, renamed = listed[0], next(each for each in listed if each["vocabulary"] != "plain")
    notes = [note for each in (row, renamed) for note in noted("blocksworld", each)]
    assert leaks(tmp_path / "one", notes) == []
    moved = [note._replace(row=note.row.replace("/train/", "/test/")) for note in notes[1:]]
    (fault,) = leaks(tmp_path / "two", [notes[0], *moved])
    assert "is the same problem as" in fault


def noted(name, row):
    """The notes on the problems of a row."""
    verdicts = Verdicts()
    _noted(asked(name, row), verdicts, set())
    return [note for note in verdicts.notes if note.name == SPLITS]


def leaks(folder, notes):
    """The faults that comparing notes shows."""
    verdict_parts.part_of(folder, "same").save(verdict_parts.as_tables(Verdicts(notes=notes)))
    problem = {"id": "blocksworld/train/000000", "problem_pddl": ""}
    files = write_shards(folder, PUBLISHED["problems"], "train", [row_of(PUBLISHED["problems"], **problem)])
    return splits.faults(ROOT, Notes(folder), (SPLITS, PROBLEM_SPLITS), files)


@pytest.fixture
def tables_of_plans(tmp_path):
    """Tables with many rows on some problems, and where they are found."""
    rows = {}
    for task in plan_tasks():
        for name in ("ferry", "swap"):
            some = [row for listed in made(name, task)[:2] for row in listed]
            for number in range(40):
                listed = [{**row, "id": f"{row['id']}-{number}"} for row in some]
                rows.setdefault(f"plan_{task}", []).extend(listed)
    for name, listed in rows.items():
        if listed:
            write_shards(tmp_path, PLANS[name.removeprefix("plan_")], "train", listed)
    return rows, replace(INPUTS, dataset=tmp_path)


@slow
def test_the_rows_put_to_another_validator_are_drawn_by_their_names_alone(tables_of_plans, monkeypatch):
    rows, inputs = tables_of_plans
    monkeypatch.setattr(plans, "SHARE", 0.25)
    monkeypatch.setattr(plans, "MOST", 3)
    expected = []
    for listed in rows.values():
        for name in ("ferry", "swap"):
            numbers = {
                row["id"]: md5(row["id"].encode()).hexdigest() for row in listed if row["domain"] == name
            }
            drawn = sorted(
                (numbers[row["id"]], row)
                for row in listed
                if row["domain"] == name
                and (row["plan"] if "plan" in row else row["given_actions"] if "valid" in row else [])
                and int(numbers[row["id"]][:8], 16) < 0.25 * 2**32
            )
            expected += [row for _, row in drawn[:3]]
    sample = list(plans._sample(inputs))
    assert sorted((each.name, tuple(each.steps), each.valid) for each in sample) == sorted(
        (row["id"], tuple(row["plan"] if "plan" in row else row["given_actions"]), row.get("valid", True))
        for row in expected
    )
    assert {each.valid for each in sample} == {True, False}


@slow
def test_no_row_is_drawn_where_there_are_none(tables_of_plans, monkeypatch):
    _, inputs = tables_of_plans
    monkeypatch.setattr(plans, "SHARE", 0.0)
    assert plans.check_sample(inputs).checked == {}
