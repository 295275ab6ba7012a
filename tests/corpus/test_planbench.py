"""Rows in the layout of PlanBench decided anew: every rule, and every damage to a stored answer."""

import json
import re
import shutil
from dataclasses import replace

import pytest

from orrery.corpus.planbench import cheapest, costs_told, redecide
from orrery.corpus.planbench_files import domain_of, prompts
from orrery.corpus.planbench_words import PlanBenchWords, Unread, objects_in
from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_problem
from orrery.planning.execution import check_plan
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from tests.planbench_folder import LIT, STORED, corridor_problem, go, light, row, told, write_folder

TASK = {
    "t1": "task_1_plan_generation",
    "t2": "task_2_plan_optimality",
    "t3": "task_3_plan_verification",
    "t4": "task_4_plan_reuse",
    "t5": "task_5_plan_generalization",
    "t6": "task_6_replanning",
    "t7": "task_7_plan_execution",
    "t8": "task_8_1_goal_shuffling",
}
LAZY = [*go("abcdc"), light("c")]
EXAMPLE = told("you are in the white room", "you are in the green room", go("dc"))


@pytest.fixture
def decided(tmp_path):
    """What is decided of one row."""

    def decide(task, query, stored, *, domain="corridor", instance=1, **overrides):
        shutil.rmtree(tmp_path / "prompts", ignore_errors=True)
        folder = write_folder(
            tmp_path, {TASK[task]: [row(query, stored, instance)]}, domain=domain, **overrides
        )
        (prompt,) = prompts(folder)
        return redecide(prompt)

    return decide


def verify(plan):
    return told(plan=plan) + "[VERIFICATION]"


STEP_ONE = "The above plan is invalid.The following action at step {} has an unmet precondition:\n"


def replanned(true, false, at=2, plan=LIT):
    step = f'After executing the action "{plan[at - 1]}" at step {at} in the plan'
    event = f"{step}, the following facts unexpectedly became true: {true}\n"
    wrong = f"The following facts became unexpectedly false: {false}\n"
    return told(plan=plan) + f"\nDuring execution, something happened.\n{event}{wrong}The plan is:\n[PLAN]"


def executed(plan):
    body = "".join(f"{line}\n" for line in plan)
    init = "As initial conditions I have that, all is dark and you are in the red room."
    shown = f"[ACTION SEQUENCE]\n{body}[ACTION SEQUENCE END]\n[RESULTING STATE]\n"
    return f"[STATEMENT]\n{init}\n I have executed the following action sequence:\n\n{shown}"


VANS = "vehicle_0 is at place_0_0, vehicle_10 is at place_0_0, place_0_0 is a port and place_0_1 is a port"


def case(task, query, stored, told="", options=None, **expected):
    """A row of a task, words in the detail of its verdict, and what else is expected of that."""
    return task, query, stored, told, options or {}, expected


