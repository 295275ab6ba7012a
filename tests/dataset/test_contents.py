import pytest

from orrery.dataset import contents
from orrery.model import OrreryError
from tests.store import samples


@pytest.fixture
def dataset(tmp_path):
    return samples.dataset(tmp_path / "dataset", version="1.0.0")


@pytest.mark.slow
def test_same_rows_same_hash_wherever_they_lie(dataset, tmp_path):
    other = samples.dataset(tmp_path / "other")
    assert contents.content_hash(dataset) == contents.content_hash(other)
    assert contents.file_hashes(dataset).keys() == contents.file_hashes(other).keys()


@pytest.mark.slow
def test_hash_covers_names_and_bytes_but_not_the_card(dataset):
    before = contents.content_hash(dataset)
    (dataset / "README.md").write_text("card")
    (dataset / ".unfinished-x").write_text("left by a killed process")
    assert contents.content_hash(dataset) == before
    shard = next(dataset.glob("data/problems/train-*"))
    moved = shard.with_name(shard.name.replace("train", "validation"))
    shard.rename(moved)
    assert contents.content_hash(dataset) != before
    moved.rename(shard)
    assert contents.content_hash(dataset) == before
    (dataset / "grading").mkdir()
    (dataset / "grading" / "row.py").write_text("")
    assert contents.content_hash(dataset) != before


@pytest.mark.slow
def test_manifest_counts_rows_and_keeps_facts(dataset):
    manifest = contents.verify(dataset)
    assert manifest == contents.read_manifest(dataset)
    assert manifest["version"] == "1.0.0"
    assert manifest["rows"]["text_to_pddl"] == {"train": 8, "validation": 4, "test": 6}


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["changed", "missing", "not in the manifest"])
def test_verify_names_the_file(dataset, damage):
    shard = next(dataset.glob("data/problems/test-*"))
    if damage == "changed":
        shard.write_bytes(shard.read_bytes()[:-1] + b"?")
    elif damage == "missing":
        shard.unlink()
    else:
        shard = shard.with_name("more.parquet")
        shard.write_bytes(b"")
    with pytest.raises(OrreryError, match=damage) as error:
        contents.verify(dataset)
    assert error.value.where == str(shard)


@pytest.mark.parametrize("text", [None, "{", "[]", "{}"])
def test_folder_without_our_manifest_is_refused(tmp_path, text):
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(OrreryError, match=r"manifest|not JSON"):
        contents.read_manifest(tmp_path)
