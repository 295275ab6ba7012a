"""Accuracy by group: what is counted, what is left out, and how wide the intervals are."""

import json
from random import Random

import pyarrow as pa
import pytest

from orrery.evaluation.results.runs import GROUPS, read_run, write_run
from orrery.evaluation.results.statistics import Interval, percent, rounded
from orrery.evaluation.results.tallies import summary, text
from orrery.scoring.tally import query
from tests.effort import slow
from tests.evaluation.results.samples import ABOUT, accuracy, row, rows, turns
from tests.every_domain import ROOT


def found(folder, results, **about):
    write_run(folder / "run", results, {**ABOUT, **about})
    return summary(read_run(folder / "run"))


def lines_of(tallies):
    return text(tallies, ROOT / "templates").splitlines()


def test_failed_and_undecided_are_left_out_of_accuracy_and_counted(tmp_path):
    verdicts = ["right"] * 6 + ["wrong"] * 2 + ["unparsed"] * 2 + ["undecided"] * 5 + ["failed"] * 7
    overall = found(tmp_path, rows(verdicts))["overall"]
    assert overall == {
        "replies": 22,
        "right": 6,
        "wrong": 2,
        "unparsed": 2,
        "undecided": 5,
        "failed": 7,
        "accuracy": rounded(accuracy(6, 4)),
        "first_accuracy": 0.6,
    }


def test_every_group_adds_up_and_rows_without_the_property_are_in_none(tmp_path):
    rng = Random(1)
    results = [
        row(
            f"{n:05}",
            table=rng.choice(["acp_app_gen", "text_to_pddl"]),
            domain=rng.choice(["ferry", "grid"]),
            kind=rng.choice(["app", ""]),
            format=rng.choice(["gen", "bool", ""]),
            representation=rng.choice(["words", "pddl", "both"]),
            difficulty=rng.choice([None, "easy", "hard"]),
            plan_length=rng.choice([None, 0, 1, 7, 99]),
            verdict=rng.choice(["right", "wrong", "failed"]),
        )
        for n in range(500)
    ]
    by = found(tmp_path, results)["by"]
    for group in ("table", "domain", "kind", "format", "representation", "difficulty"):
        expected = {r[group] for r in results} - {None, ""}
        assert list(by[group]) == sorted(expected)
        for value, share in by[group].items():
            mine = [r for r in results if r[group] == value]
            assert share["replies"] == len(mine)
            right, decided = (
                sum(r["verdict"] == "right" for r in mine),
                sum(r["verdict"] != "failed" for r in mine),
            )
            assert share["accuracy"]["value"] == round(right / decided, 6)
    assert list(by["plan_length"]) == ["0", "1-2", "6-10", "51 or more"]


@slow
def test_composed_domains_with_seen_and_with_unseen_mechanics_stand_side_by_side(tmp_path):
    verdicts = {"both": "right", "mechanics": "wrong", "theme": "wrong", "neither": "undecided", "": "right"}
    levels = ("explicit", "everyday", "sparse", "", "")
    results = [
        row(seen, seen=seen, verdict=verdict, explicitness=level)
        for (seen, verdict), level in zip(verdicts.items(), levels, strict=True)
    ]
    tallies = found(tmp_path, results)
    assert {
        value: (share["replies"], share["accuracy"]) for value, share in tallies["by"]["mechanics"].items()
    } == {
        "seen": (2, rounded(accuracy(1, 1))),
        "unseen": (2, rounded(accuracy(0, 1))),
    }
    assert list(tallies["by"]["explicitness"]) == ["explicit", "everyday", "sparse"]
    lines = "\n".join(lines_of(tallies))
    assert "\nmechanics seen " in lines
    assert "\nexplicitness sparse " in lines
    others = found(tmp_path, [row()])
    assert (others["by"]["mechanics"], others["by"]["explicitness"]) == ({}, {})
    assert "mechanics" not in "\n".join(lines_of(others))


def test_bins_of_plan_lengths_leave_no_gap():
    lengths = pa.table({"plan_length": [*range(60), None]})
    sql = f"select {GROUPS['plan_length']} as bin from lengths"
    *names, unknown = [row["bin"] for row in query(sql, {"lengths": lengths})]
    assert list(dict.fromkeys(names)) == ["0", "1-2", "3-5", "6-10", "11-20", "21-50", "51 or more"]
    for length, name in enumerate(names):
        low, _, high = name.removesuffix(" or more").partition("-")
        assert int(low) <= length <= (int(high) if high else 10**9 if "more" in name else int(low))
    assert unknown is None


