"""A kind that nobody has seen, of four files in four folders, carried through every stage: no other file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from orrery.store.shards import VIEWS, read_rows, shards
from tests.checkout import STAGES, checkout
from tests.every_domain import ROOT

FIXTURE = ROOT / "tests" / "fixtures" / "kind_count"
PLACES = {
    "kind.py": "pipeline/orrery/families/questions/kinds/count.py",
    "words.j2": "templates/questions/count.j2",
    "check.py": "pipeline/orrery/checks/questions/kinds/count.py",
    "grader.py": "pipeline/orrery/grading/kinds/count.py",
}
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ninth")]
TABLES = [f"acp_count_{form}" for form in ("gen", "bool", "mcq")]
RUN = """
import json, sys
from orrery.cli.main import app
for arguments in json.loads(sys.stdin.read()):
    try:
        app([*arguments, "--root", sys.argv[1]])
    except SystemExit as ended:
        assert not ended.code, (arguments, ended.code)
"""


def run(root, *commands):
    """Run commands of the copy in one process of its own; what they print."""
    environment = os.environ | {"PYTHONPATH": str(root / "pipeline")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(root)], input=json.dumps(commands), env=environment, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A copy of the code and of one domain with the four files added, built and validated."""
    root = checkout(tmp_path_factory.mktemp("ninth"), ("ferry",))
    params = root / "params.yaml"
    params.write_text(params.read_text().replace("seed: 7", "seed: 3"))  # by chance, few rows are uneven
    shutil.copytree(ROOT / "pipeline", root / "pipeline")
    before = {path for path in root.rglob("*") if path.is_file()}
    for name, place in PLACES.items():
        shutil.copy(FIXTURE / name, root / place)
    added = {path for path in root.rglob("*") if path.is_file()} - before
    assert len(added) == len(PLACES) == len([path for path in FIXTURE.iterdir() if path.is_file()])
    stages = [[stage, "ferry", "--jobs", "1"] for stage in STAGES]
    run(root, *stages, ["describe-domains"], ["assemble"], ["validate", "--jobs", "1"])
    return root


def rows(root, table):
    return [row for path in shards(root / "outputs" / "dataset", table) for row in read_rows(path)]


def test_it_is_asked_and_published_in_every_format(root):
    for table in TABLES:
        rows_read = rows(root, table)
        assert rows_read
        assert {row["kind"] for row in rows_read} == {"count"}
        assert all(
            row["answer"] == row["num_applicable_actions"] for row in rows_read if table.endswith("_gen")
        )
    answers = Counter(row["answer"] for row in rows(root, "acp_count_bool"))
    assert answers["yes"] == answers["no"] > 0


def test_the_view_of_all_questions_has_the_column_of_its_own(root):
    paths = shards(root / "outputs" / "dataset", "questions", folder=VIEWS)
    rows_by_id = {row["id"]: row for path in paths for row in read_rows(path)}
    for row in rows(root, TABLES[0]):
        assert json.loads(rows_by_id[row["id"]]["grader_input"])["counted"] == row["counted"]


def test_the_card_and_the_report_mention_it(root):
    assert "acp_count_gen" in (root / "outputs" / "dataset" / "README.md").read_text()
    report = json.loads((root / "outputs" / "report" / "questions.json").read_text())
    assert report["rows"]["ferry"]["count_mcq"] > 0
    attacked = json.loads((root / "outputs" / "report" / "adversary.json").read_text())
    assert {*TABLES} <= {figure["table"] for figure in attacked}


def test_its_replies_are_exported_and_score_what_they_should(root):
    replies = []
    for table in TABLES:  # prompts have the ids of their rows, and the order of the replies
        files = {kind: root / f"{table}-{kind}.jsonl" for kind in ("prompts", "sft")}
        run(
            root,
            *(["export", k, "--table", table, "--split", "all", "--out", str(f)] for k, f in files.items()),
        )
        prompts, conversations = (
            [json.loads(line) for line in file.read_text().splitlines()] for file in files.values()
        )
        replies += [
            {"id": prompt["id"], "reply": conversation["messages"][-1]["content"]}
            for prompt, conversation in zip(prompts, conversations, strict=True)
        ]
    assert len(replies) == sum(len(rows(root, table)) for table in TABLES)
    wrong = replies[0] | {"reply": "ANSWER: 999"}
    predictions = root / "replies.jsonl"
    predictions.write_text("".join(json.dumps(figures) + "\n" for figures in [wrong, *replies[1:]]))
    options = ["--dataset", str(root / "outputs" / "dataset"), "--split", "all", "--json", "--jobs", "1"]
    summary = json.loads(run(root, ["score", "questions", str(predictions), *options]))
    right = {name: figures["shares"]["right"]["yes"] for name, figures in summary["by"]["format"].items()}
    assert sum(right.values()) == len(replies) - 1
    assert min(right.values()) > 0
    assert summary["overall"]["shares"]["wrong"]["yes"] == 1


def test_without_its_check_validation_says_so(root):  # the last: it takes a file away
    (root / PLACES["check.py"]).unlink()
    with pytest.raises(AssertionError, match="has no check"):
        run(root, ["validate", "--jobs", "1"])
