"""Generators are trusted code; their exceptions name file and line."""

from __future__ import annotations

import random

import pytest

from orrery.catalog import Catalog
from orrery.model import OrreryError, ParameterError
from orrery.problems.candidates import draw_candidate
from tests.checkout import checkout
from tests.problems.test_candidates import draws

TASKS = "from orrery.model import *\nTASKS = (ConfigurationPair('random', 'random'),)\n"
BUILT = (
    "def draw(task, limits, rng): return {{}}\n"
    "def build(task, parameters, rng):\n"
    "    problem = Problem('p', 'ferry', {objects}, frozenset({init}), frozenset())\n"
    "    return Generated(problem, task, {parameters})\n"
)


@pytest.fixture
def ferry(tmp_path):
    return Catalog(checkout(tmp_path, ["ferry"])).entry("ferry")


def drawn(ferry, first):
    """Draw a problem, as the first of a pair, which is read back from its PDDL, or as a later one."""
    if first:
        return draw_candidate(ferry, draws("ferry")[-1], 1)
    return ferry.make(ferry.tasks[0], "easy", random.Random(0))


def refused(ferry, text, *, first: bool = False):
    """Return the error of a generator with this text."""
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError) as caught:
        drawn(ferry, first)
    assert caught.value.where.startswith(str(ferry.generator_file))
    assert caught.value.mend
    return caught.value


@pytest.mark.parametrize("code", ["", "0", "'bye'"])
def test_an_exit_is_named(ferry, code):
    error = refused(ferry, f"import sys\ndef build(*_): ...\ndef draw(*_): sys.exit({code})\n")
    assert "'draw' failed: SystemExit" in error.problem
    assert error.where.endswith(".py:5")
    assert "ParameterError" in error.mend


def test_an_exit_at_import_is_named(ferry):
    assert "cannot be imported: SystemExit" in refused(ferry, "raise SystemExit\n").problem


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (
            "def build(*_): ...\ndef draw(*_): return inner()\ndef inner(): return 1 / 0\n",
            5,
            "'draw' failed: ZeroDiv",
        ),
        (
            "def build(*_): return {}['cars']\ndef draw(*_): return {}\n",
            3,
            "'build' failed: KeyError: 'cars'",
        ),
        ("import nowhere\n", 3, "cannot be imported: ModuleNotFoundError"),
        ("def draw(:\n", 3, "cannot be imported: SyntaxError"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_an_exception_is_named_with_file_and_line(ferry, text, line, problem, first):
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError) as caught:
        drawn(ferry, first)
    assert caught.value.where == f"{ferry.generator_file}:{line}"
    assert caught.value.problem.startswith(problem)


def test_errors_of_ours_stay_what_they_are(ferry):
    ferry.generator_file.write_text(
        TASKS + "def build(*_): ...\ndef draw(*_): raise ParameterError('here', 'nothing fits')\n"
    )
    with pytest.raises(ParameterError, match="here: nothing fits"):
        ferry.make(ferry.tasks[0], "easy", random.Random(0))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def build(*_): ...\ndef draw(*_): return 7\n", "'draw' returned 7"),
        (
            "def build(task, parameters, rng): return parameters['cars']\ndef draw(*_): return ['cars']\n",
            "'draw' returned ['cars']",
        ),
        ("def build(*_): ...\ndef draw(*_): return {}\n", "'build' returned None"),
        ("def build(*_): return 'x' * 999\ndef draw(*_): return {}\n", "'build' returned 'xxx"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_nonsense_that_is_returned_is_named(ferry, text, problem, first):
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError) as caught:
        drawn(ferry, first)
    error = caught.value
    assert (error.where, error.mend[:7]) == (str(ferry.generator_file), "return ")
    assert error.problem.startswith(problem)
    assert len(error.problem) < 120


@pytest.mark.parametrize(
    ("objects", "init", "parameters"),
    [
        ("7", "", "{}"),
        ("((1, 2),)", "", "{}"),
        ("()", "{5}", "{}"),
        ("()", "{(1,)}", "{}"),
        ("()", "", "{'a': {1}}"),
    ],
)
def test_a_problem_of_nonsense_is_named(ferry, objects, init, parameters):
    text = BUILT.format(objects=objects, init=init, parameters=parameters)
    assert "generates a problem that cannot be written" in refused(ferry, text, first=True).problem


@pytest.mark.parametrize(
    ("function", "returned"),
    [("plan", "7"), ("plan", "'move'"), ("close_goal", "[()]"), ("close_goal", "{1}")],
)
def test_nonsense_of_rules_is_named(ferry, function, returned):
    ferry.generator_file.write_text(f"TASKS = ()\ndef {function}(problem): return {returned}\n")
    rule = ferry.planner or ferry.closure_rule
    assert rule
    with pytest.raises(OrreryError, match=f"'{function}' returned"):
        rule(None)
