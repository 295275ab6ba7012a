"""Imports of published sets, from folders written here in the published layout."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.dataset.contents import content_hash
from orrery.library.loading import load
from orrery.store import shards

RUNNER = CliRunner()
DOMAIN = """; Annotator: Jane Q. Public
(define (domain fire) (:requirements :strips :typing) (:types stick - item item place)
 (:predicates (at ?x - item ?p -place) (burning ?p - place)) ; by Jane Q. Public
 (:action light :parameters (?s - stick ?p - place) :precondition (and (at ?s ?p) (not (wet ?s)))
  :effect (burning ?p))
 (:action rest :parameters () :precondition () :effect ()))"""
PROBLEM = """; Jane Q. Public
(define (problem {name}) (:domain fire_old) (:objects s - stick p - place)
 (:init {init}) (:goal (burning p)))"""
ARTICLE = "Find a stick.\nRub it until it smokes.\nBlow.\n"


@pytest.fixture
def published(tmp_path):
    folder = tmp_path / "repo" / "pddl_data" / "114"
    (folder / "problems").mkdir(parents=True)
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "actions.txt").write_text("(:action light ; light a fire\n(:action rest ; \n")
    (folder / "action_step_map.txt").write_text("(:action light ; 2,3\n\n(:action rest ;")
    (folder / "wikihow-make_fire.txt").write_text(ARTICLE)
    (folder / "problems" / "a.pddl").write_text(PROBLEM.format(name="a", init="(at s p)"))
    (folder / "problems" / "b.pddl").write_text(PROBLEM.format(name="b", init=""))
    return tmp_path / "repo"


def imported(source, out, *options, kind="proc2pddl"):
    return RUNNER.invoke(app, ["import", kind, str(source), "--out", str(out), *options])


def action_row(published, out, *options):
    """The row of the one domain, imported."""
    assert imported(published, out, *options).exit_code == 0
    (row,) = shards.read_rows(*shards.shards(out, "action_modeling", "test"))
    return row


def test_proc2pddl_is_repaired_decided_and_without_names_or_articles(published, tmp_path):
    row = action_row(published, tmp_path / "out")
    assert row["license"] == "MIT"
    for style, number in (("none", 1), ("sum", 1), ("map", 1), ("rel_reasoned", 1), ("all", 0)):
        assert len(load(tmp_path / "out", "action_modeling", style=style)) == number
    assert row["action_names"] == ["light", "rest"]
    assert [(p["name"], p["solvable"], p["plan"]) for p in row["problems"]] == [
        ("a", True, ["(light s p)"]),
        ("b", False, []),
    ]
    assert row["texts"] == {
        "none": "",
        "sum": "light: light a fire\nrest:",
        "map": "light: (2) (3)\nrest:",
        "rel": "(2)\n(3)",
        "all": "",
    }
    assert ":action" not in row["header"]
    assert "(burning ?p - place)" in row["header"]
    whole = json.dumps(row)
    assert "Jane" not in whole
    assert "smokes" not in whole
    log = {(row["item"], row["what"]) for row in shards.read_rows(tmp_path / "out" / "repairs.parquet")}
    assert ("domain.pddl", "glued type: -place") in log
    assert ("domain.pddl", "predicate: (wet ?x1 - stick)") in log
    assert ("action_step_map.txt", "no step mapped to 'rest'") in log
    assert ("actions.txt", "no summary of 'rest'") in log
    assert ("problems/a.pddl", "domain name: fire") in log


@pytest.mark.slow
def test_problems_that_are_left_out_are_counted_in_every_score(published, tmp_path):
    folder = published / "pddl_data" / "114" / "problems"
    (folder / "c.pddl").write_text(
        PROBLEM.format(name="c", init="(at s p)").replace("(burning p)", "(burning ?q)")
    )
    lines = imported(published, tmp_path / "out")
    assert "1 problems left out of 3" in " ".join(lines.stderr.split())
    reply = json.dumps({"id": "proc2pddl/114", "output": "nothing"})
    (tmp_path / "replies.jsonl").write_text(reply + "\n")
    options = ["--dataset", str(tmp_path / "out"), "--split", "all", "--no-parsers", "--jobs", "1"]
    scored = RUNNER.invoke(app, ["score", "actions", str(tmp_path / "replies.jsonl"), *options])
    assert scored.exit_code == 0, scored.output
    assert "problems: 2 of 3" in scored.stdout.splitlines()
    log = [row for row in shards.read_rows(tmp_path / "out" / "repairs.parquet") if "left out" in row["what"]]
    assert [row["item"] for row in log] == ["problems/c.pddl"]
    assert "variable '?q' is not declared" in log[0]["what"]


def test_articles_come_only_when_asked_for_and_take_the_licence_away(published, tmp_path):
    row = action_row(published, tmp_path / "out", "--with-articles")
    assert row["license"] == ""
    assert row["texts"]["rel"] == "(2) Rub it until it smokes.\n(3) Blow."
    assert row["texts"]["all"].count("\n") == 2


def test_a_constant_that_is_declared_late_stays_what_the_problems_say_it_is(published, tmp_path):
    """Were the stick any object, nobody could light it, and the problem would count as unsolvable."""
    folder = published / "pddl_data" / "114"
    text = DOMAIN.replace("(at ?x - item ?p -place)", "(at ?x ?p) (dry ?x)").replace(
        "() :effect ()", "(at wand hall) :effect (dry wand)"
    )
    (folder / "domain.pddl").write_text(text.replace("(not (wet ?s))", "(dry ?s)"))
    problem = PROBLEM.format(name="a", init="(at wand hall)").replace(
        "s - stick p -", "wand - stick p hall -"
    )
    (folder / "problems" / "a.pddl").write_text(problem.replace("(burning p)", "(burning hall)"))
    row = action_row(published, tmp_path / "out")
    assert (row["problems"][0]["name"], row["problems"][0]["plan"]) == ("a", ["(rest)", "(light wand hall)"])


@pytest.mark.parametrize("written", ["(:action rest", "(:action rest;", "rest", "(:action rest )"])
def test_actions_without_a_summary_or_a_step_may_end_after_the_name(published, tmp_path, written):
    folder = published / "pddl_data" / "114"
    (folder / "actions.txt").write_text(f"{written}\n(:action light ; light a fire\n")
    (folder / "action_step_map.txt").write_text(f"(:action light ;2,3\n{written}")
    row = action_row(published, tmp_path / "out")
    assert row["texts"]["sum"] == "rest:\nlight: light a fire"
    assert row["texts"]["map"] == "light: (2) (3)\nrest:"


def test_steps_of_an_article_go_from_number_to_number(published, tmp_path):
    article = "1.\nFind a stick.\nA dry one.\n\n2. Rub it.\n1.5 minutes will do, or\n1. more.\n\n3. \nBlow.\n"
    (published / "pddl_data" / "114" / "wikihow-make_fire.txt").write_text(article)
    row = action_row(published, tmp_path / "out", "--with-articles")
    assert row["texts"]["rel"] == "(2) Rub it. 1.5 minutes will do, or 1. more.\n(3) Blow."
    assert row["texts"]["all"].startswith("(1) Find a stick. A dry one.\n(2) Rub it. ")


def test_longer_numbers_are_no_numbers_of_steps(published, tmp_path):
    folder, long = published / "pddl_data" / "114", "9" * 5000
    (folder / "wikihow-make_fire.txt").write_text(f"1. Find a stick.\n{long}. Rub it.\n2. Blow.\n")
    (folder / "action_step_map.txt").write_text(f"(:action light ; 2,{long}\n")
    texts = action_row(published, tmp_path / "out", "--with-articles")["texts"]
    assert texts["rel"] == "(2) Blow."
    assert texts["all"] == f"(1) Find a stick. {long}. Rub it.\n(2) Blow."


def test_import_writes_the_same_bytes_again(published, tmp_path):
    for _ in range(2):
        assert imported(published, tmp_path / "out").exit_code == 0
    first = content_hash(tmp_path / "out")
    assert imported(published, tmp_path / "again").exit_code == 0
    assert first == content_hash(tmp_path / "again")


@pytest.mark.parametrize("text", ["nothing", "(define (domain x"])
def test_a_folder_without_any_readable_domain_is_reported_once(published, tmp_path, text):
    (published / "pddl_data" / "114" / "domain.pddl").write_text(text)
    lines = imported(published, tmp_path / "out")
    assert lines.exit_code == 3
    assert "114/domain.pddl: has no domain with actions" in lines.stderr
    assert lines.stderr.count("error:") == 1
    assert not (tmp_path / "out").exists()


def test_broken_folders_and_lines_are_warnings_with_a_number(published, tmp_path):
    folders = published / "pddl_data"
    for name in ("115", "116", "117"):
        shutil.copytree(folders / "114", folders / name)
    for name in ("115", "116"):
        (folders / name / "domain.pddl").write_text("nothing")
    (folders / "117" / "domain.pddl").unlink()
    (folders / "114" / "actions.txt").write_bytes(b"\xef\xbb\xbflight a fire\r\n(:action rest ; have a nap")
    (folders / "114" / "problems" / "d.pddl").mkdir()
    lines = imported(published, tmp_path / "out")
    assert lines.exit_code == 0, lines.stderr
    messages = " ".join(lines.stderr.split())
    for warning in (
        "115/domain.pddl: has no domain with actions (and 1 more of this kind)",
        "117: has no domain.pddl",
        "actions.txt:1: is not an entry 'name ; text': light a fire",
        "actions.txt: begins with a byte order mark",
        "d.pddl: cannot be read",
        "1 problems left out of 3",
    ):
        assert warning in messages
    (row,) = shards.read_rows(*shards.shards(tmp_path / "out", "action_modeling", "test"))
    assert row["texts"]["sum"] == "rest: have a nap"
    log = [row["item"] for row in shards.read_rows(tmp_path / "out" / "repairs.parquet") if not row["id"]]
    assert sum(item.endswith("domain.pddl") for item in log) == 2


@pytest.mark.parametrize(
    ("released", "grade"),
    [(DOMAIN, "right"), (DOMAIN.replace("(at ?s ?p)", "(at ?s ?q)"), "wrong")],
)
def test_the_released_domain_is_graded(published, tmp_path, released, grade):
    (published / "pddl_data" / "114" / "domain.pddl").write_text(released)
    row = action_row(published, tmp_path / "out")
    assert (row["published_verdict"], row["published_grade"]) == ("repaired", grade)
    assert (row["file"], row["number"]) == ("114/domain.pddl", 0)


def test_folder_of_something_else_and_full_targets_are_refused(published, tmp_path):
    assert imported(tmp_path / "nowhere", tmp_path / "out").exit_code == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("all of it")
    lines = imported(published, tmp_path / "mine")
    assert lines.exit_code == 3
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "all of it"


def entry(**values):
    keys = {
        "file_name": "fire.pddl", "pddl_domain": DOMAIN, "pddl_domain_processed": "",
        "corrected_description": "### General\nFire.", "batch_id": 1, "id": 7, "tokens": 90,
    }  # fmt: skip
    return {**keys, **values}


def test_text2world_has_no_licence(tmp_path):
    (tmp_path / "t.json").write_text(
        json.dumps(
            [entry(corrected_description="### General\r\nFire."), entry(pddl_domain="(define (domain y")]
        )
    )
    assert imported(tmp_path / "t.json", tmp_path / "out", kind="text2world").exit_code == 0
    good, bad = shards.read_rows(*shards.shards(tmp_path / "out", "domain_modeling", "test"))
    assert (good["license"], bad["license"]) == ("", "")
    assert (good["num_actions"], good["description_abstract"]) == (2, "### General\nFire.")
    assert "Jane" not in json.dumps(good)
    for style, number in (("abstract", 2), ("abstract_reasoned", 2), ("concrete", 0)):
        assert len(load(tmp_path / "out", "domain_modeling", style=style)) == number
    assert (good["published_verdict"], bad["published_verdict"]) == ("repaired", "as released")
    assert (good["published_grade"], bad["published_grade"]) == ("wrong", "unparsed")
    assert (bad["file"], bad["number"]) == ("t.json", 1)
    assert good["gold_domain"] != good["published_answer"]
    assert bad["gold_domain"] == bad["published_answer"]
    assert "IncorrectParentheses" in bad["published_detail"]
    log = [row["what"] for row in shards.read_rows(tmp_path / "out" / "repairs.parquet")]
    assert any("IncorrectParentheses" in text for text in log)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "has no rows"),
        ("[1]", "row 0: is not a row: Input should be"),
        (
            json.dumps(entry(pddl_domain=None)),
            "row 0: `pddl_domain`: is not a row: Input should be a valid string",
        ),
    ],
)
def test_malformed_files_are_reported_once(tmp_path, content, says):
    (tmp_path / "t.json").write_text(content)
    lines = imported(tmp_path / "t.json", tmp_path / "out", kind="text2world")
    assert lines.exit_code == 3
    assert says in lines.stderr


def test_entries_that_are_no_rows_are_warnings_with_a_number(tmp_path):
    entries = [entry(pddl_domain=None), 7, entry(), entry(corrected_description=[])]
    entries.append(entry(corrected_description="half of a pair: \ud800"))
    (tmp_path / "t.json").write_text("\ufeff" + json.dumps(entries))
    lines = imported(tmp_path / "t.json", tmp_path / "out", kind="text2world")
    assert lines.exit_code == 0, lines.stderr
    messages = " ".join(lines.stderr.split())
    assert "row 0: `pddl_domain`: is not a row: Input should be a valid string (and 3 more" in messages
    assert "begins with a byte order mark" in messages
    (row,) = shards.read_rows(*shards.shards(tmp_path / "out", "domain_modeling", "test"))
    assert (row["id"], row["number"]) == ("text2world/003", 2)
