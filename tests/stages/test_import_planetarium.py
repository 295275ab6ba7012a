"""Import Planetarium from a folder written here in the layout of its release."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from orrery.browse.app import browser
from orrery.cli.main import app
from orrery.dataset.contents import read_manifest, verify
from orrery.dataset.folder import publish_folder
from orrery.library.loading import load
from orrery.model import OrreryError
from orrery.stages import import_planetarium
from orrery.stages.import_planetarium import run
from orrery.store.shards import read_rows
from tests.every_domain import ROOT

RUNNER = CliRunner()
TABLE = "text_to_pddl"
BLOCKS = "(define (problem p) (:domain blocksworld) (:objects {objects}) (:init {init}) (:goal (and {goal})))"
TOWER = "(arm-empty) (on-table b) (on a b) (clear a)"
GRIPPER = """(define (problem q) (:domain gripper) (:objects r s b c g)
 (:init (room r) (room s) (ball b) (ball c) (gripper g) (free g) (at-robby r) (at b r) (at c s))
 (:goal (and (at b s) (at c r))))"""
TANGLED = "(arm-empty) (holding b0) " + " ".join(f"(on-table b{n}) (clear b{n})" for n in range(1, 12))


def blocks(init=TOWER, goal="(on b a)", objects="a b"):
    return BLOCKS.format(objects=objects, init=init, goal=goal)


def row(number, problem, **values):
    columns = {
        "id": number, "name": f"stack_to_stack_{number}", "domain": "blocksworld", "init": "stack",
        "goal": "stack", "num_objects": 2, "problem_pddl": problem, "natural_language": "Turn it over.",
        "init_is_abstract": 0, "init_num_propositions": 4, "goal_is_abstract": 0,
        "goal_num_propositions": 1, "is_placeholder": 0,
    }  # fmt: skip
    return columns | values


SWAP = {"domain": "gripper", "init": "swap", "goal": "swap", "num_objects": 5, "init_num_propositions": 9}
ROWS = [
    row(1, blocks()),
    row(2, blocks(), goal_num_propositions=3),
    row(3, blocks(goal="(on a b) (on b a)"), goal_num_propositions=2),
    row(4, blocks(), is_placeholder=1, goal_is_abstract=1),
    row(5, GRIPPER, **SWAP, goal_num_propositions=2),
    row(6, "(define (problem"),
    row(7, blocks(), domain="sokoban"),
    row(8, blocks(), is_placeholder=1),
]
SMALL = [row(9, blocks(goal="(on-table a)"))]


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder in the layout of the release; two files of views repeat rows, and one has a row of its own."""
    folder = tmp_path_factory.mktemp("released")
    write(folder / "data" / "train-00000-of-00001.parquet", ROWS)
    write(folder / "size" / "zero.twenty-00000-of-00001.parquet", ROWS[:5] + SMALL)
    write(folder / "placeholder" / "placeholder-00000-of-00001.parquet", ROWS[3:4])
    return folder


@pytest.fixture(scope="module")
def imported(released, tmp_path_factory):
    out = tmp_path_factory.mktemp("imported") / "out"
    return out, run(released, out, ROOT)


@pytest.fixture(scope="module")
def rows_by_id(imported):
    paths = sorted((imported[0] / "data" / TABLE).glob("*.parquet"))
    return {row["id"]: row for path in paths for row in read_rows(path)}


def command(*arguments):
    done = RUNNER.invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_each_row_is_imported_once(imported, rows_by_id):
    out, summary = imported
    assert sorted(rows_by_id) == [f"planetarium/{number}" for number in (1, 2, 3, 4, 5, 8, 9)]
    assert summary.made["rows"] == 7
    assert summary.left_out["rows that another file has, too"] == 6
    assert read_manifest(out)["rows"] == {TABLE: {"train": 6, "test": 1}}
    assert rows_by_id["planetarium/9"]["file"] == "size/zero.twenty-00000-of-00001.parquet"
    assert rows_by_id["planetarium/9"]["number"] == 5


