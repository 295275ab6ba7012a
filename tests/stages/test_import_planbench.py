"""The published layout of PlanBench is read, decided, written and counted."""

import json

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.families.modelling.schemas import FILE, LOG
from orrery.library.loading import load
from orrery.stages.import_planbench import COUNTS, ROWS, UNDECIDED, UNREAD, run
from orrery.store.shards import read_rows, shards, splits
from orrery.workers import Workers
from tests.planbench_folder import CORRIDOR, LIT, STORED, row, told, write_folder

RUNNER = CliRunner()
FLIGHT = CORRIDOR.replace(
    "(:action light",
    """(:action fly :parameters (?r ?s) :precondition (at ?r)
 :effect (and (at ?s) (not (at ?r))))
(:action light""",
)
TASKS = {
    "task_1_plan_generation": [row(told(), STORED), row(told(), "(light c)")],
    "task_8_3_partial_to_full": [row(told(plan=LIT) + told(), STORED)],
}


def rows_of(dataset, table, split="test"):
    return [row for path in shards(dataset, table, split) for row in read_rows(path)]


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "published", TASKS)


def test_rows_and_counts_are_written(folder, tmp_path):
    summary, counts = run(folder, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "planbench")
    columns = set(rows[0])
    assert columns == set(ROWS.names)
    assert [row["task"] for row in rows] == ["t1", "t1", "t8_3"]
    assert [row["right"] for row in rows] == [True, False, True]
    assert rows[2]["rules"] == ["shown_plan_answers", "statement_repeated"]
    assert (rows[1]["fails_at"], rows[1]["plan"]) == (1, ["(light c)"])
    assert json.loads(rows[0]["stored"]) == STORED
    assert "(lit c)" in rows[0]["problem_pddl"]
    assert summary.made == {
        "rows": 3, "ask for something": 2, "answered rightly": 2, "answered wrongly": 1,
        "in tables for models": 3,
    }  # fmt: skip
    first, last = counts
    assert [*first.values()] == ["t1", "generation", "corridor", 2, 1, 1, 0, 1, 1, 2, {}]
    assert (last["ours"], last["asks"], last["rules"]["statement_repeated"]) == ("reformulation", 0, 1)
    assert json.loads((tmp_path / "out" / COUNTS).read_text()) == counts


def test_the_command_prints_a_table_or_json(folder, tmp_path):
    asked = ["import", "planbench", str(folder), "--out", str(tmp_path / "out"), "--jobs", "1"]
    done = RUNNER.invoke(app, asked)
    assert done.exit_code == 0, done.output
    names, first, last = done.stdout.splitlines()
    assert names.split()[:4] == ["task", "ours", "domain", "rows"]
    assert first.split() == ["t1", "generation", "corridor", *"2110112"]
    assert last.endswith("shown_plan_answers 1, statement_repeated 1")
    again = RUNNER.invoke(app, [*asked, "--json"])
    assert json.loads(again.stdout)[0]["rows"] == 2
    assert "3 rows, 2 ask for something" in again.stderr


