"""Generators are code, and trusted; their slips are named, and end."""

from __future__ import annotations

import os
import py_compile
import random
import re
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from orrery import generator_file, watch
from orrery.catalog import Catalog
from orrery.families.problems.candidates import draw_candidate
from orrery.families.problems.maker import ProblemMaker
from orrery.model import OrreryError, ParameterError
from tests.checkout import checkout
from tests.families.problems.test_candidates import draws

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


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(generator_file, "SECONDS", 0.3)
    monkeypatch.setattr(generator_file, "MEBIBYTES", 300)
    monkeypatch.setattr(watch, "MOMENT", 0.05)


def drawn(ferry, first):
    """Draw a problem, as the first of a task, which is looked at closely."""
    if first:
        return draw_candidate(ferry, draws("ferry")[-1], 1)
    return ferry.make(ferry.tasks[0], "easy", random.Random(0))


def refused(ferry, text, *, first: bool = False):
    """Return the error that a generator of this text ends with."""
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError) as caught:
        drawn(ferry, first)
    assert caught.value.where.startswith(str(ferry.generator_file))
    assert caught.value.mend
    return caught.value


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("def build(*_): ...\ndef draw(*_):\n    while True:\n        pass\n", (5, 6), "more than 0 s"),
        ("def build(*_): ...\ndef draw(*_):\n    x = 1\n    while x:\n        x = x * 3\n", (6, 7), "0 s"),
        ("while True:\n    pass\n", (3, 4), "cannot be imported: it takes more than 0 s of processor time"),
        (
            "def build(*_): ...\ndef draw(*_):\n    while True:\n        try:\n            sum(range(999))\n"
            "        except Exception:\n            pass\n",
            (5, 6, 7),
            "processor time",
        ),
    ],
)
def test_a_loop_without_end_ends(ferry, soon, text, line, problem):
    error = refused(ferry, text)
    assert problem in error.problem
    assert error.mend == "does a loop end?"
    assert int(error.where.rpartition(":")[2]) in line


def test_time_that_passes_without_work_is_not_counted(ferry, soon):
    ferry.generator_file.write_text("import time\nTASKS = ()\ndef plan(_): time.sleep(0.8)\n")
    assert ferry.call("plan", None) is None


def test_nothing_is_raised_once_a_call_has_ended(ferry, soon):
    ferry.generator_file.write_text("TASKS = ()\ndef plan(n): return sum(range(n))\n")
    until = time.process_time() + 1.5
    while time.process_time() < until:
        ferry.call("plan", 1000)


@pytest.mark.parametrize("body", ["return [0] * 10 ** 11", "return 'x' * (800 * 2 ** 20)"])
def test_memory_without_end_ends(ferry, soon, body):
    error = refused(ferry, f"def build(*_): ...\ndef draw(*_): {body}\n")
    assert "'draw' takes more than 300 MiB of memory" in error.problem
    assert error.where.endswith(".py:4")


def test_the_limit_on_memory_goes_with_the_calls(ferry, soon):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    ferry.generator_file.write_text(
        "import resource\nTASKS = ()\n"
        "def plan(go):\n    go()\n    return resource.getrlimit(resource.RLIMIT_AS)\n"
    )
    for go in (list, partial(ferry.call, "plan", list)):  # a call inside another one ends nothing
        assert ferry.call("plan", go) != before
        assert resource.getrlimit(resource.RLIMIT_AS) == before


def made(ferry, text, items):
    """Return what a function ``made`` of a generator returns of each of the items."""
    ferry.generator_file.write_text(f"import resource, sys\nTASKS = ()\n{text}")
    return generator_file.each(ferry.generator_file, items, lambda item: ferry.generator.made(item))