@pytest.mark.parametrize(
    ("number", "verdict", "detail"),
    [
        (1, "right", ""),
        (2, "wrong", "goal_num_propositions is 1, not 3"),
        (3, "wrong", "no plan exists"),
        (5, "right", ""),
        (8, "wrong", "is_placeholder is 1, against its rule"),
    ],
)
def test_the_verdict_says_what_is_wrong(rows_by_id, number, verdict, detail):
    imported = rows_by_id[f"planetarium/{number}"]
    assert (imported["published_verdict"], imported["published_detail"]) == (verdict, detail)
    assert imported["solvable"] == (number != 3)
    assert imported["published_grade"] == "right"
    assert json.loads(imported["published_answer"]) == imported["problem_pddl"]


def test_columns_follow_from_the_row(rows_by_id):
    first, placeholder = rows_by_id["planetarium/1"], rows_by_id["planetarium/4"]
    assert first["plan"] == ["(unstack a b)", "(putdown a)", "(pickup b)", "(stack b a)"]
    assert first["plan_cost"] == 4
    assert (first["num_propositions"], first["fold_size"]) == (5, "1-20")
    assert placeholder["fold_mixture"] == "explicit-abstract"
    assert first["problem_id"] == placeholder["problem_id"] != rows_by_id["planetarium/9"]["problem_id"]
    assert (first["goal_holds_initially"], placeholder["goal_holds_initially"]) == (0, 1)
    assert rows_by_id["planetarium/5"]["task"] == "swap-to-swap"


def test_rows_that_cannot_be_graded_are_left_out_and_listed(imported):
    out, summary = imported
    log = {entry["id"]: entry for entry in read_rows(out / "repairs.parquet")}
    assert sorted(log) == ["planetarium/6", "planetarium/7"]
    assert "domain is unknown: sokoban" in log["planetarium/7"]["what"]
    assert log["planetarium/6"]["item"] == "data/train-00000-of-00001.parquet, row 5"
    assert (summary.left_out["domain is unknown"], summary.left_out["PDDL cannot be read"]) == (1, 1)


def test_other_rows_with_the_same_id_and_broken_files_do_not_end_the_import(tmp_path):
    write(
        tmp_path / "r" / "data" / "train.parquet", [row(1, blocks()), row(1, GRIPPER, **SWAP), row(1, None)]
    )
    write(tmp_path / "r" / "other" / "map.parquet", [{"id": 3, "split": "test"}])
    (tmp_path / "r" / "size").mkdir()
    (tmp_path / "r" / "size" / "a.parquet").write_bytes(b"PAR1 and no more")
    summary = run(tmp_path / "r", tmp_path / "out", ROOT)
    assert summary.made["rows"] == 2
    assert sum("is not a row" in line for line in summary.warnings) == 1
    assert any("a.parquet: cannot be read" in line for line in summary.warnings)
    paths = (tmp_path / "out" / "data" / TABLE).glob("*.parquet")
    assert {row["id"] for path in paths for row in read_rows(path)} == {"planetarium/1", "planetarium/1/2"}


def test_rows_repeated_with_fewer_or_other_columns_are_imported_once(tmp_path):
    text = blocks().replace(" (:", "\n(:")
    first, second = row(1, text, num_objects=3), row(2, text, num_objects=-1)
    fewer = {name: value for name, value in first.items() if "num" not in name and name != "name"}
    others = [
        row("1", text.replace("\n", "\r\n"), num_objects=3.0),
        second | {"id": "2", "num_objects": -1.0},
    ]
    write(tmp_path / "r" / "data" / "train.parquet", [first, second])
    write(tmp_path / "r" / "placeholder" / "a.parquet", [fewer])
    write(tmp_path / "r" / "size" / "a.parquet", others)
    summary = run(tmp_path / "r", tmp_path / "out", ROOT)
    assert summary.left_out["rows that another file has, too"] == 3
    [path] = (tmp_path / "out" / "data" / TABLE).glob("*.parquet")
    details = [row["published_detail"] for row in read_rows(path)]
    assert details == ["num_objects is 2, not 3", "num_objects is 2, not -1"]


