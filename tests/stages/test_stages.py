"""The stages in order on a tiny checkout: what they write, again, with workers, and after mishaps."""

import json
import os
import re
import shutil
from collections import Counter
from importlib.metadata import version
from itertools import combinations

import pytest

from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL, TEXTS
from orrery.installation import DISTRIBUTION
from orrery.planning import fast_downward
from orrery.problems.schemas import PROBLEMS
from orrery.stages.doctor import _check_folders
from orrery.store.shards import read_rows, shards, write
from tests.checkout import STAGES, build, contents, must, orrery, remade, spoil
from tests.effort import sample
from tests.tables import INTERMEDIATE, PUBLISHED

pytestmark = pytest.mark.slow

DOMAINS = ("blocksworld", "ferry")
FILES = {
    "problems/{}/problems.parquet",
    "problems/{}/rejects.parquet",
    "texts/{}/texts.parquet",
    "solutions/{}/solutions.parquet",
    "solutions/{}/solved_states.parquet",
    "questions/{}/rejects.parquet",
    "questions/{}/cells.parquet",
    "plans/{}/rejects.parquet",
    "worlds/{}/world.parquet",
    *(f"plans/{{}}/{table}.parquet" for table in PUBLISHED if table.startswith("plan_")),
    *(f"questions/{{}}/{table}.parquet" for table in PUBLISHED if table.startswith("acp_")),
}
# In these two worlds nothing worth asking is out of reach, and what a plan can do without shows by its names.
NOT_ASKED = {f"acp_{kind}_{form}" for kind in ("reach", "areach") for form in ("gen", "bool", "mcq")} | {
    "acp_just_bool", "acp_just_mcq",
}  # fmt: skip


@pytest.fixture
def root(two_domains, tmp_path):
    """A copy of the build to be spoilt."""
    return shutil.copytree(two_domains, tmp_path / "copy")


def table(root, stage, name, file):
    return list(read_rows(root / "outputs" / stage / name / f"{file}.parquet", INTERMEDIATE[file]))


def with_planner_only(root, states, *, asked=2):
    """Change a checkout so that a planner alone solves the problems of ferry: no generator, no search."""
    generator, params = root / "generators/ferry.py", root / "params.yaml"
    generator.write_text(generator.read_text() + "\ndel plan\n")
    text = params.read_text().replace("max_states: 20000", f"max_states: {states}")
    params.write_text(text.replace("with_questions: 2", f"with_questions: {asked}"))


def test_every_output_is_there(two_domains):
    made = {
        name
        for name in contents(two_domains / "outputs")
        if not name.startswith(("dataset", "descriptions", "."))
    }
    assert made == {file.format(name) for file in FILES for name in DOMAINS}
    there = {name for name in PUBLISHED if shards(two_domains / "outputs" / "dataset", name)}
    few_states = {"acp_land_mcq", "plan_solvability"}
    assert NOT_ASKED <= set(PUBLISHED) - there <= NOT_ASKED | few_states


def test_problems_have_texts_solutions_and_questions(two_domains):
    for name in DOMAINS:
        problems = {row["problem_id"]: row for row in table(two_domains, "problems", name, "problems")}
        assert 5 <= len(problems) <= 6
        assert {row["problem_id"] for row in table(two_domains, "texts", name, "texts")} == set(problems)
        solutions = table(two_domains, "solutions", name, "solutions")
        assert [row["problem_id"] for row in solutions] == list(problems)
        states = table(two_domains, "solutions", name, "solved_states")
        asked = Counter(problems[name]["split"] for name in {row["problem_id"] for row in states})
        there = Counter(row["split"] for row in problems.values())
        assert asked == {split: min(2, count) for split, count in there.items()}


def test_a_planner_is_named_with_the_version_of_its_own_package(two_domains):
    for name in DOMAINS:
        for row in table(two_domains, "solutions", name, "solutions"):
            package = "up-fast-downward" if row["planner"].startswith("fast-downward") else DISTRIBUTION
            assert row["planner_version"] == version(package), row["planner"]


def test_a_plan_of_fast_downward_has_its_version_too(root, tmp_path):
    with_planner_only(root, 2, asked=0)
    must(root, "solve", "ferry", "--jobs", "1")
    for row in table(root, "solutions", "ferry", "solutions"):
        assert row["planner"].startswith("fast-downward")
        assert row["planner_version"] == fast_downward.version()


