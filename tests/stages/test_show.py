"""``orrery show`` draws rows of all sorts, and says what cannot be drawn."""

import json
import shutil

import pytest

from orrery.config import load
from orrery.dataset import contents
from orrery.stages import show
from tests.checkout import PARAMS, checkout, must, orrery
from tests.effort import by_day, slow
from tests.pictures.reading import Picture
from tests.store import samples
from tests.tables import PUBLISHED

FIRST = ("acp_nexta_gen", "acp_prog_bool", "acp_app_mcq", "plan_optimal", "problems", "text_to_pddl", "world")


def ids(root, table, condition="true"):
    sql = f"select id from {table} where {condition} order by id limit 1"
    return json.loads(must(root, "query", sql, "--json").stdout)[0]["id"]


@by_day(len(FIRST))
@pytest.mark.parametrize("table", sorted(PUBLISHED, key=lambda table: table not in FIRST))
def test_a_row_of_every_table_is_told(tmp_path, table):
    """Its lists hold texts, numbers, lists or structs; or whatever may lack lacks."""
    schema = PUBLISHED[table]
    full = {field.name: samples.example(field.type) for field in schema}
    rows = [samples.row(schema, **{**values, "id": f"ferry/test/{len(values)}"}) for values in (full, {})]
    (tmp_path / "params.yaml").write_text(PARAMS)
    samples.write_shards(tmp_path / "outputs" / "dataset", schema, "test", rows)
    contents.write_manifest(tmp_path / "outputs" / "dataset")
    for row in rows:
        said = show.run(load(tmp_path), row["id"])
        assert f"(table {table}, split test)" in said
        assert [name for name in row if name != "id" and name not in said] == []


def test_a_dialogue_is_told_message_by_message(tmp_path):
    messages = [{"role": "user", "content": "It is empty."}, {"role": "assistant", "content": "fill it"}]
    row = samples.row(PUBLISHED["world"], id="ferry/test/000000/world", expert=messages)
    (tmp_path / "params.yaml").write_text(PARAMS)
    samples.write_shards(tmp_path / "outputs" / "dataset", PUBLISHED["world"], "test", [row])
    contents.write_manifest(tmp_path / "outputs" / "dataset")
    said = show.run(load(tmp_path), row["id"])
    assert "\n-- expert\nuser: It is empty.\nassistant: fill it\n" in said


@slow
@pytest.mark.parametrize(
    ("table", "panels"),
    [("problems", {"initial state", "goal"}), ("acp_app_bool", {"state", "claim: is applicable"}),
     ("acp_app_mcq", {f"{label}: is applicable" for label in "ABCD"}),
     ("acp_app_gen", {"state", "question"}), ("plan_generation", {"initial state", "goal"})],
)  # fmt: skip
def test_the_picture_of_a_row_shows_what_the_row_is_about(some_domains, tmp_path, table, panels):
    path = tmp_path / "row.svg"
    shown = must(some_domains, "show", ids(some_domains, table), "--picture", str(path)).stdout
    assert f"picture: {path}" in shown
    assert panels <= set(Picture(path.read_text()).panels)


@slow
def test_plans_and_sequences_become_strips_and_animations(some_domains, tmp_path):
    for table, condition in (
        ("problems", "plan_cost > 2"),
        ("acp_val_gen", "true"),
        ("plan_execution", "true"),
    ):
        strip, film = tmp_path / "strip.svg", tmp_path / "film.svg"
        name = ids(some_domains, table, condition)
        shown = must(
            some_domains, "show", name, "--strip", str(strip), "--animate", str(film), "--first", "2"
        ).stdout
        assert f"strip: {strip}" in shown
        assert f"animation: {film}" in shown
        assert "0: initial state" in Picture(strip.read_text()).panels
        assert Picture(film.read_text()).facts.keys() == Picture(strip.read_text()).facts.keys()


@slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("domain.yaml", "picture:", "# picture:"), ("domain.pddl", "at-ferry", "moored")],
)
def test_without_a_description_or_with_other_names_each_object_is_a_box(
    some_domains, tmp_path, file, old, new
):
    shutil.copytree(some_domains, root := tmp_path / "root")
    path, drawn = root / "domains/ferry" / file, tmp_path / "row.svg"
    text = path.read_text()
    path.write_text(text[: text.index(old)] if new.startswith("#") else text.replace(old, new))
    name = ids(root, "problems", "domain = 'ferry'")
    must(root, "show", name, "--picture", str(drawn), "--strip", str(tmp_path / "strip.svg"))
    found = Picture(drawn.read_text())
    assert any(text.startswith("at ") for text in found.texts)
    assert any(fact[0] == "at-ferry" for fact in found.facts["initial state"])


@slow
@pytest.mark.parametrize(
    ("table", "option", "said"),
    [("domain_modeling", "--picture", "has no problem"), ("acp_app_gen", "--strip", "has no plan")],
)
def test_what_cannot_be_drawn_is_said(some_domains, tmp_path, table, option, said):
    result = orrery(some_domains, "show", ids(some_domains, table), option, str(tmp_path / "row.svg"))
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "row.svg").exists()


@slow
def test_pictures_go_to_files_of_their_own_and_replace_no_folder(some_domains, tmp_path):
    name, folder, file = ids(some_domains, "plan_execution"), tmp_path / "folder", tmp_path / "row.svg"
    folder.mkdir()
    (folder / "file").write_text("dear")
    result = orrery(some_domains, "show", name, "--picture", str(folder))
    assert result.exit_code == 3
    assert f"error: {folder}: is a folder" in result.stderr
    assert (folder / "file").read_text() == "dear"
    result = orrery(some_domains, "show", name, "--picture", str(file), "--strip", str(file))
    assert result.exit_code == 2
    assert "is given for two pictures" in result.stderr
    assert not file.exists()


def test_without_a_dataset_it_says_so(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    result = orrery(root, "show", "ferry/train/000000")
    assert result.exit_code == 3
    assert "is not a dataset of Orrery" in result.stderr
