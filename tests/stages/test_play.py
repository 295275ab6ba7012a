"""``orrery play``: the commands of a person, and the score."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

import orrery
from orrery.pddl.write import write_domain
from orrery.pictures.draw import draw_problem
from orrery.stages.play import play
from tests.every_domain import ROOT


def game(tmp_path, replies, **options):
    shown = []
    world = orrery.world("ferry", seed=7, **options)
    play(world, replies(world) if callable(replies) else replies, shown.append, tmp_path / "map.svg")
    return world, shown


def best(world):
    while True:
        yield world.optimal_actions()[0]


def test_a_shortest_plan_is_praised(tmp_path):
    world, shown = game(tmp_path, best)
    assert shown[-1] == f"Goal reached in {world.steps_at_best} steps, the fewest possible."
    assert "3 of 3 goals" not in shown[-2]  # the last observation says that the goal is reached


def test_a_hint_begins_a_shortest_plan_and_undo_takes_a_step_back(tmp_path):
    world, shown = game(tmp_path, ["hint", "undo", "1", "undo", "dance", "quit"])
    assert shown[1].lower().rstrip(".") in [phrase.lower() for phrase in world.optimal_actions()]
    assert shown[2] == "There is no step to take back."
    assert shown[4].startswith("The last step is taken back.")
    assert world.state == world.problem.task.init
    assert "[no step; 1 of 5 in a row]" in shown[5]
    assert (
        shown[-1] == "You stopped after no steps. 1 attempt at no possible action. 1 hint. 1 step taken back."
    )


def test_the_map_shows_the_present_state(tmp_path):
    game(tmp_path, ["map"])
    first = (tmp_path / "map.svg").read_text()
    game(tmp_path, ["1", "map"])
    assert first.startswith("<svg")
    assert (tmp_path / "map.svg").read_text() != first


def test_with_local_sight_neither_remarks_nor_the_map_show_what_is_not_seen(tmp_path):
    world, shown = game(tmp_path, ["map", "1", "dance"], sight="local")
    state = world.problem.task.state(world.problem.task.init)
    (place,) = (fact[1] for fact in state if fact[0] == "at-ferry")
    away = [fact for fact in state if fact[0] == "at" and fact[2] != place]
    assert away
    picture = (tmp_path / "map.svg").read_text()
    seen = world.problem.task.facts_of(world.problem.seen(world.problem.task.init))
    assert picture == draw_problem(
        world.problem.domain, replace(world.problem.problem, init=seen | world.problem.task.statics),
        world.problem.picture,
    )  # fmt: skip
    assert "left at best" not in " ".join(shown)
    assert "goal" not in shown[2]
    assert shown[3].endswith("[no step; 1 of 5 in a row]")


@pytest.mark.slow
def test_the_command_plays_a_domain_of_files_in_pddl_and_writes_the_transcript(tmp_path):
    problem = orrery.world("ferry", seed=7).problem
    domain_file, problem_file, record = (tmp_path / name for name in ("d.pddl", "p.pddl", "t.json"))
    domain_file.write_text(write_domain(problem.domain))
    problem_file.write_text(problem.problem_pddl)
    command = [sys.executable, "-m", "orrery", "play", domain_file, problem_file, "--transcript", record]
    run = subprocess.run(command, input="1\nlook\n", capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0
    assert "has no words" in run.stderr
    assert "You stopped after 1 step." in run.stdout
    assert len(json.loads(record.read_text())["turns"]) == 2


@pytest.mark.slow
def test_an_unknown_domain_is_one_error():
    command = [sys.executable, "-m", "orrery", "play", "chess"]
    run = subprocess.run(command, input="", capture_output=True, text=True, cwd=ROOT)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("error: domain 'chess'")
