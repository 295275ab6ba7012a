"""Every table that asks something is a task of lm-evaluation-harness, which finds its rows wherever they lie.

What the harness itself makes of the files is tested with it (``.ci/harness``), which these tests do not need.
"""

import importlib.util
import json
import shutil
import sys

import pytest
import yaml

import orrery
from orrery.checks.folder import _harness_tasks as faults
from orrery.dataset import contents, lm_eval_tasks
from orrery.dataset.lm_eval import write_lm_eval
from orrery.families import families, tables
from tests.every_domain import ROOT
from tests.library import samples as library

ASKING = {name for name, table in tables().items() if table.template}
BY_FAMILY = {name: family.tables for name, family in families().items()}
TEMPLATES = ROOT / "templates"
NAMES = ("acp_app_gen", "plan_generation", "text_to_pddl")


class Loader(yaml.SafeLoader):
    """Reads what the harness looks up as a function as its name."""


Loader.add_constructor("!function", lambda loader, node: f"function {node.value}")


def read(path):
    return yaml.load(path.read_text(), Loader)


@pytest.fixture(scope="module")
def every(tmp_path_factory, pattern):
    """A dataset with every table, its tasks and groups."""
    folder = shutil.copytree(pattern, tmp_path_factory.mktemp("every") / "dataset")
    write_lm_eval(folder, BY_FAMILY, TEMPLATES)
    return folder


@pytest.fixture
def real(tmp_path):
    """A dataset with rows that can be asked, and its tasks."""
    folder = library.dataset(tmp_path / "dataset", *NAMES)
    write_lm_eval(folder, BY_FAMILY, TEMPLATES)
    return folder


def test_every_table_that_asks_something_is_a_complete_task(every):
    found = {}
    for path in (every / "lm_eval").glob("*.yaml"):
        task = read(path)
        if "group" in task:
            continue
        assert path.stem == task["task"] == f"orrery_{task['dataset_kwargs']['table']}"
        found[task["dataset_kwargs"]["table"]] = task
    assert set(found) == ASKING
    for task in found.values():
        assert task["output_type"] == "generate_until"
        # A reply is not ended at its first empty line, and may be long.
        assert task["generation_kwargs"]["until"] == []
        assert task["generation_kwargs"]["max_gen_toks"] >= 4096
        assert [each["metric"] for each in task["metric_list"]] == ["accuracy", "unparsed", "undecided"]
        assert task["dataset_kwargs"]["split"] == "test"
        assert "include" not in task
        functions = [task["custom_dataset"], task["process_results"]]
        functions += [each["aggregation"] for each in task["metric_list"][1:]]
        for function in functions:
            module, _, name = function.removeprefix("function ").rpartition(".")
            assert module == "orrery.dataset.lm_eval_tasks"
            assert callable(getattr(lm_eval_tasks, name))


def test_groups_hold_every_task_once(every):
    groups = {path.stem: read(path) for path in (every / "lm_eval").glob("*.yaml")}
    groups = {name: each["task"] for name, each in groups.items() if "group" in each}
    assert set(groups) == {"orrery", "orrery_questions", "orrery_plans", "orrery_modelling"}

    def leaves(name):
        return [leaf for each in groups[name] for leaf in leaves(each)] if name in groups else [name]

    assert sorted(leaves("orrery")) == sorted(f"orrery_{table}" for table in ASKING)
    assert len(groups["orrery_questions"]) == sum(name.startswith("acp_") for name in ASKING)


def test_tables_without_rows_are_no_task_and_others_ask_the_split_they_have(tmp_path):
    folder = library.dataset(tmp_path / "dataset", "acp_app_gen", split="validation")
    write_lm_eval(folder, BY_FAMILY, TEMPLATES)
    assert {path.stem for path in (folder / "lm_eval").glob("*.yaml")} == {"orrery_acp_app_gen", "orrery"}
    task = read(folder / "lm_eval" / "orrery_acp_app_gen.yaml")
    assert task["dataset_kwargs"] == {"table": "acp_app_gen", "split": "validation"}
    assert list(
        lm_eval_tasks.documents(
            "acp_app_gen", "validation", config_source=str(folder / "lm_eval" / "orrery_acp_app_gen.yaml")
        )
    ) == ["test"]
    write_lm_eval(tmp_path / "nothing", BY_FAMILY, TEMPLATES)
    assert not (tmp_path / "nothing").exists()


