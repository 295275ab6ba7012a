"""What a row says of itself: every column changed alone is seen."""

import pytest

from orrery.checks.labels import check, name_of, size_fold
from tests.every_domain import CATALOG, entry

TASKS = {(name, p.name): p for name in CATALOG.names for p in entry(name).tasks}


def faults(row, **changed):
    return check({**row, **changed}, TASKS[row["domain"], row["task"]])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", lambda v: v + "/p1"),
        ("id", lambda v: v.rpartition("/")[0]),
        ("name", lambda v: "another"),
        ("num_propositions", lambda v: v + 1),
        ("fold", lambda v: (v + 1) % 5),
        ("fold_size", lambda v: "81+" if v != "81+" else "1-20"),
        ("fold_mixture", lambda v: "abstract-explicit" if v != "abstract-explicit" else "explicit-explicit"),
        ("init_is_abstract", lambda v: 1 - v),
        ("goal_is_abstract", lambda v: 1 - v),
        ("vocabulary", lambda v: "misleading"),
        ("vocabulary", lambda v: "strange"),
        ("paraphrase", lambda v: v + 2),
    ],
)
def test_a_column_changed_alone_is_seen(rows, column, value):
    for row in rows["text_to_pddl"][::3]:
        assert faults(row, **{column: value(row[column])})


def test_tied_init_and_goal_are_rendered_alike(rows):
    tied = [row for row in rows["text_to_pddl"] if not TASKS[row["domain"], row["task"]].interchangeable]
    assert tied
    for row in tied:
        labels = {"init_is_abstract": 1, "goal_is_abstract": 0, "fold_mixture": "abstract-explicit"}
        problem = "/".join(row["id"].split("/")[:3])
        assert any("are tied" in fault for fault in faults(row, id=f"{problem}/abstract-explicit", **labels))


@pytest.mark.parametrize(
    ("propositions", "fold"),
    [(0, "1-20"), (1, "1-20"), (20, "1-20"), (21, "21-40"), (40, "21-40"), (60, "41-60"), (61, "61-80"),
     (80, "61-80"), (81, "81+"), (200, "81+")],
)  # fmt: skip
def test_folds_by_size_are_those_of_the_published_table(propositions, fold):
    assert size_fold(propositions) == fold


def test_names_say_what_sets_a_row_apart():
    assert name_of("d/test/000001", "explicit-explicit", "plain", 0) == "d/test/000001/explicit-explicit"
    assert name_of("d/test/000001", "explicit-explicit", "plain", 2) == "d/test/000001/explicit-explicit/p2"
    assert name_of("p", "explicit-explicit", "misleading", 0) == "p/explicit-explicit/misleading"