def test_deviations_are_counted_logged_and_end_no_import(folder, tmp_path):
    config = folder / "configs" / "corridor.yaml"
    config.write_text(config.read_text() + "domain_name: corridor\ninstances_template: instance-{}.pddl\n")
    (folder / "prompts" / "corridor" / "task_2_plan_optimality.json").write_text("{")
    done = RUNNER.invoke(app, ["import", "planbench", str(folder), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    message = " ".join(done.stderr.replace("\n", "").split())
    assert "`domain_name`: a key is given twice with the same value (and 1 more of this kind)" in message
    assert "task_2_plan_optimality.json: is not JSON" in message
    log = list(read_rows(tmp_path / "out" / FILE, LOG))
    assert [entry["what"].partition(":")[0] for entry in log] == [
        "a key is given twice with the same value", "a key is given twice with the same value", "is not JSON",
    ]  # fmt: skip
    assert run(folder, tmp_path / "out")[0].made["rows"] == 3


def test_a_folder_without_rows_is_refused_and_nothing_is_written(tmp_path):
    folder = write_folder(tmp_path / "published", {"task_1_plan_generation": []})
    done = RUNNER.invoke(app, ["import", "planbench", str(folder), "--out", str(tmp_path / "out")])
    assert done.exit_code == 3
    message = " ".join(done.stderr.split())
    assert str(folder) in message
    assert "has no rows" in message
    assert "download it again" in message
    assert [path.name for path in tmp_path.iterdir()] == ["published"]


DETOUR = "(go red blue)\n(go blue green)\n(go green white)\n(go white green)\n(light green)"


@pytest.mark.parametrize("stored", [DETOUR, "(light green)"])
def test_the_gold_plan_of_a_task_of_costs_is_a_cheapest_plan(tmp_path, stored):
    """With dear steps, the plan with the fewest actions costs more than the cheapest."""
    folder = write_folder(tmp_path / "published", {"task_2_plan_optimality": [row(told(), stored)]})
    (folder / "instances" / "corridor" / "domain.pddl").write_text(FLIGHT)
    config = folder / "configs" / "corridor.yaml"
    text = config.read_text().replace("Light a room.", "Fly from a room. It takes 9 minutes to fly.\n  Light")
    words = 'fly: "fly from the {} to the {}",\n   light'
    config.write_text(text.replace("Light It takes", "Light a room. It takes").replace("light:", f"{words}:"))
    summary, _ = run(folder, tmp_path / "out")
    (asked,) = rows_of(tmp_path / "out", "plan_optimal")
    assert (asked["published_verdict"], asked["published_grade"]) == ("wrong", "wrong")
    assert asked["plan"] == ["(go red blue)", "(go blue green)", "(light green)"]
    assert (asked["cost"], asked["plan_length"]) == (1 + 1 + 3, 3)
    (item,) = load(tmp_path / "out", "plan_optimal")
    assert item.score(item.gold).verdict == "right"
    assert not any(summary.left_out.values())


@pytest.mark.parametrize("task", ["task_1_plan_generation", "task_2_plan_optimality"])
def test_a_row_without_a_decided_plan_is_in_no_table_for_models_and_counted(tmp_path, task):
    folder = write_folder(tmp_path / "published", {task: [row(told(), "(light c)"), row(told(), "")]})
    summary, _ = run(folder, tmp_path / "out", max_states=1)
    assert [row["least"] for row in rows_of(tmp_path / "out", "planbench")] == [None, None]
    assert splits(tmp_path / "out").keys() == {"planbench"}
    assert summary.left_out[UNDECIDED] == sum(summary.left_out.values()) == 2


def test_a_valid_plan_is_the_gold_plan_where_no_shortest_one_is_known(tmp_path):
    folder = write_folder(tmp_path / "published", {"task_1_plan_generation": [row(told(), STORED)]})
    run(folder, tmp_path / "out", max_states=1)
    (asked,) = rows_of(tmp_path / "out", "plan_generation")
    assert (asked["plan"], asked["h_star"]) == (STORED.split("\n")[:3], None)


def test_rows_with_unreadable_files_are_counted_apart_and_each_file_is_one_warning(tmp_path):
    unread = row(told(init="the moon is blue"), STORED)
    folder = write_folder(tmp_path / "published", {"task_1_plan_generation": [unread, unread]})
    path = folder / "instances" / "corridor" / "basic" / "instance-1.pddl"
    path.write_text("(define (problem p)")
    summary, (count,) = run(folder, tmp_path / "out")
    assert (count["undecided"], count["asks"], count["rules"]) == (2, 0, {})
    assert [row["asks"] for row in rows_of(tmp_path / "out", "planbench")] == [None, None]
    assert summary.left_out[UNREAD] == sum(summary.left_out.values()) == 2
    (warning,) = summary.warnings
    assert str(path) in warning
    assert "more" not in warning


@pytest.mark.slow
def test_what_others_published_is_understood(cases, tmp_path):
    _, counts = run(cases / "planbench_dev", tmp_path / "out", workers=Workers(2))
    asked = [
        row
        for table in splits(tmp_path / "out")
        if table != "planbench"
        for row in rows_of(tmp_path / "out", table)
    ]
    assert len(asked) > 120
    assert {row["published_grade"] for row in asked} == {"right"}
    totals = {name: sum(count[name] for count in counts) for name in ("wrong", "undecided", "rows")}
    assert totals["wrong"] == 0
    assert totals["undecided"] <= 0.02 * totals["rows"]
    for task, rule in (("reformulation", "shown_plan_answers"), ("reuse", "answer_is_prefix")):
        assert all(count["rules"][rule] == count["rows"] for count in counts if count["ours"] == task)