def loaded(path):
    """A file as the harness loads it: by its path, not as a part of the package."""
    spec = importlib.util.spec_from_file_location(str(path.with_suffix("")), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("given", ["its own path", "the path of the YAML"])
@pytest.mark.parametrize("table", NAMES)
def test_prompts_and_scores_are_those_of_the_library_wherever_the_folder_lies(
    real, tmp_path, monkeypatch, table, given
):
    moved = shutil.move(real, tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    functions = loaded(moved / "lm_eval" / "orrery" / "dataset" / "lm_eval_tasks.py")
    source = {"config_source": f"moved/lm_eval/orrery_{table}.yaml"} if given != "its own path" else {}
    documents = functions.documents(table, version=1.0, **source)["test"]
    items = orrery.load(moved, table)
    assert len(documents) == len(items) > 0
    for document, item in zip(documents, items, strict=True):
        assert [document["system"], document["user"]] == [each["content"] for each in item.prompt]
        assert document["gold"] == item.gold
        for reply in (item.gold, "Xyzzy.", ""):
            expected = item.score(reply)
            assert functions.score(document, [reply]) == {
                "accuracy": expected.value,
                "unparsed": float(expected.verdict == "unparsed"),
                "undecided": 0.0,
            }


def test_another_style_can_be_asked_for(real):
    source = str(real / "lm_eval" / "orrery_acp_app_gen.yaml")
    found = lm_eval_tasks.documents("acp_app_gen", style="zero_shot_pddl", config_source=source)["test"]
    item = orrery.load(real, "acp_app_gen", style="zero_shot_pddl")[0]
    assert found[0]["user"] == item.prompt[1]["content"]


def test_what_is_undecided_has_no_accuracy(monkeypatch):
    undecided = orrery.Score(0.0, "undecided", "the search ended")
    monkeypatch.setattr(orrery, "score", lambda *_, **__: undecided, raising=False)
    document = {"row": json.dumps({"id": "a"}), "table": "text_to_pddl"}
    assert lm_eval_tasks.score(document, ["reply"]) == {"unparsed": 0.0, "undecided": 1.0}
    assert lm_eval_tasks.count([1.0, 0.0, 1.0]) == 2.0


def test_without_the_package_the_message_says_what_to_install(real, monkeypatch):
    functions = loaded(real / "lm_eval" / "orrery" / "dataset" / "lm_eval_tasks.py")
    monkeypatch.setitem(sys.modules, "orrery", None)
    with pytest.raises(ModuleNotFoundError, match="install its wheel with the extra data"):
        functions.documents("acp_app_gen")


def test_code_that_ran_from_the_folder_does_not_change_the_dataset(every):
    folder = every
    contents.write_manifest(folder)
    before = contents.content_hash(folder)
    left = folder / "lm_eval" / "orrery" / "dataset" / "__pycache__" / "lm_eval_tasks.pyc"
    left.parent.mkdir()
    left.write_bytes(b"compiled")
    assert contents.content_hash(folder) == before
    contents.verify(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda folder: (folder / "orrery_acp_app_gen.yaml").unlink(),
            "no task asks for the table acp_app_gen",
        ),
        (lambda folder: (folder / "orrery_acp_app_gen.yaml").write_text("a: ["), "cannot be read"),
        (lambda folder: (folder / "orrery_acp_app_gen.yaml").write_text("task: x"), "cannot be read"),
        (lambda folder: shutil.rmtree(folder / "orrery"), "lacks the functions"),
        (lambda folder: (folder / "orrery_plans.yaml").unlink(), "is in no group"),
        (
            lambda folder: (folder / "orrery_text_to_pddl.yaml").write_text(
                (folder / "orrery_text_to_pddl.yaml").read_text().replace("split: test", "split: dev")
            ),
            "asks for text_to_pddl, dev, which has no rows",
        ),
    ],
)
def test_tasks_that_do_not_fit_the_tables_are_found(every, tmp_path, change, said):
    folder = shutil.copytree(every, tmp_path / "copy")
    rows = contents.count_rows(folder)
    assert list(faults(folder, rows)) == []
    change(folder / "lm_eval")
    assert any(said in fault for fault in faults(folder, rows))
