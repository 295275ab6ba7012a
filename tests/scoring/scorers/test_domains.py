"""The commands that score actions and domains: gold, wrong and missing answers, resumption, bad input."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING, NOT_COMPOSED
from orrery.pddl.read import read_domain
from orrery.pddl.write import write_atom, write_problem
from orrery.planning.exhaustive import explore
from orrery.planning.grounding import ground
from orrery.scoring.domains.columns import scores_schema
from orrery.scoring.scorers.domains import MEASURES
from orrery.scoring.tally import tally
from orrery.store import shards
from tests.every_domain import ROOT, easy_problems
from tests.scoring.command import call, predictions, printed, write_lines

pytestmark = pytest.mark.slow

NAMES = ("blocksworld", "ferry", "gripper", "visitall")


def domain_text(name):
    return (ROOT / "domains" / name / "domain.pddl").read_text()


def header(text):
    return text[: text.index("(:action")].rstrip() + ")"


def actions(text):
    return text[text.index("(:action") :].rstrip()[:-1]


def problems(name):
    """Two decided problems of a domain."""
    domain = read_domain(domain_text(name))
    records = []
    for problem in easy_problems(name, 2):
        plan = explore(ground(domain, problem)).optimal_plan()
        steps = [write_atom(step) for step in plan]
        records.append(
            {
                "name": problem.name,
                "pddl": write_problem(problem),
                "solvable": True,
                "plan": steps,
                "optimal_cost": len(steps),
            }
        )
    return records


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Four domains in both tables, split test."""
    folder = tmp_path_factory.mktemp("dataset")
    shared = [
        {
            "id": f"{name}/row",
            "domain": name,
            "source": "orrery",
            "license": "MIT",
            "gold_domain": domain_text(name),
            "problems": problems(name),
            **NOT_COMPOSED,
        }
        for name in NAMES
    ]
    texts = dict.fromkeys(("none", "sum", "map", "rel", "all"), "")
    for_actions = [
        row
        | {"header": header(row["gold_domain"]), "action_names": ["a"], "texts": texts, "explicitness": ""}
        for row in shared
    ]
    numbers = dict.fromkeys(("num_actions", "num_predicates", "num_types", "tokens"), 1)
    words = dict.fromkeys(("description_abstract", "description_concrete", "tokenizer", "sha256"), "")
    for_domains = [row | numbers | words | {"requirements": [], "style": "words"} for row in shared]
    write(folder, ACTION_MODELING, "action_modeling", for_actions)
    write(folder, DOMAIN_MODELING, "domain_modeling", for_domains)
    return folder


def write(folder, columns, table, rows):
    shards.write(folder / "data" / table / "test-00000-of-00001.parquet", columns, rows)


def predicted(path, outputs):
    return predictions(path, {f"{name}/row": output for name, output in outputs.items()})


def test_gold_scores_one_hundred_percent(dataset, tmp_path):
    for kind, cut in (("actions", actions), ("domains", str)):
        outputs = {name: f"Sure!\n```pddl\n{cut(domain_text(name))}\n```" for name in NAMES}
        summary = call(kind, predicted(tmp_path / f"{kind}.jsonl", outputs), dataset)
        shares = {name: count["share"] for name, count in summary["overall"]["shares"].items()}
        assert shares.pop("accepted_tarski") in (None, 1.0)
        assert set(shares.values()) == {1.0}
        means = {name: figures["value"] for name, figures in summary["overall"]["means"].items()}
        assert 0.8 < means.pop("levenshtein_ratio") <= 1.0  # actions under their header are laid out anew
        assert set(means.values()) == {1.0}
        ratios = {name: figures["value"] for name, figures in summary["overall"]["ratios"].items()}
        assert (
            ratios["solve_rate"] == ratios["exact_plan"] == ratios["good_plan"] == ratios["gold_plan"] == 1.0
        )
        assert ratios["action_accuracy"] == 1.0
        assert ratios["effects_distance"] == ratios["undecided_rate"] == 0.0
        assert summary["errors"] == {}
        assert summary["findings"] == {"good plan": 8}
        assert summary["by"]["domain"]["ferry"]["outputs"] == 1


def test_an_imported_set_is_scored_like_the_dataset(tmp_path):
    entries = [
        {"file_name": f"{name}.pddl", "pddl_domain": domain_text(name), "corrected_description": "Told."}
        for name in NAMES
    ]
    (tmp_path / "set.json").write_text(json.dumps(entries))
    imported = tmp_path / "imported"
    done = CliRunner().invoke(
        app, ["import", "text2world", str(tmp_path / "set.json"), "--out", str(imported)]
    )
    assert done.exit_code == 0, done.output
    lines = [{"id": f"text2world/{n:03}", "output": domain_text(name)} for n, name in enumerate(NAMES, 1)]
    write_lines(tmp_path / "said.jsonl", lines)
    summary = call("domains", tmp_path / "said.jsonl", imported, "--no-parsers")
    assert summary["overall"]["shares"]["equal"]["share"] == 1.0
    assert "no rows of action_modeling" in call("actions", tmp_path / "said.jsonl", imported, code=2)


