"""Our counts beside the published ones: every sum by hand on made-up rows."""

import re
import shutil

import pytest
import yaml

from orrery.config import load
from orrery.dataset import contents
from orrery.dataset.published_comparison import FILE, compare_with_published
from orrery.dataset.report import write_report
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.model import OrreryError
from orrery.problems.schemas import REJECTS, SOLUTIONS
from orrery.store.shards import write
from tests.checkout import PARAMS
from tests.effort import slow
from tests.every_domain import ROOT
from tests.store import samples
from tests.store.samples import write_shards

TEMPLATES = ROOT / "templates"
SCHEMA = TEXT_TO_PDDL
KNOWN = yaml.safe_load((TEMPLATES / FILE).read_text())
MIXTURES, SIZES = (list(KNOWN["domains"]["gripper"][name]) for name in ("mixtures", "propositions"))


def text(number, domain="gripper", split="train", **values):
    """A row; every key occurs twice, mixtures and sizes take turns, each fifth row has nothing to plan."""
    plain = {
        "id": f"{domain}/{split}/{number:06}", "domain": domain, "strict_key": f"{domain}{number // 2}",
        "fold_mixture": MIXTURES[number % 4], "fold_size": SIZES[number % 5], "vocabulary": "plain",
        "paraphrase": 0, "goal_holds_initially": int(number % 5 == 0 and split != "test"),
    }  # fmt: skip
    return samples.row(SCHEMA, **plain | values)


def dataset(folder, **rows):
    for split, some in rows.items():
        write_shards(folder, SCHEMA, split, some)
    contents.write_manifest(folder)
    return folder


def cell(counted, group, name, domain):
    (line,) = (line for line in counted.lines if (line.group, line.name) == (group, name))
    return line.cells[domain]


def test_the_published_counts_add_up():
    assert sum(domain["rows"] for domain in KNOWN["domains"].values()) == 145_918
    for domain in KNOWN["domains"].values():
        for parts in ("mixtures", "propositions", "splits"):
            assert sum(domain[parts].values()) == domain["rows"]


def test_counts_are_of_plain_first_texts(tmp_path):
    train = [text(n) for n in range(20)] + [text(n, domain="ferry") for n in range(3)]
    train += [text(20, vocabulary="meaningless"), text(21, paraphrase=1)]
    made = dataset(
        tmp_path, train=train, validation=[text(22)], test=[text(n, split="test") for n in range(7)]
    )
    counted = compare_with_published(made, TEMPLATES)
    assert list(counted.domains) == ["gripper"]
    assert list(counted.not_built) == ["blocksworld", "floor-tile"]
    assert cell(counted, "rows", "", "gripper") == (28, 54_141)
    assert cell(counted, "rows", "", "all") == (28, 54_141)
    assert cell(counted, "splits", "train", "gripper").ours == 21
    assert cell(counted, "splits", "test", "gripper") == (7, 4_778)
    for names, group in ((MIXTURES, "mixtures"), (SIZES, "propositions")):
        assert sum(cell(counted, group, name, "gripper").ours for name in names) == 28
        assert cell(counted, group, names[0], "gripper").ours == sum(
            row[{"mixtures": "fold_mixture", "propositions": "fold_size"}[group]] == names[0]
            for row in [*map(text, range(20)), text(22), *map(text, range(7))]
        )
    assert cell(counted, "problems", "", "gripper").ours == 12
    assert counted.cells == counted.short == 2 * (1 + 1 + 4 + 5 + 2)
    assert counted.kinds == [
        (("meaningless", "0"), "gripper", 1), (("plain", "0"), "ferry", 3), (("plain", "0"), "gripper", 28),
        (("plain", "1"), "gripper", 1),
    ]  # fmt: skip


def test_counts_that_are_reached_are_not_short(tmp_path):
    templates = tmp_path / "templates"
    (templates / "report").mkdir(parents=True)
    small = {
        "rows": 2,
        "problems": 1,
        "mixtures": {MIXTURES[0]: 1},
        "propositions": {SIZES[0]: 2},
        "splits": {"test": 0},
    }
    known = KNOWN | {"domains": {"gripper": small}}
    (templates / FILE).write_text(yaml.safe_dump(known, sort_keys=False))
    counted = compare_with_published(dataset(tmp_path / "data", train=[text(0), text(1)]), templates)
    assert cell(counted, "rows", "", "gripper").missing == 0
    assert cell(counted, "propositions", SIZES[0], "gripper").missing == 1
    assert cell(counted, "splits", "test", "gripper").missing == 0
    assert (counted.cells, counted.short) == (8, 2)