THERE = "you are in the green room"
HALFWAY = told(plan=LIT) + told(goal=f"all is dark and {THERE}")
BLUE_LIT = told(plan=LIT) + told(goal="the blue room is lit")
BOTH = f"the green room is lit and {THERE}"
TURNED = f"{THERE} and the green room is lit"
NO_PLACE = replanned("", "").replace(" at step 2", "").partition(", the following")[0]
TO_PORT = "vehicle_0 is at place_0_1"
TEN_MOVES = told(VANS, TO_PORT, ["move vehicle_10 from place_0_0 to place_0_1"]) + "[VERIFICATION]"
UNKNOWN_PLACES = told(
    "vehicle_0 is at place_0_0 and vehicle_3 is at place_0_7",
    "vehicle_3 is at place_0_1 and vehicle_0 is at place_0_7",
)
IN_VANS, MINUTE, DEAR = {"domain": "vans"}, {"cost": "1 minute"}, {"cost": "three minutes"}
VALID = "The above plan is valid."
OTHER_PROBLEM = "the instance file has another problem"
CASES = {
    "a plan is valid and shortest": case(
        "t1", EXAMPLE + told(), STORED, right=True, valid=True, optimal=True, least=3, fails_at=None,
        rules=(), plan=(("go", "a", "b"), ("go", "b", "c"), ("light", "c")), asks=True, detail="",
    ),
    "a plan is too long": case(
        "t1", EXAMPLE + told(), "\n".join(LAZY), right=True, optimal=False, least=3,
    ),
    "a step fails": case(
        "t1", EXAMPLE + told(), "(light a)\n(light c)", "'light c' is not", right=False, fails_at=2, least=3),
    "the first step fails": case(
        "t1", EXAMPLE + told(), "(go a c)", "'go a c' is not", right=False, fails_at=1, least=3),
    "the goal is missed": case(
        "t1", EXAMPLE + told(), "(go a b)", "goal", right=False, fails_at=0, least=3),
    "no step": case(
        "t1", EXAMPLE + told(), "(go a b) extra", "no object", right=None, fails_at=None, least=3),
    "no action": case(
        "t1", EXAMPLE + told(), "(fly a)", "no action", right=None, fails_at=None, least=3),
    "the prompt goes before the file": case(
        "t1", EXAMPLE + told(goal="the red room is lit"), "(light a)", OTHER_PROBLEM, right=True,
        detail=OTHER_PROBLEM,
    ),
    "what cannot be read is read from the file": case(
        "t1", EXAMPLE + told(init="the moon is blue"), STORED, right=True, detail="",
    ),
    "nothing to be done": case(
        "t1", EXAMPLE + told(goal="you are in the red room"), "", rules=("goal_holds",), least=0, right=True,
    ),
    "equal costs": case(
        "t2", EXAMPLE + told(), STORED, options=MINUTE, rules=("equal_costs",), least=3, optimal=True,
    ),
    "costs of their own": case(
        "t2", EXAMPLE + told(), STORED, options=DEAR, rules=(), least=5, optimal=True, right=True,
    ),
    "a plan that costs too much": case(
        "t2", EXAMPLE + told(), "\n".join(LAZY), options=DEAR, valid=True, optimal=False, right=False,
    ),
    "costs that nobody understands": case(
        "t2", EXAMPLE + told(), STORED, "costs are not understood", {"cost": "umpteen minutes"}, valid=True,
        right=None,
    ),
    "the beginning of the shown plan": case(
        "t4", HALFWAY, "(go a b)\n(go b c)", right=True, optimal=True, rules=("answer_is_prefix",), detail="",
    ),
    "its first step": case(
        "t4", told(plan=LIT) + told(goal="you are in the blue room"), "(go a b)",
        rules=("answer_is_prefix", "one_line"),
    ),
    "all of it": case("t4", told(plan=LIT) + told(), STORED, rules=("shown_plan_answers",)),
    "another plan": case("t4", BLUE_LIT, "(go a b)\n(light b)", rules=(), asks=True, right=True),
    "from the start again": case(
        "t6", replanned("you are in the red room", THERE), STORED, rules=("rest_works",)
    ),
    "away from the path": case(
        "t6", replanned("you are in the white room", THERE), "(go d c)\n(light c)", right=True, optimal=True,
        rules=(),
    ),
    "an event that meets the goal": case(
        "t6", replanned("the green room is lit", ""), "", right=True, rules=("goal_after_event",),
    ),
    "an event that does not matter": case(
        "t6", replanned("the red room is lit", ""), "(light c)", right=True, rules=("rest_works",),
    ),
    "an event told otherwise": case(
        "t6", f"{NO_PLACE}, The following facts unexpectedly became false: all is dark\n[PLAN]", "(light c)",
        rules=("rest_works",),
    ),
    "an event after another step": case(
        "t6", replanned("", "").replace("step 2", "step 3"), "", "is not",
    ),
    "the state after all steps": case(
        "t7", executed(LIT), ["at_c", "lit_c"], right=True, rules=(), detail="",
    ),
    "static facts may be there": case("t7", executed(LIT), ["at_c", "lit_c", "next_a_b"], right=True),
    "a fact too many": case("t7", executed(LIT), ["at_c", "lit_c", "dark"], right=False),
    "a fact too few": case("t7", executed(LIT), ["at_c"], detail="differs in lit_c"),
    "the state after one step": case("t7", executed(LIT[:1]), ["at_b", "dark"], rules=("one_step",)),
    "steps that fail": case("t7", executed(LIT[1:]), ["at_c"], right=False, valid=False, fails_at=1),
    "the shown plan again": case(
        "t8", told(goal=BOTH, plan=LIT) + told(goal=BOTH), "\n".join([*LIT, "[PLAN END]"]), right=True,
        rules=("shown_plan_answers", "statement_repeated"),
    ),
    "the shown plan for the goal in another order": case(
        "t8", told(goal=BOTH, plan=LIT) + told(goal=TURNED), "\n".join(LIT), rules=("shown_plan_answers",),
    ),
    "another plan for another goal": case("t8", BLUE_LIT, "(go a b)\n(light b)", rules=(), right=True),
    "words of two actions: a boat": case(
        "t3", TEN_MOVES, VALID, options=IN_VANS, plan=(("sail-boat", "b1", "l0-0", "l0-1"),), valid=False,
        right=False,
    ),
    "words of two actions: a van": case(
        "t3", TEN_MOVES.replace("move vehicle_10", "move vehicle_0"), VALID, options=IN_VANS, right=True,
    ),
    "other instances tell what is never said": case(
        "t5", UNKNOWN_PLACES, "(drive-van v3 l0-7 l0-1)\n(drive-van v0 l0-0 l0-7)", options=IN_VANS,
        right=True, optimal=True, asks=True,
    ),
    "a stored plan of another instance": case(
        "t5", UNKNOWN_PLACES, "(drive-van v14 l0-7 l0-1)", options=IN_VANS, right=None,
        rules=("no_instance",),
    ),
    "a prompt that says nothing": case(
        "t1", "Make a plan.", STORED, options={"instance": 99}, right=None,
        rules=("no_instance",), asks=False,
    ),
    "an unknown fact and no file": case(
        "t1", told(init="the moon is blue"), STORED, options={"instance": 99}, rules=("no_instance",),
        detail="no fact: 'the moon is blue'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_decided_of_a_row(decided, name):
    task, query, stored, words_told, options, expected = CASES[name]
    record = decided(task, query, stored, **options)
    assert {column: getattr(record, column) for column in expected} == expected
    assert words_told in record.detail


@pytest.mark.parametrize(
    ("plan", "stored", "right", "valid", "fails_at", "rules"),
    [
        (LIT, "The above plan is valid.", True, True, None, ()),
        (LIT, "The above plan is invalid. This is the unmet goal condition:\nall", False, True, None, ()),
        (
            LIT[:2],
            "The above plan is invalid. This is the unmet goal condition:\nthe green room is lit",
            True, False, 0, (),
        ),
        (
            LIT[:2],
            "The above plan is invalid. This is the unmet goal condition:\nthe red room is lit",
            False, False, 0, (),
        ),
        (LIT[:2], "The above plan is valid.", False, False, 0, ()),
        (
            LIT[1:],
            STEP_ONE.format(1) + f"{LIT[1]}\nThe unmet precondition is:\nyou are in the blue room",
            True, False, 1, ("fails_at_once",),
        ),
        (
            LIT[1:],
            STEP_ONE.format(2) + f"{LIT[1]}\nThe unmet precondition is:\nyou are in the blue room",
            False, False, 1, ("fails_at_once",),
        ),
        (
            [*LIT[:2], light("d")],
            STEP_ONE.format(3) + "light\nThe unmet precondition is:\nyou are in the white room",
            True, False, 3, (),
        ),
        (LIT, None, False, True, None, ()),
    ],
)  # fmt: skip
def test_verification(decided, plan, stored, right, valid, fails_at, rules):
    record = decided("t3", verify(plan), stored)
    assert (record.right, record.valid, record.fails_at, record.rules) == (right, valid, fails_at, rules)
    assert bool(record.detail) != right


def test_the_least_cost_is_that_of_all_plans(tmp_path):
    (prompt,) = prompts(write_folder(tmp_path, {TASK["t2"]: [row(told(), STORED)]}))
    domain = domain_of(prompt.config)
    costs = costs_told(prompt.config, domain.action_named)
    assert costs == {"go": 1, "light": 3}
    task = ground(domain, read_problem(corridor_problem("(lit a) (at d)", "(at c)"), domain))
    cost, plan = cheapest(task, costs, 1000)
    assert cost == sum(costs[step[0]] for step in plan) == 2 + 3 + 3
    assert check_plan(domain, task.problem, plan).valid
    assert cheapest(task, costs, 2) is None
    cost, plan = cheapest(task, {"go": 1, "light": 1}, 1000)
    assert cost == len(plan) == len(reachable(task).optimal_plan())


def words(tmp_path, domain="corridor", objects=("a", "b", "c", "d")):
    (prompt,) = prompts(write_folder(tmp_path, {TASK["t1"]: [row("", "")]}, domain=domain))
    return PlanBenchWords(prompt.config, domain_of(prompt.config), objects)


def test_facts_and_steps_in_words(tmp_path):
    wording = words(tmp_path)
    assert wording.facts("all is dark, the red room is lit, and you are in the  Blue Room.") == {
        ("dark",), ("lit", "a"), ("at", "b"),
    }  # fmt: skip
    assert wording.facts("") == frozenset()
    assert wording.unsaid == {"next"}
    for wrong in (
        "the pink room is lit",
        "the red room is lit and",
        "all is dark or you are in the red room",
    ):
        with pytest.raises(Unread) if wrong[-1] != "d" else pytest.raises(Unread, match="no fact"):
            wording.facts(f"{wrong} x")
    assert wording.steps("(go a B)\n\nlight the red room\n[PLAN END]", frozenset()) == [
        ("go", "a", "b"), ("light", "a"),
    ]  # fmt: skip
    with pytest.raises(Unread, match="no step"):
        wording.step("sing", frozenset())


def test_words_of_several_objects_are_not_read(tmp_path):
    wording = words(tmp_path, "vans", ("v1", "v12", "v2", "l0-1"))
    # Prompts fill in a digit at a place: vehicle_1 may be either.
    assert "vehicle_1" not in wording.name_of
    assert wording.name_of["vehicle_12"] == "v12"
    with pytest.raises(Unread):
        wording.facts("vehicle_1 is at place_0_1")
    assert objects_in(wording.config, "vehicle_7 is at place_0_12 and place_1_1 is a port") == [
        "l0-12", "l1-1", "v7",
    ]  # fmt: skip


@pytest.mark.parametrize("stated", ["place {x} {}", "{} {1}", "{ {}"])
def test_other_braces_in_the_words_for_an_object_stay(tmp_path, stated):
    wording = words(tmp_path, objects=("r7",))
    odd = replace(wording, config=replace(wording.config, objects={"r": stated}))
    assert odd.name_of[stated.replace("{}", "7")] == "r7"


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("prompts/corridor/task_1_plan_generation.json", b"[1, ", "generation.json: is not JSON"),
        ("prompts/corridor/task_1_plan_generation.json", b"\xff", "is not UTF-8, and is read as Latin-1"),
        ("prompts/corridor/task_1_plan_generation.json", b"[]", "task_1_plan_generation.json: .*object"),
        (
            "prompts/corridor/task_1_plan_generation.json",
            b'{"domain": "corridor", "instances": [{"instance_id": "1", "query": ""}]}',
            r"`instances`\[0\]: `instance_id`: .*integer",
        ),
        (
            "prompts/corridor/task_1_plan_generation.json",
            b'{"domain": "corridor", "instances": [{"instance_id": 1}]}',
            r"`instances`\[0\]: `query`: .*required",
        ),
        (
            "prompts/corridor/task_1_plan_generation.json",
            b'{"domain": "corridor", "instances": [{"instance_id": 1, "query": ""}]}',
            r"`instances`\[0\]: `ground_truth_plan`: .*required",
        ),
        (
            "prompts/corridor/task_1_plan_generation.json",
            b'{"domain": "corridor", "instances": [{"instance_id": 1, "query": "", "ground_truth_plan": 3}]}',
            "`ground_truth_plan`.*: .*valid string",
        ),
        ("prompts/corridor/task_1_plan_generation.json", b'{"domain": "sea", "instances": []}', "'sea'"),
    ],
)  # fmt: skip
def test_a_bad_prompt_file_without_others_is_named(tmp_path, path, content, message):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    (folder / path).write_bytes(content)
    with pytest.raises(OrreryError, match=message):
        prompts(folder)


