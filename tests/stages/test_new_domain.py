"""new-domain: what it writes can be filled in at once; what it refuses leaves everything as it was."""

import re
import subprocess
import sys

import pytest
import yaml

from orrery.catalog import Catalog
from orrery.config import load
from orrery.language.words import Words
from orrery.model import OrreryError
from orrery.stages import assemble
from orrery.stages.doctor import _check_folders
from orrery.stages.unwritten import missing, placeholders
from tests.checkout import build, checkout, contents, must, orrery, spoil
from tests.every_domain import ROOT
from tests.stages import new_domain_cases

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path):
    return checkout(tmp_path, ["ferry"])


@pytest.fixture
def lamps(root):
    path = root.parent / "lamps.pddl"
    path.write_text(new_domain_cases.LAMPS)
    return path


def test_the_skeleton_has_every_part_and_the_name_is_entered(root, lamps):
    before = (root / "params.yaml").read_text()
    result = must(root, "new-domain", "bright-lamps", "--pddl", str(lamps))
    written = [
        line.removeprefix("wrote ") for line in result.stdout.splitlines() if line.startswith("wrote ")
    ]
    assert written == [
        "domains/bright-lamps/domain.pddl",
        "domains/bright-lamps/domain.yaml",
        "generators/bright-lamps.py",
        "templates/domains/bright-lamps.j2",
    ]
    assert "`orrery doctor` say what is still wrong" in result.stdout
    assert "with problems in domains/bright-lamps/problems/*.pddl, " in result.stdout
    here = Catalog(root).entry("bright-lamps")
    assert here.domain.name == "bright-lamps"
    assert [task.name for task in here.tasks] == ["random-to-random"]
    assert here.description.difficulties["easy"] == {"size": (2, 3)}
    assert (root / "params.yaml").read_text() == before.replace(
        "  - ferry\n", "  - ferry\n  - bright-lamps\n"
    )
    *unwritten, fault = _check_folders(root)[0]  # of what is still to be written
    assert re.search("generators/bright-lamps.py: 'build' is still the skeleton", fault)
    words = ("intro", "objects", "fact_hangs_in", "fact_lit", "fact_dark", "action_switch_on")
    expected = ["source is still TODO", "license is still TODO", *(f"macro {name} is" for name in words)]
    assert len(unwritten) == len(expected)
    assert all(part in line for part, line in zip(expected, unwritten, strict=True))
    message = r"domain.yaml: source is still TODO \(write it; 7 more"
    with pytest.raises(OrreryError, match=message):
        assemble.run(load(root))


def test_a_license_is_neither_assumed_in_silence_nor_empty(root, lamps):
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    path = root / "domains/lamps/domain.yaml"
    (line,) = [line for line in path.read_text().splitlines(keepends=True) if line.startswith("license")]
    for written, empty, assumed in (("license: ' '\n", True, False), ("", False, True)):
        path.write_text(path.read_text().replace(line, written))
        entry, line = Catalog(root).entry("lamps"), written
        assert any("license is empty" in fault for fault in placeholders(entry)) is empty
        assert any("no license" in lack for lack in missing(entry)) is assumed


def test_the_stub_words_say_every_predicate_and_action(root, lamps):
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    words = Words("lamps", root / "templates")
    assert words.missing(Catalog(root).entry("lamps").domain) == []
    assert words.fact(("hangs-in", "l1", "r1")) == "TODO hangs-in holds of l1 with r1"
    assert words.action(("switch-on", "l1", "r1")) == "TODO switch-on with l1 with r1"
    assert "l1 and l2" in words.objects({"lamp": ["l1", "l2"], "room": []})


def test_parameters_may_have_names_that_templates_cannot(root, lamps):
    """Words of Jinja, a digit first, and two that differ in hyphens alone."""
    lamps.write_text(
        "(define (domain d) (:predicates (p ?caller ?true ?variant) (q ?1st ?a-b ?a_b ?in ?in_)) (:action a))"
    )
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    words = Words("lamps", root / "templates")
    for fact in (("p", "b1", "b2", "b3"), ("q", "b1", "b2", "b3", "b4", "b5")):
        assert words.fact(fact) == f"TODO {fact[0]} holds of {' with '.join(fact[1:])}"


def test_the_skeleton_of_a_generator_says_that_it_is_one(root, lamps):
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    result = orrery(root, "generate", "lamps", "--jobs", "1")
    assert result.exit_code == 3
    assert "generators/lamps.py: 'build' is still the skeleton" in result.stderr
    left = [path.name for path in (root / "outputs").rglob("*") if path.is_file()]
    assert set(left) <= {".lock"}


