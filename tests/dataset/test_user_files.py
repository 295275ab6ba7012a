"""Files of a user in a query: their views, and texts that stay as they are."""

import json

import pytest

from orrery.dataset import views
from orrery.dataset.user_files import own_files
from orrery.model import UsageError
from tests.effort import by_day, sample, slow
from tests.store import samples

TEXTS = (
    "2020-1-1", "2020-01-01", "2020-01-01T10:00:00Z", "10:00", "6F9619FF-8b86-d011-b42d-00c04fc964ff",
    "6f9619ff8b86d011b42d00c04fc964ff", "00120", "+5", "1_000", "True", "inf", "null",
    "123456789012345678901",
)  # fmt: skip


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return samples.dataset(tmp_path_factory.mktemp("o'dd") / "data set", tables=("acp_app_bool", "problems"))


@by_day(4)
@pytest.mark.parametrize("text", sample(TEXTS, 4))
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_text_stays_as_it_is(dataset, tmp_path, kind, text):
    path = tmp_path / f"mine.{kind}"
    row = {"id": text, "DATE": text, "n": 3, "share": 0.5}
    content = "id,DATE,n,share\n{id},{DATE},{n},{share}\n".format(**row)
    if kind == "jsonl":
        row |= {"nested": {"DATE": text, "listed": [text]}}
        content = json.dumps(row) + "\n"
    path.write_text(content)
    assert views.query(dataset, "from mine", files={"mine": path}).to_pylist() == [row]


@slow
def test_files_of_ones_own_are_views(dataset, tmp_path):
    replies = tmp_path / "my replies.jsonl"
    replies.write_text('{"id": "gripper/test/000001", "output": "x"}\n')
    scores = tmp_path / "scores.csv"
    scores.write_text("id,score\ngripper/test/000001,1\n")
    files = own_files([str(replies), f"mine={scores}"])
    assert files == {"my_replies": replies, "mine": scores}
    sql = "select domain, output, score from my_replies join mine using (id) join problems using (id)"
    expected = [{"domain": "gripper", "output": "x", "score": 1}]
    assert views.query(dataset, sql, files=files).to_pylist() == expected
    shown = {row["name"] for row in views.query(dataset, "show tables", files=files).to_pylist()}
    assert shown > set(files)
    with pytest.raises(UsageError, match="views: my_replies, mine, acp_app_bool"):
        views.query(dataset, "select * from nothing", files=files)
    with pytest.raises(UsageError, match="use the views"):
        views.query(dataset, f"from read_csv('{tmp_path}/other.csv'), mine", files=files)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nowhere.csv", None, "no such file"),
        ("notes.txt", "x", "has an unsupported file type.*parquet"),
        ("7.csv", "a\n1\n", "cannot be called '7' in SQL.*NAME|--with replies="),
        ("broken.parquet", "PAR1", "cannot be read"),
        ("problems.csv", "a\n1\n", "'problems' is the name of a view.*mine="),
    ],
)
def test_files_that_cannot_be_views_are_usage_errors(dataset, tmp_path, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError, match=said):
        views.query(dataset, "select 1", files=own_files([str(path)]))


def test_two_files_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text("a\n1\n")
    with pytest.raises(UsageError, match="same name as another"):
        own_files([str(tmp_path / folder / "x.csv") for folder in ("a", "b")])