def test_items_share_a_limit_on_memory(ferry, soon):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    limits = made(ferry, "def made(_): return resource.getrlimit(resource.RLIMIT_AS)\n", range(3))
    assert len(set(limits)) == 1
    assert before not in limits
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_each_item_has_the_time_of_a_call(ferry, soon):
    """All together take more than one may; the one that does not end is named by its function and line."""
    work = "def made(n):\n    while n: n -= (n < 10 ** 7)\n    return n\n"
    counts = [200_000] * 100
    start = time.process_time()
    assert made(ferry, work, counts) == [0] * len(counts)
    assert time.process_time() - start > generator_file.SECONDS
    with pytest.raises(OrreryError, match=r"'made' takes more than 0 s of processor time") as caught:
        made(ferry, work, [1, 10**7])
    assert caught.value.where == f"{ferry.generator_file}:4"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def made(_): sys.exit(2)", "'made' calls sys.exit(2)"),
        ("def made(_): return inner()\ndef inner(): return 1 / 0", "'made' raised ZeroDivisionError"),
        ("def made(_): return [0] * 10 ** 11", "'made' takes more than 300 MiB of memory"),
    ],
)
def test_slips_with_an_item_are_named(ferry, soon, text, said):
    with pytest.raises(OrreryError) as caught:
        made(ferry, f"{text}\n", [0])
    assert said in caught.value.problem
    assert caught.value.where.startswith(f"{ferry.generator_file}:")


def test_what_is_no_slip_of_the_generator_is_raised_as_it_is(ferry):
    with pytest.raises(KeyError, match="0"):
        generator_file.each(ferry.generator_file, [0], {}.__getitem__)


