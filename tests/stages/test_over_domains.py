"""Stages over all domains: what is made anew, what is kept; the number of processes shows nowhere."""

import shutil

import pytest

from orrery.config import load
from orrery.engine import using
from orrery.engine.names import EngineName
from orrery.stages import over_domains
from orrery.stages.wiring import MADE, Wiring
from tests.checkout import checkout, contents, must, orrery
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow

NAMES = ("blocksworld", "ferry", "gripper", "swap")
COMMANDS = ("generate", "solve", "verbalise")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A checkout in which the problems of all domains are there; not to be changed."""
    made = checkout(tmp_path_factory.mktemp("generated"), NAMES)
    shutil.copy(ROOT / "dvc.yaml", made)
    must(made, "code", *COMMANDS)
    must(made, "generate", "--jobs", "1")
    return made


@pytest.fixture
def root(generated, tmp_path):
    """A copy of it."""
    return shutil.copytree(generated, tmp_path / "checkout")


def made_again(root, command="generate"):
    """The domains that a stage makes anew, and what it says of the others."""
    lines = must(root, command, "--jobs", "1").stderr.splitlines()
    made = {line.split()[1].rstrip(":") for line in lines if "kept" not in line}
    return sorted(made & set(NAMES)), [line for line in lines if "kept" in line]


def kept(number, command="generate"):
    return [f"{command}: {number} domains kept, for nothing has changed"] if number else []


def touch(path):
    path.write_text(path.read_text() + "\n")


def test_a_second_run_makes_nothing(root):
    before = contents(root / "outputs")
    assert made_again(root) == ([], kept(4))
    assert contents(root / "outputs") == before


CHANGES = {
    "a generator": (lambda root: touch(root / "generators/ferry.py"), ["ferry"]),
    "a domain": (lambda root: touch(root / "domains/swap/domain.pddl"), ["swap"]),
    "a template, which generate does not read": (lambda root: touch(root / "templates/domains/swap.j2"), []),
    "an output": (lambda root: touch_bytes(root / "outputs/problems/gripper/problems.parquet"), ["gripper"]),
    "an output gone": (lambda root: shutil.rmtree(root / "outputs/problems/gripper"), ["gripper"]),
    "a record gone": (lambda root: (root / "outputs" / MADE / "generate/swap").unlink(), ["swap"]),
    "the seed": (lambda root: replace(root / "params.yaml", "seed: 7", "seed: 8"), list(NAMES)),
    "the size": (lambda root: replace(root / "params.yaml", "size: tiny", "size: other"), list(NAMES)),
    "what others read": (lambda root: replace(root / "params.yaml", "questions: 3", "questions: 2"), []),
    "one domain's numbers": (
        lambda root: replace(
            root / "params.yaml", "by_domain: {}", "by_domain: {ferry: {problems: {easy: 2}}}", 1
        ),
        ["ferry"],
    ),
    "the list of modules": (lambda root: touch(root / "outputs/code/generate.txt"), list(NAMES)),
    "no list of modules": (lambda root: (root / "outputs/code/generate.txt").unlink(), list(NAMES)),
    "a domain less": (lambda root: replace(root / "params.yaml", "  - swap\n", ""), []),
}


def replace(path, old, new, count=-1):
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, count))


def touch_bytes(path):
    path.write_bytes(path.read_bytes() + b"x")


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_domain_is_made_anew_where_something_has_changed(root, change):
    apply, expected = CHANGES[change]
    apply(root)
    count = len(NAMES) - len(expected) - (change == "a domain less")
    assert made_again(root) == (sorted(expected), kept(count))


def test_a_module_that_has_changed_since_it_was_listed_keeps_nothing(root, monkeypatch):
    """Somebody edits code and runs a stage by hand, without `orrery code`."""
    listed = root / "outputs/code/generate.txt"
    digest, path = listed.read_text().splitlines()[0].split("  ")
    listed.write_text(listed.read_text().replace(digest, "0" * len(digest)))
    wiring = Wiring.of(load(root), "generate")
    assert wiring.made_from("ferry") is None
    assert made_again(root) == (sorted(NAMES), [])
    assert not any(wiring.is_made(name) for name in NAMES), path


def test_a_domain_named_is_made_whatever_is_there(root):
    before = contents(root / "outputs")
    assert "generate ferry: " in must(root, "generate", "ferry").stderr
    assert contents(root / "outputs") == before


def test_a_template_of_one_domain_gives_that_domain_new_texts_alone(root):
    for command in ("solve", "verbalise"):
        must(root, command, "--jobs", "1")
    touch(root / "templates/domains/ferry.j2")
    for command in ("generate", "solve"):
        assert made_again(root, command) == ([], kept(4, command))
    assert made_again(root, "verbalise") == (["ferry"], kept(3, "verbalise"))
    touch(root / "templates/questions/context.j2")
    assert made_again(root, "verbalise") == (sorted(NAMES), [])


def test_one_process_and_two_make_the_same(root):
    before = contents(root / "outputs/problems")
    shutil.rmtree(root / "outputs/problems")
    done = must(root, "generate", "--jobs", "2", "--engine", "pool")
    assert contents(root / "outputs/problems") == before
    assert [line.split(":")[0] for line in done.stderr.splitlines() if "problems, " in line] == [
        f"generate {name}" for name in NAMES
    ]


def test_what_other_domains_made_is_kept_where_one_fails(root):
    shutil.rmtree(root / "outputs")
    must(root, "code", "generate")
    whole = (root / "generators/gripper.py").read_text()
    (root / "generators/gripper.py").write_text(whole + "\nraise ValueError('broken')\n")
    done = orrery(root, "generate", "--jobs", "1")
    assert done.exit_code == 1 or done.exit_code == 3
    assert "gripper" in done.output + done.stderr + str(done.exception)
    (root / "generators/gripper.py").write_text(whole)
    assert made_again(root) == (["gripper", "swap"], kept(2))


@pytest.mark.parametrize(
    ("engine", "count", "jobs", "whole"),
    [("auto", 4, 2, True), ("auto", 3, 2, False), ("auto", 4, 1, False), ("dask", 4, 2, False)],
)
def test_processes_make_whole_domains_where_there_are_enough(
    generated, monkeypatch, engine, count, jobs, whole
):
    sent, done = [], []
    monkeypatch.setattr(over_domains, "map_items", lambda names, _, **__: sent.extend(names) or [])
    monkeypatch.setattr(over_domains.DomainWork, "__call__", lambda _, *work: done.append(work) or [])
    with using(EngineName(engine)):
        assert list(over_domains.run_some(load(generated), "generate", [], NAMES[:count], jobs)) == []
    assert (sent, done) == ((list(NAMES), []) if whole else ([], [(name, jobs) for name in NAMES[:count]]))


def test_the_domains_of_most_states_or_else_problems_come_first_in_every_stage_after_generate(
    root, monkeypatch
):
    sent = []
    monkeypatch.setattr(over_domains, "map_items", lambda names, _, **__: sent.extend(names) or [])
    states = {name: root / f"outputs/solutions/{name}/states.parquet" for name in NAMES}
    for path in states.values():
        path.unlink(missing_ok=True)
    sizes = {name: (root / f"outputs/problems/{name}/problems.parquet").stat().st_size for name in NAMES}
    assert list(over_domains.run_all(load(root), "solve", [], 2)) == []
    assert sent == sorted(NAMES, key=lambda name: -sizes[name]) != list(NAMES)
    (root / "outputs/problems" / sent[0] / "problems.parquet").write_bytes(b"")
    assert list(over_domains.run_all(load(root), "solve", [], 2)) == [], "whatever is in the file"
    assert sent[4:] == [*sent[1:4], sent[0]]
    states[sent[2]].parent.mkdir(parents=True, exist_ok=True)
    states[sent[2]].write_bytes(b"something")
    assert list(over_domains.run_all(load(root), "verbalise", [], 2)) == []
    assert sent[8:] == [sent[2], sent[1], sent[3], sent[0]]