def test_a_second_run_gives_the_same_bytes(root):
    before = contents(root / "outputs")
    build(root, DOMAINS)
    assert contents(root / "outputs") == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "stage", sample(["solve", "generate-questions", "generate", "render", "generate-plan-tasks"], 2)
)
def test_any_number_of_workers_gives_the_same_bytes(root, two_domains, monkeypatch, stage):
    """Work is handed to workers from the start here, not after a second of it."""
    monkeypatch.setenv("ORRERY_ENGINE", "pool")
    made = {
        "solve": "solutions", "generate-questions": "questions", "generate": "problems", "render": "texts",
        "generate-plan-tasks": "plans",
    }[stage]  # fmt: skip
    shutil.rmtree(root / "outputs" / made / "ferry")
    must(root, stage, "ferry", "--jobs", "2")
    assert contents(root / "outputs" / made / "ferry") == contents(two_domains / "outputs" / made / "ferry")


def test_a_summary_says_what_was_made(root):
    result = must(root, "generate", "ferry", "--jobs", "1")
    assert result.stdout == ""
    assert re.search(r"^generate ferry: 6 problems, .*\d in train", result.stderr, re.MULTILINE)
    said = must(root, "solve", "ferry", "--jobs", "1").stderr
    assert re.search(r"^solve ferry: 6 solved-optimally, \d+ states$", said, re.MULTILINE)


def failed(result, code):
    """What a command said that met bad input: one line, perhaps with a second one on the item at work."""
    assert result.exit_code == code, (result.exit_code, result.stderr, result.exception)
    assert result.stdout == ""
    # What takes longer than a moment says how far it is before.
    said = [
        line
        for line in result.stderr.splitlines()
        if not re.fullmatch(r"[\w: -]+: \d+%, \d+ of \d+ \[.*\]", line)
    ]
    line, *notes = said
    assert line.startswith("error: ")
    assert all(note.startswith("at ") for note in notes)
    return line


@pytest.mark.parametrize("stage", STAGES)
def test_an_unknown_domain_is_a_usage_error(root, stage):
    before = contents(root)
    line = failed(orrery(root, stage, "fery"), 2)
    assert "'fery'" in line
    assert "blocksworld, ferry" in line
    assert contents(root) == before


@pytest.mark.parametrize("stage", STAGES)
def test_malformed_pddl_is_named_with_line_and_column(root, stage):
    path = root / "domains/ferry/domain.pddl"
    text = path.read_text()
    path.write_text(text.replace("(not (at-ferry", "(not (at-fery", 1))
    line_number = 1 + text[: text.index("(not (at-ferry")].count("\n")
    before = contents(root)
    line = failed(orrery(root, stage, "ferry", "--jobs", "1"), 3)
    assert f"{path}:{line_number}:" in line
    assert "at-fery" in line
    assert contents(root) == before


@pytest.mark.parametrize("stage", ["render", "generate-questions", "generate-plan-tasks"])
def test_a_predicate_without_words_names_template_and_stub(root, stage):
    path = root / "templates/domains/ferry.j2"
    path.write_text(path.read_text().replace("macro fact_at(", "macro fact_somewhere("))
    before = contents(root)
    line = failed(orrery(root, stage, "ferry", "--jobs", "1"), 3)
    assert f"{path}: has no macros fact_at " in line
    assert "{% macro fact_at(c, l, variant) %}" in line
    assert contents(root) == before


