"""Damage to the domain of a composed row, to its problems or to what it names is found."""

import re
from itertools import chain

import pytest

from orrery.checks.breadth_first_search import MOST_STATES
from orrery.checks.composed_domains import reader_of, text_faults
from orrery.checks.composed_problems import composed_problem_faults
from orrery.checks.composed_splits import ComposedRows
from orrery.checks.verdicts import UNDECIDED
from orrery.composition.mechanic import read_mechanics
from orrery.pddl.read import read_domain
from tests.checks.conftest import SEED, assert_all_damages_are_found, faults_of
from tests.checks.domain_damages import ATOM, DAMAGES, replaced
from tests.effort import by_day, slow
from tests.every_domain import ROOT

GOLD = {
    **DAMAGES,
    "an effect negated": replaced(rf"(:effect \(and )({ATOM})", r"\1(not \2)"),
    "an effect added": replaced(rf"(:precondition \(and )({ATOM})(.*?:effect \(and )", r"\1\2\3\2 "),
    "a type added": replaced(r"\(:types ", "(:types rain - object "),
    "a parent of a type changed": replaced(r"(\(:types .*?) - (?!object)[\w-]+", r"\1 - object"),
}
COLUMNS = {
    "an attachment at another action": lambda row: renamed_attachment(row, 2, "study-nothing"),
    "an attachment of another mechanic": lambda row: renamed_attachment(row, 0, "recipe-of-nothing"),
    "an attachment renamed": lambda row: renamed_attachment(row, 1, "nothing"),
    "an attachment dropped": lambda row: {**row, "attachments": row["attachments"][1:]},
    "a mechanic dropped": lambda row: {**row, "mechanics": row["mechanics"][1:]},
    "a mechanic that does not exist": lambda row: {**row, "mechanics": [*row["mechanics"], "nothing"]},
    "another theme": lambda row: {**row, "theme": "mine" if row["theme"] != "mine" else "castle"},
    "a theme that does not exist": lambda row: {**row, "theme": "nothing"},
    "another number": lambda row: {**row, "domain": f"{row['domain']}0"},
    "another licence": lambda row: {**row, "license": "GPL"},
}
ACTION_COLUMNS = {
    "another level": lambda row: {**row, "explicitness": "plain"},
    "a level of another row": lambda row: {**row, "id": f"{row['id'].rpartition('/')[0]}/other"},
    "the header without a type": lambda row: {**row, "header": GOLD["a type added"](row["header"])},
    "the header with an action": lambda row: {**row, "header": row["gold_domain"]},
    "the names of actions in another order": lambda row: {
        **row,
        "action_names": row["action_names"][::-1],
    },
}
# Beside those that rows on our domains show.
DOMAIN_COLUMNS = {
    "another hash": lambda row: {**row, "sha256": row["sha256"][::-1]},
    "another style": lambda row: {**row, "style": "words"},
}


def renamed_attachment(row, place, name):
    if not row["attachments"]:
        return row
    parts = row["attachments"][0].split("/")
    parts[place] = name
    return {**row, "attachments": ["/".join(parts), *row["attachments"][1:]]}


def changed(row, place, **columns):
    """The row with other columns of one problem."""
    problems = list(row["problems"])
    problems[place] = {**problems[place], **columns}
    return {**row, "problems": problems}


def with_plan(row, plan, cost, place=0):
    """The row with another plan of one problem."""
    return changed(row, place, solvable=True, plan=plan, optimal_cost=cost)


def first_plan(row):
    return row["problems"][0]["plan"]


def with_goal_of_init(row):
    """The row with a fact of the initial state as the goal of its first problem."""
    start, goal, _ = row["problems"][0]["pddl"].partition("(:goal ")
    fact = re.search(ATOM, start.partition("(:init")[2])[0]
    return changed(row, 0, pddl=f"{start}{goal}{fact}))")


def without_long_plans(row):
    return {**row, "problems": [problem for problem in row["problems"] if len(problem["plan"]) < 15]}


