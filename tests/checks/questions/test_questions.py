"""Questions as they were made pass by every route, claims are true as brute force says, all else is seen."""

import json
import random
from dataclasses import replace
from functools import cache

import pytest

from orrery.checks import splits, verdict_parts
from orrery.checks.questions import SPLITS, bool_mcq, check, check_origin, columns, note_of
from orrery.checks.questions.kinds import kind_checks
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import MALFORMED, UNDECIDED, Verdicts
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.states import mark_goal_free
from orrery.model import OrreryError, literals
from tests.checks import handmade
from tests.checks.questions.spoilt_rows import changes, moved
from tests.effort import by_day
from tests.every_domain import ROOT
from tests.store.samples import row as row_of
from tests.store.samples import write_shards
from tests.tables import PUBLISHED

OPEN = tuple(kind_checks().by_name)
CLAIMING = tuple(name for name, check in kind_checks().by_name.items() if check.holds)
ROUTES = {"plain": {}, "planner": {"plain": False}, "both": {"most": 3}}
SMALL, FEW = 2_000, 6  # states, and rows of a kind and format


def asked(rows, kind, form="gen", few=FEW):
    """Some rows on small states."""
    small = [row for row in rows[f"acp_{kind}_{form}"] if row["num_states"] and row["num_states"] < SMALL]
    assert small
    return small[:few]


@cache
def rechecked(domain, problem, route):
    """One recheck for all rows of a state, spoilt ones too."""
    read = columns.read({"PDDL_domain": domain, "PDDL_problem": problem})
    return RecheckedState(*read, 20.0, 200.0, **ROUTES[route])


def rechecked_of(row, route="plain"):
    return rechecked(row["PDDL_domain"], row["PDDL_problem"], route)


def faults(row, route="plain"):
    """What a check finds; a row that cannot be read is a fault, what is undecided is none."""
    try:
        found = check(row, rechecked_of(row, route))
    except (OrreryError, *MALFORMED) as error:
        return [str(error)]
    assert not any(message.startswith(UNDECIDED) for message in found)
    return found


@by_day(8)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", OPEN)
def test_rows_pass_on_every_route(rows, kind, route):
    forms = ("gen", "bool", "mcq") if kind in CLAIMING else ("gen",)
    for form in forms:
        for row in asked(rows, kind, form, FEW if route == "plain" else 2):
            assert faults(row, route) == []


@pytest.mark.parametrize("kind", OPEN)
def test_whatever_else_is_stored_is_seen(rows, kind):
    forms = ("gen", "mcq") if kind in CLAIMING else ("gen",)
    spoilt = [change for form in forms for row in asked(rows, kind, form) for change in changes(row)]
    assert len(spoilt) > 10
    for path, changed in spoilt:
        assert faults(changed), (path, changed["answer"])


@pytest.mark.parametrize("route", ["plain", "planner"])
@pytest.mark.parametrize(
    ("kind", "source", "target"),
    [(kind, *sides) for kind in ("land", "nexta") for sides in (("yes", "no"), ("no", "yes"))]
    + [("prog", "pos", "neg"), ("prog", "neg", "pos"), ("nexta", "yes", "maybe")],
)
def test_an_element_on_the_wrong_side_is_seen(rows, kind, source, target, route):
    spoilt = [row for row in (moved(row, source, target) for row in asked(rows, kind)) if row]
    assert spoilt
    for row in spoilt[: None if route == "plain" else 3]:
        assert faults(row, route), row["answer"]


@pytest.mark.parametrize("route", ["plain", "planner"])
def test_a_reachable_action_or_fact_among_the_others_is_seen(rows, route):
    for row in asked(rows, "areach", few=2):
        whole = [f"({' '.join(step)})" for step in rechecked_of(row).universe]
        reachable = next(text for text in whole if text not in row["answer"])
        answer = sorted([*row["answer"], reachable])
        everything = answer if row["answer_all_is"] == "unreachable" else sorted({*whole} - {*answer})
        spoilt = {**row, "answer": answer, "answer_all": everything, "num_unreachable": len(answer)}
        assert f"{reachable} can be applied" in faults(spoilt, route)
    for row in asked(rows, "reach", few=2):
        held = next(" ".join(f) for f in rechecked_of(row).facts if " ".join(f) not in row["answer_all"])
        everything = sorted([*row["answer_all"], held])
        spoilt = {**row, "answer_all": everything, "answer": everything[:50]}
        assert f"({held}) can be reached" in faults(spoilt, route)