def test_tables_count_once_in_the_mean_and_those_without_accuracy_are_named(tmp_path):
    results = rows(["right"] * 90 + ["wrong"] * 10, table="large") + rows(["wrong"] * 10, table="small")
    tallies = found(tmp_path, results + rows(["failed"] * 3, table="silent"))
    assert tallies["macro"]["low"] < tallies["macro"]["value"] == 0.45 < tallies["macro"]["high"]
    assert tallies["without_accuracy"] == ["silent"]
    assert any("no accuracy, for nothing was decided: silent" in line for line in lines_of(tallies))


@slow
def test_rows_of_one_problem_count_less(tmp_path):
    def intervals(problems):
        scores = rows(["right", "right", "wrong", "wrong"] * 20)
        scores = [{**score, "problem_id": str(n // problems)} for n, score in enumerate(scores)]
        tallies = found(tmp_path, scores)
        shares = (tallies["overall"], tallies["by"]["domain"]["ferry"])
        return [Interval(**figure) for figure in (*(one["accuracy"] for one in shares), tallies["macro"])]

    apart, together = (next(iter(set(intervals(problems)))) for problems in (1, 2))
    assert len(set(intervals(2))) == 1
    assert together.high - together.low == pytest.approx(2**0.5 * (apart.high - apart.low), rel=0.05)


@slow
def test_what_failed_stands_first_with_its_reasons(tmp_path):
    results = [
        *(row(f"{n}", verdict="failed", failure=f"429 slow down\nline {n}") for n in range(3)),
        row("x", verdict="failed", failure="401 wrong key"),
        row("y", verdict="undecided", detail="the search ended at 10 states"),
        row("z"),
    ]
    tallies = found(tmp_path, results, finished=False, rows={"acp_app_gen": 10, "text_to_pddl": 2})
    assert tallies["missing"] == {"acp_app_gen": 4, "text_to_pddl": 2}
    assert lines_of(tallies)[:7] == [
        "run run: demo, 6 replies, not finished",
        "not asked yet: 6 (acp_app_gen 4, text_to_pddl 2)",
        "failed: 4, left out of accuracy",
        "  3 x 429 slow down",
        "  1 x 401 wrong key",
        "undecided: 1, left out of accuracy",
        "  1 x the search ended at 10 states",
    ]


@slow
def test_the_printed_table_has_a_line_a_table_then_the_groups(tmp_path):
    results = rows(["right", "wrong"], table="acp_app_gen") + rows(
        ["right"], table="plan_reuse", kind="reuse"
    )
    lines = lines_of(found(tmp_path, results))
    start = lines.index("")
    assert lines[start + 1].split() == ["replies", "unparsed", "undecided", "failed", "accuracy"]
    assert [line.split()[0] for line in lines[start + 2 : start + 6]] == [
        "acp_app_gen",
        "plan_reuse",
        "all",
        "mean",
    ]
    assert lines[start + 2].split() == ["acp_app_gen", "2", *percent(accuracy(1, 1)).split()]
    assert lines[start + 5].split()[:4] == ["mean", "of", "2", "tables"]
    assert any(line.startswith("kind reuse") for line in lines[start + 6 :])


@slow
def test_first_replies_stand_beside_the_last_where_some_were_corrected(tmp_path):
    results = [
        *turns("a", "wrong", "undecided", "right"),
        *turns("b", "right"),
        *turns("c", "unparsed", "wrong", "wrong"),
        *turns("d", "undecided", "right"),
    ]
    tallies = found(tmp_path, results)
    assert tallies["corrected"]
    assert tallies["overall"]["first_accuracy"] == pytest.approx(1 / 3, abs=1e-6)
    assert tallies["overall"]["accuracy"]["value"] == 0.75
    assert (tallies["overall"]["replies"], tallies["by"]["table"]["acp_app_gen"]["replies"]) == (4, 4)
    assert tallies["undecided"] == {}
    assert "first reply" in lines_of(tallies)[lines_of(tallies).index("") + 1]
    assert "33.3" in next(line for line in lines_of(tallies) if line.startswith("all replies"))
    assert "first reply" not in "\n".join(lines_of(found(tmp_path, [row()])))


@slow
def test_tokens_are_summed_where_the_server_counts_them(tmp_path):
    tallies = found(tmp_path, [row("a"), row("b", input_tokens=None, output_tokens=None)])
    assert (tallies["input_tokens"], tallies["output_tokens"]) == (10, 2)
    assert found(tmp_path, [row(input_tokens=None)])["input_tokens"] is None


@slow
def test_a_summary_is_json_and_a_run_without_rows_has_one(tmp_path):
    tallies = found(tmp_path, [])
    assert json.loads(json.dumps(tallies))["overall"]["accuracy"] is None
    assert lines_of(tallies)
    assert json.loads(json.dumps(found(tmp_path, [row()])))["by"]["domain"]["ferry"]["right"] == 1
