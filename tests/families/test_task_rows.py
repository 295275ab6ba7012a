"""The worked examples of prompts: two of each table, from different domains if there are enough."""

import pytest

from orrery.config import load
from orrery.families import table_of
from orrery.families.task_rows import example_rows
from orrery.store.shards import write
from tests.checkout import checkout
from tests.store import samples

SCHEMA = table_of("domain_modeling").schema  # its rows have no traces
DOMAINS = ("floor-tile", "gripper", "rover-single")  # they have no questions


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((3, 3, 3), ["floor-tile/0", "gripper/0"]),
        ((3, None, 1), ["floor-tile/0", "rover-single/0"]),
        ((0, 3, 0), ["gripper/0", "gripper/1"]),
        ((None, 0, 1), ["rover-single/0"]),
    ],
)
def test_a_second_row_of_a_domain_is_an_example_only_if_other_domains_have_none(tmp_path, counts, shown):
    settings = load(checkout(tmp_path, (*DOMAINS, "ferry")))
    for name, count in {**dict(zip(DOMAINS, counts, strict=True)), "ferry": 5}.items():
        if count is not None:
            rows = [samples.row(SCHEMA, id=f"{name}/{n}", domain=name) for n in reversed(range(count))]
            write(settings.outputs / "questions" / name / "domain_modeling.parquet", SCHEMA, rows)
    examples = example_rows(
        settings,
        "questions",
        SCHEMA,
        ["id", "domain"],
        lambda row: f"the {row['id']}",
        lambda row, _: row["id"],
    )
    assert [(row["id"], row["reply"]) for row in examples] == [(name, f"the {name}") for name in shown]
