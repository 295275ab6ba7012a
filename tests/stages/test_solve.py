"""How the problems of a domain are divided into parts."""

from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.stages.solve import _spans
from orrery.store.columns import from_rows
from orrery.store.shards import write_tables
from tests.store import samples


def test_parts_cover_all_problems_once(tmp_path):
    for total in (1, 9, 10, 11, 399, 8_000, 8_001, 23_456):
        spans = [span.numbers for span in _spans(problems(tmp_path, total))]
        assert [number for span in spans for number in span] == list(range(total))
        assert max(map(len, spans)) <= 200


def problems(folder, count):
    """A table of problems of which only the number matters."""
    path, schema = folder / f"{count}.parquet", GENERATED_PROBLEMS
    one = from_rows(schema, [samples.row(schema)])
    write_tables(path, schema, [one.take([0] * count)])
    return path
