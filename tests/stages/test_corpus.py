"""The stage `corpus` on small folders: each step leaves out what it should, with the reason."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.families.modelling.schemas import DOMAIN_MODELING
from orrery.language.words import environment
from orrery.store import shards
from tests.every_domain import ROOT

RUNNER = CliRunner()
GRIPPER = (ROOT / "domains" / "gripper" / "domain.pddl").read_text()
VISITALL = (ROOT / "domains" / "visitall" / "domain.pddl").read_text()
PARAMS = """seed: 6
domains: [gripper]
size: smallest
sizes:
  smallest:
    {scale: 1, draw: {problems: {}}, by_domain: {}, solve: {problems_with_questions: 1, states: 1},
     render: {}, ask: {questions: 1}, check: {}}
corpus:
  sources: []
  folders: [{path: own, license: CC0-1.0}, bare]
"""
PROBLEM = """(define (problem p) (:domain lamps) (:objects a b) (:init (on a)) (:goal (on b)))"""
LAMPS = """; someone
(define (domain lamps) (:requirements :strips :negative-preconditions) (:predicates (on ?x))
 (:action press :parameters (?x) :precondition (not (on ?x)) :effect (on ?x)))"""


def many(count, what):
    return " ".join(what.format(n) for n in range(count))


FILES = {
    "own/lamps.pddl": LAMPS,
    "own/lamps/p1.pddl": PROBLEM,
    "own/lamps/p2.pddl": PROBLEM.replace("(on b)", "(not (on a))"),
    "own/twin.pddl": LAMPS.replace(":strips :negative-preconditions", ":negative-preconditions :strips"),
    "own/notes.pddl": "nothing of the kind",
    "own/broken.pddl": "(define (domain broken) (:predicates (p ?x)) (:action a :effect (q ?z)",
    "own/wide.pddl": f"(define (domain wide) (:predicates {many(41, '(p{})')}) (:action a :effect (p1)))",
    "own/busy.pddl": "(define (domain busy) (:predicates (p)) " + many(21, "(:action a{} :effect (p))") + ")",
    "own/long.pddl": "(define (domain long) (:predicates (lamp)) (:action go :parameters () :effect (and "
    + many(1700, "(lamp)")
    + ")))",
    "bare/visitall.pddl": VISITALL,
    "own/gripper.pddl": GRIPPER,
}
REASONS = {
    "own/notes.pddl": "neither domain nor problem",
    "own/twin.pddl": "near-duplicate",
    "own/broken.pddl": "no parser reads it",
    "own/wide.pddl": "too many predicates",
    "own/busy.pddl": "too many actions",
    "own/long.pddl": "too long",
    "bare/visitall.pddl": "no problem comes with it",
    "own/gripper.pddl": "no problem comes with it",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "params.yaml").write_text(PARAMS)
    shutil.copytree(ROOT / "domains" / "gripper", folder / "domains" / "gripper")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def built(root):
    said = RUNNER.invoke(app, ["corpus", "--root", str(root), "--jobs", "1"])
    assert said.exit_code == 0, said.output
    return root / "outputs" / "corpus"


def rows(folder):
    return [
        row
        for split in shards.SPLITS
        for row in shards.read_rows(folder / f"domain_modeling-{split}.parquet", DOMAIN_MODELING)
    ]


@pytest.mark.slow
def test_each_step_leaves_out_what_it_should(built):
    rejects = {row["item"]: row["reason"] for row in shards.read_rows(built / "rejects.parquet")}
    assert rejects == REASONS
    steps = json.loads((built / "statistics.json").read_text())["funnel"]
    assert [step["domains"] for step in steps] == [8, 7, 6, 4, 3, 1, 1]


def test_what_is_left_has_all_that_a_row_needs(built):
    (row,) = rows(built)
    assert (row["id"], row["license"], row["source"]) == ("corpus/test/own/lamps", "CC0-1.0", "own")
    assert "someone" not in row["gold_domain"]
    assert [(p["name"], p["plan"]) for p in row["problems"]] == [
        ("lamps/p1.pddl", ["(press b)"]),
        ("lamps/p2.pddl", []),
    ]
    assert [p["solvable"] for p in row["problems"]] == [True, False]
    assert "before: 'on' does not hold for ?x" in row["description_concrete"]
    assert row["description_abstract"] == ""


def test_verdicts_of_every_parser_are_kept(built):
    said = list(shards.read_rows(built / "verdicts.parquet"))
    assert {row["parser"] for row in said} >= {"pddl", "unified-planning", "fast-downward"}
    assert {row["error"] for row in said if row["item"] == "own/broken.pddl"} == {"IncorrectParentheses"}


@pytest.mark.slow
def test_overlap_with_others_is_left_out_and_the_rest_has_the_same_bytes(root, built):
    first = {path.name: path.read_bytes() for path in built.iterdir()}
    (root / "others.txt").write_text(LAMPS)
    arguments = ["corpus", "--root", str(root), "--jobs", "1", "--against", str(root / "others.txt")]
    try:
        assert RUNNER.invoke(app, arguments).exit_code == 0
        assert rows(built) == []
        rejects = {row["item"]: row["reason"] for row in shards.read_rows(built / "rejects.parquet")}
        assert rejects == {**REASONS, "own/lamps.pddl": "overlaps another benchmark"}
        assert (built / "verdicts.parquet").read_bytes() == first["verdicts.parquet"]
    finally:
        for name, content in first.items():
            (built / name).write_bytes(content)


@pytest.mark.parametrize(
    ("old", "new", "says", "code"),
    [
        ("sources: []", "sources: [pddlgym]", "make setup", 4),
        ("sources: []", "sources: [pypi]", "sources.0: expected one of pddlgym, pddl", 3),
        ("sources: []", "sorces: []", "does not know 'sorces'", 3),
        ("sources: []", "sample: many", "corpus.sample: expected a whole number", 3),
        ("folders: [", "folders: [gone, ", "is not a folder", 2),
        ("folders: [", "folders: [7, ", "7 is not a folder", 3),
        ("folders: [", "cosine: 7\n  folders: [", "expected a share from 0 to 1", 3),
    ],
)
def test_bad_settings_and_missing_archives_are_reported(tmp_path, monkeypatch, old, new, says, code):
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    (tmp_path / "params.yaml").write_text(PARAMS.replace(old, new))
    (tmp_path / "corpus.lock").write_text("pddlgym==0.0.7 --hash=sha256:00\n")
    shutil.copytree(ROOT / "domains" / "gripper", tmp_path / "domains" / "gripper")
    said = RUNNER.invoke(app, ["corpus", "--root", str(tmp_path), "--jobs", "1"])
    assert (said.exit_code, said.stderr.count("error:")) == (code, 1)
    assert says in said.stderr
    assert not (tmp_path / "outputs" / "corpus").exists()


def test_statistics_fit_the_section_of_the_report(built):
    figures = json.loads((built / "statistics.json").read_text())
    page = environment(ROOT / "templates").get_template("report/corpus.html.j2").render(corpus=figures)
    assert '<td>with a decided problem</td><td class="n">1</td>' in page
    assert "<code>:negative-preconditions</code>" in page


def test_synthesised_domains_need_problems_of_ours(root):
    said = RUNNER.invoke(app, ["corpus", "--root", str(root), "--synthesise", "1"])
    assert said.exit_code == 3
    assert "orrery generate gripper" in said.stderr
