"""Rows in the layout of PlanBench decided anew: every rule, and every damage to a stored answer."""

import shutil
from dataclasses import replace

import pytest

from orrery.corpus.planbench import cheapest, costs_told, redecide
from orrery.corpus.planbench_files import domain_of, prompts
from orrery.corpus.planbench_words import PlanBenchWords, Unread, objects_in
from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_problem
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


def test_a_plan_is_valid_and_shortest(decided):
    record = decided("t1", EXAMPLE + told(), STORED)
    assert record[:6] == (True, True, True, 3, None, ())
    assert record.plan == (("go", "a", "b"), ("go", "b", "c"), ("light", "c"))
    assert record.asks
    assert record.detail == ""
    longer = decided("t1", EXAMPLE + told(), "\n".join(LAZY))
    assert (longer.right, longer.optimal, longer.least, len(longer.plan)) == (True, False, 3, 5)


@pytest.mark.parametrize(
    ("stored", "fails_at"),
    [
        ("(light a)\n(light c)", 2),
        ("(go a c)", 1),
        ("(go a b)", 0),
        ("(go a b) extra", None),
        ("(fly a)", None),
    ],
)
def test_a_stored_plan_that_is_none(decided, stored, fails_at):
    record = decided("t1", EXAMPLE + told(), stored)
    assert (record.right, record.fails_at) == (False if fails_at is not None else None, fails_at)
    assert record.detail
    assert record.least == 3


def test_what_the_prompt_says_goes_before_the_file_and_the_difference_is_told(decided):
    record = decided("t1", EXAMPLE + told(goal="the red room is lit"), "(light a)")
    assert record.right
    assert record.detail == "the instance file has another problem"
    assert decided("t1", EXAMPLE + told(init="the moon is blue"), STORED).right  # read from the file


def test_nothing_to_be_done(decided):
    record = decided("t1", EXAMPLE + told(goal="you are in the red room"), "")
    assert (record.rules, record.least, record.right) == (("goal_holds",), 0, True)


def test_equal_costs_ask_for_the_fewest_actions(decided):
    same = decided("t2", EXAMPLE + told(), STORED, cost="1 minute")
    assert (same.rules, same.least, same.optimal) == (("equal_costs",), 3, True)
    apart = decided("t2", EXAMPLE + told(), STORED, cost="three minutes")
    assert (apart.rules, apart.least, apart.optimal, apart.right) == ((), 5, True, True)
    dear = decided("t2", EXAMPLE + told(), "\n".join(LAZY), cost="three minutes")
    assert (dear.valid, dear.optimal, dear.right) == (True, False, False)
    unknown = decided("t2", EXAMPLE + told(), STORED, cost="umpteen minutes")
    assert (unknown.valid, unknown.right) == (True, None)
    assert "costs are not understood" in unknown.detail


def test_the_least_cost_is_that_of_all_plans(tmp_path):
    (prompt,) = prompts(write_folder(tmp_path, {TASK["t2"]: [row(told(), STORED)]}))
    domain = domain_of(prompt.config)
    costs = costs_told(prompt.config, domain.action_named)
    assert costs == {"go": 1, "light": 3}
    task = ground(domain, read_problem(corridor_problem("(lit a) (at d)", "(at c)"), domain))
    assert cheapest(task, costs, 1000) == 2 + 3 + 3
    assert cheapest(task, costs, 2) is None
    assert cheapest(task, {"go": 1, "light": 1}, 1000) == len(reachable(task).optimal_plan())


def verify(plan):
    return told(plan=plan) + "[VERIFICATION]"


STEP_ONE = "The above plan is invalid.The following action at step {} has an unmet precondition:\n"


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


def test_reuse_of_a_beginning(decided):
    halfway = "all is dark and you are in the green room"
    record = decided("t4", told(plan=LIT) + told(goal=halfway), "(go a b)\n(go b c)")
    assert (record.right, record.optimal, record.rules) == (True, True, ("answer_is_prefix",))
    assert record.detail == ""  # that the goal is another is the task
    short = decided("t4", told(plan=LIT) + told(goal="you are in the blue room"), "(go a b)")
    assert short.rules == ("answer_is_prefix", "one_line")
    whole = decided("t4", told(plan=LIT) + told(), STORED)
    assert whole.rules == ("shown_plan_answers",)
    unrelated = decided("t4", told(plan=LIT) + told(goal="the blue room is lit"), "(go a b)\n(light b)")
    assert (unrelated.rules, unrelated.asks, unrelated.right) == ((), True, True)


def replanned(true, false, at=2, plan=LIT):
    step = f'After executing the action "{plan[at - 1]}" at step {at} in the plan'
    event = f"{step}, the following facts unexpectedly became true: {true}\n"
    wrong = f"The following facts became unexpectedly false: {false}\n"
    return told(plan=plan) + f"\nDuring execution, something happened.\n{event}{wrong}The plan is:\n[PLAN]"


def test_replanning(decided):
    red, green = "you are in the red room", "you are in the green room"
    record = decided("t6", replanned(red, green), STORED)
    assert record.rules == ("rest_works",)  # from the start
    away = decided("t6", replanned("you are in the white room", green), "(go d c)\n(light c)")
    assert (away.right, away.optimal, away.rules) == (True, True, ())
    done = decided("t6", replanned("the green room is lit", ""), "")
    assert (done.right, done.rules) == (True, ("goal_after_event",))
    still = decided("t6", replanned("the red room is lit", ""), "(light c)")
    assert (still.right, still.rules) == (True, ("rest_works",))
    hard = replanned("", "").replace(" at step 2", "").partition(", the following")[0]
    told_otherwise = f"{hard}, The following facts unexpectedly became false: all is dark\n[PLAN]"
    assert decided("t6", told_otherwise, "(light c)").rules == ("rest_works",)
    assert "is not" in decided("t6", replanned("", "").replace("step 2", "step 3"), "").detail


