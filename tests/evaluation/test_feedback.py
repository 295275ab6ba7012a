"""What answers a reply that is not right helps, and gives nothing of the right one away."""

import re
from dataclasses import replace

import pytest

from orrery.families import table_of
from orrery.grading import Score
from orrery.library.items import styles, template
from orrery.scoring.grades import GradeScorer
from orrery.scoring.scorers.plans import JUDGED_BY
from tests.evaluation.samples import ASKING, ROOT, items, modelled, spoilt, told_in
from tests.library.samples import IN_ONE_PROCESS, fresh

pytestmark = IN_ONE_PROCESS

WORD = re.compile(r"[\w-]+")
ATOM = re.compile(r"\([^()]*\)")
# The words of the language are no secret.
PDDL = frozenset(WORD.findall(
    "define domain problem requirements strips typing types predicates objects init goal action parameters"
    " precondition effect and not"
))  # fmt: skip
NONSENSE = (
    "I do not know.", "", "ANSWER: none", "ANSWER: yes", "ANSWER: no", "ANSWER: A", "ANSWER: B", "ANSWER: 1",
    "ANSWER: valid", "[PLAN]\n[PLAN END]", "(define (problem p) (:domain d))", "(define (domain d))",
    "(:action a :effect (b))", "ANSWER: there is no plan", "x" * 5000,
)  # fmt: skip


def wrong_replies(item, another):
    candidates = (
        *NONSENSE,
        another.gold,
        *spoilt(item.gold),
        *spoilt(another.gold),
        f"{item.gold}\n{another.gold}",
    )
    scores = {reply: item.score(reply) for reply in candidates}
    return {reply: score for reply, score in scores.items() if score.verdict != "right"}


def seen(item):
    """All that the prompts of an item's table show, in any representation."""
    texts = []
    for style in styles(ROOT, item.table):
        if "two_shot" not in style and style != "published":
            texts += [message["content"] for message in told_in(item, style).prompt]
    return "\n".join(texts)


def blind(item):
    """The item without any column but those that prompts show, and those that plans are judged by."""
    shown = {
        column for style in styles(ROOT, item.table) for column in template(ROOT, item.table, style).columns
    }
    columns = shown | ({"domain_pddl", "domain", "id"} | set(JUDGED_BY))
    if table_of(item.table).scorer != "plans":
        columns -= {"problem_pddl"}
    return replace(item, row={name: value for name, value in item.row.items() if name in columns})


@pytest.mark.slow
@pytest.mark.parametrize("table", ASKING)
def test_it_is_made_without_the_right_reply(table):
    item, another = items(table)
    gold = table_of(table).gold.columns
    assert not set(gold) & set(blind(item).row), "the gold is shown or judged by"
    for reply, score in wrong_replies(item, another).items():
        leaky = Score(0.0, score.verdict, "the gold is this and that")
        assert blind(item).feedback(reply, leaky) == item.feedback(reply, score)


@pytest.mark.slow
@pytest.mark.parametrize("table", ASKING)
def test_nothing_of_the_right_reply_is_in_it_that_was_not_seen_or_said(table):
    item, another = items(table)
    shown = seen(item)
    feedbacks = 0
    for reply, score in wrong_replies(item, another).items():
        message = item.feedback(reply, score)
        context = f"{shown}\n{reply}".lower()
        secret = set(WORD.findall(item.gold.lower())) - set(WORD.findall(context)) - PDDL
        assert not secret & set(WORD.findall(message.lower())), (reply, message)
        atoms = {atom for atom in ATOM.findall(item.gold.lower()) if atom not in context}
        assert not [atom for atom in atoms if atom in message.lower()], (reply, message)
        feedbacks += bool(message)
    assert feedbacks, "nobody is ever answered"


@pytest.mark.parametrize("table", [name for name in ASKING if name.endswith(("_bool", "_mcq"))])
def test_that_an_answer_is_wrong_is_never_said(table):
    item = items(table)[0]
    options = ("yes", "no") if table.endswith("_bool") else "ABCD"
    scores = {reply: item.score(reply) for reply in (f"ANSWER: {option}" for option in options)}
    assert {score.verdict for score in scores.values()} == {"right", "wrong"}
    assert {item.feedback(reply, score) for reply, score in scores.items()} == {""}


def test_a_plan_is_told_its_first_failing_step_and_the_condition_that_is_not_met():
    item = fresh("plan_generation")[0]
    reply = item.gold.replace(item.gold.splitlines()[1] + "\n", "", 1)
    message = item.feedback(reply, item.score(reply))
    assert re.match(r"The plan that you wrote does not work: (step \d+ \(.*\) fails|the goal)", message)
    assert item.score(reply).detail in message
    assert item.feedback("ANSWER: there is no plan", item.score("ANSWER: there is no plan")) == ""


def test_a_plan_that_costs_too_much_is_not_told_so():
    item = fresh("plan_optimal")[0]
    cheap = replace(item, row={**item.row, "cost": 0})
    score = cheap.score(item.gold)
    assert (score.verdict, score.detail.endswith("0 is enough")) == ("wrong", True)
    assert cheap.feedback(item.gold, score) == ""


def test_whether_there_is_a_plan_is_not_said():
    item, no_answer = items("plan_solvability")[0], "ANSWER: none"
    solvable, unsolvable = (
        replace(item, row={**item.row, "solvable": has_plan}) for has_plan in (True, False)
    )
    assert solvable.feedback(no_answer, solvable.score(no_answer)) == ""
    step = unsolvable.row["domain_pddl"].split("(:action ")[1].split()[0]
    for item in (solvable, unsolvable):
        feedback = item.feedback(f"[PLAN]\n({step})\n[PLAN END]", Score(0.0, "wrong"))
        assert feedback.startswith("The plan that you wrote")
        assert "plan" not in feedback.removeprefix("The plan that you wrote")


def test_a_problem_is_told_what_cannot_be_read_or_that_it_has_no_plan():
    item = fresh("text_to_pddl")[0]
    broken = item.gold.replace("(:init", "(:init (nowhere b1)", 1)
    assert "'nowhere'" in item.feedback(broken, item.score(broken))
    goal = item.gold.index("(:goal")
    impossible = f"{item.gold[:goal]}(:goal (and (on b1 b2) (on b2 b1))))"
    assert item.score(impossible).verdict == "wrong"
    assert "has no plan" in item.feedback(impossible, item.score(impossible))
    gold_of_another = fresh("text_to_pddl")[1].gold
    assert (
        item.feedback(gold_of_another, item.score(gold_of_another)) == ""
    )  # it can be read, has a plan, and is another one


def test_a_domain_is_told_its_faults_and_no_more_than_ten():
    item = modelled("domain_modeling", "ferry")
    faults = " ".join(f"(p{number})" for number in range(15))
    message = item.feedback(f"(define (domain d) (:action a :effect (and {faults})))", Score(0.0, "wrong"))
    assert "10. " in message
    assert "11. " not in message
    assert "more)" in message
    actions = modelled("action_modeling", "ferry")
    assert "all actions again" in actions.feedback("none", Score(0.0, "unparsed"))


def test_a_scorer_without_feedback_never_answers(monkeypatch):
    monkeypatch.delattr(GradeScorer, "feedback")
    assert items("acp_app_gen")[0].feedback("?", Score(0.0, "unparsed")) == ""