def read_release(folder):
    """Return the prompts of a folder and the deviations, as text with paths below the folder."""
    told_lines = []
    rows = prompts(folder, lambda place, problem: told_lines.append(f"{place}: {problem}"))
    return rows, [line.replace(f"{folder}/", "") for line in told_lines]


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("configs/corridor.yaml", b"a: [", r"corridor.yaml:\d+: cannot be read: "),
        ("configs/corridor.yaml", b"a: 1", "corridor.yaml: has no domain_file"),
        ("instances/corridor/domain.pddl", b"(define (domain corridor)", "domain.pddl"),
        ("instances/corridor/domain.pddl", None, "names it as the domain"),
    ],
)
def test_rows_of_an_unreadable_domain_are_undecided_and_the_file_is_reported(
    tmp_path, path, content, message
):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    (folder / path).write_bytes(content) if content else (folder / path).unlink()
    rows, deviations = read_release(folder)
    record = redecide(*rows)
    assert (record.right, record.asks, record.rules) == (None, None, ())
    assert record.detail
    (deviation, *_) = deviations
    assert re.search(message, deviation)


def test_an_unreadable_instance_is_named_and_the_words_are_decided(tmp_path):
    query = told("all is dark and you are in the red room", "the red room is lit")
    folder = write_folder(tmp_path, {TASK["t1"]: [row(query, "(light red)")]})
    (folder / "instances/corridor/basic/instance-1.pddl").write_bytes(b"(define (problem p)")
    rows, (deviation,) = read_release(folder)
    record = redecide(*rows)
    assert record.right
    assert "instance-1.pddl" in record.detail
    assert deviation.startswith("instances/corridor/basic/instance-1.pddl")