PROBLEMS = {
    "a step dropped": lambda row: with_plan(row, first_plan(row)[1:], len(first_plan(row)) - 1),
    "steps in another order": lambda row: with_plan(row, first_plan(row)[::-1], len(first_plan(row))),
    "a step on another object": lambda row: with_plan(
        row, [re.sub(r"\d+\)", "99)", step) for step in first_plan(row)], len(first_plan(row))
    ),
    "a smaller cost": lambda row: with_plan(row, first_plan(row), len(first_plan(row)) - 1),
    "a larger cost": lambda row: with_plan(row, first_plan(row), len(first_plan(row)) + 1),
    "no cost": lambda row: with_plan(row, first_plan(row), None),
    "solvable, stated unsolvable": lambda row: changed(row, 0, solvable=False, plan=[], optimal_cost=None),
    "unsolvable, stated solvable": lambda row: with_plan(row, first_plan(row), len(first_plan(row)), -1),
    "a cost without a plan": lambda row: changed(row, -1, optimal_cost=3),
    "no problem without a plan": lambda row: {**row, "problems": row["problems"][:-1]},
    "a problem twice": lambda row: {
        **row,
        "problems": [*row["problems"], {**row["problems"][0], "name": "other"}],
    },
    "few problems": lambda row: {**row, "problems": row["problems"][-4:]},
    "no long plans": without_long_plans,
    "a goal that holds initially": with_goal_of_init,
}


@slow
@pytest.mark.parametrize("table", ["action_modeling", "domain_modeling"])
def test_rows_as_made_have_no_fault(check, composed, table):
    assert {row["id"]: faults for row in composed[table] if (faults := faults_of(check, row))} == {}


@slow
@pytest.mark.parametrize("damage", GOLD)
def test_another_domain_is_found(check, composed, damage):
    rows = [
        (row, {**row, "gold_domain": GOLD[damage](row["gold_domain"])}) for row in composed["action_modeling"]
    ]
    damaged_rows = [damaged for row, damaged in rows if damaged != row]
    assert damaged_rows
    for damaged in damaged_rows:
        assert any("gold_domain" in fault for fault in faults_of(check, damaged)), damaged["id"]


@slow
def test_names_for_other_splits_are_found(check, composed):
    for row in composed["action_modeling"]:
        split, mechanics = row["id"].split("/")[1], read_mechanics(ROOT)
        names = [names for name in row["mechanics"] for names in mechanics[name].rules.names.values()]
        present = {name for name in chain(*names) if re.search(rf"\({name}[ )]", row["gold_domain"])}
        name, other = next(
            (name, listed[0] if split == "test" else listed[-1])
            for listed in names
            for name in present.intersection(listed)
        )
        gold = re.sub(rf"\({name}(?=[ )])", f"({other}", row["gold_domain"])
        faults = faults_of(check, {**row, "gold_domain": gold})
        assert any("gold_domain" in fault for fault in faults), (row["id"], name, other)


@slow
def test_parameters_in_another_order_than_in_the_description_are_found(composed):
    swap = replaced(r":parameters \((\?\w+ - [\w-]+) (\?\w+ - [\w-]+)", r":parameters (\2 \1")
    for row in composed["domain_modeling"]:
        damaged = {**row, "gold_domain": swap(row["gold_domain"])}
        assert any("description" in fault for fault in text_faults(reader_of(ROOT, damaged), damaged))


@slow
@pytest.mark.parametrize(
    ("table", "damage"),
    [
        *(("action_modeling", damage) for damage in (COLUMNS | ACTION_COLUMNS).values()),
        *(("domain_modeling", damage) for damage in DOMAIN_COLUMNS.values()),
    ],
    ids=[*COLUMNS, *ACTION_COLUMNS, *DOMAIN_COLUMNS],
)
def test_other_columns_are_found(check, composed, table, damage):
    rows = composed[table][: 2 if table == "domain_modeling" else None]
    assert_all_damages_are_found(check, rows, damage)


@slow
@pytest.mark.parametrize("damage", PROBLEMS)
def test_other_problems_are_found(check, composed, damage):
    assert_all_damages_are_found(check, composed["domain_modeling"][:3], PROBLEMS[damage])


CORRIDOR = """(define (domain corridor) (:requirements :strips :typing) (:types room - object)
 (:predicates (at ?p - room) (door ?a - room ?b - room) (switch ?p - room) (lit))
 (:action walk :parameters (?a - room ?b - room)
  :precondition (and (at ?a) (door ?a ?b)) :effect (and (at ?b) (not (at ?a))))
 (:action light :parameters (?p - room) :precondition (and (at ?p) (switch ?p)) :effect (and (lit))))"""