def test_the_skeleton_keeps_the_rules_of_the_house(root, lamps):
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    rules = ["--config", str(ROOT / "pyproject.toml"), "--select", "E,F,W,I"]
    command = [sys.executable, "-m", "ruff", "check", *rules]
    result = subprocess.run([*command, str(root / "generators/lamps.py")], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def written(text, file=None):
    """A change that writes a text to a file of the checkout, to the PDDL of the new domain without one."""
    return lambda root, lamps: ((root / file) if file else lamps).write_text(text)


NOTHING = written(new_domain_cases.LAMPS)
BEYOND = ["sound PDDL beyond the subset", ":universal-preconditions"]
REFUSED = [
    ("ferry", NOTHING, 2, ["already exists"]),
    *(
        (name, NOTHING, 2, ["is not a valid domain name"])
        for name in ("Lamps", "../lamps", "lamps_two", "2lamps", "lamps-", "")
    ),
    ("-lamps", NOTHING, 2, ["No such option"]),
    *(
        ("lamps", written("mine", file), 2, [file])
        for file in ("generators/lamps.py", "templates/domains/lamps.j2")
    ),
    ("lamps", written(new_domain_cases.QUANTIFIED), 3, ["lamps.pddl", *BEYOND]),
    ("lamps", written(new_domain_cases.MALFORMED), 3, ["lamps.pddl", "dork", ":8:"]),
    ("lamps", written(new_domain_cases.UNBALANCED), 3, ["lamps.pddl:"]),
    ("lamps", written(""), 3, ["lamps.pddl"]),
    ("lamps", lambda root, lamps: lamps.unlink(), 3, ["lamps.pddl", "cannot be read"]),
]


@pytest.mark.parametrize(("name", "change", "code", "parts"), REFUSED)
def test_what_cannot_become_a_domain_is_refused_and_nothing_is_written(
    root, lamps, name, change, code, parts
):
    change(root, lamps)
    before = contents(root)
    result = orrery(root, "new-domain", name, "--pddl", str(lamps))
    assert result.exit_code == code
    assert all(part in result.stderr for part in parts)
    assert ("beyond the subset" in result.stderr) == (parts[1:] == BEYOND)
    assert contents(root) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("domains:\n  - ferry\n", "domains:\n- ferry\n"),
        ("domains:\n  - ferry\n", "domains: # ours\n  - ferry # a boat\n"),
        ("domains:\n  - ferry\n", "domains: [ferry]\n"),
        ("domains:\n  - ferry\n", ""),
    ],
    ids=["not indented", "with comments", "in brackets", "last"],
)
def test_the_name_is_entered_however_the_list_is_written(root, lamps, old, new):
    params = root / "params.yaml"
    text = params.read_text().replace(old, new)
    params.write_text(text if new else text + "domains:\n  - ferry")
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    assert yaml.safe_load(params.read_text())["domains"] == ["ferry", "lamps"]


def test_the_skeleton_has_leaf_types_alone_and_names_the_constants(root, lamps):
    lamps.write_text(
        "(define (domain d) (:types thing - object cup pot - thing) (:constants pan - pot)"
        " (:predicates (in ?c - cup ?p - (either cup pot))) (:action a))"
    )
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    skeleton = (root / "generators/lamps.py").read_text()
    assert 'kinds = ["cup", "pot"]' in skeleton
    assert "in ?c: cup, ?p: cup or pot" in skeleton
    assert "pan (pot)" in skeleton


def test_the_domain_gets_the_numbers_of_problems_that_most_domains_have(tmp_path):
    root = checkout(tmp_path, ["ferry", "grid", "swap"])
    params, lamps = root / "params.yaml", tmp_path / "lamps.pddl"
    lamps.write_text(new_domain_cases.LAMPS)
    many, few = {"problems": {"easy": 9}}, {"problems": {"easy": 2}}
    entries = "{ferry: {problems: {easy: 2}}, swap: &many {problems: {easy: 9}}, grid: *many}"
    params.write_text(params.read_text().replace("by_domain: {}", f"by_domain: {entries}", 1))
    before = yaml.safe_load(params.read_text())["sizes"]
    must(root, "new-domain", "lamps", "--pddl", str(lamps))
    sizes = yaml.safe_load(params.read_text())["sizes"]
    assert sizes["tiny"]["by_domain"] == {"ferry": few, "swap": many, "grid": many, "lamps": many}
    assert sizes["other"] == before["other"]


def test_three_files_and_a_name_make_a_domain(root):
    """A sixth domain without a change elsewhere: its rows are in the dataset, and every check passes."""
    for file, text in (
        ("domains/lamps/domain.pddl", new_domain_cases.LAMPS),
        ("domains/lamps/domain.yaml", new_domain_cases.DESCRIPTION),
        ("generators/lamps.py", new_domain_cases.GENERATOR),
        ("templates/domains/lamps.j2", new_domain_cases.WORDS),
    ):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    params = root / "params.yaml"
    spoil(params, "  - ferry\n", "  - ferry\n  - lamps\n")
    build(root, ["ferry", "lamps"])
    assert set(counted(root, "select domain, count(*) from problems group by 1")) == {"ferry", "lamps"}
    assert counted(root, "select domain, count(*) from acp_app_gen_test group by 1")["lamps"] > 0
    must(root, "validate", "--jobs", "1")


def counted(root, sql):
    """The rows of a query with two columns, as a mapping."""
    lines = must(root, "query", "--format", "csv", sql).stdout.splitlines()[1:]
    return {name.strip('"'): int(count) for name, count in (line.split(",") for line in lines)}
