"""Stages over all domains: what is made anew, what is kept; the number of processes shows nowhere."""

import shutil
from dataclasses import replace as replace_

import pytest

from orrery.config import load
from orrery.model import OrreryError
from orrery.stages.inputs import StageInputs
from orrery.stages.running import running
from tests.checkout import checkout, contents, must, orrery
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow

NAMES = ("blocksworld", "ferry", "gripper", "swap")


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A checkout in which the problems of all domains are there; not to be changed."""
    made = checkout(tmp_path_factory.mktemp("generated"), NAMES)
    shutil.copy(ROOT / "dvc.yaml", made)
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
    "a table gone": (lambda root: (root / "outputs/problems/swap/rejects.parquet").unlink(), ["swap"]),
    "the seed": (lambda root: replace(root / "params.yaml", "seed: 7", "seed: 8"), list(NAMES)),
    "the size": (lambda root: replace(root / "params.yaml", "size: tiny", "size: other"), list(NAMES)),
    "what others read": (lambda root: replace(root / "params.yaml", "questions: 3", "questions: 2"), []),
    "one domain's numbers": (
        lambda root: replace(
            root / "params.yaml", "by_domain: {}", "by_domain: {ferry: {problems: {easy: 2}}}", 1
        ),
        ["ferry"],
    ),
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


def test_changed_code_keeps_nothing(root, tmp_path, monkeypatch):
    inputs = StageInputs.of(load(root), "generate")
    before = inputs.fingerprint("ferry")
    code = tmp_path / "seeds.py"
    code.write_text("# other code")
    assert code.name in {path.name for path in inputs.code}
    changed = replace_(inputs, code=(*inputs.code[:-1], code))
    assert changed.fingerprint("ferry") != before


def test_an_input_that_changes_while_a_stage_runs_fails_the_stage(root):
    path = root / "templates/names"
    with (
        pytest.raises(OrreryError, match=r"templates/names/\S+: changed while `orrery generate` was running"),
        running(load(root), "generate"),
    ):
        touch(next(path for path in path.iterdir() if path.is_file()))


def test_a_domain_named_is_made_whatever_is_there(root):
    before = contents(root / "outputs")
    assert "generate ferry: " in must(root, "generate", "ferry").stderr
    assert contents(root / "outputs") == before


def test_a_template_of_one_domain_gives_that_domain_new_texts_alone(root):
    for command in ("solve", "generate-tasks"):
        must(root, command, "--jobs", "1")
    touch(root / "templates/domains/ferry.j2")
    for command in ("generate", "solve"):
        assert made_again(root, command) == ([], kept(4, command))
    assert made_again(root, "generate-tasks") == (["ferry"], kept(3, "generate-tasks"))
    touch(root / "templates/questions/context.j2")
    assert made_again(root, "generate-tasks") == (sorted(NAMES), [])


def test_what_other_domains_made_is_kept_where_one_fails(root):
    shutil.rmtree(root / "outputs")
    whole = (root / "generators/gripper.py").read_text()
    (root / "generators/gripper.py").write_text(whole + "\nraise ValueError('broken')\n")
    done = orrery(root, "generate", "--jobs", "1")
    assert done.exit_code == 1 or done.exit_code == 3
    assert "gripper" in done.output + done.stderr + str(done.exception)
    (root / "generators/gripper.py").write_text(whole)
    assert made_again(root) == (["gripper", "swap"], kept(2))
