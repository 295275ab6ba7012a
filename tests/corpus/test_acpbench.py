"""Stored answers of open questions judged anew: true ones stand, and every damage to them is seen."""

import random
import re

import pytest

from orrery.corpus import acpbench
from orrery.corpus.acpbench import INCOMPLETE, OUTSIDE, RIGHT, UNDECIDED, WRONG, redecide
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.planning.decide import ProofBudget, decide
from orrery.planning.execution import check_plan, progress
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from orrery.planning.universe import fluent_atoms, ground_steps
from tests.every_domain import easy_problems, entry
from tests.universe import applicable_steps

DOMAINS = ("blocksworld", "ferry", "visitall")
SMALL = 1_500


def small(name):
    """A few problems with few states, and their plain state spaces."""
    tasks_read = []
    for problem in easy_problems(name, 8):
        task = ground(entry(name).domain, problem)
        space = reachable(task, limit=SMALL)
        if space.complete:
            tasks_read.append((problem, task, [task.state(mask) for mask in space.states]))
    return tasks_read[:3]


def row(group, name, problem, question, answer):
    return {
        "id": "x",
        "group": group,
        "context": "",
        "question": question,
        "answer": answer,
        "PDDL_domain": write_domain(entry(name).domain),
        "PDDL_problem": write_problem(problem),
    }


def texts(atoms):
    return [write_atom(atom) for atom in sorted(atoms)]


@pytest.mark.parametrize("name", DOMAINS)
def test_complete_sets_are_right_smaller_ones_are_not_and_false_elements_are_found(name):
    domain = entry(name).domain
    for problem, _, states in small(name):
        steps = list(ground_steps(domain, problem))
        now = set(applicable_steps(domain, problem, problem.init))
        ever = {step for state in states for step in applicable_steps(domain, problem, state)}
        held = {fact for state in states for fact in state}
        sets = {
            "applicable_actions_gen": (now, set(steps) - now, WRONG),
            "reachable_action_gen": (set(steps) - ever, ever, INCOMPLETE),
            "reachable_atom_gen": (set(fluent_atoms(domain, problem)) - held, held, INCOMPLETE),
        }
        for group, (true, false, fewer) in sets.items():
            assert redecide(row(group, name, problem, "", texts(true))).verdict == RIGHT
            if true:
                assert redecide(row(group, name, problem, "", [])).verdict == WRONG
            if len(true) > 1:
                assert redecide(row(group, name, problem, "", texts(true)[1:])).verdict == fewer
            if false:
                assert redecide(row(group, name, problem, "", texts([*true, min(false)]))).verdict == WRONG


def test_only_ground_actions_are_out_of_reach_also_where_too_many_are_to_list_them(monkeypatch):
    monkeypatch.setattr(acpbench, "MOST_LISTED", 0)
    domain = entry("ferry").domain
    for problem, _, states in small("ferry"):
        ever = {step for state in states for step in applicable_steps(domain, problem, state)}
        never = sorted(set(ground_steps(domain, problem)) - ever)[:2]
        judged = redecide(row("reachable_action_gen", "ferry", problem, "", texts(never)))
        assert (judged.verdict, judged.answer) == (INCOMPLETE, texts(never))
        for strange in (("fly", "c0"), ("sail",), ("board", "nobody", "nowhere")):
            judged = redecide(row("reachable_action_gen", "ferry", problem, "", texts([*never, strange])))
            assert (judged.verdict, judged.answer) == (WRONG, texts(never))
            assert write_atom(strange) in judged.detail


@pytest.mark.parametrize("name", DOMAINS)
def test_effects_are_those_of_the_action_that_the_question_names(name):
    domain = entry(name).domain
    for problem, _, _ in small(name):
        step = applicable_steps(domain, problem, problem.init)[0]
        after = progress(domain, problem.init, step)
        answer = {"pos": texts(after - problem.init), "neg": texts(problem.init - after)}
        question = f"what does {write_atom(step)} change?"
        assert redecide(row("progression_gen", name, problem, question, answer)).verdict == RIGHT
        swapped = {"pos": answer["neg"], "neg": answer["pos"]}
        assert redecide(row("progression_gen", name, problem, question, swapped)).verdict == WRONG


