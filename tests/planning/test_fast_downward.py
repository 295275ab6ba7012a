import stat
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import Proof, ToolMissing
from orrery.planning import fast_downward
from orrery.planning.exhaustive import explore
from orrery.planning.fast_downward import OPTIMAL, SATISFICING, SHORTEST, SOONEST, read_plan, solve
from orrery.planning.outcome import PlannerOutcome
from orrery.planning.task import is_plan, run
from tests.effort import examples
from tests.planning.random_tasks import task_of, tasks

LINE = task_of(3, [(1, 0, 2, 1), (2, 0, 4, 2), (1, 0, 4, 0)], 1, 4)
FIRST, SECOND, THIRD = LINE.facts


def counter(size):
    """A binary counter: a plan of 2 ** size - 1 steps that no heuristic shortens."""
    increments = [((1 << i) - 1, 1 << i, 1 << i, (1 << i) - 1) for i in range(size)]
    return task_of(size, increments, 0, (1 << size) - 1)


@examples(150)
@given(
    tasks(),
    st.sampled_from([OPTIMAL, SHORTEST, SATISFICING, SOONEST]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_agrees_with_exhaustion(task, planner, ban, rng):
    optimal = planner in (OPTIMAL, SHORTEST)
    fact = rng.choice(task.facts) if ban else None
    banned = task.bit[fact] if ban else 0
    allowed = replace(task, actions=tuple(action for action in task.actions if not action.add & banned))
    shortest = None if task.init & banned else explore(allowed).optimal_plan()
    answer = solve(task, planner=planner, forbidden=fact)
    if shortest is None:
        assert answer.outcome is PlannerOutcome.UNSOLVABLE_PROVEN
        assert answer.plan is None
        return
    assert answer.outcome is (PlannerOutcome.SOLVED_OPTIMALLY if optimal else PlannerOutcome.SOLVED)
    assert answer.plan.optimal is (Proof.ASTAR if optimal else None)
    assert is_plan(task, answer.plan.steps)
    assert not any(mask & banned for mask in run(task, answer.plan.steps))
    assert not optimal or len(answer.plan.steps) == len(shortest)


def test_what_is_known_without_a_search():
    nowhere = task_of(1, [], 0, 0)
    assert solve(nowhere, planner=OPTIMAL).plan.steps == ()
    assert solve(LINE, forbidden=FIRST).outcome is PlannerOutcome.UNSOLVABLE_PROVEN
    assert solve(LINE, forbidden=THIRD).outcome is PlannerOutcome.UNSOLVABLE_PROVEN
    assert solve(task_of(1, [(0, 0, 1, 0)], 0, 1, 1)).outcome is PlannerOutcome.UNSOLVABLE_PROVEN


def test_a_forbidden_fact_that_the_task_lacks_is_refused():
    with pytest.raises(KeyError):
        solve(LINE, forbidden=("p009",))


@pytest.mark.parametrize("size", [65, 130])
def test_wide_tasks(size):
    chain = task_of(size, [(1 << i, 0, 2 << i, 1 << i) for i in range(size - 1)], 1, 1 << size - 1)
    assert len(solve(chain, planner=OPTIMAL).plan.steps) == size - 1


@pytest.mark.slow
def test_running_out_of_time():
    answer = solve(counter(40), seconds=0.3)
    assert answer.outcome is PlannerOutcome.OUT_OF_TIME
    assert "0.3 s" in answer.detail


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can limit another process")
@pytest.mark.parametrize("megabytes", [1, 16])
def test_running_out_of_memory(megabytes):
    # All switches light the lamp, then the first goes off again: LM-cut overlooks that last step, so
    # A* keeps every order of the others.
    size = 40
    switches = [(0, 1 << i, 1 << i, 0) for i in range(size)] + [(1 << i, 0, 0, 1 << i) for i in range(size)]
    lamp = ((1 << size) - 1, 0, 1 << size, 0)
    task = task_of(size + 1, [*switches, lamp], 0, 1 << size, 1)
    assert solve(task, planner=OPTIMAL, megabytes=megabytes).outcome is PlannerOutcome.OUT_OF_MEMORY


@pytest.fixture
def planner(tmp_path):
    """Makes a stand-in for the binary out of lines of shell."""

    def make(*lines):
        path = tmp_path / "planner"
        path.write_text("\n".join(["#!/bin/sh", "cat > /dev/null", *lines]))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (0, PlannerOutcome.ERROR),  # success, yet no plan file
        (1, PlannerOutcome.ERROR),
        (11, PlannerOutcome.UNSOLVABLE_PROVEN),
        (12, PlannerOutcome.INCOMPLETE),
        (13, PlannerOutcome.INCOMPLETE),
        (22, PlannerOutcome.OUT_OF_MEMORY),
        (23, PlannerOutcome.OUT_OF_TIME),
        (24, PlannerOutcome.OUT_OF_MEMORY),
        (32, PlannerOutcome.ERROR),
        (33, PlannerOutcome.ERROR),
        (34, PlannerOutcome.ERROR),
        (127, PlannerOutcome.ERROR),
    ],
)
def test_exit_codes(planner, code, outcome):
    answer = solve(LINE, program=planner("echo some words >&2", f"exit {code}"))
    assert answer.outcome is outcome
    assert answer.plan is None
    assert ("some words" in answer.detail) == (outcome is PlannerOutcome.ERROR)


def test_a_signal_is_an_error_that_names_it(planner):
    answer = solve(LINE, program=planner("kill -SEGV $$"))
    assert answer.outcome is PlannerOutcome.ERROR
    assert "signal 11" in answer.detail


@pytest.mark.parametrize(
    ("plan", "outcome"),
    [
        ("(a000)\\n(a001)\\n; cost = 2 (unit cost)", PlannerOutcome.SOLVED),
        ("(a002)", PlannerOutcome.SOLVED),
        ("(a001)", PlannerOutcome.ERROR),  # not applicable
        ("(a000)", PlannerOutcome.ERROR),  # not at the goal
        ("(a777)", PlannerOutcome.ERROR),  # no such action
        ("", PlannerOutcome.ERROR),
    ],
)
def test_plans_are_checked(planner, plan, outcome):
    answer = solve(LINE, program=planner(f"printf '{plan}\\n' > sas_plan"))
    assert answer.outcome is outcome
    assert (answer.plan is not None) == (outcome is PlannerOutcome.SOLVED)


def test_a_plan_through_the_forbidden_fact_is_an_error(planner):
    program = planner("printf '(a000)\\n(a001)\\n' > sas_plan")
    assert solve(LINE, forbidden=SECOND, program=program).outcome is PlannerOutcome.ERROR


def test_a_binary_that_cannot_be_started(tmp_path):
    with pytest.raises(ToolMissing, match="cannot be started"):
        solve(LINE, program=tmp_path / "absent")


def test_a_missing_package_is_named_with_its_mend(monkeypatch):
    monkeypatch.setattr(fast_downward.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match=r"pip install 'orrery-planning\[planners\]'"):
        solve(LINE)


def test_the_package_is_found_and_never_imported():
    script = (
        "import sys; from orrery.planning import fast_downward as found;"
        "print(found.binary().is_file(), bool(found.version()), 'up_fast_downward' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "False"]


def test_reading_plans():
    assert read_plan("(a b c)\n ; cost\n\n(d)\n") == (("a", "b", "c"), ("d",))
