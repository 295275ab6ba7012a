"""Published files of every layout are read, judged and written; what cannot be read is refused."""

import gzip
import json
from dataclasses import replace

import pytest

from orrery.corpus.acpbench import redecide
from orrery.dataset.contents import content_hash
from orrery.families.modelling.schemas import FILE, LOG
from orrery.library.loading import load
from orrery.model import OrreryError, literals
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.planning.decide import ProofBudget
from orrery.planning.execution import progress
from orrery.planning.exhaustive_python import explore
from orrery.planning.grounding import ground
from orrery.stages import import_acpbench, imports
from orrery.stages.import_acpbench import run
from orrery.store.shards import read_rows, shards, splits
from tests.effort import by_day, slow
from tests.every_domain import easy_problems, entry
from tests.universe import applicable_steps


def published(number, answer, **more):
    problem = easy_problems("ferry", 1)[0]
    return {
        "id": number,
        "group": "applicable_actions_gen",
        "context": "A ferry carries cars between locations.",
        "question": "Which actions?",
        "answer": answer,
        "PDDL_domain": write_domain(entry("ferry").domain),
        "PDDL_problem": write_problem(problem),
        **more,
    }


def solved():
    """A domain, an easy problem of it, and a shortest plan as text."""
    domain, problem = entry("ferry").domain, easy_problems("ferry", 1)[0]
    plan = explore(ground(domain, problem), limit=10_000).optimal_plan()
    return domain, problem, [*map(write_atom, plan)]


@pytest.fixture
def folder(tmp_path):
    """A published folder: a list of rows, a packed list of choices, lines, and files of other things."""
    problem = easy_problems("ferry", 1)[0]
    steps = [write_atom(step) for step in applicable_steps(entry("ferry").domain, problem, problem.init)]
    assert len(steps) > 1
    found = tmp_path / "dataset"
    (found / "app").mkdir(parents=True)
    (found / "app" / "dev.gen.json").write_text(json.dumps([published(-7, steps), published(8, steps[1:])]))
    choice = {"id": 9, "group": "applicable_actions_mc", "context": "", "question": "A or B?", "answer": "A"}
    packed = json.dumps([{**choice, "choices": {"text": ["x", "y"], "label": ["A", "B"]}}])
    (found / "app" / "test.mcq.json.gz").write_bytes(gzip.compress(packed.encode()))
    outside = published(10, steps, PDDL_domain="(define (domain d) (:durative-action a))")
    (found / "acp_app_gen-test.jsonl").write_text(json.dumps(outside) + "\n")
    (found / "package.json").write_text('{"name": "site"}')
    return found


def rows_of(dataset, table, split, name="published_id"):
    return {row[name]: row for path in shards(dataset, table, split) for row in read_rows(path)}


def imported(folder, rows):
    """The summary of an import whose file of open development questions has these rows, and its dataset."""
    (folder / "app" / "dev.gen.json").write_text(json.dumps(rows))
    out = folder.parent / "out"
    return run(folder, out), out


def deviations(dataset):
    return [f"{entry['item']}: {entry['what']}" for entry in read_rows(dataset / FILE, LOG)]


def test_all_rows_are_judged_and_distinguished(folder, tmp_path):
    summary = run(folder, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "acp_app_gen", "validation")
    assert {name: row["published_verdict"] for name, row in rows.items()} == {"-7": "right", "8": "wrong"}
    assert {name: row["published_grade"] for name, row in rows.items()} == {"-7": "right", "8": "wrong"}
    assert rows["8"]["answer"] == rows["-7"]["answer"] == json.loads(rows["-7"]["published_answer"])
    (choice,) = rows_of(tmp_path / "out", "acp_app_mcq", "test").values()
    assert choice["choices"] == {"text": ["x", "y"], "label": ["A", "B"]}
    assert (choice["answer"], choice["published_verdict"], choice["published_grade"]) == (
        "A",
        "outside",
        "right",
    )
    (outside,) = rows_of(tmp_path / "out", "acp_app_gen", "test").values()
    assert outside["published_verdict"] == "outside"
    assert summary.made == {"rows": 4, "app right": 1, "app wrong": 1}
    assert summary.left_out == {
        "outside: PDDL outside the subset": 1,
        "outside: the row holds no PDDL": 1,
    }
    assert summary.warnings[0] == "acp_app_gen: our grader does not accept 1 of 3 published answers"