@by_day(7)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", CLAIMING)
def test_a_claim_is_true_as_brute_force_says(kind, route):
    states, seen = handmade.states(), set()
    for brute in states if route == "plain" else states[::2]:
        rechecked = RecheckedState(brute.domain, brute.problem, 20.0, 200.0, **ROUTES[route])
        for truth, some in closed(brute, kind).items():
            assert [bool_mcq.holds(claim, kind, rechecked) for claim in some] == [truth] * len(some)
            seen |= {truth} if some else set()
    assert seen == {True, False}


def closed(brute, kind):
    found = handmade.claims(brute)[kind]
    rng = random.Random(kind)
    return {truth: rng.sample(some, min(12, len(some))) for truth, some in found.items()}


@pytest.mark.parametrize("kind", CLAIMING)
def test_another_answer_of_a_closed_question_is_seen(rows, kind):
    for row in asked(rows, kind, "bool"):
        assert faults({**row, "answer": {"yes": "no", "no": "yes"}[row["answer"]]})
    for row in asked(rows, kind, "mcq"):
        for label in set("ABCDE") - {row["answer"]}:
            assert faults({**row, "answer": label})
        claims = json.loads(row["claims"])
        right = claims["ABCD".index(row["answer"])]
        for place in range(4):
            options = [*claims[:place], right, *claims[place + 1 :]]
            assert options == claims or faults({**row, "claims": json.dumps(options)})


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
def test_a_claim_that_says_nothing_is_a_fault(rows, claim):
    row = asked(rows, "app", "bool")[0]
    for answer in ("yes", "no", "maybe"):
        assert faults({**row, "claim": claim, "answer": answer})


@pytest.mark.parametrize(
    ("further", "known"), [("/2", True), ("/3", True), ("/1", False), ("/4", False), ("/x", False)]
)
def test_a_further_row_of_a_state_has_a_number(rows, further, known):
    """A state has one open question of a kind, and up to three claims on it."""
    claimed = next(row for row in rows["acp_app_bool"] if row["id"].endswith("/bool"))
    for row, may in ((claimed, known), (asked(rows, "app")[0], False)):
        found = faults({**row, "id": row["id"] + further})
        assert any(fault.startswith("id is ") for fault in found) != may


def test_what_typing_admits_is_what_the_domain_admits(rows):
    for row in asked(rows, "areach"):
        typing = json.loads(row["typing"])

        def seen(part, changed, row=row, typing=typing):
            return changed == typing[part] or faults({**row, "typing": json.dumps({**typing, part: changed})})

        assert seen("objects", {kind: names[1:] for kind, names in typing["objects"].items()})
        for part in ("conditions", "statics"):
            for name, stated in typing[part].items():
                assert seen(part, {**typing[part], name: stated[1:]})
        for name in typing["actions"]:
            assert seen("actions", {k: v for k, v in typing["actions"].items() if k != name})


def test_what_an_answer_needs_is_decided_again(rows):
    for kind in ("reach", "areach"):
        for row in asked(rows, kind):
            for other in {"none", "relaxation", "search"} - {row["answer_needs"]}:
                assert faults({**row, "answer_needs": other})
            assert faults({**row, "chance": row["chance"] + 0.01})


@pytest.mark.parametrize("kind", CLAIMING)
def test_without_time_nothing_passes_for_decided(kind):
    """Where search and planner are given nothing, a check says so, or finds what needs neither."""
    brute = handmade.states()[0]
    poor = RecheckedState(brute.domain, brute.problem, 0.0, 0.0, most=1, plain=False)
    verdicts = [
        (bool_mcq.holds(claim, kind, poor), truth)
        for truth, some in closed(brute, kind).items()
        for claim in some
    ]
    assert all(verdict in (truth, None) for verdict, truth in verdicts)
    assert any(verdict is None for verdict, _ in verdicts) == (kind in ("reach", "areach", "land"))


