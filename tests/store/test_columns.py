import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.model import OrreryError
from orrery.store import columns
from orrery.store.kinds import BOOL, INT, LONG, REAL, STRING, STRINGS, column, struct, table

SCHEMA = table(
    "sample",
    "A table with one column of each type",
    column("id", STRING, "name"),
    column("text", STRING, "text"),
    column("flag", BOOL, "flag", nullable=True),
    column("count", INT, "count", nullable=True),
    column("many", LONG, "many"),
    column("real", REAL, "real"),
    column("plan", STRINGS, "plan"),
    column("answer", struct("pos", "neg"), "answer"),
)
ROW = {
    "id": "gripper/test/000017", "text": "é", "flag": True, "count": 3, "many": 2**53, "real": 0.5,
    "plan": ["(a)"], "answer": {"pos": [], "neg": ["(b)"]},
}  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
ROWS = st.fixed_dictionaries(
    {
        "id": TEXT,
        "text": TEXT,
        "flag": st.none() | st.booleans(),
        "count": st.none() | st.integers(-(2**31) + 1, 2**31 - 1),
        "many": st.integers(-(2**53), 2**53),
        "real": st.floats(allow_nan=False, allow_infinity=False),
        "plan": st.lists(TEXT, max_size=3),
        "answer": st.fixed_dictionaries(
            {"pos": st.lists(TEXT, max_size=3), "neg": st.lists(TEXT, max_size=3)}
        ),
    }
)
WRONG = [
    ("text", None), ("text", 1), ("text", b"x"), ("text", "\ud800"), ("flag", 1), ("flag", "yes"),
    ("count", True), ("count", 1.5), ("count", 1.0), ("count", 2**31), ("many", 2**53 + 1), ("many", None),
    ("real", float("nan")), ("real", float("inf")), ("real", "1"), ("plan", "abc"), ("plan", {"a"}),
    ("plan", frozenset("a")), ("plan", None), ("plan", [None]), ("plan", [1]), ("answer", {"pos": []}),
    ("answer", {"pos": [], "neg": [], "extra": []}), ("answer", {"pos": [], "neg": "abc"}), ("answer", []),
    ("answer", {"pos": [1], "neg": []}),
]  # fmt: skip


@pytest.mark.slow
@given(st.lists(ROWS, max_size=4))
def test_what_fits_comes_back_unchanged(rows):
    made = columns.from_rows(SCHEMA, rows)
    assert made.to_pylist() == rows
    made.validate(full=True)


@pytest.mark.parametrize(("name", "value"), WRONG, ids=str)
def test_what_does_not_fit_is_named(name, value):
    good = [{**ROW, "id": f"d/test/{n:06}"} for n in range(5)]
    bad = {**ROW, "id": "d/test/000005", name: value}
    with pytest.raises(OrreryError) as error:
        columns.from_rows(SCHEMA, [*good, bad, *good])
    assert f"table sample, row d/test/000005, column {name}:" in str(error.value)


def test_missing_and_unknown_columns_are_named():
    with pytest.raises(OrreryError, match="row gripper/test/000017: no column text; unknown column more"):
        columns.from_rows(SCHEMA, [ROW, {name: ROW[name] for name in ROW if name != "text"} | {"more": 1}])
    with pytest.raises(OrreryError, match="all rows: no column id"):
        columns.from_columns(SCHEMA, {name: [] for name in SCHEMA.names if name != "id"})


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(OrreryError, match=r"differ in length.*text 2"):
        columns.from_columns(SCHEMA, {**{name: [value] for name, value in ROW.items()}, "text": ["a", "b"]})


def test_batches_hold_size_rows():
    rows = [{**ROW, "id": str(n)} for n in range(7)]
    sizes = [batch.num_rows for batch in columns.batches(SCHEMA, iter(rows), 3)]
    assert sizes == [3, 3, 1]


@given(st.lists(st.integers(0, 7), max_size=6), st.integers(1, 5))
def test_regrouping_keeps_rows_and_their_order(sizes, size):
    numbers = iter(range(100))
    tables = [columns.from_rows(SCHEMA, [{**ROW, "many": next(numbers)} for _ in range(n)]) for n in sizes]
    found = list(columns.regrouped(tables, size))
    assert [row["many"] for table in found for row in table.to_pylist()] == list(range(sum(sizes)))
    assert all(table.num_rows == size for table in found[:-1])
    assert all(0 < table.num_rows <= size for table in found)
    assert all(column.num_chunks == 1 for table in found for column in table.columns)


@given(st.lists(ROWS, max_size=4))
def test_arrow_columns_come_back_unchanged(rows):
    """In another order, and cast where nothing is lost."""
    made = columns.from_rows(SCHEMA, rows)
    arrays = {name: made.column(name) for name in reversed(SCHEMA.names)}
    arrays["count"] = arrays["count"].cast(pa.int64())
    assert columns.from_arrays(SCHEMA, arrays).equals(made)


@pytest.mark.parametrize(
    ("name", "values", "kind", "fault"),
    [
        ("text", [None], pa.string(), "column text: has missing values"),
        ("text", [[]], pa.list_(pa.string()), "do not fit"),
        ("count", [2**31], pa.int64(), "do not fit"),
        ("count", [1.5], pa.float64(), "do not fit"),
        ("many", [1, 2], pa.int64(), "do not fit"),
    ],
)
def test_arrow_columns_that_do_not_fit_are_refused(name, values, kind, fault):
    array = pa.array(values, kind)
    made = columns.from_rows(SCHEMA, [ROW])
    with pytest.raises(OrreryError, match=fault):
        columns.from_arrays(SCHEMA, {**{n: made.column(n) for n in SCHEMA.names}, name: array})
    with pytest.raises(OrreryError, match=f"no column {name}"):
        columns.from_arrays(SCHEMA, {n: made.column(n) for n in SCHEMA.names if n != name})