def test_equal_published_ids_give_different_ids_and_other_rows_are_named(folder, tmp_path):
    steps = json.loads((folder / "app" / "dev.gen.json").read_text())[0]["answer"]
    strange = [published(-7, steps), published(1, steps, group="tower_gen"), published(2, "(sail l0 l1)")]
    (folder / "app" / "train.gen.json").write_text(json.dumps([*strange, published(-7, steps)]))
    summary = run(folder, tmp_path / "out")
    files = shards(tmp_path / "out", "acp_app_gen")
    ids = [row["id"] for path in files for row in read_rows(path)]
    assert sorted(name for name in ids if "-7" in name) == [
        "acpbench/app_gen/-7", "acpbench/app_gen/-7/2", "acpbench/app_gen/-7/3",
    ]  # fmt: skip
    assert len(set(ids)) == len(ids)
    assert any("has an unknown group: 'tower_gen'" in warning for warning in summary.warnings)
    assert any(
        "app/train.gen.json, from row 2: is not a row" in line for line in deviations(tmp_path / "out")
    )


def test_the_published_answer_of_each_kind_is_judged_and_graded(folder):
    domain, problem, plan = solved()
    applicable = applicable_steps(domain, problem, problem.init)
    sail, one, two = next(step for step in applicable if step[0] == "sail")
    trip = [f"({sail} {one} {two})", f"({sail} {two} {one})"]
    twice, longer = f'the sequence "{plan[0]} {plan[0]}"', f'the plan "{" ".join([*trip, *plan])}"'
    closer = {"no": [], "maybe": [], "opt": str(len(plan))}
    answers = [  # a right one and a wrong one of each kind
        ("validation_gen", f"Which is the first inapplicable action of {twice}?", 1, 0),
        ("action_justification_gen", f"Simplify {longer}.", [[*trip, "-1"]], [[plan[-1], "1"]]),
        ("goal_closer_gen", "Which next?", {**closer, "yes": plan[:1]}, {**closer, "yes": plan[-1:]}),
    ]
    rows = [
        {**published(number, answer), "group": group, "question": text}
        for group, text, *both in answers
        for number, answer in enumerate(both)
    ]
    _, out = imported(folder, rows)
    for table in ("acp_val_gen", "acp_just_gen", "acp_nexta_gen"):
        right, wrong = rows_of(out, table, "validation").values()
        assert right["published_verdict"] in ("right", "incomplete"), right["published_detail"]
        assert (right["published_grade"], wrong["published_verdict"], wrong["published_grade"]) == (
            "right",
            "wrong",
            "wrong",
        )
        items = load(out, table, "validation")
        assert [item.score(item.gold).verdict for item in items] == ["right", "right"]


def test_a_folder_whose_rows_are_all_left_out_is_an_error(tmp_path):
    row = {**published(1, {"pos": [], "neg": []}), "group": "progression_gen", "question": "And (wait)?"}
    (tmp_path / "r" / "prog").mkdir(parents=True)
    (tmp_path / "r" / "prog" / "dev.gen.json").write_text(json.dumps([row]))
    with pytest.raises(OrreryError, match=r"from row 0: left out, no answer is right"):
        run(tmp_path / "r", tmp_path / "out")
    assert [*tmp_path.iterdir()] == [tmp_path / "r"]