def test_what_can_be_read_of_a_release_is_read_and_the_rest_is_reported(tmp_path):
    good = row(told(), STORED)
    folder = write_folder(tmp_path, {TASK["t1"]: [good, {"query": ""}, good]})
    path = folder / "prompts" / "corridor" / f"{TASK['t1']}.json"
    (path.parent / f"{TASK['t2']}.json").write_text("{")
    (path.parent / f"{TASK['t3']}.json").write_text("[]")
    other = folder / "prompts" / "sea" / f"{TASK['t4']}.json"
    other.parent.mkdir()
    other.write_text(json.dumps({"domain": "sea", "instances": [good]}))
    rows, deviations = read_release(folder)
    assert [(prompt.number, prompt.domain) for prompt in rows] == [
        (0, "corridor"),
        (2, "corridor"),
        (0, "sea"),
    ]
    assert [redecide(prompt).right for prompt in rows] == [True, True, None]
    beginnings = [
        "prompts/corridor/task_1_plan_generation.json: `instances`[1]: `instance_id`: is not a row",
        "prompts/corridor/task_2_plan_optimality.json: is not JSON",
        "prompts/corridor/task_3_plan_verification.json: is not an object with a list of `instances`",
        "prompts/sea/task_4_plan_reuse.json: belongs to a domain without a configuration: 'sea'",
        "prompts of 'corridor': has no file for a task: t4",
        "prompts of 'sea': has no file for a task: t1",
    ]
    assert len(deviations) == len(beginnings)
    assert all(map(str.startswith, deviations, beginnings)), deviations