ROOMS = 40


def corridor(name, goal, first=1, last=ROOMS, plan=None):
    """A problem of a corridor of rooms whose goal is a fact, with the plan that walks through it."""
    rooms = " ".join(f"r{number}" for number in range(1, ROOMS + 1))
    doors = " ".join(f"(door r{n} r{n + 1}) (door r{n + 1} r{n})" for n in range(1, ROOMS))
    pddl = f"""(define (problem {name}) (:domain corridor) (:objects {rooms} - room)
      (:init (at r{first}) (switch r30) {doors}) (:goal (and {goal})))"""
    steps = plan if plan is not None else [f"(walk r{n} r{n + 1})" for n in range(first, last)]
    return {
        "name": name,
        "pddl": pddl,
        "solvable": bool(steps),
        "plan": steps,
        "optimal_cost": len(steps) or None,
    }


def corridor_faults(*problems, most=MOST_STATES):
    row = {"domain": "corridor", "problems": list(problems)}
    return list(composed_problem_faults(read_domain(CORRIDOR, "corridor"), row, SEED, 5.0, most))


WALK = [f"(walk r{n} r{n + 1})" for n in range(1, 30)]
GOOD = (
    corridor("p1", "(at r20)", last=20),
    corridor("p2", "(at r25)", last=25),
    corridor("p3", "(at r18)", last=18),
    corridor("p4", "(lit)", plan=[*WALK, "(light r30)"]),
    corridor("p5", "(at r1) (at r2)", plan=[]),
)


def test_good_problems_have_no_fault():
    assert corridor_faults(*GOOD) == []


@slow
def test_fast_downward_decides_beyond_the_limit_of_states():
    faults = corridor_faults(*GOOD, most=5)
    assert [fault for fault in faults if not fault.startswith(UNDECIDED)] == []
    faulty = (*GOOD[:2], {**GOOD[2], "optimal_cost": 3}, *GOOD[3:])
    assert any("optimal_cost is 3" in fault for fault in corridor_faults(*faulty, most=5))


@by_day(4)
@pytest.mark.parametrize(
    ("problems", "fault"),
    [
        (GOOD[1:], "4 problems"),
        ((*GOOD[:4], corridor("p5", "(at r19)", last=19)), "no problem without a plan"),
        ((*GOOD[:4], {**GOOD[0], "name": "p5"}, GOOD[4]), "5 different ones"),
        ((*GOOD, corridor("p6", "(at r1)", plan=["(walk r1 r2)", "(walk r2 r1)"])), "holds initially"),
        (
            (*GOOD[1:], corridor("p6", "(at r20)", plan=["(walk r1 r2)", "(walk r2 r1)", *WALK[:19]])),
            "optimal_cost is 21, should be 19",
        ),
        ((*GOOD[:4], corridor("p5", "(at r22)", plan=[])), "solvable is False"),
        ((*GOOD, corridor("p6", "(at r3)", last=3)), "random walks meet the goal"),
        ((*GOOD[:3], corridor("p4", "(at r30)", last=30), GOOD[4]), "no problem needs the action light"),
        ((*GOOD[:3], corridor("p4", "(at r30)", last=30), GOOD[4]), "the predicate lit is in no condition"),
        ([corridor(f"p{n}", f"(at r{n})", last=n) for n in (2, 3, 4, 5)] + [GOOD[4]], "too few long ones"),
    ],
)
def test_faulty_problems_are_found(problems, fault):
    assert any(fault in message for message in corridor_faults(*problems))


def composed_row(name, gold_domain=CORRIDOR, **columns):
    """A row on a composed domain; its mechanics and theme give no held-out split unless named otherwise."""
    number = name.split("/")[2]
    row = {"id": name, "domain": f"composed-{number}", "source": "orrery-composed"}
    row |= {"gold_domain": gold_domain}
    row |= {"problems": [], "attachments": [], "mechanics": ["walking"], "theme": "bakery", "seen": "both"}
    return {**row, **columns, **({"texts": {}} if name.count("/") == 3 else {})}


def rows_of(number, split, **columns):
    """The four rows on a composed domain."""
    start = f"composed/{split}/{number}"
    endings = ("", "/explicit", "/everyday", "/sparse")
    return [composed_row(f"{start}{ending}", **columns) for ending in endings]