@pytest.mark.parametrize("name", DOMAINS)
def test_sequences_and_removals_are_executed(name):
    domain, rng = entry(name).domain, random.Random(4)
    for problem, task, _ in small(name):
        plan = list(decide(task).plan.steps)
        steps = list(ground_steps(domain, problem))
        for _ in range(10):
            sequence = [*plan[: rng.randrange(len(plan))], *rng.sample(steps, 2)]
            first = check_plan(domain, problem, sequence).failed_at
            question = " ".join(map(write_atom, sequence))
            judged = redecide(row("validation_gen", name, problem, question, first))
            assert (judged.verdict, judged.answer) == (RIGHT if first is not None else WRONG, first)
            assert redecide(row("validation_gen", name, problem, question, len(sequence))).verdict == WRONG
        question = " ".join(map(write_atom, plan + plan[-1:]))
        judged = redecide(row("action_justification_gen", name, problem, question, []))
        assert judged.verdict == (
            WRONG if not check_plan(domain, problem, plan + plan[-1:]).valid else judged.verdict
        )
        for removal in judged.answer or []:
            assert removable(domain, problem, plan + plan[-1:], removal)


def removable(domain, problem, plan, removal):
    """Whether a removal in the published form leaves a plan at some place."""
    *gone, last = removal
    places = [i for i in range(len(plan)) if [write_atom(step) for step in plan[i : i + len(gone)]] == gone]
    if last != "-1":
        places = [places[int(last) - 1]]
    return any(check_plan(domain, problem, plan[:i] + plan[i + len(gone) :]).valid for i in places)


@pytest.mark.parametrize("name", DOMAINS)
def test_landmarks_and_next_actions_on_the_wrong_side_are_found(name):
    for problem, task, _ in small(name):
        decided_task = decide(task)
        sides = {"yes": texts(decided_task.landmarks), "no": texts(decided_task.not_landmarks)}
        assert redecide(row("landmarks_gen", name, problem, "", sides)).verdict == RIGHT
        swapped = {"yes": sides["no"], "no": sides["yes"]}
        assert redecide(row("landmarks_gen", name, problem, "", swapped)).verdict == WRONG
        following = {
            "yes": texts(decided_task.optimal_first_actions),
            "no": texts(decided_task.not_optimal_first_actions),
        }
        answer = {**following, "maybe": [], "opt": str(decided_task.optimal_cost)}
        assert redecide(row("goal_closer_gen", name, problem, "", answer)).verdict == RIGHT
        maybe = {**answer, "yes": [], "maybe": following["yes"]}
        assert redecide(row("goal_closer_gen", name, problem, "", maybe)).verdict == INCOMPLETE
        worse = {**answer, "opt": str(decided_task.optimal_cost + 1)}
        assert redecide(row("goal_closer_gen", name, problem, "", worse)).verdict == WRONG


@pytest.mark.slow
def test_a_static_disjunction_changes_no_verdict():
    """A condition on roads joined to one that never holds: the same steps, but in wider PDDL."""
    domain = entry("visitall").domain
    for problem, _, states in small("visitall"):
        now = set(applicable_steps(domain, problem, problem.init))
        ever = {step for state in states for step in applicable_steps(domain, problem, state)}
        never = set(ground_steps(domain, problem)) - ever
        for group, true in (("applicable_actions_gen", now), ("reachable_action_gen", never)):
            question_row = row(group, "visitall", problem, "", texts(true))
            static = re.search(
                r"\(connected [^()]*\)", question_row["PDDL_domain"].split(":precondition")[1]
            )[0]
            head, condition, tail = question_row["PDDL_domain"].partition(":precondition")
            wider = (
                head + condition + tail.replace(static, f"(or {static} (and {static} (= ?none ?none)))", 1)
            )
            wider = wider.replace("?none", static.split()[1])
            assert redecide({**question_row, "PDDL_domain": wider}) == redecide(question_row)
            assert redecide(question_row).verdict == RIGHT


def test_rows_outside_the_subset_or_without_pddl_or_undecided_say_so():
    problem, task, _ = small("ferry")[0]
    sound = row("landmarks_gen", "ferry", problem, "", {"yes": [], "no": []})
    wider = {**sound, "PDDL_domain": sound["PDDL_domain"].replace("(and ", "(or ", 1)}
    for outside in ({**sound, "PDDL_problem": ""}, {**sound, "group": "landmarks_bool"}, wider):
        judged = redecide(outside)
        assert (judged.verdict, judged.answer) == (OUTSIDE, None)
        assert judged.detail
    assert redecide(sound, ProofBudget(states=1, calls=1, seconds=1)).verdict in (WRONG, UNDECIDED)
    assert task.goal_positive
