"""The score of one output against one row."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.equivalence import closure
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, Reason, compare
from orrery.model import Literal, OrreryError, TypedName
from orrery.pddl.faults import SyntaxFault
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.scoring.problems import solvability
from orrery.scoring.problems.pairs import (
    ALL_OPEN,
    AS_THE_GOLD,
    UNREADABLE,
    DomainKnowledge,
    ScoreLimits,
    known_of,
    score_pair,
    scores_schema,
)
from orrery.scoring.problems.solvability import ProofLimits
from orrery.scoring.scorers.text_to_pddl import groups
from orrery.store.columns import from_rows
from tests.effort import examples
from tests.equivalence.test_domain_isomorphism import renamer
from tests.every_domain import ROOT, entry
from tests.scoring.problems.rows import NAMES, known, renamed, rows, with_another_object, without_a_fact

PROSE = "The answer ({}):\n```pddl\n{}```\nDone."


def verdicts(score):
    return (score.plain.parseable, score.plain.solvable, score.plain.correct)


@pytest.mark.by_day(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("helped", [True, False])
def test_the_gold_renamed_is_correct_and_a_fact_less_is_not(name, helped):
    rng = random.Random(name)
    knowledge = known(name) if helped else None
    for row, problem in rows(name, 12 if helped else 4):
        for variant in (problem, renamed(problem, rng)):
            score = score_pair(PROSE.format(name, write_problem(variant)), row, known=knowledge)
            assert verdicts(score) == (True, True, True), row["id"]
            assert score.relaxed == score.plain
            assert (score.plain.error, score.remark) == ("", "")
        for variant in (without_a_fact(problem, rng), with_another_object(problem)):
            score = score_pair(write_problem(renamed(variant, rng)), row, known=knowledge)
            assert (score.plain.parseable, score.plain.correct) == (True, False)


@pytest.mark.parametrize("name", ["blocksworld", "ferry"])
def test_a_verdict_does_not_depend_on_what_was_scored_before(name):
    """Rows whose problem was edited, and whose keys were not, between rows that are as they were."""
    rng, knowledge, edited = random.Random(name), known(name), 0
    for row, problem in rows(name, 8):
        shorter = replace(problem, goal=frozenset(sorted(problem.goal)[:1]))
        different = not score_pair(write_problem(shorter), row, known=knowledge).plain.correct
        edited += different
        changed = row | {"problem_pddl": write_problem(shorter)}
        for variant, right in ((problem, not different), (shorter, True)):
            for _ in range(2):
                text = write_problem(renamed(variant, rng))
                assert score_pair(text, changed, known=knowledge).plain.correct is right
                assert score_pair(text, row, known=knowledge).plain.correct is (
                    variant is problem or not different
                )
    assert edited


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "floor-tile"])
def test_an_obfuscated_vocabulary_is_scored_with_what_is_known_of_the_plain_one(name):
    rng = random.Random(name)
    mystery, put = renamer(entry(name).domain, rng)
    knowledge = known(name)
    for row, problem in rows(name, 6):
        obfuscated = row | {
            "domain_pddl": write_domain(mystery),
            "problem_pddl": write_problem(put(problem)),
            "vocabulary": "meaningless",
        }
        score = score_pair(write_problem(put(renamed(problem, rng))), obfuscated, known=knowledge)
        assert verdicts(score) == (True, True, True)
        assert score.plain.solvable_reason in ("domain-planner", "goal-holds")
        assert (
            score_pair(
                write_problem(put(without_a_fact(problem, rng))), obfuscated, known=knowledge
            ).plain.correct
            is False
        )
        plain = score_pair(write_problem(problem), obfuscated, known=knowledge)
        assert plain.plain.error == SyntaxFault.WRONG_DOMAIN


def test_what_has_no_plan_is_not_correct_where_the_gold_has_one():
    row = next(row for row, problem in rows("blocksworld", 30) if len(problem.objects) > 2)
    problem = read_problem(row["problem_pddl"], entry("blocksworld").domain)
    first, second = (typed.name for typed in problem.objects[:2])
    circle = replace(
        problem, goal=frozenset({Literal(("on", first, second)), Literal(("on", second, first))})
    )
    for knowledge in (None, known("blocksworld")):
        score = score_pair(write_problem(circle), row, known=knowledge)
        assert verdicts(score) == (True, False, False)
        assert score.plain.reason == Reason.UNSOLVABLE


LAMPS = (
    "(define (domain lamps) (:predicates (lit ?x) (lamp ?x) (next ?x ?y)) (:action switch :parameters (?x ?y)"
    " :precondition (and (lamp ?y) (lit ?x) (next ?x ?y)) :effect (lit ?y)))"
)


def lamps(goal, objects="a b c", init="(lamp a) (lamp b) (lamp c) (lit a) (next a b) (next b c)"):
    return f"(define (problem x) (:domain lamps) (:objects {objects}) (:init {init}) (:goal (and {goal})))"


def test_a_domain_of_no_folder_and_a_row_with_nothing_else():
    row = {"domain_pddl": LAMPS, "problem_pddl": lamps("(lit c)")}
    assert verdicts(score_pair(lamps("(lit c) (lit b)"), row)) == (True, True, True)  # implied
    assert verdicts(score_pair(lamps("(lit b)"), row)) == (True, True, False)
    assert verdicts(score_pair(lamps("(lit c)", "c b a", "(lamp c)(lamp b)(lamp a)(lit c)"), row))[1:] == (
        True,
        False,
    )
    impossible = {"domain_pddl": LAMPS, "problem_pddl": lamps("(next c a)")}
    assert verdicts(score_pair(lamps("(next c b)"), impossible)) == (True, False, True)  # neither has a plan


def test_the_view_that_ignores_added_types():
    row = {"domain_pddl": LAMPS, "problem_pddl": lamps("(lit c)"), "solvable": True}
    typed = lamps("(lit c)", "a b - lamp c - lamp", "(lit a) (next a b) (next b c)")
    score = score_pair(typed, row)
    assert verdicts(score) == (False, False, False)
    assert (score.plain.error, score.relaxed.error) == (SyntaxFault.UNKNOWN_TYPE, "")
    assert (score.relaxed.parseable, score.relaxed.solvable, score.relaxed.correct) == (True, True, True)
    assert score.tolerated == ("added-types",)
    wrong = score_pair(typed.replace("c - lamp", "c - switch"), row)
    assert (wrong.relaxed.parseable, wrong.relaxed.correct) == (True, False)
    # `- object` alone adds no type.
    same = score_pair(lamps("(lit c)", "a b c - object"), row)
    assert verdicts(same) == (True, True, True)
    assert same.relaxed == same.plain


def test_placeholder_rows_leave_the_goal_s_objects_open():
    blocks = write_domain(entry("blocksworld").domain)
    text = (
        "(define (problem x) (:domain blocksworld) (:objects a b c)"
        " (:init (arm-empty) (on-table a) (on-table b)"
        " (clear b) (on c a) (clear c)) (:goal (and (on {} {}) (on {} {}) (on-table {}))))"
    )
    row = {"domain_pddl": blocks, "problem_pddl": text.format(*"abbcc")}
    turned = text.format(*"bccaa")
    for knowledge in (None, known("blocksworld")):
        assert score_pair(turned, row | {"is_placeholder": 0}, known=knowledge).plain.correct is False
        silent = score_pair(turned, row | {"is_placeholder": 1}, known=knowledge)
        assert (silent.plain.correct, silent.remark) == (True, ALL_OPEN)
        for opened, right in (("abc", True), ("ab", False), ("", False)):
            opened_row = row | {"is_placeholder": 1, "open_objects": list(opened)}
            score = score_pair(turned, opened_row, known=knowledge)
            assert (score.plain.correct, score.remark) == (right, "")
    with pytest.raises(OrreryError, match="open_objects"):
        score_pair(turned, row | {"is_placeholder": 1, "open_objects": "abc"})


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("", "empty-output"),
        (None, "empty-output"),
        (lamps("(dark c)"), "unknown-predicate"),
    ],
)
def test_what_cannot_be_read(output, error):
    score = score_pair(output, {"domain_pddl": LAMPS, "problem_pddl": lamps("(lit c)")})
    assert verdicts(score) == (False, False, False)
    assert (score.plain.error, score.relaxed.error) == (error, error)
    assert score.plain.reason == score.plain.solvable_reason == UNREADABLE


PIECES = st.sampled_from(
    [
        "(lit a)",
        "(not (lit b))",
        "(next a a)",
        "(lamp d)",
        "(and)",
        "(or)",
        ")",
        "(",
        "a",
        "- lamp",
        "(= a b)",
        "\0",
    ]
)


@examples(150)
@given(
    st.lists(PIECES, max_size=5), st.lists(PIECES, max_size=3), st.lists(PIECES, max_size=3), st.booleans()
)
def test_nothing_raises_and_every_score_fits_the_table(init, goal, objects, placeholder):
    row = {"domain_pddl": LAMPS, "problem_pddl": lamps("(lit c)"), "id": "1", "is_placeholder": placeholder}
    text = lamps(" ".join(goal), "a b c " + " ".join(objects), " ".join(init))
    score = score_pair(text, row)
    for view in (score.plain, score.relaxed):
        assert view.reason
        assert view.solvable_reason
        if not view.parseable:
            assert (view.solvable, view.correct) == (False, False)
    columns = {"id": "1", "sample": "", **score.as_row(), **groups(row)}
    assert from_rows(scores_schema(), [columns]).num_rows == 1


def test_a_rule_that_fails_is_reported_and_what_search_decides_remains():
    place = entry("blocksworld")
    (row, problem), *_ = rows("blocksworld", 1)

    def raising(_):
        raise OrreryError("generators/blocksworld.py:1", "'close_goal' raised KeyError")

    broken = DomainKnowledge(place.domain, place.planner, raising)
    changed = replace(problem, goal=frozenset(sorted(problem.goal)[1:]))
    banned = replace(problem, goal=problem.goal | {Literal(sorted(problem.goal)[0].atom, False)})
    for variant in (renamed(problem, random.Random(1)), changed, banned):
        text = write_problem(variant)
        score = score_pair(text, row, known=broken)
        assert verdicts(score) == verdicts(score_pair(text, row, known=known("blocksworld")))
        assert "'close_goal' raised KeyError" in score.remark


def test_rows_that_cannot_be_read():
    for row, words in (
        ({"problem_pddl": lamps("(lit c)"), "id": "r"}, "r: has no domain_pddl"),
        ({"domain_pddl": LAMPS, "id": "r"}, "row r: problem_pddl: is missing"),
        ({"domain_pddl": LAMPS, "problem_pddl": lamps("(off c)"), "id": "r"}, "row r: problem_pddl:1:"),
        ({"domain_pddl": "(define", "problem_pddl": lamps("(lit c)")}, "row: domain_pddl:1:1"),
    ):
        with pytest.raises(OrreryError, match=words):
            score_pair(lamps("(lit c)"), row)
    bare = {"problem_pddl": lamps("(lit c)")}
    assert score_pair(lamps("(lit c)"), bare, known=DomainKnowledge(read_domain(LAMPS))).plain.correct


def test_what_the_limits_leave_open_is_undecided_unless_the_verdict_tells():
    blocks = entry("blocksworld").domain
    row, problem = max(rows("blocksworld", 40), key=lambda pair: len(pair[1].objects))
    costs = ScoreLimits(solving=ProofLimits(actions=0))
    same = score_pair(
        write_problem(problem),
        row,
        known=DomainKnowledge(blocks, None, entry("blocksworld").closure_rule),
        costs=costs,
    )
    assert verdicts(same) == (True, True, True)
    assert same.plain.solvable_reason == AS_THE_GOLD
    larger = replace(problem, objects=(*problem.objects, TypedName("one-more")))
    score = score_pair(write_problem(larger), row, known=DomainKnowledge(blocks), costs=costs)
    assert verdicts(score) == (True, None, False)
    assert score.plain.solvable_reason == "too-large"


@pytest.mark.parametrize("name", NAMES)
def test_a_users_own_file_of_our_domain_gets_its_planner_and_rule(name, monkeypatch):
    """Another name, no requirements, declarations in another order: nothing is searched all the same."""
    our_domain = entry(name).domain
    mine = replace(
        our_domain,
        name="mine",
        requirements=(),
        predicates=our_domain.predicates[::-1],
        types=our_domain.types[::-1],
        actions=our_domain.actions[::-1],
    )
    text = write_domain(mine)
    known = known_of(ROOT, "", text)
    assert known is known_of(ROOT, name, None)
    assert known.rule is not None
    if entry(name).planner is not None:
        monkeypatch.setattr(solvability, "explore", None)
    monkeypatch.setattr(closure, "explore", None)
    for row, problem in rows(name, 3):
        written = write_problem(replace(problem, domain="mine"))
        score = score_pair(written, {"problem_pddl": written, "domain_pddl": text, "is_placeholder": 0})
        assert verdicts(score) == (True, True, True)
        shorter = replace(problem, domain="mine", goal=frozenset(sorted(problem.goal)[1:]))
        gold = replace(problem, domain="mine")
        assert compare(mine, shorter, gold, placeholder=False, rule=known.rule).outcome in (
            EquivalenceOutcome.EQUIVALENT,
            EquivalenceOutcome.DIFFERENT,
        )
        assert row["domain"] == name
