"""A family of one table in a folder elsewhere goes through every stage; nothing is edited for it."""

import json
import re
import shutil
import sys

import pytest
from starlette.testclient import TestClient

import orrery as library
from orrery import checks, families
from orrery.browse.app import browser
from orrery.evaluation.asked import AskedTable, facts_of
from orrery.scoring import scorers
from orrery.store.shards import read_rows, write
from tests.checkout import build, checkout, contents, must, orrery
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow

FOLDER = ROOT / "tests" / "fixtures" / "plan_lengths"
PACKAGES = {"families": families, "checks": checks, "scorers": scorers}
# These list or count what is there.
WITHOUT = ("manifest.json", "README.md", "COLUMNS.md", "croissant.json", "lm_eval/orrery.yaml")


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """A build without the family, and without questions, which take long; not to be changed."""
    root = checkout(tmp_path_factory.mktemp("before"), ("ferry",))
    params = root / "params.yaml"
    params.write_text(
        params.read_text()
        .replace("problems_with_questions: 2", "problems_with_questions: 0")
        .replace("questions: 3", "questions: 0")
    )
    build(root, ("ferry",))
    return root


@pytest.fixture
def root(before, tmp_path, monkeypatch):
    """A copy of the build, to which the folder of the family was added."""
    for name, package in PACKAGES.items():
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(FOLDER / name)])
    root = shutil.copytree(before, tmp_path / "checkout")
    shutil.copytree(FOLDER / "templates", root / "templates", dirs_exist_ok=True)
    yield root
    for name in [name for name in sys.modules if name.startswith("orrery.") and "plan_length" in name]:
        monkeypatch.delitem(sys.modules, name)


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_family_is_added_by_its_folder(before, root, tmp_path):
    must(root, "assemble", "--jobs", "1")
    old, new = (contents(made / "outputs" / "dataset") for made in (before, root))
    added = {name for name in new if "plan_length" in name}
    assert len(added) >= 2
    assert {name: new[name] for name in new.keys() - added - {*WITHOUT}} == {
        name: old[name] for name in old.keys() - {*WITHOUT}
    }
    assert "## plan_length" in (root / "outputs/dataset/COLUMNS.md").read_text()

    must(root, "validate", "--jobs", "1")
    report = root / "outputs/report"
    verdict = json.loads((report / "validation.json").read_text())
    assert {message["check"] for message in verdict["checked"]} >= {"plan lengths", "agreement"}
    assert verdict["unchecked"]["plan_length"] == ["note"]
    assert "plan_length" in (report / "index.html").read_text()

    rows = json.loads(must(root, "query", "select * from plan_length order by id", "--json").stdout)
    assert rows
    prompts = lines(must(root, "export", "prompts", "--table", "plan_length", "--split", "all"))
    assert sorted(message["id"] for message in prompts) == [row["id"] for row in rows]
    pddl = {row["id"]: row["problem_pddl"].strip() for row in rows}
    assert all(pddl[message["id"]] in message["messages"][1]["content"] for message in prompts)
    taught = lines(must(root, "export", "sft", "--table", "plan_length", "--split", "all"))
    replies = [message["messages"][2]["content"] for message in taught]

    replied = tmp_path / "replies.jsonl"
    pairs = zip(prompts, replies, strict=True)
    replied.write_text("".join(json.dumps({"id": p["id"], "output": r}) + "\n" for p, r in pairs))
    scored = must(root, "score", "plan-length", str(replied), "--split", "all", "--json", "--jobs", "1")
    assert json.loads(scored.stdout)["overall"]["shares"]["right"]["share"] == 1

    shown = must(root, "show", rows[0]["id"]).stdout
    assert "(table plan_length, " in shown
    assert f"plan_lengths:           {rows[0]['id']}" in must(root, "show", rows[0]["problem_id"]).stdout


def test_replies_are_scored_rewarded_and_answered(root):
    must(root, "assemble", "--jobs", "1")
    dataset = root / "outputs" / "dataset"
    splits = [path.name.partition("-")[0] for path in (dataset / "data" / "plan_length").glob("*.parquet")]
    items = library.load(dataset, "plan_length", splits[0], root=root)
    item = items[0]
    for reply, verdict in ((item.gold, "right"), (f"{item.gold}0", "wrong"), ("I cannot say.", "unparsed")):
        scores = [
            item.score(reply),
            *(library.score(reply, item.row, name) for name in ("plan_length", None)),
        ]
        assert {score.verdict for score in scores} == {verdict}
        reward = library.Reward()
        assert reward([reply], row=[item.row], table=["plan_length"]) == [float(verdict == "right")]
        assert reward.counts == {"plan_length": {verdict: 1}}
        page = TestClient(browser(dataset, dataset.parent, root), "http://127.0.0.1:8017").post(
            f"/row/{item.row['id']}?table=plan_length",
            data={"reply": reply},
            headers={"origin": "http://127.0.0.1:8017"},
        )
        assert re.search(r'class="verdict \w+">(\w+)<', page.text)[1] == verdict
    table_asked = AskedTable("plan_length", items, splits[0], turns=1)
    assert "read" in table_asked.answer(item.row["id"], ["I cannot say."])
    assert table_asked.answer(item.row["id"], [f"{item.gold}0"]) == ""
    assert facts_of(item, splits[0])["kind"] == ""


def test_its_check_finds_a_wrong_row(root):
    must(root, "assemble", "--jobs", "1")
    path = next((root / "outputs/dataset/data/plan_length").glob("*.parquet"))
    first, *later_rows = read_rows(path)
    write(
        path, families.table_of("plan_length").schema, [{**first, "length": first["length"] + 1}, *later_rows]
    )
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code == 3
    failed = json.loads((root / "outputs/report/validation.json").read_text())["failed"]
    by_row = [(finding["check"], finding["row"]) for finding in failed if finding["check"] != "folder"]
    assert by_row == [("plan lengths", first["id"])]


def test_without_the_folder_its_table_is_refused(before):
    result = orrery(before, "export", "prompts", "--table", "plan_length")
    assert result.exit_code == 2
    assert "'plan_length': is not a published table" in result.stderr
