import csv
import json
import shutil

import pytest

from orrery.dataset.metrics import write_metrics

VERDICT = {
    "checked": [
        {"check": "plans", "domain": "gripper", "rows": 5},
        {"check": "tables", "domain": "", "rows": 2},
    ],
    "failed": [],
    "undecided": [{"check": "plans", "row": "gripper/test/000001", "what": ["x"]}],
    "adversary": [
        {
            "table": "a",
            "verdict": "within the limit",
            "rule": "most, of all",
            "rows": 200,
            "score": 0.5,
            "chance": 0.4,
        },
        {"table": "b", "verdict": "few rows", "rule": "last", "rows": 3, "score": 1.0, "chance": 0.25},
        {"table": "c", "verdict": "", "unread": "no rows"},
    ],
}


@pytest.fixture(scope="module")
def written(tmp_path_factory, pattern):
    outputs = tmp_path_factory.mktemp("outputs")
    shutil.copytree(pattern, outputs / "dataset")
    write_metrics(outputs, VERDICT)
    return outputs / "metrics"


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_numbers_are_those_of_the_dataset_and_the_verdict(written):
    numbers = json.loads((written / "build.json").read_text())
    assert numbers["rows"]["problems"] == numbers["rows"]["text_to_pddl"] == 18
    assert numbers["rows"]["all"] == sum(n for name, n in numbers["rows"].items() if name != "all")
    assert sum(numbers["problems"].values()) == 18
    assert numbers["checks"] == {"made": 7, "failed": 0, "undecided": 1}
    # What has few rows shows large differences that mean nothing.
    assert numbers["tricks"] == {"most above chance": 0.1, "tables judged": 1}


def test_tables_to_be_drawn_have_a_line_each(written):
    assert {"table": "problems", "split": "test", "rows": "6"} in table(written / "rows.csv")
    tricks = table(written / "tricks.csv")
    assert [(line["table"], line["trick"]) for line in tricks] == [("a", "most, of all"), ("b", "last")]
    assert (written / "plan_lengths.csv").read_text().startswith("domain,steps,problems\n")
