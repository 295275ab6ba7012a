"""Which rows are asked: of which tables, from where, how many, and told how."""

from pathlib import Path

import pytest

from orrery.dataset.contents import write_manifest
from orrery.library.choice import RowSelection, asking_tables, chosen_tables, items_of, questions_among
from orrery.library.items import styles
from orrery.model import OrreryError, UsageError
from tests.evaluation.samples import ASKING, modelled_dataset
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, dataset, fresh

pytestmark = IN_ONE_PROCESS

NAMES = ("acp_app_gen", "acp_app_bool", "text_to_pddl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(dataset(tmp_path_factory.mktemp("dataset"), *NAMES))


def test_every_table_that_asks_something_is_found():
    assert asking_tables() == sorted(ASKING)


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("all", NAMES),
        ("acp_*", ["acp_app_gen", "acp_app_bool"]),
        ("acp_app_gen, *_bool,acp_app_gen", ["acp_app_gen", "acp_app_bool"]),
        ("all,acp_app_gen", NAMES),
        ("acp_app_gen,", ["acp_app_gen"]),
    ],
)
def test_names_and_patterns_choose_tables_with_rows(folder, wanted, chosen):
    assert chosen_tables(wanted, RowSelection(folder)) == sorted(chosen)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            "acp_land_gen",
            "table 'acp_land_gen': has no rows to ask .*acp_app_bool, acp_app_gen, text_to_pddl",
        ),
        ("all,plan_*", "table 'plan_.': has no rows to ask"),
        ("problems", "has no questions for a model"),
        ("acp_nothing", "has no questions for a model"),
        (" , ", "match no table"),
    ],
)
def test_what_fits_no_table_is_refused_with_those_there_are(folder, wanted, message):
    with pytest.raises(UsageError, match=message):
        chosen_tables(wanted, RowSelection(folder))


def test_a_split_without_rows_and_a_folder_without_tables_are_refused(folder, tmp_path):
    with pytest.raises(UsageError, match=r"no rows in split 'train' \(splits: test"):
        chosen_tables("all", RowSelection(folder, "train"))
    with pytest.raises(UsageError, match="has no tables"):
        chosen_tables("all", RowSelection(str(tmp_path)))
    with pytest.raises(UsageError, match="is not a folder"):
        chosen_tables("all", RowSelection("nowhere"))


def test_fresh_rows_need_no_dataset():
    choice = RowSelection("nowhere", seed=5, limit=2)
    assert set(chosen_tables("all", choice)) == set(ASKING) - {"action_modeling", "domain_modeling"}
    assert choice.part == "fresh"
    assert (
        items_of(RowSelection("nowhere", seed=5, domain="blocksworld", limit=2), "text_to_pddl", ROOT)
        == fresh("text_to_pddl")[:2]
    )
    with pytest.raises(UsageError, match="has no rows to ask"):
        chosen_tables("action_modeling", choice)


def test_fewer_rows_are_some_of_more_and_do_not_depend_on_the_order_of_the_table(folder):
    ids = [item.row["id"] for item in items_of(RowSelection(folder), "text_to_pddl", ROOT)]
    assert sorted(ids) == sorted(item.row["id"] for item in fresh("text_to_pddl"))
    assert ids != [item.row["id"] for item in fresh("text_to_pddl")], "a seed that sorts nothing"
    for limit in (1, 2, 100):
        few = items_of(RowSelection(folder, limit=limit), "text_to_pddl", ROOT)
        assert [item.row["id"] for item in few] == ids[:limit]


def test_rows_are_chosen_by_domain_and_difficulty(folder):
    domain = fresh("acp_app_gen")[0].row["domain"]
    chosen = items_of(RowSelection(folder, domain=domain), "acp_app_gen", ROOT)
    assert {item.row["domain"] for item in chosen} == {domain}
    with pytest.raises(UsageError, match=rf"no rows of domain 'mars' \(there are: .*{domain}"):
        items_of(RowSelection(folder, domain="mars"), "acp_app_gen", ROOT)
    with pytest.raises(UsageError, match=r"no rows of difficulty 'no' \(there are: easy"):
        items_of(RowSelection(folder, difficulty="no"), "acp_app_gen", ROOT)
    with pytest.raises(OrreryError, match="difficulty 'no'"):
        items_of(RowSelection(seed=1, difficulty="no", limit=1), "acp_app_gen", ROOT)