def test_wrong_published_answers_are_never_the_answer_of_a_row(folder):
    """A row has the decided answer; a row whose question has none is left out, listed and counted."""
    domain, problem, plan = solved()
    step = next(step for step in applicable_steps(domain, problem, problem.init) if step[0] == "sail")
    after = progress(domain, problem.init, step)
    effects = {
        "pos": [*map(write_atom, sorted(after - problem.init))],
        "neg": [*map(write_atom, sorted(problem.init - after))],
    }
    false = {"pos": effects["neg"], "neg": effects["pos"]}
    unsolvable = write_problem(replace(problem, goal=literals({("at-ferry", one) for one in step[1:]})))
    closer = {"yes": plan[:1], "no": [], "maybe": [], "opt": "1"}
    cases = [
        ("progression_gen", f"What does {write_atom(step)} change?", false, {}),
        ("progression_gen", "What does (wait) change?", false, {}),
        ("action_justification_gen", f"Simplify {plan[0]}.", [[plan[0], "1"]], {}),
        ("action_justification_gen", f"Simplify {' '.join(plan)}.", [], {}),
        ("validation_gen", f"Which action of {plan[0]} fails?", 0, {}),
        ("goal_closer_gen", "Which next?", closer, {"PDDL_problem": unsolvable}),
    ]
    rows = [
        {**published(number, answer, **more), "group": group, "question": text}
        for number, (group, text, answer, more) in enumerate(cases)
    ]
    summary, out = imported(folder, rows)
    (row,) = rows_of(out, "acp_prog_gen", "validation").values()
    assert (row["published_verdict"], row["published_grade"]) == ("wrong", "wrong")
    assert row["answer"] == effects
    assert splits(out).keys() == {"acp_app_gen", "acp_app_mcq", "acp_prog_gen"}
    assert summary.left_out["no answer is right"] == len(cases) - 1
    listed = [line for line in deviations(out) if "no answer is right" in line]
    assert [line.split(":")[0] for line in listed] == [
        f"app/dev.gen.json, from row {number}" for number in range(1, len(cases))
    ]


@pytest.mark.parametrize("domain", ["(" * 5000, "(define (domain ferry)"])
def test_a_row_with_pddl_that_graders_cannot_read_is_left_out_and_listed(folder, domain):
    rows = [published(1, [], PDDL_domain=domain), published(2, [])]
    summary, out = imported(folder, rows)
    assert [*rows_of(out, "acp_app_gen", "validation")] == ["2"]
    assert summary.left_out["replies cannot be graded"] == 1
    (line,) = (line for line in deviations(out) if "cannot be graded" in line)
    assert line.startswith("app/dev.gen.json, from row 0")


def test_a_published_answer_without_elements_is_no_right_reply(folder):
    """The published answer leaves out a removal, so no reply belongs to it."""
    domain, problem, plan = solved()
    _, one, two = next(s for s in applicable_steps(domain, problem, problem.init) if s[0] == "sail")
    question = f"Simplify (sail {one} {two}) (sail {two} {one}) {' '.join(plan)}."
    row = {**published(1, []), "group": "action_justification_gen", "question": question}
    summary, out = imported(folder, [row])
    (row,) = rows_of(out, "acp_just_gen", "validation").values()
    assert row["answer"]
    assert row["published_grade"] != "right"
    assert "acp_just_gen: our grader does not accept 1 of 1 published answers" in summary.warnings


def test_an_interrupted_import_keeps_the_rows_decided_and_goes_on(folder, tmp_path, monkeypatch):
    decided = []

    def judged(row, effort):
        if len(decided) == 2:
            raise KeyboardInterrupt
        decided.append(row["id"])
        return redecide(row, effort)

    monkeypatch.setattr(imports, "PART", 1)
    monkeypatch.setattr(import_acpbench, "redecide", judged)
    with pytest.raises(KeyboardInterrupt):
        run(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    again = []
    monkeypatch.setattr(
        import_acpbench, "redecide", lambda row, e: (again.append(row["id"]), redecide(row, e))[1]
    )
    run(folder, tmp_path / "out")
    assert len(again) == 2
    names = {name.rpartition("/")[2] for name in (*again, *decided)}
    assert names == {"-7", "8", "9", "10"}
    monkeypatch.undo()
    run(folder, tmp_path / "whole")
    assert content_hash(tmp_path / "out") == content_hash(tmp_path / "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset", "out", "whole"]


@by_day(4)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", ": is not JSON"),
        (b"[1, 2", ": is not JSON"),
        (b"[1, 2]", ": row 0: is not a row"),
        (b'[{"id": 1, "group": "applicable_actions_gen"}]', ": row 0: `context`: is not a row"),
        (b'[{"id": 1, "id": 1}]', ": `id`: a key is given twice with the same value"),
        (b'[{"id": 1, "id": 2}]', ": `id`: a key is given twice with different values"),
        (b"\xef\xbb\xbf[]", ": begins with a byte order mark"),
        (b"[\r\n]", ": has line ends of another system"),
        ('[{"id": "\xe9"}]'.encode("latin-1"), ": is not UTF-8, and is read as Latin-1"),
    ],
)
def test_a_deviating_file_is_named_and_the_others_are_read(folder, tmp_path, content, problem):
    (folder / "app" / "dev.gen.json").write_bytes(content)
    summary = run(folder, tmp_path / "out")
    assert summary.made["rows"] == 2
    first = next(warning for warning in summary.warnings if "dev.gen.json" in warning)
    assert f"dev.gen.json{problem}" in first


