"""Questions of every kind and format: as brute force makes them they pass, and every other answer is seen."""

import json
import random

import pytest

from orrery.checks.questions import bool_mcq, columns
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionView
from orrery.checks.verdicts import UNDECIDED
from orrery.model import OrreryError
from orrery.planning.grounding import ground
from tests.checks import handmade
from tests.checks.questions.spoilt_rows import changes, moved

pytestmark = pytest.mark.slow

OPEN = tuple(kind_checks().by_name)
CLAIMING = tuple(name for name, check in kind_checks().by_name.items() if check.holds)
ROUTES = {"plain": {}, "planner": {"plain": False}, "both": {"most": 3}}


def rechecked_of(brute, route="plain"):
    return RecheckedState(brute.domain, brute.problem, 20.0, 200.0, **ROUTES[route])


def faults(row, rechecked):
    """What a check finds; a row that cannot be read is a fault, what is undecided is none."""
    try:
        routes = {"gen": kind_checks().of(row["kind"]).faults, "bool": bool_mcq.check_bool}
        route = routes.get(columns.format_of(row), bool_mcq.check_mcq)
        found = columns.check(row, rechecked) + route(QuestionView(row, rechecked))
    except OrreryError as error:
        return [str(error)]
    assert not any(message.startswith(UNDECIDED) for message in found)
    return found


@pytest.fixture(scope="module")
def made():
    """(state, recheck, task) of every handmade state."""
    return [(b, rechecked_of(b), ground(b.domain, b.problem)) for b in handmade.states()]


def opened(made, kind):
    return [
        (brute, rechecked, row)
        for brute, rechecked, task in made
        for row in handmade.opened(brute, task)
        if row["kind"] == kind
    ]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", OPEN)
def test_answers_found_by_brute_force_pass_on_every_route(made, kind, route):
    some = opened(made, kind)
    assert {brute.domain.name for brute, _, _ in some} == set(handmade.DOMAINS)
    for brute, _, row in some if route == "plain" else some[::2]:
        assert faults(row, rechecked_of(brute, route)) == []


@pytest.mark.parametrize("kind", ["app", "areach", "just", "land", "nexta", "prog", "reach", "val"])
def test_whatever_else_is_stored_is_seen(made, kind):
    seen = 0
    for _, rechecked, row in opened(made, kind):
        for path, changed in changes(row):
            assert faults(changed, rechecked), (path, changed["answer"])
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("route", ["plain", "planner"])
@pytest.mark.parametrize(
    ("kind", "source", "target"),
    [(kind, *sides) for kind in ("land", "nexta") for sides in (("yes", "no"), ("no", "yes"))]
    + [("prog", "pos", "neg"), ("prog", "neg", "pos"), ("nexta", "yes", "maybe")],
)
def test_an_element_on_the_wrong_side_is_seen(made, kind, source, target, route):
    spoilt = [(b, moved(row, source, target)) for b, _, row in opened(made, kind)]
    spoilt = [(brute, row) for brute, row in spoilt if row]
    assert spoilt
    for brute, row in spoilt[: None if route == "plain" else 3]:
        assert faults({**row, "proofs": "{}"}, rechecked_of(brute, route)), row["answer"]


@pytest.mark.parametrize("route", ["plain", "planner"])
def test_a_reachable_action_or_fact_among_the_others_is_seen(made, route):
    for brute, _, row in opened(made, "areach")[::2]:
        whole = handmade.texts(brute.actions)
        other = [text for text in whole if text not in row["answer_all"]]
        swapped = {**row, "answer_all": other, "answer_all_is": "unreachable"}
        assert faults({**swapped, "num_unreachable": len(other)}, rechecked_of(brute, route))
        one_more = {**row, "answer_all": sorted([*row["answer_all"], other[0]])}
        shift = 1 if row["answer_all_is"] == "unreachable" else -1
        assert faults(
            {**one_more, "num_unreachable": row["num_unreachable"] + shift}, rechecked_of(brute, route)
        )
    for brute, _, row in opened(made, "reach")[::2]:
        stored = {" ".join(fact) for fact in brute.never_facts}
        held = next(" ".join(f) for f in brute.facts if " ".join(f) not in stored)
        everything = sorted([*row["answer_all"], held])
        spoilt = {**row, "answer_all": everything, "answer": everything[:50]}
        assert f"({held}) can be reached" in faults(spoilt, rechecked_of(brute, route))


def closed(brute, kind):
    found = handmade.claims(brute)[kind]
    rng = random.Random(kind)
    return {truth: rng.sample(some, min(12, len(some))) for truth, some in found.items()}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", CLAIMING)
def test_a_claim_is_true_as_brute_force_says(made, kind, route):
    seen = set()
    for brute, _, task in made if route == "plain" else made[::2]:
        rechecked = rechecked_of(brute, route)
        for truth, some in closed(brute, kind).items():
            for claim in some:
                assert faults(handmade.yes_no(brute, task, claim, truth), rechecked) == []
                assert faults(handmade.yes_no(brute, task, claim, not truth), rechecked)
                seen.add(truth)
    assert seen == {True, False}