@pytest.mark.parametrize(
    "values",
    [
        {"is_placeholder": 2},
        {"goal_is_abstract": 10**12},
        {"num_objects": 10**12},
        {"id": None},
        {"goal": None},
    ],
)
def test_values_that_no_row_has_are_warnings(tmp_path, values):
    write(tmp_path / "r" / "data" / "train.parquet", [row(1, blocks()), row(2, blocks(), **values)])
    summary = run(tmp_path / "r", tmp_path / "out", ROOT)
    assert summary.made["rows"] == 1
    assert [line for line in summary.warnings if "row 1" in line and "is not a row" in line]


@pytest.mark.slow
def test_a_search_that_reaches_its_limit_leaves_the_verdict_undecided(tmp_path):
    names = " ".join(f"b{number}" for number in range(12))
    tangled = blocks(TANGLED, " ".join(f"(on b{n} b{n + 1})" for n in range(11)), names)
    values = {"num_objects": 12, "init_num_propositions": 24, "goal_num_propositions": 11}
    write(tmp_path / "r" / "data" / "train.parquet", [row(1, tangled, **values)])
    run(tmp_path / "r", tmp_path / "out", ROOT, seconds=0)
    [imported] = read_rows(*(tmp_path / "out" / "data" / TABLE).glob("*.parquet"))
    assert imported["published_verdict"] == "undecided"
    assert imported["solvable"] is None


@pytest.mark.parametrize("content", [None, [], [{"id": 1}], [row(1, blocks(), domain="sokoban")]])
def test_a_folder_without_rows_is_one_error(tmp_path, content):
    (tmp_path / "r").mkdir()
    if content is not None:
        write(tmp_path / "r" / "data" / "train.parquet", content)
    done = RUNNER.invoke(app, ["import", "planetarium", str(tmp_path / "r"), "--out", str(tmp_path / "out")])
    assert done.exit_code in (2, 3)
    assert done.stderr.count("error:") == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "r"]


def test_blocks_and_jobs_do_not_change_the_result(released, imported, tmp_path, monkeypatch):
    monkeypatch.setattr(import_planetarium, "BLOCK", 2)
    run(released, tmp_path / "out", ROOT)
    for path in ("data", "repairs.parquet"):
        ours, theirs = (
            {file.name: file.read_bytes() for file in (folder / path).rglob("*.parquet")}
            for folder in (tmp_path / "out", imported[0])
        )
        assert ours == theirs


@pytest.mark.slow
def test_commands_take_it(imported, rows_by_id, tmp_path):
    out, _ = imported
    assert verify(out)["imported_from"] == "planetarium"
    lines = command("query", f"select count(*) as n from {TABLE} where solvable", "--dataset", out, "--json")
    assert json.loads(lines) == [{"n": 6}]
    for split, number in (("train", 6), ("test", 1)):
        chosen = ("--table", TABLE, "--split", split, "--dataset", out)
        prompts = [json.loads(line) for line in command("export", "prompts", *chosen).splitlines()]
        assert len(prompts) == number == len(load(out, TABLE, split=split))
        replies = tmp_path / f"{split}.jsonl"
        gold = [{"id": row["id"], "output": rows_by_id[row["id"]]["problem_pddl"]} for row in prompts]
        replies.write_text("".join(json.dumps(line) + "\n" for line in gold))
        scored = ("score", "text-to-pddl", replies, "--dataset", out, "--split", split, "--json", "--jobs", 1)
        shares = json.loads(command(*scored))["overall"]["shares"]
        assert shares["correct"]["share"] == 1.0
        assert shares["solvable"]["share"] == (1.0 if split == "test" else pytest.approx(5 / 6))
    client = TestClient(browser(out, tmp_path, ROOT), "http://127.0.0.1:8017", follow_redirects=False)
    assert client.get(f"/rows/{TABLE}").status_code == 200
    assert "no plan exists" in client.get("/row/planetarium/3").text
    with pytest.raises(OrreryError, match="is the published set 'planetarium', not for publication"):
        publish_folder(out, tmp_path / "report", tmp_path / "published")
