"""What the adversary is told of plan tasks: tricks that were planted in their rows are found."""

import pytest

from orrery.dataset.adversary import attack
from orrery.dataset.adversary.targets import fold_rows, target_maker
from orrery.dataset.adversary.verdict import FAILED
from orrery.families import table_of
from orrery.families.attack import JUDGE, PICK
from tests.families.plans.made import rows
from tests.families.plans.test_written_replies import DOMAIN, problem

PHRASES = '{"actions": {}, "predicates": {}}'
SHOWN = ["(go a b)"] * 12


def trials_on(table, rows_asked):
    maker = target_maker(table_of(table))
    return fold_rows(maker, ((row, number % 2 == 0) for number, row in enumerate(rows_asked)))


def on_links(count, away):
    """Rows of causality of which number n asks about a step that is ``away(n)`` before the one that fails."""
    return [
        {
            "id": f"d/{n}", "group": "plan_causality", "domain": "d", "problem_id": f"d/{n}", "context": "c",
            "question": "q", "domain_pddl": DOMAIN, "problem_pddl": problem("e"), "nl_templates": PHRASES,
            "question_type": "fails", "given_actions": SHOWN, "step": 1 + n % 3, "fact": "",
            "answer": 1 + n % 3 + away(n),
        }
        for n in range(count)
    ]  # fmt: skip


def test_an_answer_that_is_mostly_two_steps_on_is_found():
    attacked = attack(
        "plan_causality", trials_on("plan_causality", on_links(300, lambda n: 2 + (n % 5 == 0)))
    )
    rule = next(figure for figure in attacked.figures if figure.rule == "most nearness to 2 steps away")
    assert rule.score == pytest.approx(0.8)
    assert rule.verdict == FAILED


def test_answers_of_all_distances_alike_are_within_the_limit():
    rows_alike = on_links(400, lambda n: 2 + n // 3 % 4)
    attacked = attack("plan_causality", trials_on("plan_causality", rows_alike))
    # All plans are of one length here, so one number is right more often than a random step.
    assert all(figure.verdict != FAILED for figure in attacked.figures if not figure.tight)


def test_an_answer_that_the_names_suggest_is_found():
    steps = [f"(go {'a b' if n == 7 else 'c d'})" for n in range(12)]  # the eighth names what is asked about
    rows_asked = [
        {
            **row, "question_type": "provider", "given_actions": steps, "step": 12, "fact": "(at a b)",
            "answer": 8 if n % 4 else n % 7,
        }
        for n, row in enumerate(on_links(300, lambda _: 0))
    ]  # fmt: skip
    attacked = attack("plan_causality", trials_on("plan_causality", rows_asked))
    rule = next(f for f in attacked.figures if f.rule == "most being the step that the names suggest")
    assert rule.score == pytest.approx(0.75)
    assert rule.verdict == FAILED


def test_the_step_asked_about_and_its_neighbor_are_no_candidates():
    (trial,) = trials_on("plan_causality", on_links(1, lambda _: 4))
    assert trial.form == PICK
    assert [option.text for option in trial.options] == [str(n) for n in range(3, 13)]
    assert [option.text for option in trial.options if option.right] == ["5"]
    provider = {**on_links(1, lambda _: 0)[0], "question_type": "provider", "step": 6, "answer": 0}
    (trial,) = trials_on("plan_causality", [provider])
    assert [option.text for option in trial.options] == ["0", "1", "2", "3", "4"]
    assert trial.options[0].right


def contradicting():
    """Rows of solvability whose goals without a plan say that one block is on two others."""
    row = plain_only(row for _, row in rows("blocksworld", "generation"))[0]
    for number in range(120):
        goal = "(on b1 b2) (on b1 b3)" if number % 2 else "(on b1 b2) (on b2 b3)"
        problem = f"{row['problem_pddl'].partition('(:goal')[0]}(:goal (and {goal})))"
        yield {
            **row, "id": f"b/{number}", "problem_id": f"b/{number}", "problem_pddl": problem,
            "solvable": number % 2 == 0,
        }  # fmt: skip


def plain_only(rows_asked):
    return [row for row in rows_asked if row["vocabulary"] == "plain"]


def test_goals_of_which_two_facts_tell_that_there_is_no_plan_are_found():
    trials = trials_on("plan_solvability", contradicting())
    assert {trial.form for trial in trials} == {JUDGE}
    figures_by_rule = {
        figure.rule: figure for figure in attack("plan_solvability", trials).figures if not figure.domain
    }
    for rule in ("trained classifier", "best name of the domain"):
        assert figures_by_rule[rule].score == pytest.approx(1)
        assert figures_by_rule[rule].verdict == FAILED


@pytest.mark.slow
def test_two_facts_of_a_goal_that_is_made_tell_nothing():
    solvability_rows = [
        row for name in ("blocksworld", "grid", "floortile") for _, row in rows(name, "solvability")
    ]
    attacked = attack("plan_solvability", trials_on("plan_solvability", plain_only(solvability_rows)))
    assert all(figure.score <= figure.limit for figure in attacked.figures if not figure.domain)
