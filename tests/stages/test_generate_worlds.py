"""The stage of worlds: which problems it takes, and that its rows are those of the problems."""

import json

import pytest

from orrery.catalog import SPLITS
from orrery.config import load
from orrery.families.worlds.schemas import WORLD
from orrery.stages import generate_worlds
from orrery.store.shards import read_rows
from tests.checkout import must

pytestmark = pytest.mark.slow


def rows_of(root, folder, name):
    return list(read_rows(root / "outputs" / folder / name / f"{folder}.parquet"))


def worlds(root, name):
    return list(read_rows(root / "outputs" / "worlds" / name / "world.parquet", WORLD))


@pytest.mark.parametrize("name", ["blocksworld", "ferry"])
def test_worlds_are_the_first_small_problems_with_a_shortest_plan(two_domains, name):
    size = load(two_domains).size.worlds
    solutions = {row["problem_id"]: row for row in rows_of(two_domains, "solutions", name)}
    wanted = []
    for split in SPLITS:
        small = [
            row["problem_id"]
            for row in rows_of(two_domains, "problems", name)
            if row["split"] == split
            and (solved := solutions[row["problem_id"]])["optimal"]
            and 0 < (solved["num_states"] or 0) <= size.max_states
            and solved["plan_cost"]
        ]
        wanted += small[: size.rows]
    made = worlds(two_domains, name)
    assert wanted
    assert [row["problem_id"] for row in made] == wanted
    for row in made:
        solved = solutions[row["problem_id"]]
        assert (row["h_star"], row["num_states"]) == (solved["plan_cost"], solved["num_states"])


def test_any_number_of_workers_makes_the_same(two_domains):
    settings = load(two_domains)
    before = worlds(two_domains, "ferry")
    assert len(before) > 2
    must(two_domains, "generate-worlds", "ferry", "--jobs", "2")
    assert worlds(two_domains, "ferry") == before
    assert generate_worlds.STEP.is_made(settings, "ferry")


def test_worlds_are_published_by_split(two_domains):
    sql = "select split, problem_id from world order by problem_id"
    published = json.loads(must(two_domains, "query", sql, "--json").stdout)
    assert published
    assert {row["split"] for row in published} == set(SPLITS)
    assert all(row["problem_id"].split("/")[1] == row["split"] for row in published)