def test_the_limit_stands_while_calls_of_other_threads_run(ferry, soon):
    resource = pytest.importorskip("resource")
    before, ended = resource.getrlimit(resource.RLIMIT_AS), threading.Event()
    ferry.generator_file.write_text("TASKS = ()\ndef plan(go): return go()\n")
    other = threading.Thread(target=ferry.call, args=("plan", ended.wait))
    other.start()
    ferry.call("plan", list)
    assert resource.getrlimit(resource.RLIMIT_AS) != before
    ended.set()
    other.join()
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_charts_are_drawn_right_after_a_generator_ran(ferry):
    """V8 reserves more address space than generators may take, and ends a process that lacks it."""
    code = f"""if True:
        import random
        from pathlib import Path
        from orrery.catalog import entry_of
        from orrery.dataset.charts import Bar, stacks
        entry = entry_of(Path({str(ferry.root)!r}), "ferry")
        entry.call("draw", entry.tasks[0], entry.limits("easy"), random.Random(0))
        print(stacks("rows", [Bar("here", "there", 1.0, colour="red")], {{"there": "red"}}))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "<svg" in done.stdout, done.stderr[-500:]


def test_a_call_that_heeds_nothing_ends_the_process_with_a_message(ferry):
    ferry.generator_file.write_text(
        "TASKS = ()\ndef work():\n    while True: sum([1])\n"
        "def plan(n):\n    while True:\n        try: work()\n        except BaseException: pass\n"
    )
    program = (
        "from pathlib import Path\nfrom orrery import generator_file, watch\n"
        "generator_file.SECONDS, watch.MOMENT = 0.3, 0.05\n"
        f"path = Path({str(ferry.generator_file)!r})\n"
        "generator_file.call(path, generator_file.load(path), 'plan', 1)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 3
    assert f"error: {ferry.generator_file}: plan: has not ended after 0 s" in ended.stderr


@pytest.mark.parametrize("code", ["", "0", "'bye'"])
def test_an_exit_is_named(ferry, code):
    error = refused(ferry, f"import sys\ndef build(*_): ...\ndef draw(*_): sys.exit({code})\n")
    assert error.problem == f"'draw' calls sys.exit({code})"
    assert error.where.endswith(".py:5")
    assert "ParameterError" in error.mend


# In a process of its own: what is not caught ends this one.
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\ndef plan(_): os._exit(0)\n", "'plan' calls os._exit(0)"),
        ("from os import _exit\ndef plan(_): _exit(3)\n", "'plan' calls os._exit(3)"),
        ("import os\nos._exit(0)\n", "cannot be imported: it calls os._exit(0)"),
    ],
)
@pytest.mark.parametrize("function", ["call", "each"])
def test_a_process_does_not_end_without_a_word(ferry, text, said, function):
    ferry.generator_file.write_text(f"TASKS = ()\n{text}")
    program = (
        "from pathlib import Path\nfrom orrery import generator_file\nfrom orrery.model import OrreryError\n"
        f"path = Path({str(ferry.generator_file)!r})\n"
        "try:\n    it = generator_file.load(path)\n"
        "    generator_file.call(path, it, 'plan', 1) if {call} else "
        "generator_file.each(path, [1], it.plan)\n"
        "except OrreryError as error:\n    print(error)\n"
    ).format(call=function == "call")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert re.search(rf"{re.escape(str(ferry.generator_file))}:\d: {re.escape(said)}", ended.stdout)


def test_outside_calls_nothing_stands_for_what_ends_a_process(ferry):
    """Neither after a call that fails, nor while one ends inside another, or in another thread."""
    leave, ended, seen = os._exit, threading.Event(), []
    ferry.generator_file.write_text(
        "import os\nfrom os import _exit\nTASKS = ()\ndef plan(go): return go()\n"
    )
    generator = generator_file.load(ferry.generator_file)
    assert os._exit is leave

    def plan(go):
        return generator_file.call(ferry.generator_file, generator, "plan", go)

    other = threading.Thread(target=plan, args=(ended.wait,))
    other.start()
    plan(lambda: seen.append(plan(lambda: os._exit)))
    assert os._exit is not leave  # the other thread is still inside
    ended.set()
    other.join()
    assert os._exit is leave
    for exit_early in (lambda: os._exit(3), lambda: generator._exit(3)):  # the second as it was at import
        with pytest.raises(OrreryError, match=r"'plan' calls os\._exit\(3\)"):
            plan(exit_early)
        assert os._exit is leave
    assert seen != [leave]


def test_a_process_that_a_generator_forks_ends_as_ever(ferry):
    ferry.generator_file.write_text(
        "import os\nTASKS = ()\ndef plan(_):\n    child = os.fork()\n"
        "    if not child:\n        os._exit(7)\n"
        "    return [(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])),)]\n"
    )
    assert ferry.call("plan", None) == [("7",)]


def test_an_exit_at_import_is_named(ferry):
    assert refused(ferry, "raise SystemExit\n").problem == "cannot be imported: it calls sys.exit()"


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
        ("def build(*_): return Generated(1, 2)\ndef draw(*_): return {}\n", "'build' returned Generated"),
    ],
)
@pytest.mark.parametrize("together", [False, True])
def test_nonsense_that_is_returned_is_named(ferry, text, problem, together):
    """In single draws, and in those made together, in which the second draw is not looked at closely."""
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError) as caught:
        ProblemMaker(ferry, 1).table(draws("ferry", each=2)[1:2]) if together else drawn(ferry, False)
    error = caught.value
    assert (error.where, error.mend[:7]) == (str(ferry.generator_file), "return ")
    assert error.problem.startswith(problem)
    assert len(error.problem) < 120


def test_a_sketch_of_nonsense_is_named(ferry):
    text = "def fact(_): ...\ndef build(*_): ...\ndef sketch(*_): return 7\ndef draw(*_): return {}\n"
    ferry.generator_file.write_text(TASKS + text)
    with pytest.raises(OrreryError, match=r"ferry\.py: 'sketch' returned 7 \(return a Sketch\)"):
        ProblemMaker(ferry, 1).table(draws("ferry")[:1])


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
    assert "makes a problem that cannot be written" in refused(ferry, text, first=True).problem


@pytest.mark.parametrize(
    ("function", "returned"),
    [("plan", "7"), ("plan", "'move'"), ("plan", "[3]"), ("close_goal", "[()]"), ("close_goal", "{1}")],
)
def test_nonsense_of_rules_is_named(ferry, function, returned):
    ferry.generator_file.write_text(f"TASKS = ()\ndef {function}(problem): return {returned}\n")
    rule = ferry.planner or ferry.closure_rule
    assert rule
    with pytest.raises(OrreryError, match=f"'{function}' returned"):
        rule(None)


@pytest.mark.parametrize("left", [16, 40, -1])
def test_code_that_a_full_disk_cut_off_is_compiled_anew(tmp_path, left):
    """Python renames what it wrote of it into its place, and would fail ever after."""
    path = tmp_path / "generator.py"
    path.write_text("TASKS = ()\nSAID = 'as it is written'\n")
    kept = Path(py_compile.compile(str(path)))
    kept.write_bytes(kept.read_bytes()[:left])
    assert generator_file.load(path).SAID == "as it is written"
