"""The folders as registry: what is found, and one clear message for whatever is wrong in them."""

import random
from pathlib import Path

import pytest

from orrery.catalog import Catalog
from orrery.model import OrreryError, ParameterError, UsageError
from tests.checkout import checkout
from tests.every_domain import CATALOG, entry


@pytest.fixture
def catalog(tmp_path):
    return Catalog(checkout(tmp_path))


def message(function):
    """What a call says that fails for bad input: one line."""
    with pytest.raises(OrreryError) as caught:
        function()
    assert "\n" not in str(caught.value)
    return caught.value


def test_domains_are_the_folders(catalog):
    assert catalog.names == ("blocksworld", "ferry")
    assert catalog.entry("ferry").domain.name == "ferry"


def test_an_unknown_domain_lists_those_there_are(catalog):
    error = message(lambda: catalog.entry("fery"))
    assert isinstance(error, UsageError)
    assert error.code == 2
    assert "'fery'" in error.where
    assert "blocksworld, ferry" in error.mend


def test_no_domain_at_all_is_said(tmp_path):
    assert "domains: none" in str(message(lambda: Catalog(tmp_path).entry("ferry")))


@pytest.mark.parametrize("name", ["", ".", "..", "../domains/ferry", "Ferry", "ferry/"])
def test_a_path_is_no_domain(catalog, name):
    assert message(lambda: catalog.entry(name)).code == 2


def test_a_domain_is_named_as_its_folder(catalog):
    path = catalog.root / "domains/ferry/domain.pddl"
    path.write_text(path.read_text().replace("(domain ferry)", "(domain boat)"))
    error = message(lambda: catalog.entry("ferry").domain)
    assert error.where == str(path)
    assert "'boat'" in error.problem
    assert error.code == 3


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("title: [", ":1", "cannot be read"),
        ("title: a\ntitle: b", ":2", "the key 'title' is given twice"),
        ("- title", "", "expected keys"),
        ("titel: Ferry", "", "does not know 'titel'"),
        ("7: Ferry", "", "does not know '7'"),
        ("title: [Ferry]", ": title", "expected text, found ['Ferry']"),
        ("test_only: maybe", ": test_only", "expected true or false, found 'maybe'"),
        ("test_tasks: all", ": test_tasks", "expected a list of names, found 'all'"),
        ("split: 0.8", ": split", "expected keys with values, found 0.8"),
        ("split: {tests: 1.0}", ": split", "does not know 'tests'"),
        ("split: {train: 0.5, test: 0.4}", ": split", "do not add up to 1"),
        ("split: {train: most}", ": split.train", "a share from 0 to 1, found 'most'"),
        ("split: {train: 1.5, test: -0.5}", ": split.train", "a share from 0 to 1, found 1.5"),
        ("split: {train: true}", ": split.train", "a share from 0 to 1, found True"),
        ("difficulties: [easy]", ": difficulties", "expected limits by difficulty, as"),
        ("difficulties: {easy: [2, 3]}", ": difficulties.easy", "as {blocks: [2, 5]}, found [2, 3]"),
        ("difficulties: {easy: {cars: [3, 2]}}", ": difficulties.easy.cars", "is [3, 2]"),
        ("difficulties: {easy: {cars: 3}}", ": difficulties.easy.cars", "is 3"),
        ("difficulties: {easy: {cars: [1, 2, 3]}}", ": difficulties.easy.cars", "is [1, 2, 3]"),
        ("difficulties: {easy: {cars: [a, b]}}", ": difficulties.easy.cars", "is ['a', 'b']"),
        ("difficulties: {easy: {cars: [1, true]}}", ": difficulties.easy.cars", "is [1, True]"),
    ],
)
def test_a_faulty_description_is_refused(catalog, text, where, problem):
    path = catalog.root / "domains/ferry/domain.yaml"
    path.write_text(text)
    error = message(lambda: catalog.entry("ferry").description)
    assert error.where == f"{path}{where}"
    assert problem in error.problem
    assert error.code == 3


@pytest.mark.parametrize("text", [None, "", "title:\nsplit:\ntest_tasks:\n"])
def test_what_a_description_leaves_out_has_a_default(catalog, text):
    path = catalog.root / "domains/ferry/domain.yaml"
    path.unlink() if text is None else path.write_text(text)
    found = catalog.entry("ferry").description
    assert found.test_tasks == ()
    assert found.split.model_dump() == {"train": 0.7, "validation": 0.1, "test": 0.2}


ONE_TASK = (
    "from orrery.model import ConfigurationPair\n"
    "TASKS = (ConfigurationPair('a', 'b', tied=True, strict=True),)"
)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (f"{ONE_TASK}\ndef draw(): ...\n", "", "has no 'build'"),
        ("def draw(): ...\ndef build(): ...\n", "", "has no 'TASKS'"),
        ("TASKS = ['a-to-b']\ndraw = build = print\n", "", "TASKS is not a tuple"),
        ("TASKS = ('a-to-b',)\ndraw = build = print\n", "", "TASKS is not a tuple"),
    ],
)
def test_a_faulty_generator_is_named_with_its_line(catalog, text, line, problem):
    path = catalog.root / "generators/ferry.py"
    path.write_text(text)
    error = message(lambda: catalog.entry("ferry").generator)
    assert error.where == f"{path}{line}"
    assert problem in error.problem
    assert error.code == 3


def test_a_line_is_known_however_the_checkout_is_named(catalog, monkeypatch):
    (catalog.root / "generators/ferry.py").write_text("TASKS = ()\n\ndef plan(problem): return [][0]\n")
    monkeypatch.chdir(catalog.root)
    error = message(lambda: Catalog(Path(".")).entry("ferry").planner(None))
    assert error.where == "generators/ferry.py:3"


def test_a_generator_without_tasks_is_one_line(catalog):
    (catalog.root / "generators/ferry.py").write_text("TASKS = ()\n")
    here = catalog.entry("ferry")
    assert (here.tasks, here.planner, here.closure_rule) == ((), None, None)


def test_without_a_generator_there_are_no_tasks_planners_or_rules(catalog):
    (catalog.root / "generators/ferry.py").unlink()
    here = catalog.entry("ferry")
    assert (here.generator, here.tasks, here.planner, here.closure_rule) == (None, (), None, None)


@pytest.mark.parametrize("name", CATALOG.names)
def test_limits_that_nothing_fits_name_task_and_constraint(name):
    """No object at all: whatever the task, its generator says which constraint fails."""
    here = entry(name)
    levels = here.description.difficulties or {}
    limits = {quantity: (0, 0) for level in levels for quantity in here.limits(level)}
    for task in here.tasks:
        with pytest.raises(ParameterError) as caught:
            here.call("draw", task, limits, random.Random(0))
        assert task.name in caught.value.where
        assert "constraint" in caught.value.problem