def collective_faults(rows, seed=0, themes=frozenset()):
    check = ComposedRows(seed, themes)
    for row in rows:
        check.add(row)
    return [fault for _, _, faults in check.faults() for fault in faults]


def renamed(text):
    """The domain with other names and another order of its actions and conditions."""
    for name, other in (("at", "in"), ("door", "way"), ("lit", "bright"), ("room", "hall"), ("walk", "go")):
        text = re.sub(rf"(?<=[( -]){name}(?=[ )])", other, text)
    return text.replace("(in ?a) (way ?a ?b)", "(way ?a ?b) (in ?a)").replace("?p", "?q")


def find_seed(mechanics, theme, split):
    """A seed under which this set of mechanics is in a split."""
    return next(
        seed
        for seed in range(10_000)
        if not list(ComposedRows(seed)._split_faults(as_row(mechanics, theme, split)))
        and not ComposedRows(seed)._held_out(mechanics, theme)
    )


def as_row(mechanics, theme, split):
    return {"id": f"composed/{split}/1", "mechanics": mechanics, "theme": theme}


@pytest.fixture(scope="module")
def train_seed():
    return find_seed(["walking"], "bakery", "train")


def test_rows_of_a_domain_in_train_have_no_fault(train_seed):
    assert collective_faults(rows_of(1, "train"), train_seed) == []


def test_a_split_that_the_mechanics_do_not_give_is_found(train_seed):
    faults = collective_faults(rows_of(1, "validation"), train_seed)
    assert any("is in validation" in fault for fault in faults)


def test_a_theme_for_testing_outside_of_test_is_found(train_seed):
    for split in ("train", "test"):
        faults = collective_faults(rows_of(1, split, seen="both"), train_seed, {"bakery"})
        assert any("bakery, which is for testing" in fault for fault in faults) == (split == "train")
        assert not any("mechanics in" in fault for fault in faults)


def test_a_row_in_another_split_than_its_domain_is_found(train_seed):
    rows = rows_of(1, "train")
    rows[2] = {**rows[2], "id": rows[2]["id"].replace("train", "test")}
    assert any("another split" in fault for fault in collective_faults(rows, train_seed))


def test_a_missing_row_is_found(train_seed):
    assert any("should have" in fault for fault in collective_faults(rows_of(1, "train")[:3], train_seed))


@pytest.mark.parametrize("column", ["problems", "attachments", "mechanics", "theme", "gold_domain"])
def test_rows_of_a_domain_that_differ_are_found(train_seed, column):
    rows = rows_of(1, "train")
    rows[1] = {**rows[1], column: ["other"] if isinstance(rows[1][column], list) else "other"}
    assert any(f"another {column}" in fault for fault in collective_faults(rows, train_seed))


@pytest.mark.parametrize("seen", ["mechanics", "theme", "neither", ""])
def test_another_seen_is_found(train_seed, seen):
    assert any("seen is" in fault for fault in collective_faults(rows_of(1, "train", seen=seen), train_seed))


def test_what_only_train_has_is_seen(train_seed):
    rows = [*rows_of(1, "train"), *rows_of(2, "test", mechanics=["doors", "walking"], gold_domain=OTHER)]
    faults = collective_faults(rows, train_seed)
    assert any("seen is both, should be theme" in fault for fault in faults)


OTHER = CORRIDOR.replace("(and (lit))", "(and (lit) (not (at ?p)))")


def test_domains_that_are_equal_up_to_names_are_found(train_seed):
    assert renamed(CORRIDOR) != CORRIDOR
    rows = [*rows_of(1, "train"), *rows_of(2, "train", gold_domain=renamed(CORRIDOR))]
    assert any("is equal to composed/train/2" in fault for fault in collective_faults(rows, train_seed))
    rows = [*rows_of(1, "train"), *rows_of(2, "train", gold_domain=OTHER)]
    assert collective_faults(rows, train_seed) == []


def test_a_domain_that_equals_one_of_ours_is_found(train_seed):
    ours = {"id": "corridor/train/domain", "domain": "corridor", "source": "orrery"}
    rows = [{**ours, "gold_domain": renamed(CORRIDOR)}, *rows_of(1, "train")]
    assert any("is equal to corridor/train" in fault for fault in collective_faults(rows, train_seed))
