"""What holds of every kind of prediction: the record, its columns, and the tables that name it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.families import tables
from orrery.model import UsageError
from orrery.scoring.scorers import names, scorer_of
from orrery.scoring.tally import tally
from orrery.store.kinds import table_name

SCORERS = {name: scorer_of(name) for name in names()}


@pytest.mark.by_day(2)
@pytest.mark.parametrize("name", SCORERS)
def test_what_a_scorer_declares_fits_together(name):
    scorer = SCORERS[name]
    measures = scorer.measures
    assert {"id", "sample"} <= {*scorer.schema().names}
    summary = tally(scorer.schema().empty_table(), measures, 3)  # all SQL fits the columns
    assert (summary["outputs"], summary["by"], summary["rows_without_output"]) == (0, {}, 3)
    assert measures.best in measures.shares
    assert {*measures.shown} <= {*measures.shares, *measures.means, *measures.ratios}
    assert {*measures.printed} <= {*measures.listed}
    assert all(map(scorer.reads, scorer.needed))
    assert scorer.__doc__
    assert table_name(scorer.schema()) in {"scores", "grades"}


def test_every_table_that_asks_something_has_a_scorer():
    published = tables()
    graded = {name: scorer_of(table.scorer) for name, table in published.items() if table.gold}
    assert set(graded.values()) == set(SCORERS.values())
    for name, scorer in graded.items():
        assert set(scorer.needed) <= set(published[name].schema.names)
        assert scorer.name() == published[name].scorer


def test_a_scorer_answers_the_tables_that_name_it(tmp_path):
    assert scorer_of("text-to-pddl").tables(tmp_path) == ("text_to_pddl",)
    assert scorer_of("actions").answered(tmp_path) == "action_modeling"
    for name in ("acp_app_gen", "action_modeling", "moves"):
        (tmp_path / "data" / name).mkdir(parents=True)
        rows = pa.table({column: ["x"] for column in ("id", "group", "answer")})
        pq.write_table(rows, tmp_path / "data" / name / "test-00000-of-00001.parquet")
    assert scorer_of("questions").tables(tmp_path) == ("acp_app_gen", "moves")


def test_an_unknown_kind_is_a_usage_error():
    with pytest.raises(UsageError, match="there are: actions, domains"):
        scorer_of("poems")
