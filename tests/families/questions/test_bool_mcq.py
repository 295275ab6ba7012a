"""Yes/no questions and choices of every domain: every claim is decided again by a plain search."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from orrery.families.drafts import BOOL, MCQ, Rejected
from orrery.families.questions import sequences
from orrery.families.questions.context import context_of
from orrery.families.questions.distractors import turn_of
from orrery.families.questions.evidence import StateEvidence
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.schemas import QUESTIONS
from orrery.model import Proof
from orrery.planning import execution
from orrery.seeds import stream
from tests.every_domain import words
from tests.families.questions.asked_rows import ASKED, claim_rows, steps_of
from tests.families.questions.test_all_domains import small
from tests.plain_search import PlainSearch
from tests.universe import applicable_steps

KINDS = question_kinds()
CLAIMING = [name for name, kind in KINDS.items() if kind.claims]
DRAWS = 3
STATES = 5000
NEED_A_PLAN = {"val", "just", "land"}


def rows(item, vocabulary, kind, draws=DRAWS):
    """The rows of several draws, each after its format."""
    return [
        row
        for number in range(draws)
        for row in claim_rows(
            KINDS[kind], item, vocabulary, turn_of(0, (kind,), number), stream(number, kind),
            stream(number, "evidence"),
        )
    ]  # fmt: skip


def holds(claim, item, search):
    """Whether a claim is true, by its JSON and the states of a plain search."""
    domain, problem = item.domain, item.problem
    following = search.after[problem.init]
    match claim["kind"]:
        case "app":
            return steps_of([claim["action"]])[0] in following
        case "prog":
            return set(steps_of(claim["facts"])) <= following[steps_of([claim["action"]])[0]]
        case "reach":
            return any(set(steps_of(claim["facts"])) <= state for state in search.after)
        case "areach":
            return any(set(steps_of(claim["actions"])) <= after.keys() for after in search.after.values())
        case "land":
            (fact,) = steps_of([claim["fact"]])
            assert fact not in problem.init | problem.goal_facts, "a trivial landmark"
            return not search.avoids(fact)
        case "just":
            return removable(claim, domain, problem)
    return says(domain, problem, steps_of(claim["sequence"])) == claim["says"]


def removable(claim, domain, problem):
    """Whether the rest is a plan: of all occurrences, which are the positions stated, the same is true."""
    plan, gone = steps_of(claim["plan"]), steps_of(claim["remove"])
    assert execution.check_plan(domain, problem, plan).valid
    at = [i for i in range(len(plan)) if plan[i : i + len(gone)] == gone]
    assert claim["at"] == at
    rests = [plan[:i] + plan[i + len(gone) :] for i in at]
    (is_valid,) = {execution.check_plan(domain, problem, remaining).valid for remaining in rests}
    return is_valid


def says(domain, problem, sequence):
    """Which of the four judgements is right."""
    if any(step[0] not in domain.action_named for step in sequence):
        return "invalid"
    assert not any(execution.mistyped(domain, problem, step) for step in sequence)
    verdict = execution.check_plan(domain, problem, sequence)
    return "plan" if verdict.valid else "applicable" if verdict.failed_at is None else "inapplicable"


def check(form, row, item, search):
    """A row against the plain search; its claim or claims."""
    proof_names = {proof.value for proof in Proof}
    assert all(proof in proof_names for proofs in json.loads(row["proofs"]).values() for proof in proofs)
    assert set(row) == set(QUESTIONS[f"acp_{row['kind']}_{form}"].schema.names)
    if form == BOOL:
        claim = json.loads(row["claim"])
        assert (row["answer"] == "yes") == holds(claim, item, search), (row["question"], claim)
        assert row["form"]
        return
    claims = json.loads(row["claims"])
    assert [holds(claim, item, search) for claim in claims] == [row["answer"] == x for x in "ABCD"]
    assert row["choices"]["label"] == list("ABCD")
    for column, texts in (("question", row["choices"]["text"]), ("question_pddl", row["choices_pddl"])):
        assert len(set(texts)) == 4, "options alike"
        lines = [f"{label}. {text}" for label, text in zip("ABCD", texts, strict=True)]
        assert "\n".join(["", *lines, ""]) in row[column]
    assert row["question"].startswith(row["query"])
    assert len(row["forms"]) == 4


@cache
def known(name):
    return small(name)


def test_all_published_kinds_but_one_have_claims():
    assert set(KINDS) - set(CLAIMING) <= {"nexta"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.exhaustive if n == "alfworld" else ()) for n in ASKED]
)
def test_claims_are_true_or_false_as_plain_search_says(name):
    item, search = known(name)
    asked_rows: Counter[tuple[str, str]] = Counter()
    for kind in CLAIMING:
        for form, row in rows(item, words(name), kind):
            check(form, row, item, search)
            asked_rows[kind, form] += 1
    lacking = {kind for kind in CLAIMING if not asked_rows[kind, BOOL]}
    assert lacking <= NEED_A_PLAN, "questions are asked_rows in every domain"
    assert asked_rows.total() > len(CLAIMING) * DRAWS, "too few to show anything"


@pytest.mark.slow
def test_claims_hold_with_negative_conditions_and_equal_arguments_too(cases_made):
    asked_rows: Counter[tuple[str, str, str]] = Counter()
    for case in cases_made:
        search = PlainSearch(case.item.domain, case.item.problem, STATES)
        for kind in CLAIMING:
            for form, row in rows(case.item, case.words, kind):
                check(form, row, case.item, search)
                asked_rows[kind, form, row["answer"]] += 1
    assert {kind for kind, _, _ in asked_rows} == set(CLAIMING)
    assert all(asked_rows[kind, "bool", answer] for kind in CLAIMING for answer in ("yes", "no"))
    # In so small worlds what two facts or actions name, and of which types that is, shows whether both are
    # possible, and that makes no choice.
    lacking = set(product(CLAIMING, (BOOL, MCQ))) - {(kind, form) for kind, form, _ in asked_rows}
    assert lacking <= {("areach", MCQ), ("reach", MCQ)}
    assert {answer for _, form, answer in asked_rows if form == MCQ} == set("ABCD")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows(cases_made):
    case = cases_made[-1]
    for kind in CLAIMING:
        assert rows(case.item, case.words, kind) == rows(case.item, case.words, kind)


def test_several_choices_of_an_offer_have_other_options_and_one_that_holds(cases_made):
    several = 0
    for case in cases_made[::4]:
        task = KINDS["app"]
        claims = replace(task.claims, formats=(MCQ,), draws=1, sets=6)
        evidence, context = StateEvidence(case.item, case.rng), context_of(case.item, case.words)
        with suppress(Rejected):
            drafts = claims(task, evidence, context, turn_of(0, (), 0), case.rng)[MCQ]
            if isinstance(drafts, Rejected):
                continue
            rows_made = [draft.rows[0] for draft in drafts]
            assert len({frozenset(row["choices"]["text"]) for row in rows_made}) == len(rows_made)
            search = PlainSearch(case.item.domain, case.item.problem, STATES)
            for row in rows_made:
                check(MCQ, row, case.item, search)
            several += len(rows_made) > 1
    assert several


@pytest.mark.slow
def test_nothing_undecided_is_claimed(cases_made):
    """Where no landmarks, plans or reachable actions are known, only what walks and h2 show is asked."""
    for case in cases_made[::4]:
        bare = replace(
            case.item, solvable=None, landmarks=None, not_landmarks=None, unreachable_facts=None, plan=None,
            reachable_actions=None, unreachable_actions=None,
        )  # fmt: skip
        search = PlainSearch(bare.domain, bare.problem, STATES)
        for kind in CLAIMING:
            if kind in NEED_A_PLAN:
                assert not rows(bare, case.words, kind)
        for kind in ("reach", "areach"):
            for form, row in rows(bare, case.words, kind):
                check(form, row, bare, search)


def test_why_a_sequence_is_not_asked_about(cases_made, monkeypatch):
    monkeypatch.setattr(sequences, "LONGEST", 0)
    item = next(case for case in cases_made if case.item.plan).item
    vocabulary = next(case for case in cases_made if case.item is item).words
    for changed, reason in (
        (replace(item, plan=None, solvable=False), "unsolvable"),
        (item, "plan of more than 0 steps"),
    ):
        with pytest.raises(Rejected, match=reason):
            sequences.actions_of_plan(StateEvidence(changed, stream(0)))
        assert not rows(changed, vocabulary, "val") + rows(changed, vocabulary, "just")


def test_in_every_block_of_turns_place_and_ranks_are_independent():
    turns = [turn_of(3, ("ferry", "app"), number) for number in range(32)]
    for block in (turns[:16], turns[16:]):
        for pair in ("place length", "place similarity", "length similarity"):
            seen = [
                tuple({"place": t.place, **t.ranks._asdict()}[which] for which in pair.split()) for t in block
            ]
            assert len(set(seen)) == 16, pair
    other = [turn_of(4, ("ferry", "app"), number) for number in range(16)]
    assert other != turns[:16]


def test_plain_search_takes_the_steps_that_execution_allows(cases_made):
    for case in cases_made[::5]:
        domain, search = case.item.domain, PlainSearch(case.item.domain, case.item.problem)
        for state, following in list(search.after.items())[:30]:
            assert list(following) == applicable_steps(domain, case.item.problem, state)
            assert all(execution.progress(domain, state, step) == after for step, after in following.items())
