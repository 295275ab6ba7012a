"""Single draws: what a problem is kept as, and every reason why one is not."""

import json

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.keys import keys
from orrery.model import Generated, OrreryError, literals
from orrery.pddl.read import PddlError, read_problem
from orrery.pddl.write import write_problem
from orrery.problems.candidates import candidates_from_files, draw_candidate, keyed
from orrery.problems.quotas import FROM_FILE, Draw, quotas
from orrery.problems.sampler import Sampler
from orrery.seeds import stream
from tests.checkout import checkout, spoil
from tests.every_domain import easy_problems, entry
from tests.problems.sizes import NOTHING, drawing, size


def draws(name, difficulty="easy", count=1):
    return [Draw(name, difficulty, task, n) for task in entry(name).tasks for n in range(count)]


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "floor-tile"])
def test_a_record_says_of_the_problem_what_the_problem_says(name):
    place, held = entry(name), 0
    for draw in draws(name):
        candidate = draw_candidate(place, draw, 4)
        if candidate.record is None:
            continue
        problem = read_problem(candidate.record.problem_pddl, place.domain)
        problem_keys = keys(place.domain, problem, rule=place.closure_rule)
        assert (problem_keys.strict, problem_keys.loose) == (
            candidate.record.strict_key,
            candidate.record.loose_key,
        )
        assert candidate.record.num_objects == len(problem.objects)
        sizes = (candidate.record.init_num_propositions, candidate.record.goal_num_propositions)
        assert sizes == (len(problem.init), len(problem.goal))
        generated = place.make(draw.task, draw.difficulty, stream(4, *draw.seed_path))
        assert generated.init_parameters == json.loads(candidate.record.init_parameters)
        assert not problem.satisfied(problem.init)
        holds = draw.task.interchangeable and goal_holds_permuted(place.domain, problem)
        assert candidate.record.goal_holds_initially == int(holds)
        held += holds
    assert held or name != "gripper"  # an even spread has no other arrangement


def test_a_problem_with_nothing_to_do_is_no_problem():
    place = entry("ferry")
    draw = draws("ferry")[0]
    generated = place.make(draw.task, draw.difficulty, stream(1, *draw.seed_path))
    problem = generated.problem
    idle = Generated(
        type(problem)(problem.name, problem.domain, problem.objects, problem.init, literals(problem.init)),
        generated.task,
    )
    assert keyed(place, draw, idle).reason == "goal holds initially"


@pytest.fixture
def ferry(tmp_path):
    """A ferry domain of our own to spoil."""
    return Catalog(checkout(tmp_path, ["ferry"])).entry("ferry")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('("at-ferry", ', '("at_ferry", ', "cannot be read"),
        ('"empty-ferry"', '"Empty-Ferry"', "express exactly: 'init' has \\('Empty-Ferry',\\)"),
        (
            'typed({"car": scene.cars, "location": scene.locations})',
            '[*typed({"car": scene.cars, "location": scene.locations})]',
            "exactly: 'objects' has \\[Typed",
        ),
        ("literals(goal)", 'literals({*goal, ("=", "l1", "l1")})', "a goal that asks for \\(= l1 l1\\)"),
    ],
)
def test_a_generator_that_makes_problems_of_no_sense_is_named(ferry, old, new, problem):
    """By the first problem of a task: later ones are left to the checks of the whole build."""
    spoil(ferry.generator_file, old, new)
    with pytest.raises(OrreryError, match=rf"generators/ferry\.py: vacant-to-one_location: .*{problem}"):
        draw_candidate(ferry, draws("ferry")[-1], 1)


def test_a_closure_of_facts_that_there_are_not_is_named(ferry):
    generator = ferry.generator_file
    generator.write_text(
        generator.read_text() + "\n\ndef close_goal(problem):\n    return frozenset({('at', 'x')})\n"
    )
    with pytest.raises(OrreryError, match=r"ferry\.py: close_goal: gives \(at x\), which is not a fact"):
        draw_candidate(ferry, draws("ferry")[0], 1)


def test_parameters_out_of_limits_are_a_named_reason(ferry):
    spoil(ferry.folder / "domain.yaml", "locations: [2, 3], cars: [2, 4]", "locations: [1, 1], cars: [0, 0]")
    candidates = [draw_candidate(ferry, draw, 1) for draw in draws("ferry")]
    refused = [candidate for candidate in candidates if candidate.record is None]
    assert refused
    assert {candidate.reason for candidate in refused} <= {"parameters out of limits", "goal holds initially"}
    assert any("constraint" in candidate.detail for candidate in refused)


def test_problems_given_as_files_need_no_generator(ferry):
    ferry.generator_file.unlink()
    folder = ferry.folder / "problems"
    folder.mkdir()
    problems = easy_problems("ferry", 3)
    for number, problem in enumerate(problems):
        (folder / f"p{number}.pddl").write_text(write_problem(problem))
    (folder / "p9.pddl").write_text(write_problem(problems[0]))
    assert quotas(ferry, size({"easy": 3}), NOTHING) == ([], [])
    sampler = Sampler("ferry", drawing(ferry, 1))
    accepted = list(sampler.accepted(candidates_from_files(ferry), held_out=False))
    assert len(accepted) == 3
    assert [candidate.reason for candidate in sampler.rejected] == ["same as an earlier problem"]
    assert {candidate.draw.task for candidate in accepted} == {FROM_FILE}


def test_a_problem_file_may_begin_with_a_mark_and_have_names_in_capitals(ferry):
    """As editors on Windows save it, and as PDDL allows."""
    path = ferry.folder / "problems" / "p.pddl"
    path.parent.mkdir()
    (problem,) = easy_problems("ferry", 1)
    path.write_bytes("\ufeff".encode() + write_problem(problem).upper().replace("\n", "\r\n").encode())
    (candidate,) = candidates_from_files(ferry)
    read = read_problem(candidate.record.problem_pddl, ferry.domain)
    assert (read.objects, read.init, read.goal) == (problem.objects, problem.init, problem.goal)


@pytest.mark.parametrize(("text", "holds"), [("(not (= l1 l2))", True), ("(= l1 l2)", False)])
def test_comparisons_in_the_goal_of_a_problem_file_are_settled(ferry, text, holds):
    """There are no words for them, and they are the same in every state."""
    path = ferry.folder / "problems" / "p.pddl"
    path.parent.mkdir()
    (problem,) = easy_problems("ferry", 1)
    path.write_text(write_problem(problem).replace("(:goal (and ", f"(:goal (and {text} "))
    if holds:
        (candidate,) = candidates_from_files(ferry)
        assert read_problem(candidate.record.problem_pddl, ferry.domain).goal == problem.goal
    else:
        with pytest.raises(PddlError, match=r"p\.pddl: the goal asks for \(= l1 l2\), which never holds"):
            candidates_from_files(ferry)


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"(define (problem p)\n  (:domain ferry", ":2"), (b"\xff", ":1:1"), (b"(\r\n;\r\n\xe9", ":3:1")],
)
def test_a_faulty_problem_file_is_named(ferry, content, line):
    path = ferry.folder / "problems" / "p.pddl"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(PddlError) as caught:
        candidates_from_files(ferry)
    assert caught.value.where.startswith(f"{path}{line}")
    assert caught.value.code == 3