def executed(plan):
    body = "".join(f"{line}\n" for line in plan)
    init = "As initial conditions I have that, all is dark and you are in the red room."
    shown = f"[ACTION SEQUENCE]\n{body}[ACTION SEQUENCE END]\n[RESULTING STATE]\n"
    return f"[STATEMENT]\n{init}\n I have executed the following action sequence:\n\n{shown}"


def test_execution(decided):
    record = decided("t7", executed(LIT), ["at_c", "lit_c"])
    assert (record.right, record.rules, record.plan[-1]) == (True, (), ("light", "c"))
    assert decided("t7", executed(LIT), ["at_c", "lit_c", "next_a_b"]).right  # static facts may be there
    assert decided("t7", executed(LIT), ["at_c", "lit_c", "dark"]).right is False
    assert decided("t7", executed(LIT), ["at_c"]).detail == "differs in lit_c"
    assert decided("t7", executed(LIT[:1]), ["at_b", "dark"]).rules == ("one_step",)
    broken = decided("t7", executed(LIT[1:]), ["at_c"])
    assert (broken.right, broken.valid, broken.fails_at) == (False, False, 1)


def test_reformulation_shows_the_answer(decided):
    wanted = "the green room is lit and you are in the green room"
    record = decided("t8", told(goal=wanted, plan=LIT) + told(goal=wanted), "\n".join([*LIT, "[PLAN END]"]))
    assert (record.right, record.rules) == (True, ("shown_plan_answers", "statement_repeated"))
    turned = "you are in the green room and the green room is lit"
    record = decided("t8", told(goal=wanted, plan=LIT) + told(goal=turned), "\n".join(LIT))
    assert record.rules == ("shown_plan_answers",)
    unrelated = decided("t8", told(plan=LIT) + told(goal="the blue room is lit"), "(go a b)\n(light b)")
    assert (unrelated.rules, unrelated.right) == ((), True)


VANS = "vehicle_0 is at place_0_0, vehicle_10 is at place_0_0, place_0_0 is a port and place_0_1 is a port"


def test_actions_in_the_same_words_are_told_apart_by_what_the_file_says(decided):
    query = told(VANS, "vehicle_0 is at place_0_1", ["move vehicle_10 from place_0_0 to place_0_1"])
    shown = decided("t3", query + "[VERIFICATION]", "The above plan is valid.", domain="vans")
    assert shown.plan == (("sail-boat", "b1", "l0-0", "l0-1"),)
    assert (shown.valid, shown.right) == (False, False)
    van = query.replace("move vehicle_10", "move vehicle_0")
    assert decided("t3", van + "[VERIFICATION]", "The above plan is valid.", domain="vans").right


def test_without_a_file_the_words_give_the_problem_and_other_instances_what_is_never_said(decided):
    init = "vehicle_0 is at place_0_0 and vehicle_3 is at place_0_7"
    query = told(init, "vehicle_3 is at place_0_1 and vehicle_0 is at place_0_7")
    stored = "(drive-van v3 l0-7 l0-1)\n(drive-van v0 l0-0 l0-7)"
    record = decided("t5", query, stored, domain="vans")
    assert (record.right, record.optimal, record.asks) == (True, True, True)
    lost = decided("t5", query, "(drive-van v14 l0-7 l0-1)", domain="vans")
    assert (lost.right, lost.rules) == (None, ("no_instance",))
    silent = decided("t1", "Make a plan.", STORED, instance=99)
    assert (silent.right, silent.rules, silent.asks) == (None, ("no_instance",), False)
    odd = decided("t1", told(init="the moon is blue"), STORED, instance=99)
    assert (odd.rules, odd.detail) == (("no_instance",), "no fact: 'the moon is blue'")


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
        ("prompts/corridor/task_1_plan_generation.json", b"[1, ", "generation.json: Invalid JSON"),
        ("prompts/corridor/task_1_plan_generation.json", b"\xff", "is not UTF-8 at byte 1"),
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
        ("configs/corridor.yaml", b"a: [", r"corridor.yaml:\d+: cannot be read: "),
        ("configs/corridor.yaml", b"a: 1", "corridor.yaml: has no domain_file"),
        ("instances/corridor/domain.pddl", b"(define (domain corridor)", "domain.pddl"),
        ("instances/corridor/basic/instance-1.pddl", b"(define (problem p)", "instance-1.pddl"),
    ],
)  # fmt: skip
def test_a_bad_file_is_named(tmp_path, path, content, message):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    (folder / path).write_bytes(content)
    with pytest.raises(OrreryError, match=message):
        list(map(redecide, prompts(folder)))


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
    with pytest.raises(OrreryError, match=r"corridor.yaml: instances_template: .*exactly one"):
        prompts(with_template(tmp_path, template))


def test_a_missing_domain_is_named(tmp_path):
    folder = write_folder(tmp_path, {TASK["t1"]: [row(told(), STORED)]})
    (folder / "instances" / "corridor" / "domain.pddl").unlink()
    with pytest.raises(OrreryError, match="names it as the domain"):
        redecide(*prompts(folder))


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