@slow
def test_shares_with_nothing_to_plan(tmp_path):
    train, test = [text(n) for n in range(20)], [text(n, split="test") for n in range(4)]
    counted = compare_with_published(dataset(tmp_path / "a", train=train, test=test), TEMPLATES)
    assert counted.published_share == pytest.approx(0.2197, abs=1e-4)
    assert counted.shares["gripper"] == {
        "train": (4, 20, False),
        "test": (0, 4, False),
        "all": (4, 24, False),
    }
    assert counted.shares["all"]["all"] == (4, 24, True)
    test[0]["goal_holds_initially"] = 1
    counted = compare_with_published(
        dataset(tmp_path / "b", train=[text(n, goal_holds_initially=0) for n in range(60)], test=test),
        TEMPLATES,
    )
    assert counted.shares["gripper"]["test"] == counted.shares["all"]["test"] == (1, 4, True)
    assert counted.shares["all"]["all"] == (1, 64, False)


def test_no_texts_and_no_published_domains_are_no_errors(tmp_path):
    empty = samples.dataset(tmp_path / "none", split_rows={"train": 1})
    shutil.rmtree(empty / "data" / "text_to_pddl")
    assert compare_with_published(empty, TEMPLATES) is None
    counted = compare_with_published(dataset(tmp_path / "ferry", test=[text(1, domain="ferry")]), TEMPLATES)
    assert (list(counted.domains), list(counted.lines), counted.cells) == ([], [], 0)


@pytest.mark.parametrize("content", [None, "a: [", "- 1", "source: x"])
def test_a_broken_file_is_named(tmp_path, content):
    made = dataset(tmp_path / "data", test=[text(1)])
    (tmp_path / "report").mkdir()
    if content is not None:
        (tmp_path / FILE).write_text(content)
    with pytest.raises(OrreryError, match=r"published_text_to_pddl\.yaml"):
        compare_with_published(made, tmp_path)


@pytest.fixture
def root(tmp_path):
    """A checkout with texts of three domains, and with rejects of two stages."""
    (tmp_path / "params.yaml").write_text(PARAMS)
    shutil.copytree(TEMPLATES, tmp_path / "templates")
    dataset(
        tmp_path / "outputs" / "dataset",
        train=[text(n, domain=d) for d in ("blocksworld", "gripper") for n in range(5)],
    )
    for domain in ("blocksworld", "ferry"):
        write(tmp_path / "outputs" / "solutions" / domain / "solutions.parquet", SOLUTIONS, [])
        for stage in ("problems", "texts"):
            reject = {
                "stage": stage,
                "domain": domain,
                "item": "x",
                "reason": f"no {stage} & more",
                "detail": "",
            }
            write(
                tmp_path / "outputs" / stage / domain / "rejects.parquet",
                REJECTS,
                [reject] * 3,
            )
    return tmp_path


def page(root):
    unchecked = {"problems": ["planner"], "text_to_pddl": ["planner"]}
    write_report(load(root), {("plans", "gripper"): 1}, [], "0" * 64, unchecked)
    return (root / "outputs" / "report" / "index.html").read_text()


@slow
def test_the_page_shows_the_table_and_marks_what_falls_short(root):
    counted = page(root)
    assert counted == page(root)
    assert "At this size, tiny, 39 of 39 counts fall short" in counted
    assert "Not built: floor-tile." in counted
    assert '<td class="n ours short" title="85600 short">5</td><td class="n theirs">85,605</td>' in counted
    assert "145,918 rows" in counted
    for stage in ("problems", "texts"):
        assert f"no {stage} &amp; more" in counted
    assert not re.search(r"https?://(?!127\.0\.0\.1:|www\.w3\.org/)|<script src|<link", counted)
    for tag in ("table", "tr", "td", "th", "p"):
        assert counted.count(f"<{tag}>") + counted.count(f"<{tag} ") == counted.count(f"</{tag}>"), tag


@slow
def test_the_page_lists_the_columns_that_no_check_vouches_for(root):
    assert "<td>problems, text_to_pddl</td><td>planner</td>" in page(root)


@slow
def test_the_page_of_a_dataset_without_texts_leaves_the_section_out(root):
    shutil.rmtree(root / "outputs" / "dataset")
    samples.dataset(root / "outputs" / "dataset", split_rows={"train": 1})
    shutil.rmtree(root / "outputs" / "dataset" / "data" / "text_to_pddl")
    assert "published figures" not in page(root)
