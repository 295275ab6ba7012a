"""Baselines: constant and written replies, scored on a split of a dataset."""

import json
from collections import Counter

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.dataset.adversary import baselines
from orrery.families import table_of
from orrery.library.loading import load
from orrery.model import UsageError
from tests.library import samples

TABLES = ("acp_app_bool", "acp_nexta_gen", "plan_generation")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return samples.published(tmp_path_factory.mktemp("dataset"), *TABLES)


def test_no_reply_to_all_rows_scores_more_than_the_best_in_hindsight(dataset):
    for figure in baselines(dataset, "test"):
        if figure.rule == "one reply" and not figure.domain and figure.table != "plan_generation":
            maker = table_of(figure.table).attack
            rows = [item.row for item in load(dataset, figure.table)]
            counts = Counter(reply for row in rows for reply in maker.target(row).replies)
            assert figure.rows == len(rows)
            assert figure.score <= round(max(counts.values()) / len(rows), 4)


def test_a_random_applicable_action_is_the_chance_of_the_next_one(dataset):
    (figure,) = [
        f for f in baselines(dataset) if (f.table, f.domain, f.rule) == ("acp_nexta_gen", "", "one reply")
    ]
    answers = [item.row["answer"] for item in load(dataset, "acp_nexta_gen")]
    shares = [len(answer["yes"]) / (len(answer["yes"]) + len(answer["no"])) for answer in answers]
    assert figure.chance == pytest.approx(max(sum(shares) / len(shares), 0.25), abs=1e-4)


def test_the_command_prints_the_figures(dataset):
    done = CliRunner().invoke(app, ["score", "baselines", "--dataset", str(dataset), "--json"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    assert {line["table"] for line in printed} == set(TABLES)
    assert {"one reply", "one reply a domain", "no step", "a random walk"} <= {
        line["rule"] for line in printed
    }
    done = CliRunner().invoke(app, ["score", "baselines", "--dataset", str(dataset)])
    assert "one reply a domain" in done.stdout
    assert CliRunner().invoke(app, ["score", "baselines", "--dataset", "nowhere"]).exit_code == 2


def test_a_split_without_rows_is_refused(dataset):
    with pytest.raises(UsageError, match="no questions in split 'train'"):
        baselines(dataset, "train")
