import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from orrery import __version__
from orrery.dataset import card, contents
from orrery.model import OrreryError
from orrery.problems.schemas import PROBLEMS
from orrery.store import kinds, shards
from tests.dataset.conftest import ABOUT, TEMPLATES, TRIED, make
from tests.store import samples
from tests.tables import MODELLING, PUBLISHED

MOST_BYTES = 40_000


def parts(dataset):
    _, header, body = (dataset / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header), body


def test_header_lists_every_table_and_its_files(dataset):
    header, _ = parts(dataset)
    assert [config["config_name"] for config in header["configs"]] == [
        "text_to_pddl", *sorted(set(PUBLISHED) - {"text_to_pddl"}),
    ]  # fmt: skip
    listed = {
        path
        for config in header["configs"]
        for files in config["data_files"]
        for path in dataset.glob(files["path"])
        if path.name.startswith(f"{files['split']}-")
    }
    assert listed == set(dataset.rglob("*.parquet"))
    assert [config.get("default") for config in header["configs"]].count(True) == 1
    assert header["license"] == "mit"


def test_tables_and_splits_without_rows_are_not_offered(tmp_path):
    dataset = tmp_path / "dataset"
    for split, count in (("train", 2), ("test", 0)):
        schema = PROBLEMS
        samples.write_shards(dataset, schema, split, samples.rows(schema, split, "gripper", count))
    samples.write_shards(dataset, PUBLISHED["acp_app_gen"], "test", [])
    (dataset / "data" / "acp_app_gen").mkdir(exist_ok=True)
    card.write_card(dataset, ABOUT, templates=TEMPLATES)
    assert parts(dataset)[0]["configs"] == [
        {
            "config_name": "problems",
            "data_files": [{"split": "train", "path": "data/problems/train-*.parquet"}],
            "default": True,
        }
    ]


def test_every_column_is_explained_and_every_markdown_table_is_even(dataset):
    columns = (dataset / "COLUMNS.md").read_text()
    for schema in PUBLISHED.values():
        section = columns.split(f"\n## {kinds.table_name(schema)}\n")[1].split("\n## ")[0]
        for field in schema:
            row = next(line for line in section.splitlines() if line.startswith(f"| `{field.name}` |"))
            assert kinds.description(field) in row
            assert ("may be null" in row) is field.nullable
    for block in re.findall(r"(?:^\|.*\n)+", parts(dataset)[1] + columns, re.MULTILINE):
        lines = block.splitlines()
        assert re.fullmatch(r"\|(--+:?\|)+", lines[1]), block
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1, block


def test_the_card_is_short(dataset):
    assert len((dataset / "README.md").read_bytes()) < MOST_BYTES


def test_counts_canary_hash_and_provenance_are_reported(dataset):
    _, body = parts(dataset)
    manifest = contents.read_manifest(dataset)
    assert re.search(
        r"^\| \[`problems`\]\(COLUMNS\.md#problems\) \| .* \| 8 \| 4 \| 6 \|$", body, re.MULTILINE
    )
    tables = [table for table in PUBLISHED if table not in MODELLING]
    train, validation, test = (len(tables) * count for count in (4, 2, 3))
    counts = rf"\| {train:,} \| {validation:,} \| {test:,} \|"
    assert re.search(rf"^\| Gripper \(`gripper`\) \| .* {counts}$", body, re.MULTILINE)
    for stated in (
        kinds.CANARY,
        manifest["content_hash"],
        "seed 7",
        "size `smallest`",
        __version__,
        "text text",
    ):
        assert stated in body
    assert manifest["content_hash"] == contents.content_hash(dataset)
    assert manifest["rows"]["problems"] == {"train": 8, "validation": 4, "test": 6}
    assert (manifest["seed"], manifest["size"], manifest["domains"]) == (7, "smallest", sorted(ABOUT))


@pytest.mark.slow
def test_views_are_configs_beside_the_tables(dataset):
    manifest = contents.read_manifest(dataset)
    manifest |= {"rows": {"problems": {"test": 1}}, "views": {"questions": {"test": 2}, "none": {}}}
    text = card.render_card(dataset, ABOUT, manifest, templates=TEMPLATES)
    header = yaml.safe_load(text.split("---\n")[1])
    assert header["configs"] == [
        {
            "config_name": name,
            "data_files": [{"split": "test", "path": f"{folder}/{name}/test-*.parquet"}],
            **default,
        }
        for name, folder, default in (("problems", "data", {"default": True}), ("questions", "views", {}))
    ]
    assert header["size_categories"] == ["n<1K"]