@pytest.mark.parametrize(
    ("stage", "file", "arguments"),
    [
        ("render", "problems/ferry/problems.parquet", ["ferry"]),
        ("solve", "problems/ferry/problems.parquet", ["ferry"]),
        ("generate-questions", "problems/ferry/problems.parquet", ["ferry"]),
        ("generate-questions", "solutions/ferry/solved_states.parquet", ["ferry"]),
        ("generate-plan-tasks", "problems/ferry/problems.parquet", ["ferry"]),
        ("generate-plan-tasks", "solutions/ferry/solutions.parquet", ["ferry"]),
        ("assemble", "texts/ferry/texts.parquet", []),
        ("assemble", "questions/ferry/acp_app_gen.parquet", []),
        ("generate-worlds", "problems/ferry/problems.parquet", ["ferry"]),
        ("generate-worlds", "solutions/ferry/solutions.parquet", ["ferry"]),
        ("assemble", "plans/ferry/plan_reuse.parquet", []),
        ("assemble", "worlds/ferry/world.parquet", []),
        ("validate", "dataset/data/problems/train-00000-of-00001.parquet", ["--jobs", "1"]),
        ("validate", "texts/ferry/texts.parquet", ["--jobs", "1"]),
    ],
)
@pytest.mark.parametrize("damage", ["truncated", "missing", "empty", "overwritten"])
def test_a_damaged_file_is_named_with_its_mend(root, stage, file, arguments, damage):
    path = root / "outputs" / file
    if damage == "missing":
        path.unlink()
    else:
        content = path.read_bytes()
        half = content[:4] + bytes(len(content) // 2)  # the end, which says what there is, stays sound
        damaged = {"truncated": content[:-20], "empty": b"", "overwritten": half + content[len(half) :]}
        path.write_bytes(damaged[damage])
    if damage == "missing" and "dataset" in file:  # its rows are named
        assert re.search(
            r"problems/train-\d+-of-\d+\.parquet: is missing", failed(orrery(root, stage, *arguments), 3)
        )
        return
    before = contents(root)
    line = failed(orrery(root, stage, *arguments), 3)
    assert str(path) in line
    assert "dvc repro" in line
    assert contents(root) == before


def test_a_crashing_planner_is_a_named_outcome(root, monkeypatch, tmp_path):
    """A program that dies by a signal in the planner's place: every problem keeps its row."""
    with_planner_only(root, 1, asked=0)
    crash = tmp_path / "downward"
    crash.write_text("#!/bin/sh\nkill -SEGV $$\n")
    os.chmod(crash, 0o755)
    monkeypatch.setattr(fast_downward, "binary", lambda: crash)
    result = must(root, "solve", "ferry", "--jobs", "1")
    rows = table(root, "solutions", "ferry", "solutions")
    assert [row["outcome"] for row in rows] == ["error"] * 6
    assert {(row["solvable"], row["plan_cost"]) for row in rows} == {(None, None)}
    assert result.stderr.count("neither solved nor proven unsolvable: error") == 6
    assert orrery(root, "solve", "ferry", "--jobs", "1", "--strict").exit_code == 5


def test_a_planner_that_is_not_there_is_a_missing_tool(root, monkeypatch, tmp_path):
    with_planner_only(root, 1)
    monkeypatch.setattr(fast_downward, "binary", lambda: tmp_path / "no-such-program")
    before = contents(root / "outputs" / "solutions")
    line = failed(orrery(root, "solve", "ferry", "--jobs", "1"), 4)
    assert "no-such-program" in line
    assert contents(root / "outputs" / "solutions") == before


def test_an_invalid_plan_of_a_domain_names_its_generator(root):
    path = root / "generators/ferry.py"
    path.write_text(path.read_text() + "\ndef plan(problem):\n    return [('fly',)]\n")
    before = contents(root / "outputs")
    assert "generators/ferry.py: plan" in failed(orrery(root, "solve", "ferry", "--jobs", "1"), 3)
    assert contents(root / "outputs") == before


def limit(root, limits):
    """Change what easy problems of ferry are drawn within."""
    path = root / "domains/ferry/domain.yaml"
    spoil(path, "locations: [2, 3], cars: [2, 4]", limits)


def test_impossible_limits_end_with_the_constraint(root):
    limit(root, "locations: [0, 0], cars: [0, 0]")
    before = contents(root)
    line = failed(orrery(root, "generate", "ferry", "--jobs", "1"), 3)
    assert "generators/ferry.py" in line
    assert "constraint" in line
    after = contents(root)  # finished parts are kept, for the next run
    assert {name: after[name] for name in after if not name.startswith("outputs/.unfinished/")} == before


def test_problems_with_long_plans_make_no_other_problem_superfluous(root):
    params = root / "params.yaml"
    params.write_text(params.read_text().replace("max_states: 1000}", "max_states: 1000, bands: {25: 2}}", 1))
    assert "short" not in must(root, "generate", "ferry", "--jobs", "1", "--strict").stderr


def test_more_problems_than_there_are_is_partial(root):
    """Two cars make few problems: the rest is reported, and fatal only where asked so."""
    limit(root, "locations: [2, 3], cars: [2, 2]")
    params = root / "params.yaml"
    spoil(params, "easy: 6", "easy: 90")
    result = must(root, "generate", "ferry", "--jobs", "1")
    assert re.search(r"warning: \d+ problems short", result.stderr)
    assert "left out" in result.stderr
    assert orrery(root, "generate", "ferry", "--jobs", "1", "--strict").exit_code == 5
    rejects = table(root, "problems", "ferry", "rejects")
    assert {row["stage"] for row in rejects} == {"generate"}
    assert all(row["reason"] for row in rejects)


def test_a_build_passes_its_checks(root):
    """Each problem is given to another tool here, and rows of text stand in another order than usual."""
    params = root / "params.yaml"
    spoil(params, "recheck_sample_rate: 0.0", "recheck_sample_rate: 1.0")
    path = root / "outputs/dataset/data/text_to_pddl/train-00000-of-00001.parquet"
    write(path, TEXT_TO_PDDL, list(read_rows(path))[::-1])
    remade(root, DOMAINS)
    must(root, "validate", "--jobs", "1")
    assert (root / "outputs/report/index.html").exists()
    checked = json.loads((root / "outputs/report/validation.json").read_text())["checked"]
    external = {each["domain"]: each["rows"] for each in checked if each["check"] == "external"}
    ids = {name: [row["problem_id"] for row in table(root, "problems", name, "problems")] for name in DOMAINS}
    # Plans are validated; the first problem of a test split is solved as well.
    assert external == {name: len(ids[name]) + (f"{name}/test/000000" in ids[name]) for name in DOMAINS}


def said_of(root):
    """What the report says once validation failed."""
    failed(orrery(root, "validate", "--jobs", "1"), 3)
    verdict = json.loads((root / "outputs/report/validation.json").read_text())
    assert verdict["passed"] is False
    return [f"{each['row']}: {text}" for each in verdict["failed"] for text in each["faults"]]


def test_a_problem_in_two_splits_is_seen_by_both_routes(root):
    """A problem of test under other names in train: by its keys, and by a test that knows no keys."""
    data = root / "outputs/dataset/data/problems"
    test, train = (data / f"{split}-00000-of-00001.parquet" for split in ("test", "train"))
    stolen = next(row for row in read_rows(test) if row["domain"] == "ferry")
    rows = list(read_rows(train))
    number = next(n for n, row in enumerate(rows) if row["domain"] == "ferry")
    rows[number] = {**stolen, "id": rows[number]["id"]}
    write(train, PROBLEMS, rows)
    said = said_of(root)
    assert any("strict_key" in text and "in test and in train" in text for text in said)
    assert any("is the same problem as" in text for text in said)


def test_an_abstract_text_of_two_problems_is_seen(root):
    """Rendered and published alike, so that only the comparison of all problems shows it."""
    made = root / "outputs/texts/blocksworld/texts.parquet"
    rows = list(read_rows(made))
    size = {
        row["problem_id"]: row["num_objects"] for row in table(root, "problems", "blocksworld", "problems")
    }
    whole = [row for row in rows if row["mixture"] == "abstract-abstract"]
    pairs = [(a, b) for a, b in combinations(whole, 2) if size[a["problem_id"]] == size[b["problem_id"]]]
    one, two = pairs[0]
    sides = {side: one[side] for side in ("init_text", "goal_text")}
    write(made, TEXTS, [{**row, **sides} if row == two else row for row in rows])
    must(root, "assemble")
    stated = [text for text in said_of(root) if "its abstract text also describes another" in text]
    assert [name in stated[0] + stated[-1] for name in (one["problem_id"], two["problem_id"])] == [True, True]


def test_a_file_in_the_way_of_a_folder_is_one_message(root):
    shutil.rmtree(root / "outputs")
    (root / "outputs").write_text("mine")
    line = failed(orrery(root, "generate", "ferry", "--jobs", "1"), 3)
    assert f"{root / 'outputs'}" in line
    assert (root / "outputs").read_text() == "mine"


@pytest.mark.parametrize("stage", STAGES)
def test_a_folder_that_is_no_checkout_is_said_first(tmp_path, stage):
    assert "params.yaml: cannot be read" in failed(orrery(tmp_path, stage, "ferry"), 3)


def test_an_error_about_a_row_is_reported_by_its_id(root):
    path = root / "templates/domains/ferry.j2"
    macro = "{% macro fact_at_ferry(l, variant) %}"
    spoil(path, macro, macro + "{{ 1 / 0 }}")
    for stage in ("render", "generate-questions", "generate-plan-tasks"):
        notes = orrery(root, stage, "ferry", "--jobs", "1").stderr.splitlines()[1:]
        place = r"problem ferry/\w+/\d{6}" if stage == "render" else r"state ferry/\w+/\d{6}/[\w-]+"
        assert re.fullmatch(f"at {place}", notes[0])


def test_a_domain_of_problem_files_needs_one_line_for_a_generator(root):
    """The doctor asks for what dvc.yaml names; with it, problems come from the files alone."""
    generator, folder = root / "generators/ferry.py", root / "domains/ferry/problems"
    folder.mkdir()
    for row in table(root, "problems", "ferry", "problems"):
        (folder / f"{row['index']}.pddl").write_text(row["problem_pddl"])
    generator.unlink()
    assert any("TASKS = ()" in fault for fault in _check_folders(root)[0])
    generator.write_text("TASKS = ()\n")
    params = root / "params.yaml"
    params.write_text(re.sub(r", tasks: \{.*\}\}", "}", params.read_text()))
    description = root / "domains/ferry/domain.yaml"
    description.write_text(re.sub(r"(?m)^test_tasks:.*\n( +- .*\n)*", "", description.read_text()))
    assert _check_folders(root)[0] == []
    must(root, "generate", "ferry", "--jobs", "1")
    assert {row["task"] for row in table(root, "problems", "ferry", "problems")} == {"file-to-file"}
    for path in folder.iterdir():
        path.unlink()
    (folder / "idle.pddl").write_text("(define (problem idle) (:domain ferry) (:init) (:goal (and)))")
    result = orrery(root, "generate", "ferry", "--jobs", "1")
    assert f"{folder / 'idle.pddl'}: none of 1 problems can be used; the first: goal holds" in result.stderr