SPELLINGS = {
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "line ends of old systems": lambda data: data.replace(b"\n", b"\r"),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "all at once": lambda data: data.decode().replace("\n", "\r\n").encode("utf-16"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_files_of_other_systems_give_the_same_rows(tmp_path, name):
    rows = [row(told(), STORED), row(told(), "(light c)")]
    expected = [
        redecide(prompt)[:-1] for prompt in prompts(write_folder(tmp_path / "unix", {TASK["t1"]: rows}))
    ]
    rows[0]["query"] = rows[0]["query"].replace("\n", "\r\n")
    folder = write_folder(tmp_path / "other", {TASK["t1"]: rows})
    for path in folder.rglob("*.*"):
        path.write_bytes(SPELLINGS[name](path.read_bytes()))
    prompts_read, deviations = read_release(folder)
    assert [redecide(prompt)[:-1] for prompt in prompts_read] == expected
    assert deviations


def test_a_key_that_is_given_twice_is_reported(tmp_path):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    config = folder / "configs" / "corridor.yaml"
    lines = len(config.read_text().splitlines())
    config.write_text(config.read_text() + "domain_name: corridor\ninstances_template: instance-{}.pddl\n")
    rows, deviations = read_release(folder)
    assert redecide(*rows).right
    assert deviations == [
        f"configs/corridor.yaml:{lines + n}: `{key}`: a key is given twice with the same value"
        for n, key in ((1, "domain_name"), (2, "instances_template"))
    ]
    config.write_text(config.read_text() + 'actions: {go: "move from {} to {}", light: "light the {}"}\n')
    path = next(folder.rglob("task_1*"))
    path.write_text(path.read_text().replace('"instance_id": 1', '"instance_id": 2, "instance_id": 1'))
    rows, deviations = read_release(folder)
    assert rows[0].config.actions["go"] == "move from {} to {}"
    assert deviations[2:] == [
        f"configs/corridor.yaml:{lines + 3}: `actions`: a key is given twice with different values, "
        "and the last one is read",
        "prompts/corridor/task_1_plan_generation.json: `instance_id`: a key is given twice with different "
        "values, and the last one is read",
    ]


def with_template(tmp_path, template):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    path = folder / "configs" / "corridor.yaml"
    path.write_text(path.read_text().replace("instance-{}.pddl", f"'{template}'"))
    return folder


@pytest.mark.parametrize(("template", "name"), [("p{:04}", "p0007"), ("{:2}", " 7"), ("n{}", "n7")])
def test_a_number_is_put_into_a_template_of_file_names(tmp_path, template, name):
    (prompt,) = prompts(with_template(tmp_path, template))
    assert prompt.config.instance(7, "1").name == name


@pytest.mark.parametrize(
    "template",
    ["{1}", "{name}", "{}-{}", "{", "{}}", "{:s}", "{.real.x}", "{[0]}", "{:999999999}", "one.pddl"],
)
def test_a_template_of_file_names_that_takes_no_number_is_named(tmp_path, template):
    rows, deviations = read_release(with_template(tmp_path, template))
    assert rows[0].config is None
    assert re.search(r"corridor.yaml: instances_template: .*exactly one", deviations[0])


def test_a_folder_without_prompts_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"has no file task_\*\.json"):
        prompts(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        prompts(tmp_path / "nothing")


def test_what_models_replied_is_no_prompt_and_the_folder_of_prompts_may_be_named(tmp_path):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    replies = folder / "results" / "corridor" / "gpt" / "task_1_plan_generation.json"
    replies.parent.mkdir(parents=True)
    replies.write_text("[")
    assert len(prompts(folder)) == 1
    assert redecide(*prompts(folder / "prompts")).right
