"""Two runs are compared on the rows that both decided, row by row, or the comparison is refused."""

import json
from random import Random

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from orrery.cli.compare import By
from orrery.cli.main import app
from orrery.evaluation.results.comparison import compare, lines
from orrery.evaluation.results.runs import GROUPS, EvaluationRun, read_run, scores_schema, write_run
from orrery.evaluation.results.statistics import (
    PairedCounts,
    clustered_difference,
    holm,
    rounded,
    sign_test,
)
from orrery.model import UsageError
from tests.effort import slow, some
from tests.evaluation.results.samples import ABOUT, row, rows


def two(folder, first, second, *, about=ABOUT, second_about=ABOUT):
    write_run(folder / "one", first, about)
    write_run(folder / "two", second, second_about)
    return read_run(folder / "one"), read_run(folder / "two")


def value_of(scores, by):
    if by != "plan_length":
        return scores[by]
    bins = ((0, "0"), (2, "1-2"), (5, "3-5"), (10, "6-10"), (20, "11-20"), (50, "21-50"))
    return next(name for most, name in bins if scores[by] <= most)


def test_only_rows_that_both_decided_count(tmp_path):
    first = rows(["right", "right", "wrong", "failed", "undecided", "right", "unparsed"])
    second = rows(["right", "wrong", "right", "right", "right", "failed", "unparsed", "right"])
    comparison = compare(*two(tmp_path, first, second))
    overall = comparison["overall"]
    counts = ("rows", "only_first", "only_second", "first", "second", "p")
    assert [overall[name] for name in counts] == [4, 1, 1, 0.5, 0.5, 1.0]
    pairs = [PairedCounts(*(int(n == cell) for n in range(4))) for cell in range(4)]
    assert overall["difference"] == rounded(clustered_difference(pairs))
    assert (comparison["only_in"], comparison["undecided_in"]) == ([0, 1], [2, 1])
    text = "\n".join(lines(comparison))
    assert "left out: 1 rows that only two was asked, 1 that it left open" in text
    assert "left out: 0 rows that only one was asked, 2 that it left open" in text


@slow
def test_figures_agree_with_a_plain_count_in_every_group(tmp_path):
    rng = Random(2)

    def drawn(right):
        verdicts = ["right", "wrong", "unparsed", "failed"]
        weights = (right, 0.9 - right, 0.05, 0.05)
        return [
            row(
                f"{n:04}",
                table=f"t{n % 3}",
                domain=f"d{n % 4}",
                plan_length=n % 30,
                verdict=rng.choices(verdicts, weights)[0],
            )
            for n in range(300)
        ]

    first, second = drawn(0.8), drawn(0.6)
    runs = two(tmp_path, first, second)
    for by in ("table", "domain", "plan_length"):
        comparison = compare(*runs, by)
        assert sum(group["rows"] for group in comparison["groups"].values()) == comparison["overall"]["rows"]
        chances = []
        for value, group in comparison["groups"].items():
            of_group = [
                (a["value"], b["value"])
                for a, b in zip(first, second, strict=True)
                if value_of(a, by) == value and "failed" not in (a["verdict"], b["verdict"])
            ]
            assert group["rows"] == len(of_group)
            assert group["only_first"] == sum(a > b for a, b in of_group)
            assert group["only_second"] == sum(a < b for a, b in of_group)
            assert group["first"] == pytest.approx(sum(a for a, _ in of_group) / len(of_group))
            chances.append(sign_test([int(a - b) for a, b in of_group]))
            assert group["p"] == chances[-1]
        assert [group["p_holm"] for group in comparison["groups"].values()] == holm(chances)
    assert compare(*runs)["overall"]["p"] < 0.001
    assert compare(*runs)["overall"]["difference"]["low"] > 0


