"""Exported conversations: their replies are right, their order is stated, and nothing half-written stays."""

import json
import shutil
from functools import partial

import pytest

from orrery.dataset import contents
from orrery.dataset.views import query
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.grading import grade
from orrery.grading.traces import check_trace
from orrery.language.words import explicit
from orrery.model import literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.seeds import stream
from tests.checkout import PARAMS, orrery
from tests.effort import by_day, slow
from tests.evaluation.samples import modelled_dataset
from tests.every_domain import ROOT, easy_problems, entry, words
from tests.library import samples as questions
from tests.store import samples
from tests.store.samples import write_shards
from tests.tables import PUBLISHED

DOMAINS = ("logistics", "ferry")
SIZES = {"train": 6, "test": 3}
ASKED = ("acp_app_gen", "acp_val_bool", "acp_prog_mcq")


def texts(domain, split):
    for number, problem in enumerate(easy_problems(domain, SIZES[split])):
        said = explicit(literals(problem.init), words(domain), stream(1, number))
        yield samples.row(
            TEXT_TO_PDDL, id=f"{domain}/{split}/{number:06}/explicit-explicit", domain=domain,
            domain_pddl=write_domain(entry(domain).domain), problem_pddl=write_problem(problem),
            natural_language=said, num_objects=len(problem.objects),
        )  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A checkout with a dataset of a few texts and questions; not to be changed."""
    root = tmp_path_factory.mktemp("export")
    shutil.copytree(ROOT / "templates", root / "templates")
    (root / "params.yaml").write_text(PARAMS)
    dataset = root / "outputs" / "dataset"
    for split in SIZES:
        rows = [row for domain in DOMAINS for row in texts(domain, split)]
        write_shards(dataset, TEXT_TO_PDDL, split, rows, rows_per_shard=5)
    questions.dataset(dataset, *ASKED, split="train")
    contents.write_manifest(dataset)
    return root


def rows_of(root, table, split="train"):
    return query(root / "outputs" / "dataset", f"SELECT * FROM {table}_{split}").to_pylist()


def export(root, *arguments):
    result = orrery(root, "export", *arguments)
    assert result.exit_code == 0, (result.stderr, result.exception)
    return [json.loads(line) for line in result.stdout.splitlines()]


def ids(root, *arguments):
    return [row["id"] for row in export(root, "prompts", *arguments)]


def said(conversation):
    assert [message["role"] for message in conversation["messages"]] == ["system", "user", "assistant"]
    return [message["content"] for message in conversation["messages"]]


@slow
def test_the_reply_is_the_gold_of_the_row_and_the_prompt_its_domain_and_text(built):
    rows = rows_of(built, "text_to_pddl")
    exported = export(built, "sft")
    assert len(exported) == len(rows) == SIZES["train"] * len(DOMAINS)
    for row, conversation in zip(rows, exported, strict=True):
        system, user, assistant = said(conversation)
        assert row["domain_pddl"].strip() in system
        assert user == row["natural_language"]
        domain = read_domain(row["domain_pddl"])
        assert read_problem(assistant, domain) == read_problem(row["problem_pddl"], domain)


@pytest.mark.parametrize("table", ASKED)
def test_graders_accept_every_reply_to_a_question(built, table):
    rows, exported = rows_of(built, table), export(built, "sft", "--table", table)
    assert len(rows) == len(exported) >= 2
    for row, conversation in zip(rows, exported, strict=True):
        _, user, assistant = said(conversation)
        assert row["context"] in user
        assert row["question"] in user
        assert grade(assistant, row).verdict == "right"
        assert grade(f"Let me think. {assistant}", row).verdict == "right"


@by_day(1)
@pytest.mark.parametrize("table", ASKED)
def test_replies_with_traces_derive_their_answer(built, table):
    rows = rows_of(built, table)
    exported = export(built, "sft", "--table", table, "--with", "traces")
    assert len(exported) == len(rows) >= 2
    for row, conversation in zip(rows, exported, strict=True):
        *_, assistant = said(conversation)
        assert check_trace(assistant, row) == ""
        assert len(assistant.split("\n")) > 1
    (pair,) = export(built, "sft", "--table", table, "--with", "traces", "--format", "prompt-completion",
                     "--limit", "1")  # fmt: skip
    assert pair["completion"] == said(exported[0])[2]


def test_prompts_and_completions_say_the_same_as_messages(built):
    both = zip(export(built, "sft"), export(built, "sft", "--format", "prompt-completion"), strict=True)
    for conversation, pair in both:
        system, user, assistant = said(conversation)
        assert pair == {"prompt": f"{system}\n\n{user}\n", "completion": assistant}


def test_prompts_without_replies_bear_the_ids_of_their_rows(built):
    ids = [row["id"] for row in rows_of(built, "text_to_pddl", "test")]
    chats, whole = (
        export(built, "prompts"),
        export(built, "prompts", "--format", "prompt", "--prompt", "two_shot"),
    )
    assert [row["id"] for row in chats] == [row["id"] for row in whole] == ids
    assert all(len(row["messages"]) == 2 for row in chats)
    assert all("Example 2" in row["prompt"] for row in whole)


def test_rows_without_a_text_that_the_prompt_shows_are_left_out_and_counted(tmp_path):
    (tmp_path / "params.yaml").write_text(PARAMS)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    modelled_dataset(tmp_path / "outputs" / "dataset", "ferry", "swap", description_abstract="")
    arguments = ("--table", "domain_modeling", "--split", "test", "--prompt")
    for kind in ("prompts", "sft"):
        assert len(export(tmp_path, kind, *arguments, "concrete_reasoned")) == 2
        (exported,) = export(tmp_path, kind, *arguments, "abstract_reasoned")
        assert "# Swap" in exported["messages"][1]["content"]
        result = orrery(tmp_path, "export", kind, *arguments, "abstract")
        assert "export: 1 rows left out: description_abstract is empty" in result.stderr
        assert "export: 1 rows of domain_modeling" in result.stderr


@slow
def test_rows_are_chosen_by_split_condition_and_limit(built):
    names = partial(ids, built)
    everything = names("--split", "all")
    assert len(everything) == len(set(everything)) == sum(SIZES.values()) * len(DOMAINS)
    assert names("--split", "all", "--where", "domain = 'ferry' -- only these") == [
        name for name in everything if name.startswith("ferry")
    ]
    assert names("--split", "all", "--limit", "4") == everything[:4]
    assert names("--limit", "0") == []
    assert names("--where", "split = 'train'") == []
    for braces in ("{'at': domain}.at = 'ferry'", "domain = 'ferry' AND id <> '{} {0}'"):
        for order in ((), ("--seed", "1")):
            assert sorted(names("--where", braces, *order)) == [
                name for name in names() if name.startswith("ferry")
            ]


@slow
def test_a_seed_shuffles_the_same_way_each_time(built):
    names = partial(ids, built, "--split", "all")
    plain, first, second = names(), names("--seed", "1"), names("--seed", "2")
    assert sorted(plain) == sorted(first) == sorted(second)
    assert len({tuple(order) for order in (plain, first, second)}) == 3
    assert names("--seed", "1") == first
    assert names("--seed", "1", "--limit", "3") == first[:3]
    ferry = [name for name in first if name.startswith("ferry")]
    assert names("--seed", "1", "--where", "domain = 'ferry'") == ferry


def test_a_file_is_written_whole_or_not_at_all(built, tmp_path, monkeypatch):
    out = tmp_path / "new" / "sft.jsonl"
    result = orrery(built, "export", "sft", "--out", str(out))
    assert result.stdout == ""
    assert f"12 rows of text_to_pddl to {out}" in result.stderr
    assert [json.loads(line) for line in out.read_text().splitlines()] == export(built, "sft")
    before = out.read_bytes()
    assert orrery(built, "export", "sft", "--out", str(out)).exit_code == 0
    assert out.read_bytes() == before
    monkeypatch.setattr("orrery.stages.export._messages", lambda *_: 1 / 0)
    assert orrery(built, "export", "sft", "--out", str(out)).exit_code != 0
    assert out.read_bytes() == before
    assert [path.name for path in out.parent.iterdir()] == ["sft.jsonl"]


def test_training_on_the_test_split_is_warned_of(built):
    warned = {split: "cannot be measured" in orrery(built, "export", "sft", "--split", split).stderr
              for split in ("train", "test", "all")}  # fmt: skip
    assert warned == {"train": False, "test": True, "all": True}


def test_dialogues_of_worlds_are_exported_up_to_their_last_reply(tmp_path):
    messages = [{"role": role, "content": role} for role in ("system", "user", "assistant", "user")]
    row = samples.row(PUBLISHED["world"], id="ferry/train/000000/world", expert=messages, slip=messages * 2)
    (tmp_path / "params.yaml").write_text(PARAMS)
    write_shards(tmp_path / "outputs/dataset", PUBLISHED["world"], "train", [row])
    contents.write_manifest(tmp_path / "outputs/dataset")
    both = [{"messages": messages[:-1]}, {"messages": (messages * 2)[:-1]}]
    assert export(tmp_path, "sft", "--table", "world") == both
    assert export(tmp_path, "sft", "--table", "world", "--limit", "1") == both[:1]
    result = orrery(tmp_path, "export", "sft", "--table", "world", "--format", "prompt-completion")
    assert (result.exit_code, "format: messages" in result.stderr) == (2, True)


@slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sft", "--table", "problems"], "no questions and answers"),
        (["sft", "--table", "nonsense"], "is not a published table"),
        (["prompts", "--table", "nonsense"], "is not a published table"),
        (["prompts", "--table", "problems"], "no prompt of style 'zero_shot'"),
        (["sft", "--split", "validation"], "splits with rows: train, test, all"),
        (["sft", "--format", "xml"], "formats: messages, prompt-completion"),
        (["prompts", "--format", "prompt-completion"], "formats: messages, prompt"),
        (["sft", "--with", "traces"], "has no traces"),
        (["sft", "--table", "acp_app_gen", "--with", "pictures"], "export sft --with traces"),
        (["prompts", "--table", "acp_app_gen", "--with", "traces"], "export sft --with traces"),
        (["sft", "--prompt", "ten_shot"], "no prompt of style"),
        (["sft", "--where", "colour = 3"], "colour"),
        (["sft", "--where", "1); DROP VIEW problems; --"], "error: query"),
    ],
)
def test_mistakes_are_usage_errors(built, arguments, message):
    result = orrery(built, "export", *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert result.stdout == ""


def test_a_checkout_without_a_dataset_says_what_to_do(tmp_path):
    (tmp_path / "params.yaml").write_text(PARAMS)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    result = orrery(tmp_path, "export", "sft")
    assert result.exit_code == 3
    assert "dvc repro" in result.stderr