def test_a_bad_line_is_named_and_the_others_are_read(folder, tmp_path):
    path = folder / "acp_app_gen-test.jsonl"
    path.write_text("{\n" + path.read_text() + "[1\n")
    summary = run(folder, tmp_path / "out")
    assert summary.made["rows"] == 4
    (warning,) = (line for line in summary.warnings if "is not JSON" in line)
    assert "acp_app_gen-test.jsonl:1: is not JSON" in warning
    assert "1 more" in warning


def test_rows_have_their_place_in_the_file_also_after_a_bad_line_and_in_a_list(folder, tmp_path):
    path = folder / "acp_app_gen-test.jsonl"
    line = path.read_text()
    path.write_text("{\n" + line + f"[{line.strip()}, {line.strip()}]\n" + "7\n" + line)
    run(folder, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "acp_app_gen", "test", "id").values()
    assert [row["number"] for row in rows] == [1, 2, 3, 5]


BAD = [
    {"group": None}, {"context": None}, {"question": None}, {"PDDL_domain": ["(define"]}, {"id": None},
    {"PDDL_problem": 7}, {"query": 7}, {"answer": None}, {"answer": [None]}, {"choices": 3},
    *({"group": "action_justification_gen", "answer": answer}
      for answer in ([[]], [["0"]], [[3, "1"]], ["(a)", "0"], [["(a)", "0"]], [["(a)", "(b)", "1"]])),
    *({"group": "progression_gen", "answer": answer} for answer in ({}, [], {"pos": [], "neg": None})),
    *({"group": "goal_closer_gen", "answer": answer} for answer in ({}, [], {"yes": [], "no": None})),
    *({"group": "landmarks_gen", "answer": answer} for answer in ({}, [], {"yes": [], "no": 7})),
    {"group": "validation_gen", "answer": [7]}, {"group": "applicable_actions_mc", "answer": 7},
    {"group": "applicable_actions_bool", "answer": 7},
]  # fmt: skip


@pytest.fixture(scope="module")
def with_bad_rows(tmp_path_factory):
    """An import of sound rows with bad ones between."""
    rows = [{**published(2, []), **values} for values in BAD]
    folder = tmp_path_factory.mktemp("bad")
    (folder / "app").mkdir()
    (folder / "app" / "dev.gen.json").write_text(json.dumps([published(1, []), *rows, published(3, [])]))
    run(folder, folder / "out")
    return folder / "out"


@pytest.mark.parametrize("number", range(1, len(BAD) + 1))
def test_a_bad_row_is_named_and_the_others_are_read(with_bad_rows, number):
    assert [*rows_of(with_bad_rows, "acp_app_gen", "validation")] == ["1", "3"]
    (line,) = (line for line in deviations(with_bad_rows) if f"row {number}:" in line)
    assert "is not a row" in line


def test_a_folder_without_questions_is_refused(tmp_path):
    with pytest.raises(OrreryError, match="has no rows of questions"):
        run(tmp_path, tmp_path / "out")
    with pytest.raises(OrreryError, match="is not a folder"):
        run(tmp_path / "nothing", tmp_path / "out")


@slow
def test_answers_that_were_verified_are_graded_right(cases, tmp_path):
    lines = (cases / "acpbench_hard_dev.jsonl").read_text().splitlines()
    verified = {(row["group"], str(row["id"])): row["verified"] for row in map(json.loads, lines)}
    (tmp_path / "published").mkdir()
    for name in ("acpbench_hard_dev.jsonl", "acpbench_bool_mcq_dev.jsonl"):
        (tmp_path / "published" / name).symlink_to(cases / name)
    run(tmp_path / "published", tmp_path / "out", effort=ProofBudget(states=20_000, calls=1, seconds=2.0))
    rows = [row for path in (tmp_path / "out" / "data").rglob("*.parquet") for row in read_rows(path)]
    assert len(rows) == 880
    assert len({row["id"] for row in rows}) == 880
    refused = [row for row in rows if row["published_grade"] != "right"]
    assert {verified[row["group"], row["published_id"]] for row in refused} == {"wrong"}
    assert {row["published_verdict"] for row in refused} == {"wrong"}
    assert len(refused) < 20
