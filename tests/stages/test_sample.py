import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from orrery.catalog import entry_of
from orrery.cli.main import app
from orrery.model import OrreryError, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.stages.sample import sample
from tests.checkout import checkout
from tests.every_domain import CATALOG

ROOT = Path(__file__).resolve().parents[2]
# File, a text there, what stands for it, what is said then.
BROKEN = {
    "a fact of no predicate": (
        "generators/ferry.py",
        'else ("empty-ferry",)',
        'else ("empty",)',
        r"generators/ferry.py: .*cannot be read: .*empty",
    ),
    "a goal of atoms where literals are due": (
        "generators/ferry.py", "literals(goal)", "frozenset(goal)", "generators/ferry.py: .* be written",
    ),
    "another problem for the same draw": (
        "generators/ferry.py",
        "    SPACE.check(",
        "    globals().setdefault('made', []).append(task); rng.seed(len(made))\n    SPACE.check(",
        r"generators/ferry.py: .*another problem from the same random stream",
    ),
    "a picture of no kind": (
        "domains/ferry/domain.yaml", "kind: places", "kind: plaices", "no kind of picture 'plaices'",
    ),
    "a picture that lacks a key": (
        "domains/ferry/domain.yaml", "kind: places", "kind: grid", "kind 'grid' needs ",
    ),
}  # fmt: skip


def changed(folder, path, old, new):
    """A checkout with ferry alone, in one file of which one text stands for another."""
    root = checkout(folder, ["ferry"])
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))
    return root


@pytest.mark.parametrize("name", CATALOG.names)
def test_a_problem_of_each_domain_is_drawn_and_described(name):
    drawn = sample(ROOT, name, seed=5)
    problem = read_problem(drawn.problem_pddl, read_domain(drawn.domain_pddl))
    assert not problem.satisfied(problem.init)
    assert [each for each in problem.objects if each.name not in drawn.natural_language] == []
    assert sample(ROOT, name, seed=5) == drawn
    assert sample(ROOT, name, seed=6).problem_pddl != drawn.problem_pddl


def test_task_and_difficulty_are_those_that_are_named():
    for task in CATALOG.entry("ferry").tasks[:3]:
        drawn = sample(ROOT, "ferry", task=task.name, difficulty="medium")
        assert (drawn.task, drawn.difficulty) == (task.name, "medium")


@pytest.mark.parametrize(
    ("domain", "wanted", "said"),
    [
        ("nowhere", {}, "domains: .*ferry"),
        ("ferry", {"task": "none"}, "has no task 'none'"),
        ("ferry", {"difficulty": "mad"}, r"has no difficulty 'mad' \(difficulties: easy, "),
    ],
)
def test_what_there_is_not_is_refused(domain, wanted, said):
    with pytest.raises(UsageError, match=said):
        sample(ROOT, domain, **wanted)


def test_of_a_domain_of_problem_files_a_file_is_shown(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    drawn = [sample(root, "ferry", seed=number).problem_pddl for number in range(2)]
    (root / "generators" / "ferry.py").write_text("TASKS = ()\n")
    entry_of.cache_clear()
    with pytest.raises(UsageError, match=r"no problem files .*domains/ferry/problems"):
        sample(root, "ferry")
    folder = root / "domains" / "ferry" / "problems"
    folder.mkdir()
    for number, text in enumerate(drawn):
        (folder / f"p{number}.pddl").write_text(text)
    entry_of.cache_clear()
    shown = [sample(root, "ferry", seed=number) for number in range(2)]
    assert [one.problem_pddl for one in shown] == drawn
    assert [one.task for one in shown] == ["p0", "p1"]
    assert all(one.abstract == "" and "<svg" in one.picture for one in shown)


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_abstract_text_is_that_of_the_passages(name):
    drawn = sample(ROOT, name, seed=5)
    entry = CATALOG.entry(name)
    task = next(task for task in entry.tasks if task.name == drawn.task)
    passages = [entry.words.has_passage(part, getattr(task, part)) for part in ("init", "goal")]
    assert bool(drawn.abstract) == any(passages)
    assert drawn.abstract != drawn.natural_language


@pytest.mark.by_day(3)
@pytest.mark.parametrize("fault", BROKEN)
def test_what_a_later_stage_would_refuse_is_refused(tmp_path, fault):
    *change, said = BROKEN[fault]
    with pytest.raises(OrreryError, match=said):
        sample(changed(tmp_path, *change), "ferry")


def test_what_a_generator_prints_is_not_among_the_data(tmp_path):
    root = changed(tmp_path, "generators/ferry.py", "    SPACE.check(", "    print('here')\n    SPACE.check(")
    done = CliRunner().invoke(app, ["sample", "ferry", "--json", "--root", str(root)])
    assert json.loads(done.stdout)["domain"] == "ferry"
    assert "here" in done.stderr


def test_the_picture_goes_to_a_file_and_not_into_what_is_printed(tmp_path):
    file = tmp_path / "ferry.svg"
    asked = ["sample", "ferry", "--seed", "5", "--json", "--picture", str(file)]
    said = json.loads(CliRunner().invoke(app, asked).stdout)
    assert file.read_text() == sample(ROOT, "ferry", seed=5).picture
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    assert "picture" not in said