@pytest.mark.parametrize("kind", CLAIMING)
def test_only_the_right_option_may_be_called_right(made, kind):
    seen = 0
    for brute, rechecked, task in made:
        some = closed(brute, kind)
        if kind == "val":  # the four verdicts are those of one sequence
            some[False] = [c for c in some[False] if c["sequence"] == some[True][0]["sequence"]]
        for place, right in enumerate(some[True][:4]):
            if len(some[False]) < 3:
                continue
            row, seen = handmade.choice(brute, task, right, some[False][:3], place), seen + 1
            assert faults(row, rechecked) == []
            for label in "ABCDE":
                if label != row["answer"]:
                    assert faults({**row, "answer": label}, rechecked)
            options = json.loads(row["claims"])
            options[place - 1] = right
            assert faults({**row, "claims": json.dumps(options)}, rechecked)
            for other in some[True][:6]:
                options[place - 1] = other
                assert faults({**row, "claims": json.dumps(options)}, rechecked)
            for _, changed in changes(row):
                assert faults(changed, rechecked)
    assert seen


@pytest.mark.parametrize(
    "claim",
    [
        "{}",
        "nothing",
        "[]",
        '{"kind": "app"}',
        '{"kind": "app", "action": "(fly a)"}',
        '{"kind": "app", "action": "pickup b1"}',
        '{"kind": "app", "action": "(pickup b1 b1)"}',
        '{"kind": "reach", "facts": ["(clear b1)"]}',
        '{"kind": "app", "action": "(pickup b1)", "more": 1}',
    ],
)
def test_a_claim_that_says_nothing_is_a_fault(made, claim):
    brute, rechecked, task = made[0]
    row = handmade.yes_no(brute, task, {"kind": "app"}, True)
    for answer in ("yes", "no", "maybe"):
        assert faults({**row, "claim": claim, "answer": answer}, rechecked)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "elsewhere"),
        ("group", "applicable_actions_mc"),
        ("domain", "ferris"),
        ("num_objects", 99),
        ("num_applicable_actions", 99),
        ("num_facts", 99),
        ("num_actions", 99),
        ("context_pddl", "(define (domain other))"),
        ("context_both", "nothing"),
    ],
)
def test_columns_that_say_something_else_are_seen(made, name, value):
    for _, rechecked, row in opened(made, "app"):
        assert len(faults({**row, name: value}, rechecked)) >= 1


@pytest.mark.parametrize(
    ("further", "known"), [("/2", True), ("/3", True), ("/1", False), ("/4", False), ("/x", False)]
)
def test_a_further_row_of_a_state_has_a_number(made, further, known):
    """A state has one open question of a kind, and up to three claims on it."""
    brute, rechecked, task = made[0]
    _, _, asked = opened(made[:1], "app")[0]
    claimed = handmade.yes_no(brute, task, {"kind": "app"}, True)
    for row, may in ((claimed, known), (asked, False)):
        found = columns.check({**row, "id": row["id"] + further}, rechecked)
        assert any(fault.startswith("id is ") for fault in found) != may


def test_what_typing_admits_is_what_the_domain_admits(made):
    for _, rechecked, row in opened(made, "areach"):
        typing = json.loads(row["typing"])
        for name in typing["actions"]:
            fewer = {**typing, "actions": {k: v for k, v in typing["actions"].items() if k != name}}
            assert faults({**row, "typing": json.dumps(fewer)}, rechecked)
        short = {**typing, "objects": {kind: names[1:] for kind, names in typing["objects"].items()}}
        assert faults({**row, "typing": json.dumps(short)}, rechecked)


def test_what_an_answer_needs_is_decided_again(made):
    for kind in ("reach", "areach"):
        for _, rechecked, row in opened(made, kind):
            for other in {"none", "relaxation", "search"} - {row["answer_needs"]}:
                assert faults({**row, "answer_needs": other}, rechecked)
            assert faults({**row, "chance": row["chance"] + 0.01}, rechecked)


def test_other_conditions_or_static_facts_are_seen(made):
    seen = 0
    for _, rechecked, row in opened(made, "areach"):
        typing = json.loads(row["typing"])
        for name, some in typing["conditions"].items():
            fewer = {**typing["conditions"], name: some[1:]}
            seen += bool(some)
            assert not some or faults(
                {**row, "typing": json.dumps({**typing, "conditions": fewer})}, rechecked
            )
        for name, facts in typing["statics"].items():
            fewer = {**typing["statics"], name: facts[1:]}
            assert faults({**row, "typing": json.dumps({**typing, "statics": fewer})}, rechecked)
    assert seen


@pytest.mark.parametrize("kind", CLAIMING)
def test_without_time_nothing_passes_for_decided(made, kind):
    """Where search and planner are given nothing, a check says so, or finds what needs neither."""
    brute, _, task = made[0]
    poor = RecheckedState(brute.domain, brute.problem, 0.0, 0.0, most=1, plain=False)
    open_at_all = 0
    for truth, some in closed(brute, kind).items():
        for claim in some:
            found = bool_mcq.check_bool(QuestionView(handmade.yes_no(brute, task, claim, truth), poor))
            assert found == [] or all(message.startswith(UNDECIDED) for message in found)
            open_at_all += len(found)
    assert (open_at_all > 0) == (kind in ("reach", "areach", "land"))
