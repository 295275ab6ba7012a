"""One state of each orbit: the same distances, and plans that hold for the objects meant."""

from functools import cache

import numpy as np
import pytest

from orrery.planners import exhaustive, exhaustive_kernel
from orrery.planners.exhaustive import Explorer
from orrery.planners.exhaustive_python import reachable
from orrery.planners.guided import nearest
from orrery.planners.relaxed import Relaxation
from orrery.semantics.progression import applicable, progress
from orrery.semantics.symmetry import goal_facts, symmetry
from tests.analysis.small_tasks import object_task
from tests.planners.test_guided import PLENTY, check

MOST = 600
SEEDS = range(60)


@cache
def small_tasks():
    found = ((seed, object_task(seed)) for seed in SEEDS)
    return [pytest.param(task, id=str(seed)) for seed, task in found if reachable(task, limit=MOST).complete]


def by_goal(task):
    return Explorer(task, symmetry(task, *goal_facts(task)))


def test_many_of_the_tasks_lose_states():
    tasks = [param.values[0] for param in small_tasks()]
    fewer = [task for task in tasks if len(by_goal(task).explore()) < len(reachable(task).states)]
    assert len(fewer) > 12


@pytest.mark.parametrize("task", small_tasks())
def test_the_normal_form_is_that_of_the_compiled_loop(task):
    explorer = by_goal(task)
    for state in reachable(task).states[:200]:
        row = explorer.row(state).copy()
        exhaustive_kernel.normalise(explorer.orbits, row)
        assert np.array_equal(row, explorer.row(explorer.classes.form(state).mask))


@pytest.mark.slow
@pytest.mark.parametrize("task", small_tasks())
def test_each_successor_is_in_normal_form(task, monkeypatch):
    """Of a state in normal form, though only the classes that the action changes are sorted anew."""
    for narrow in (exhaustive.NARROW, 0):  # for states of many words, too
        monkeypatch.setattr(exhaustive, "NARROW", narrow)
        explorer = by_goal(task)
        for state in {explorer.classes.form(state).mask for state in reachable(task).states[:200]}:
            rows, actions = exhaustive_kernel.expand(
                explorer.actions, explorer.sparse, explorer.orbits, explorer.rows([state])
            )
            after = [progress(state, task.actions[action]) for action in actions]
            assert [exhaustive.mask_of(row) for row in rows] == [explorer.classes.form(s).mask for s in after]


@pytest.mark.parametrize("task", small_tasks())
def test_states_of_many_words_make_the_same_space(task, monkeypatch):
    few = by_goal(task).explore(linked=True)
    monkeypatch.setattr(exhaustive, "NARROW", 0)
    many = by_goal(task).explore(linked=True)
    assert np.array_equal(few.found.states, many.found.states)
    assert np.array_equal(few.found.trace, many.found.trace)
    for space in (few, many):
        for kept, made in zip(space.edges, space.explorer.link(space), strict=True):
            assert np.array_equal(kept, made)


@pytest.mark.parametrize("task", small_tasks())
def test_a_form_and_its_names_give_back_the_state_and_what_can_be_done(task):
    explorer = by_goal(task)
    for state in reachable(task).states[:50]:
        form = explorer.classes.form(state)
        assert {form.real(fact) for fact in task.facts_of(form.mask)} == task.facts_of(state)
        steps = {form.real(action.step): action for action in applicable(task, form.mask)}
        assert set(steps) == {action.step for action in applicable(task, state)}
        for step, action in steps.items():
            after, there = explorer.classes.after(form, action), progress(state, task.action_of[step])
            assert {after.real(fact) for fact in task.facts_of(after.mask)} == task.facts_of(there)


@pytest.mark.parametrize("task", small_tasks())
def test_a_guided_search_up_to_symmetry_finds_costs_and_first_steps(task):
    explorer = by_goal(task)
    check(task, nearest(explorer, Relaxation(explorer), work=PLENTY))
