"""Files of tables: kinds of columns, missing values, repeats, missing shards, rows in the wrong split."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks import tables
from orrery.checks.sql import files_of
from orrery.checks.tables import _missing, check_files, lacking
from tests.effort import by_day, slow
from tests.tables import PUBLISHED


def check(dataset, table, schema, unique=()):
    """Row and fault of one table: files that lack, columns of the wrong kind, values missing or repeated."""
    files = files_of(dataset, table)
    return lacking(files) + check_files(files, schema, unique)


@pytest.fixture
def dataset(build, tmp_path):
    """A copy of the dataset to be spoilt."""
    return shutil.copytree(build / "outputs" / "dataset", tmp_path / "dataset")


def shard(dataset, table="problems", split="test"):
    return dataset / "data" / table / f"{split}-00000-of-00001.parquet"


def faults(dataset, table="problems"):
    unique = {"problems": ("strict_key",), "text_to_pddl": ("natural_language",)}[table]
    return [f"{row}: {fault}" for row, fault in check(dataset, table, PUBLISHED[table], unique)]


def rewrite(path, change):
    table = pq.read_table(path)
    pq.write_table(change(table), path)


def without_type(table):
    """The table with its column of counts as text."""
    place = table.schema.get_field_index("num_objects")
    return table.set_column(place, "num_objects", table.column("num_objects").cast(pa.string()))


def with_values(table, name, change, kind=None):
    """The table with the values of a column changed; its fields may be null then."""
    place = table.schema.get_field_index(name)
    values = pa.array(change(table.column(name).to_pylist()), kind or table.schema.field(name).type)
    return table.set_column(place, table.schema.field(name), values)


@by_day(3)
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (without_type, "column num_objects is string, should be int32"),
        (lambda t: t.drop_columns(["num_objects"]), "columns are"),
        (lambda t: t.append_column("extra", t.column("id")), "columns are"),
        (lambda t: t.select(t.column_names[::-1]), "columns are"),
        (lambda t: pa.concat_tables([t, t.slice(0, 1)]), "id occurs 2 times"),
        (lambda t: with_values(t, "strict_key", lambda v: [v[1], *v[1:]]), "strict_key occurs 2 times"),
        (
            lambda t: with_values(t, "id", lambda v: [v[0].replace("/test/", "/train/"), *v[1:]]),
            "stands in split test",
        ),
    ],
)
def test_a_spoilt_file_is_seen(dataset, change, fault):
    rewrite(shard(dataset), change)
    assert any(fault in found for found in faults(dataset))


def test_a_text_in_two_files_is_seen(dataset):
    first = pq.read_table(shard(dataset, "text_to_pddl")).column("natural_language")[0].as_py()
    train = shard(dataset, "text_to_pddl", "train")
    rewrite(train, lambda t: with_values(t, "natural_language", lambda v: [first, *v[1:]]))
    assert [fault for fault in faults(dataset, "text_to_pddl") if "occurs 2 times" in fault] == [
        f"{first[:80]}: natural_language occurs 2 times"
    ]


def ids(schema, split, numbers):
    """An Arrow table of the ids of rows, as a stage gives them."""
    names = [f"ferry/{split}/{number:06d}" for number in numbers]
    return pa.table({"id": names}, pa.schema([schema.field("id").remove_metadata()]))


@slow
def test_rows_are_those_that_the_stages_before_made(dataset):
    files, schema = files_of(dataset, "problems"), PUBLISHED["problems"]
    ids_by_split = {
        path.name.split("-")[0]: pq.read_table(path, columns=["id"]).replace_schema_metadata()
        for path in files
    }

    def faults_with(**changed):
        ids_read = {**ids_by_split, **changed}
        return check_files(files, schema, (), lambda split: [ids_read[split]] if split in ids_read else [])

    assert faults_with() == []
    first = ids_by_split["test"]["id"][0].as_py()
    assert faults_with(test=ids_by_split["test"].slice(1)) == [
        ("test", "1 rows are none that the stages before made")
    ]
    longer = pa.concat_tables([ids_by_split["test"], ids(schema, "test", [999_999])])
    assert faults_with(test=longer) == [("ferry/test/999999", "is missing")]
    many = pa.concat_tables([ids_by_split["train"], ids(schema, "train", range(900_000, 900_030))])
    faults_read = faults_with(train=many)
    assert ("30 rows of train", "are missing") in faults_read
    assert len(faults_read) == tables.MOST_NAMED + 1
    moved = pa.concat_tables([ids_by_split["train"], ids_by_split["test"].slice(0, 1)])
    assert (first, "is missing") in faults_with(test=ids_by_split["test"].slice(1), train=moved)
    assert check_files([], schema, (), lambda split: [ids_by_split[split]] if split == "test" else [])


def test_missing_values_are_seen_also_within_lists_and_records():
    """Files of ours cannot hold them; those of another writer might."""
    element = pa.list_(pa.field("element", pa.string(), nullable=False))
    record = pa.struct([pa.field("pos", element, nullable=False)])
    columns = {
        "plain": (pa.string(), [None, "a"], "column plain has 1"),
        "list": (element, [["a", None], [None]], "column list, an element has 2"),
        "record": (record, [{"pos": None}, {"pos": ["a", None]}], "column record, pos has 1"),
        "deep": (record, [{"pos": ["a"]}, {"pos": ["a", None]}], "column deep, pos, an element has 1"),
    }
    for name, (kind, values, fault) in columns.items():
        schema = pa.schema([pa.field(name, kind, nullable=False)])
        missing = _missing(pa.record_batch({name: pa.array(values, kind)}), schema)
        assert fault in {f"{place} has {count}" for place, count in missing.items()}, (
            name,
            missing,
        )
        assert _missing(pa.record_batch({name: pa.array([], kind)}), schema) == {}


@pytest.mark.parametrize("split", ["test", "train"])
def test_shards_that_names_promise_are_missed(dataset, split):
    path = shard(dataset, split=split)
    path.rename(path.with_name(f"{split}-00000-of-00002.parquet"))
    assert any(f"{split}-00001-of-00002.parquet: is missing" in fault for fault in faults(dataset))


def test_files_with_other_names_and_tables_without_files_are_seen(dataset):
    shutil.copy(shard(dataset), dataset / "data" / "problems" / "dev-00000-of-00001.parquet")
    assert any("is no name of a shard" in fault for fault in faults(dataset))
    shutil.rmtree(dataset / "data" / "problems")
    assert faults(dataset) == ["all shards: are missing"]