@pytest.mark.parametrize("table", NAMES)
def test_shots_and_representation_name_styles(folder, table):
    known_styles = styles(ROOT, table)
    named = {
        RowSelection(shots=shots, representation=shown).prompt_style
        for shots in (0, 2)
        for shown in ("words", "pddl", "both")
    }
    assert {style for style in known_styles if "reasoned" not in style} <= named
    for shots, shown, style in ((None, None, "zero_shot"), (2, "words", "two_shot"), (0, None, "zero_shot")):
        chosen = items_of(RowSelection(folder, shots=shots, representation=shown), table, ROOT)
        assert {item.style for item in chosen} == {style}


def test_a_style_that_a_table_has_not_is_refused_with_those_it_has(folder):
    with pytest.raises(UsageError, match=r"no style 'two_shot_pddl' .*styles: zero_shot, reasoned, two_shot"):
        items_of(RowSelection(folder, shots=2, representation="pddl"), "text_to_pddl", ROOT)
    assert (
        items_of(RowSelection(folder, style="two_shot_both"), "acp_app_gen", ROOT)[0].style == "two_shot_both"
    )


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"limit": 0}, "is too small"),
        ({"style": "two_shot", "shots": 2}, "leave representation and shots out"),
        ({"shots": 1}, "shots: 0, 2"),
        ({"representation": "pictures"}, "representations: words, pddl, both"),
    ],
)
def test_choices_that_cannot_be_are_refused(choices, message):
    with pytest.raises(UsageError, match=message):
        _ = RowSelection(**choices).prompt_style


def test_the_usual_folder_is_no_dataset_of_the_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ask in (
        lambda: chosen_tables("all", RowSelection()),
        lambda: items_of(RowSelection(), "acp_app_gen", ROOT),
    ):
        with pytest.raises(
            UsageError, match=r"outputs/dataset: is not a folder \(build it, name another dataset"
        ):
            ask()


def test_of_a_dataset_on_the_hub_the_manifest_says_which_tables_have_rows(folder, tmp_path, monkeypatch):
    hub = pytest.importorskip("huggingface_hub")
    (tmp_path / "data").symlink_to(Path(folder) / "data")
    write_manifest(tmp_path)
    wanted = []

    def download(name, repo_type, allow_patterns):
        assert repo_type == "dataset"
        wanted.append((name, *allow_patterns))
        return str(tmp_path)

    monkeypatch.setattr(hub, "snapshot_download", download)
    choice = RowSelection("owner/name", limit=1)
    assert chosen_tables("all", choice) == sorted(NAMES)
    assert wanted == [("owner/name", "manifest.json")]
    assert len(items_of(choice, "acp_app_gen", ROOT)) == 1
    assert wanted[1][1] == "data/acp_app_gen/test-*"
    with pytest.raises(UsageError, match="has no rows in split 'train'"):
        chosen_tables("all", RowSelection("owner/name", "train"))


def test_rows_without_a_text_that_the_style_shows_are_left_out_and_counted(tmp_path):
    folder, table = modelled_dataset(tmp_path, "ferry", "swap", description_abstract=""), "domain_modeling"
    for style, domains in (("abstract", {"swap"}), ("two_shot", {"swap"}), ("concrete", {"ferry", "swap"})):
        told = []
        chosen = items_of(RowSelection(folder, style=style), table, ROOT, told.append)
        assert {item.row["domain"] for item in chosen} == domains
        assert all(item.prompt for item in chosen)
        assert told == [
            f"left out: 1 rows of table '{table}' for style '{style}': description_abstract is empty"
        ] * (2 - len(domains))


def test_worlds_are_no_questions():
    assert questions_among(["acp_app_bool", "world"]) == ["acp_app_bool"]
    with pytest.raises(UsageError, match="have no questions"):
        questions_among(["world"])