def test_no_row_is_dropped_whatever_it_holds(dataset, tmp_path):
    outputs = {
        "blocksworld": "I cannot do that.",
        "ferry": None,
        "gripper": domain_text("gripper").replace("(at ?obj ?room) (at-robby ?room)", "(at ?obj ?room)"),
        "visitall": domain_text("visitall")[:-20],
    }
    path = predicted(tmp_path / "p.jsonl", outputs)
    summary = call("domains", path, dataset, "--no-parsers", "--out", str(tmp_path / "s.jsonl"))
    assert summary["outputs"] == summary["rows"] == 4
    assert summary["errors"] == {"IncorrectParentheses": 1, "Unparsable": 2}
    readable = summary["overall"]["shares"]["readable"]
    assert (readable["yes"], readable["no"], readable["share"]) == (2, 2, 0.5)
    ratios = summary["overall"]["ratios"]
    assert (ratios["action_accuracy"]["of"], ratios["solve_rate"]["of"]) == (11, 8)
    assert ratios["solve_rate"]["value"] == 0.25
    assert summary["outcomes"] == {"domain unreadable": 6, "solved": 2}
    assert summary["findings"]["missing precondition"] >= 1
    scores = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [row["id"] for row in scores] == [f"{name}/row" for name in NAMES]
    assert list(scores[0]) == scores_schema("domain_modeling").names
    unread = scores[0]
    assert (unread["error_class"], unread["effects_f1"], unread["equal"]) == ("Unparsable", 0.0, False)
    assert unread["executable"] is None


def test_unread_actions_score_zero_though_their_header_is_given(dataset, tmp_path):
    path = predicted(tmp_path / "p.jsonl", dict.fromkeys(NAMES, "sorry"))
    summary = call("actions", path, dataset, "--no-parsers", "--no-problems")
    assert summary["overall"]["means"]["predicates_f1"]["value"] == 0.0
    assert summary["errors"] == {"Unparsable": 4}
    assert summary["overall"]["ratios"]["solve_rate"] == {"value": None, "low": None, "high": None, "of": 0}


def test_half_characters_and_odd_bytes_are_stored(dataset, tmp_path):
    path = predicted(tmp_path / "p.jsonl", {"ferry": domain_text("ferry").replace("sail", "s\ud800il\0")})
    summary = call("domains", path, dataset, "--no-parsers")
    assert summary["rows_without_output"] == 3
    assert summary["findings"]["surface divergence"] == 1


def test_the_summary_can_be_read(dataset, tmp_path):
    path = predicted(tmp_path / "p.jsonl", {name: domain_text(name) for name in NAMES})
    text = printed("domains", path, dataset, "--no-parsers")
    assert "4 outputs for 4 of 4 rows" in text
    assert "solve rate" in text
    assert "100.0 (51.0-100.0)" in text
    assert "domain ferry" in text


def test_undecided_actions_problems_and_plans_are_in_no_other_rate():
    schema = scores_schema("domain_modeling")
    right = {
        "equal": True, "gold_actions": 3, "equal_actions": 3, "problems": 2, "solvable_problems": 2,
        "solved": 2, "agreeing": 2, "exact_plans": 2,
        **{name: 1.0 for name in schema.names if name.endswith("_f1")},
    }  # fmt: skip
    undecided = {
        "equal": None, "gold_actions": 3, "equal_actions": 1, "undecided_actions": 2, "problems": 2,
        "solvable_problems": 2, "undecided": 2, "undecided_solvable": 2, "undecided_exact": 2,
        "effects_f1": 0.5,
    }  # fmt: skip
    zeros = {field.name: 0 for field in schema if pa.types.is_integer(field.type)}
    table = pa.Table.from_pylist([zeros | row for row in (right, undecided)], schema)
    overall = tally(table, MEASURES, 2)["overall"]
    rates = {
        name: overall["ratios"][name] for name in ("action_accuracy", "solve_rate", "agreement", "exact_plan")
    }
    assert {name: (rate["value"], rate["of"]) for name, rate in rates.items()} == {
        "action_accuracy": (1.0, 4), "solve_rate": (1.0, 2), "agreement": (1.0, 2), "exact_plan": (1.0, 2),
    }  # fmt: skip
    assert overall["means"]["effects_f1"]["value"] == 1.0
    assert overall["shares"]["equal"]["share"] == 1.0
    counted = [overall["ratios"][name]["value"] for name in ("undecided_actions", "undecided_rate")]
    assert counted == [pytest.approx(1 / 3, abs=1e-6), 0.5]
