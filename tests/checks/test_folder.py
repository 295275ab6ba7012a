"""Prompts and worked examples of a dataset: what is expected of its tables must be there."""

from orrery.checks import folder

ROWS = {"acp_app_gen": {"test": 1}, "plan_optimal": {"test": 1}, "problems": {"test": 1}, "acp_app_mcq": {}}


def written(dataset, *names):
    (dataset / "prompts").mkdir()
    for name in names:
        (dataset / "prompts" / name).write_text("{question}")
    return dataset


def test_every_table_that_asks_has_prompts(tmp_path):
    dataset = written(tmp_path, "acp_zero_shot.txt")
    assert list(folder._prompts(dataset, ROWS)) == ["prompts: lacks plans_*.txt, the prompts of plan_optimal"]
    (dataset / "prompts" / "plans_zero_shot.txt").write_text("{question}")
    assert list(folder._prompts(dataset, ROWS)) == []
    assert len(list(folder._prompts(tmp_path / "nowhere", ROWS))) == 2


def test_the_file_of_examples_is_there_though_it_may_be_empty(tmp_path):
    dataset = written(tmp_path)
    assert list(folder._examples(dataset)) == ["prompts: lacks examples.jsonl"]
    (dataset / "prompts" / "examples.jsonl").write_text("")
    assert list(folder._examples(dataset)) == []
    (dataset / "prompts" / "examples.jsonl").write_text("{}\n")
    assert ["cannot be read" in fault for fault in folder._examples(dataset)] == [True]
