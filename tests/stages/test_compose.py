"""The stage `compose` on a small checkout: rows by split, rejects with reasons, parts, and refusals."""

import pytest

from orrery.config import load
from orrery.families.modelling.composed import composed_rows
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.parts import Part
from orrery.pddl.read import read_domain, read_problem
from orrery.stages import compose as stage
from orrery.store import shards
from orrery.workers import ALONE
from tests.checkout import checkout, contents, must, orrery, spoil

MECHANICS = ("walking", "carrying", "recipe", "lessons", "washing", "toll", "doors")
THEMES = ("bakery", "castle", "farm")
WANTED, ASKED = 3, 2
SCHEMAS = {"action_modeling": ACTION_MODELING, "domain_modeling": DOMAIN_MODELING}


def made(folder, **changed):
    return checkout(
        folder,
        ["ferry"],
        **{"mechanics": MECHANICS, "themes": THEMES, "composed": WANTED, "asked": ASKED, **changed},
    )


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    """Few compositions are drawn before the next look whether enough are kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "CHUNK", 6)
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = made(tmp_path_factory.mktemp("composed"))
    must(root, "compose", "--jobs", "1")
    return root


def rows(root, table):
    """The rows of a table by split."""
    return {
        split: list(shards.read_rows(root / f"outputs/composed/{table}-{split}.parquet", SCHEMAS[table]))
        for split in shards.SPLITS
    }


def every(root, table):
    return [row for listed in rows(root, table).values() for row in listed]


def test_each_domain_has_a_row_and_three_levels_in_one_split(root):
    splits = {}
    for table, each in (("domain_modeling", 1), ("action_modeling", 3)):
        for split, listed in rows(root, table).items():
            for row in listed:
                splits.setdefault(row["domain"], []).append((table, split))
                assert row["id"].split("/")[:2] == ["composed", split]
        by_table = [name for name, places in splits.items() for one, _ in places if one == table]
        assert sorted(by_table) == sorted(each * list(splits))
    assert len(splits) == WANTED
    assert all(len({split for _, split in places}) == 1 for places in splits.values())


def test_domains_with_questions_are_of_each_split_in_turn(root):
    asked = load(root).composed
    of_rows = {row["domain"]: row["seen"] for row in every(root, "domain_modeling")}
    splits = {row["domain"]: row["id"].split("/")[1] for row in every(root, "domain_modeling")}
    assert len(asked) == min(ASKED, WANTED)
    assert asked.items() <= of_rows.items()
    first = [split for split in ("test", "train", "validation") if split in splits.values()][:ASKED]
    assert [splits[name] for name in asked][: len(first)] == first


def test_ids_are_the_number_and_the_level_and_rows_are_in_their_order(root):
    for split, listed in rows(root, "domain_modeling").items():
        numbers = [row["domain"].removeprefix("composed-") for row in listed]
        assert [row["id"] for row in listed] == [f"composed/{split}/{number}" for number in numbers]
        levels = [row["id"] for row in rows(root, "action_modeling")[split]]
        expected = sorted(
            f"composed/{split}/{n}/{level}" for n in numbers for level in ("explicit", "everyday", "sparse")
        )
        assert sorted(levels) == expected
        assert [one.rpartition("/")[0] for one in levels] == [
            f"composed/{split}/{n}" for n in numbers for _ in range(3)
        ]


def test_both_tables_have_the_same_domains_and_problems(root):
    by_domain = {row["domain"]: row for row in every(root, "domain_modeling")}
    for row in every(root, "action_modeling"):
        other = by_domain[row["domain"]]
        shared = ("gold_domain", "problems", "mechanics", "attachments", "theme", "seen", "source", "license")
        assert [row[key] for key in shared] == [other[key] for key in shared]
        domain = read_domain(row["gold_domain"])
        assert row["action_names"] == list(domain.action_named)
        assert all(read_problem(problem["pddl"], domain) for problem in row["problems"])
        assert set(row["mechanics"]) <= set(MECHANICS)
        assert row["theme"] in THEMES
        assert row["source"] == "orrery-composed"


def test_seen_is_what_train_also_has(root):
    train = rows(root, "domain_modeling")["train"]
    mechanics = {name for row in train for name in row["mechanics"]}
    themes = {row["theme"] for row in train}
    for row in every(root, "domain_modeling"):
        known = (set(row["mechanics"]) <= mechanics, row["theme"] in themes)
        words = {
            (True, True): "both",
            (True, False): "mechanics",
            (False, True): "theme",
            (False, False): "neither",
        }
        assert row["seen"] == words[known]


def test_rejects_have_reasons_and_every_number_is_kept_or_rejected(root):
    rejects = list(shards.read_rows(root / "outputs/composed/rejects.parquet"))
    settings = load(root)
    kept = {int(row["domain"].removeprefix("composed-")) for row in every(root, "domain_modeling")}
    numbers = [int(row["item"]) for row in rejects]
    assert numbers == sorted(set(numbers))
    assert not kept & set(numbers)
    assert set(range(max(kept))) <= kept | set(numbers)
    for row in rejects:
        assert row["reason"]
        [own] = composed_rows(int(row["item"]), root.absolute(), settings.seed)["rejects"] or [None]
        assert own is None or own["reason"] == row["reason"]


def test_the_same_set_of_mechanics_is_in_one_split_unless_something_is_held_out(root):
    by_set = {}
    for split, listed in rows(root, "domain_modeling").items():
        for row in listed:
            by_set.setdefault(tuple(row["mechanics"]), set()).add(split)
    assert all(len(splits - {"test"}) <= 1 for splits in by_set.values())


@pytest.mark.slow
def test_a_second_build_gives_the_same_bytes(root, tmp_path):
    again = made(tmp_path)
    must(again, "compose", "--jobs", "1")
    assert contents(again / "outputs/composed") == contents(root / "outputs/composed")
    assert not load(again).unfinished.exists()


@pytest.mark.slow
def test_two_jobs_give_the_same_bytes_as_one(root, tmp_path):
    again = made(tmp_path)
    must(again, "compose", "--jobs", "2")
    assert contents(again / "outputs/composed") == contents(root / "outputs/composed")


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on_from_its_parts(root, tmp_path, monkeypatch):
    again, saved, save = made(tmp_path), [], Part.save

    def saving(part, tables, most):
        if len(saved) == most:
            raise Killed
        saved.append(part.folder.name)
        save(part, tables)

    with monkeypatch.context() as patch:
        patch.setattr(Part, "save", lambda part, tables: saving(part, tables, 4))
        with pytest.raises(Killed):
            stage.run(load(again), ALONE)
    assert not (again / "outputs/composed").exists()
    first = list(saved)
    with monkeypatch.context() as patch:
        patch.setattr(Part, "save", lambda part, tables: saving(part, tables, None))
        stage.run(load(again), ALONE)
    assert len(first) == 4
    assert len(set(saved)) == len(saved)
    assert contents(again / "outputs/composed") == contents(root / "outputs/composed")


@pytest.mark.slow
def test_parts_of_other_mechanics_are_made_anew(root, tmp_path, monkeypatch):
    again, saved, save = made(tmp_path), [], Part.save
    monkeypatch.setattr(
        Part, "save", lambda part, tables: (save(part, tables), saved.append(part.folder.name))
    )
    with monkeypatch.context() as patch:
        patch.setattr(stage, "_write", lambda *arguments: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            stage.run(load(again), ALONE)
    before = len(saved)
    spoil(again / "mechanics/lessons/words.yaml", "get up to speed", "catch up with the others")
    stage.run(load(again), ALONE)
    assert len(saved) >= 2 * before - 1


def test_a_composition_is_shown_as_its_rows_have_it(root):
    row = every(root, "domain_modeling")[0]
    number = row["domain"].removeprefix("composed-")
    text = must(root, "compose", "--show", "--number", number).stdout
    levels = [one for one in every(root, "action_modeling") if one["domain"] == row["domain"]]
    parts = [row["gold_domain"], row["description_concrete"], row["problems"][0]["pddl"]]
    assert all(part in text for part in (*parts, *(one["texts"]["all"] for one in levels)))


def test_a_composition_that_is_not_kept_is_shown_with_the_reason(root):
    rejects = shards.read_rows(root / "outputs/composed/rejects.parquet")
    reject = next(
        row for row in rejects if "domain" not in row["reason"]
    )  # not those for other domains' sake
    result = orrery(root, "compose", "--show", "--number", reject["item"])
    assert result.exit_code == 2
    assert reject["reason"] in result.stderr


def test_check_writes_nothing(tmp_path):
    root = made(tmp_path)
    assert must(root, "compose", "--check").stdout == ""
    assert not (root / "outputs").exists() or not list((root / "outputs").rglob("*.parquet"))


@pytest.mark.parametrize(("changed", "named"), [({"mechanics": ()}, "mechanics"), ({"themes": ()}, "themes")])
def test_an_empty_folder_is_named(tmp_path, changed, named):
    result = orrery(made(tmp_path, **changed), "compose", "--jobs", "1")
    assert result.exit_code == 3
    assert f"/{named}: has nothing to compose" in result.stderr
    assert "docs/compose.md" in result.stderr


def test_nothing_is_wanted_by_default_and_nothing_is_made(tmp_path):
    root = made(tmp_path, composed=0, mechanics=(), themes=())
    must(root, "compose", "--jobs", "1")
    assert every(root, "domain_modeling") == every(root, "action_modeling") == []


@pytest.mark.slow
def test_too_few_that_are_kept_is_an_error_with_the_commonest_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "MOST_DRAWN", 2)
    root = made(tmp_path, mechanics=("walking", "carrying"), themes=("bakery",), composed=2)
    result = orrery(root, "compose", "--jobs", "1")
    assert result.exit_code == 3
    assert "compositions are kept, 2 are wanted" in result.stderr
    assert "most often: " in result.stderr
    assert not (root / "outputs/composed").exists()


@pytest.mark.slow
def test_domains_equal_to_ours_are_rejected(root, tmp_path):
    again = made(tmp_path)
    numbers = []
    for row in every(root, "domain_modeling"):
        numbers.append(row["domain"].removeprefix("composed-"))
        text = row["gold_domain"].replace(f"(domain {row['domain']})", f"(domain known{numbers[-1]})")
        (again / f"domains/known{numbers[-1]}").mkdir(parents=True)
        (again / f"domains/known{numbers[-1]}/domain.pddl").write_text(text)
    stage.run(load(again), ALONE)
    reasons = {
        row["item"]: row["reason"] for row in shards.read_rows(again / "outputs/composed/rejects.parquet")
    }
    assert {reasons[number] for number in numbers} == {"equal to another domain up to names"}
    assert len(every(again, "domain_modeling")) == WANTED
