"""Cells: bounded by what is proven of every state, short otherwise, and what others add."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.families.questions.cells import added, cells_of, refuse_short, short, why_fewer
from orrery.families.questions.choice import NEVER_MATCHED, ONLY_NONE, UNMATCHED
from orrery.families.task_rows import task_rows
from orrery.model import Incomplete, OrreryError
from orrery.problems.schemas import reject as rejected
from tests.every_domain import ROOT
from tests.tables import QUESTIONS

TABLE = "acp_reach_gen"


def cells(reasons, rows=0, states=4, promised=4):
    """The cells of a domain of which only ``TABLE`` falls short in the test split."""
    counts = {(name, split): promised for name in QUESTIONS for split in ("test", "validation")}
    counts[TABLE, "test"] = rows
    rejects = [
        rejected("ask", "d", f"d/test/p/{n:02}/reach_gen", f"reach_gen: {reason}")
        for n, reason in enumerate(reasons)
    ]
    return cells_of("d", {"test": states, "validation": states}, counts, {}, rejects, promised)


def the_cell(found):
    return next(each for each in found if each["table"] == TABLE and each["split"] == "test")


def test_every_table_and_split_has_a_cell():
    found = cells([ONLY_NONE] * 4)
    assert [(each["table"], each["split"]) for each in found] == list(
        itertools.product(sorted(QUESTIONS), ("test", "validation"))
    )


@pytest.mark.parametrize(
    ("reasons", "rows", "bounded"),
    [
        ([ONLY_NONE] * 4, 0, True),
        ([ONLY_NONE] * 2 + ["unsolvable"], 1, True),
        (["too few true or false claims"] * 2, 2, True),
        ([NEVER_MATCHED, "plan of more than 60 steps"], 0, True),  # said of all claims on all states
        (["unsolvable"] * 4, 0, False),  # other states would serve
        ([ONLY_NONE] * 3, 0, False),  # of one state nothing is said
        ([ONLY_NONE] * 3 + [UNMATCHED], 0, False),
        ([ONLY_NONE] * 3 + ["reachability not fully decided"], 0, False),
        ([], 0, False),
    ],
)
def test_a_cell_is_bounded_only_by_what_is_known_of_every_state(reasons, rows, bounded):
    found = cells(reasons, rows)
    assert the_cell(found)["bounded"] is bounded
    assert [each["table"] for each in short(found)] == ([] if bounded else [TABLE])
    if bounded:
        refuse_short("d", found, "tiny")
        assert all(reason in why_fewer(the_cell(found), 4) for reason in reasons)
    else:
        with pytest.raises(
            Incomplete, match=rf"questions on d: {TABLE} test has {rows} of 4 .*sizes\.tiny"
        ) as error:
            refuse_short("d", found, "tiny")
        assert error.value.code == 5


@pytest.mark.parametrize(("rows", "useless", "bounded"), [(3, 5, True), (3, 4, False), (0, 8, True)])
def test_a_cell_is_bounded_where_twice_as_many_states_as_promised_give_no_more(rows, useless, bounded):
    found = cells([ONLY_NONE] * useless + ["reachability not fully decided"] * 9, rows, states=30)
    assert the_cell(found)["bounded"] is bounded


def test_states_without_a_reason_of_use_bound_nothing_however_many():
    assert not the_cell(cells(["unsolvable"] * 20, 3, states=30))["bounded"]
    assert not the_cell(cells([UNMATCHED] * 20, 3, states=30))["bounded"]


def test_nothing_is_short_where_nothing_is_promised():
    assert not list(short(cells([UNMATCHED], promised=0)))


def cell(domain, rows, spare, table=TABLE):
    return {"domain": domain, "table": table, "rows": rows, "spare": spare, "promised": 10}


def test_others_add_in_turn_what_a_domain_lacks():
    some = [cell("a", 10, 3), cell("b", 4, 0), cell("c", 10, 9), cell("d", 10, 1)]
    assert added(some) == {"a": 3, "c": 2, "d": 1}
    assert added([cell("a", 10, 3), cell("b", 0, 0)]) == {"a": 3}
    assert added([cell("a", 10, 3)]) == {}
    pairs = [cell("a", 10, 5, "acp_reach_bool"), cell("b", 4, 0, "acp_reach_bool")]
    assert added(pairs) == {"a": 4}


def test_spare_rows_are_read_as_far_as_needed_and_a_shortage_is_named(tmp_path):
    schema = pa.schema([pa.field("problem_id", pa.string(), nullable=False)], {"table": "acp_x"})
    for folder, ids in (("ferry", ["ferry/test/1"]), ("ferry/spare", ["ferry/test/2", "ferry/train/3"])):
        (tmp_path / "questions" / folder).mkdir(parents=True)
        pq.write_table(pa.table({"problem_id": ids}, schema), tmp_path / f"questions/{folder}/acp_x.parquet")
    settings = SimpleNamespace(domains=["ferry"], all_domains=["ferry"], root=ROOT, outputs=tmp_path)

    def ids_with(additions):
        parts = task_rows("questions", schema, lambda *_: additions)(settings, "test")
        return [name for part in parts for name in part["problem_id"].to_pylist()]

    assert ids_with({}) == ["ferry/test/1"]
    assert ids_with({"ferry": 1}) == ["ferry/test/1", "ferry/test/2"]
    with pytest.raises(OrreryError, match="1 rows of test too few"):
        ids_with({"ferry": 2})