@slow
def test_rows_of_one_problem_are_no_independent_evidence(tmp_path):
    def compared(problems):
        first = rows(["right"] * 30 + ["wrong"] * 10)
        second = rows(["right"] * 15 + ["wrong"] * 25)
        runs = [
            [{**score, "problem_id": str(n // problems)} for n, score in enumerate(run)]
            for run in (first, second)
        ]
        return compare(*two(tmp_path, *runs))["overall"]

    apart, together = compared(1), compared(5)
    assert (apart["problems"], together["problems"]) == (40, 8)
    assert apart["p"] == pytest.approx(2 / 2**15)
    assert together["p"] == pytest.approx(2 / 2**3)
    assert together["difference"]["low"] < 0 < apart["difference"]["low"]
    assert together["rows_needed"]["0.01"] > 4 * apart["rows_needed"]["0.01"]


@slow
def test_swapped_runs_give_the_mirror_image(tmp_path):
    runs = two(tmp_path, rows(["right"] * 9 + ["wrong"] * 3), rows(["right"] * 4 + ["wrong"] * 8))
    forth, back = compare(*runs)["overall"], compare(*runs[::-1])["overall"]
    assert (forth["p"], forth["only_first"]) == (back["p"], back["only_second"])
    assert forth["difference"]["value"] == -back["difference"]["value"]


def test_only_several_groups_are_corrected_and_the_needed_rows_are_printed(tmp_path):
    first, second = rows(["right", "wrong"] * 20), rows(["right"] * 20 + ["wrong"] * 20)
    one = compare(*two(tmp_path, first, second))
    assert [group["p_holm"] for group in one["groups"].values()] == [None]
    [line] = [line for line in lines(one) if line.startswith("Rows for a difference of 1, 2, 5 points")]
    needed = one["overall"]["rows_needed"]
    assert line.endswith(f": {'; '.join(f'{rows:,}' for rows in needed.values())}.")
    assert [*needed] == ["0.01", "0.02", "0.05"]


def test_a_run_is_as_good_as_itself(tmp_path):
    run, _ = two(tmp_path, rows(["right", "wrong"] * 5), [row()])
    overall = compare(run, run)["overall"]
    assert (overall["p"], overall["difference"]["value"]) == (1.0, 0.0)
    assert overall["difference"]["low"] < 0 < overall["difference"]["high"]


@slow
def test_equal_models_seldom_differ():
    rng, alarms, draws = Random(4), 0, some(200)

    def drawn(name):
        outcomes = rows([rng.choice(["right", "wrong"]) for _ in range(40)], run=name)
        return EvaluationRun(name, ABOUT, pa.Table.from_pylist(outcomes, scores_schema()))

    for _ in range(draws):
        alarms += compare(drawn("one"), drawn("two"))["overall"]["p"] < 0.05
    assert alarms / draws <= 0.1


def test_prompts_that_differ_are_named_side_by_side(tmp_path):
    comparison = compare(*two(tmp_path, [row()], [row(representation="pddl")]), "representation")
    assert list(comparison["groups"]) == ["words / pddl"]


def test_numbers_that_only_one_version_of_the_data_has_are_a_group(tmp_path):
    lengths = {"one": (None, 3, 12), "two": (3, 3, 9)}
    runs = []
    for name, of_run in lengths.items():
        scores = [row(str(place), plan_length=length) for place, length in enumerate(of_run)]
        write_run(tmp_path / name, scores, {**ABOUT, "data": name})
        runs.append(read_run(tmp_path / name))
    comparison = compare(*runs, "plan_length", other_data=True)
    assert [*comparison["groups"]] == ["3-5", "11-20 / 6-10", "none / 3-5"]


@slow
def test_what_cannot_be_compared_is_refused(tmp_path):
    with pytest.raises(UsageError, match="share no rows"):
        compare(*two(tmp_path, [row("a")], [row("b")]))
    changed_about = {**ABOUT, "data": "def"}
    with pytest.raises(UsageError, match=r"used different data: abc and def .*--other-data"):
        compare(*two(tmp_path, [row()], [row()], second_about=changed_about))
    comparison = compare(
        *two(tmp_path, [row()], [row()], second_about={**changed_about, "finished": False}), other_data=True
    )
    assert len(comparison["warnings"]) == 2
    with pytest.raises(UsageError, match="groups: table, domain"):
        compare(*two(tmp_path, [row()], [row()]), "colour")
    nothing = compare(*two(tmp_path, [row(verdict="failed")], [row()]))["overall"]
    assert (nothing["rows"], nothing["p"], nothing["difference"]["low"]) == (0, 1.0, -1.0)


@slow
def test_the_command_names_every_group_and_finds_runs_by_name_and_path(tmp_path):
    assert [str(by) for by in By] == list(GROUPS)
    evals = tmp_path / "outputs" / "evals"
    two(evals, rows(["right"] * 8), rows(["wrong"] * 8))
    arguments = ["compare", "one", str(evals / "two"), "--root", str(tmp_path)]
    plain = CliRunner().invoke(app, arguments)
    assert plain.exit_code == 0
    assert "first: one (demo)" in plain.stdout
    line = next(line for line in plain.stdout.splitlines() if line.startswith("acp_app_gen"))
    assert line.split()[:6] == ["acp_app_gen", "8", "8", "100.0", "0.0", "+100.0"]
    record = json.loads(CliRunner().invoke(app, [*arguments, "--json", "--by", "domain"]).stdout)
    assert record["groups"]["ferry"]["p"] == pytest.approx(2 / 2**8)
    itself = CliRunner().invoke(app, ["compare", "one", str(evals / "one"), "--root", str(tmp_path)])
    assert (itself.exit_code, itself.stdout) == (2, "")
    assert "cannot be compared with itself" in itself.stderr
    missing = CliRunner().invoke(app, ["compare", "one", "three", "--root", str(tmp_path)])
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr.startswith("error: ")
    assert "runs: one, two" in missing.stderr