def test_another_state_than_the_one_named_is_seen(rows):
    states = {(s["problem_id"], s["source"], s["step"]): s for s in rows["solved_states"]}
    for row in rows["acp_app_gen"]:
        state = states[row["problem_id"], row["state_source"], row["state_step"]]
        own = columns.read(row)[1]
        origin = replace(own, init=frozenset())
        assert check_origin(row, own, origin, state) == []
        assert check_origin(row, own, origin, None)
        assert check_origin({**row, "h_star": (row["h_star"] or 0) + 1}, own, origin, state)
        assert check_origin({**row, "num_states": (row["num_states"] or 0) + 1}, own, origin, state)
        assert check_origin(row, own, origin, {**state, "state": state["state"][1:]})
        assert check_origin(row, own, origin, {**state, "state": [*state["state"], "(zz)"]})
        assert check_origin(row, own, replace(origin, goal=frozenset()), state)
        assert check_origin(row, own, replace(origin, objects=own.objects[1:]), state)


def test_a_fault_proven_of_all_together_is_not_lost_where_none_is_named(rows, monkeypatch):
    row = next(row for row in rows["acp_reach_gen"] if row["answer_all"])
    monkeypatch.setattr(RecheckedState, "none_can_hold", lambda *_: False)
    monkeypatch.setattr(RecheckedState, "can_hold", lambda *_: None)
    assert "one of those stored can be reached" in faults(row)


def test_a_state_in_two_splits_is_seen_under_other_names_and_with_another_goal(rows, tmp_path):
    row = next(row for row in rows["acp_app_gen"] if "/train/" in row["id"] and row["domain"] == "ferry")
    problem = columns.read(row)[1]
    names = {typed.name: f"x{number}" for number, typed in enumerate(problem.objects)}
    atoms = frozenset(tuple(names.get(word, word) for word in fact) for fact in problem.init)
    moved_state = replace(
        problem,
        objects=tuple(typed._replace(name=names[typed.name]) for typed in problem.objects),
        init=atoms,
        goal=literals(sorted(atoms)[:1]),
    )
    first, second = (
        note_of(row, problem),
        note_of({"id": row["id"].replace("/train/", "/test/")}, moved_state),
    )
    smaller = replace(moved_state, init=frozenset(sorted(atoms)[1:]))
    third = note_of({"id": second.row}, smaller)
    assert leaks(tmp_path / "one", [first, third]) == []
    (fault,) = leaks(tmp_path / "two", [first, second])
    assert "is the same problem as" in fault


def leaks(folder, notes):
    verdict_parts.part_of(folder, "same").save(verdict_parts.as_tables(Verdicts(notes=notes)))
    problem = {"id": "ferry/train/000000", "problem_pddl": ""}
    files = write_shards(folder, PUBLISHED["problems"], "train", [row_of(PUBLISHED["problems"], **problem)])
    return splits.faults(ROOT, Notes(folder), (SPLITS,), files)


def test_which_questions_state_no_goal_is_what_their_templates_say():
    for name, check_of_kind in kind_checks().by_name.items():
        text = (ROOT / "templates" / "questions" / f"{name}.j2").read_text()
        parts = next(line for line in text.splitlines() if line.startswith("{% set parts"))
        assert check_of_kind.tells_goal == ('"goal"' in parts), name
        assert question_kinds()[name].tells_goal == check_of_kind.tells_goal


def test_a_state_that_two_splits_share_is_asked_about_without_its_goal_in_one(rows):
    by_split = [{"goal_free_key": key, "split": split} for key in "ab" for split in ("train", "test")]
    by_split += [{"goal_free_key": "c", "split": "train"}, {"goal_free_key": "d", "split": "validation"}]
    mark_goal_free(by_split)
    assert [row["asked_without_goal"] for row in by_split] == [False, True, False, True, True, True]
    assert all(row["goal_free_key"] for row in rows["solved_states"])