def test_what_tricks_score_stands_on_the_card_of_what_was_checked(dataset):
    before = (dataset / "README.md").read_text()
    assert card.NOT_TRIED in before
    after = card.checked_card(before, {"adversary": TRIED})
    assert "| `acp_app_bool` | 7 | 0.50 | 0.57 | most length |" in after
    assert "acp_val_gen` | 0" not in after
    assert card.NOT_TRIED not in after
    assert card.NOT_TRIED in card.checked_card(before, {})


def test_the_rebuilt_sets_are_cited(dataset):
    _, body = parts(dataset)
    cited = re.findall(r"^@\w+\{(\w+),$", body, re.MULTILINE)
    assert cited == re.findall(r"^@\w+\{(\w+),$", (dataset / "citations.bib").read_text(), re.MULTILINE)
    assert len(cited) == 7
    assert cited[0] == "orrery"


@pytest.mark.slow
def test_prose_is_tidy(dataset):
    _, body = parts(dataset)
    assert "\n\n\n" not in body
    assert "  " not in re.sub(r"(```+).*?\1", "", body, flags=re.DOTALL)
    written = body.split("```bibtex")[0]  # BibTeX keeps capitals in double braces
    assert not re.search(r"[ \t]$|{[{%]", written, re.MULTILINE)
    assert max(len(line) for line in body.splitlines() if not line.startswith(("|", "Made by"))) <= 130


@pytest.mark.slow
def test_same_rows_make_the_same_files_wherever_they_lie(dataset, tmp_path):
    other = make(tmp_path / ".unfinished-elsewhere-17")
    assert contents.file_hashes(other) == contents.file_hashes(dataset)


@pytest.mark.slow
def test_rows_of_an_unknown_domain_are_refused(tmp_path):
    dataset = samples.dataset(tmp_path / "dataset")
    with pytest.raises(OrreryError, match="unknown domain 'blocksworld'"):
        card.write_card(dataset, {"gripper": ABOUT["gripper"]}, templates=TEMPLATES)


def test_data_version_is_the_topmost(tmp_path):
    changes = tmp_path / "CHANGELOG.md"
    with pytest.raises(OrreryError, match=r"CHANGELOG\.md: cannot be read"):
        card.data_version(changes)
    changes.write_text("# Changes\n")
    with pytest.raises(OrreryError, match="names no version"):
        card.data_version(changes)
    changes.write_text("# Changes\n\n## 1.2.0\n\nNew.\n\n## 1.1.9\n")
    assert card.data_version(changes) == "1.2.0"


def test_code_on_the_card_runs(dataset, monkeypatch, tmp_path):
    import datasets  # slow, and needed here only

    _, body = parts(dataset)
    loading, grading = re.findall(r"```python\n(.*?)```", body, re.DOTALL)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.syspath_prepend(dataset)
    for name in [name for name in sys.modules if name.partition(".")[0] == "grading"]:
        monkeypatch.delitem(sys.modules, name)  # of another dataset
    names = {}
    exec(loading.replace("path/to/this/folder", str(dataset)), names)
    assert len(names["rows"]) == 8
    row = names["rows"][0] | {
        "group": "reachable_atom_gen",
        "answer": [],
        "domain_pddl": "(define (domain d) (:predicates (p)))",
        "problem_pddl": "(define (problem p) (:domain d) (:init) (:goal (p)))",
    }
    names["row"] = row
    exec(grading, names)
    assert names["score"].value == 1
    assert Path(importlib.util.find_spec("grading").origin) == dataset / "grading" / "__init__.py"


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted(PUBLISHED))
def test_datasets_loads_every_table_from_the_folder(table, dataset, tmp_path):
    import datasets  # slow, and needed here only

    loaded = datasets.load_dataset(str(dataset), table, cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 8, "validation": 4, "test": 6}
    expected = [row for path in shards.shards(dataset, table, "test") for row in shards.read_rows(path)]
    assert loaded["test"].to_list() == expected
    assert json.dumps(loaded["test"][0], default=str)
    shutil.rmtree(tmp_path / "cache")
