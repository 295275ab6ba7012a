"""Each family's checks are found by its name, and what no check vouches for is listed."""

from orrery.checks import family_checks, unchecked
from orrery.families import families
from tests.tables import PUBLISHED, QUESTIONS

NOT_CHECKED = {
    "problems": ["planner", "planner_version"],
}


def test_every_family_has_checks():
    assert list(family_checks()) == list(families())


def test_the_columns_that_no_check_vouches_for_are_these():
    """Another one in this list is a decision, not an accident."""
    columns_unchecked = unchecked()
    for table in QUESTIONS:
        further = {"_bool": ["form"], "_mcq": ["forms"]}
        ending = next((names for end, names in further.items() if table.endswith(end)), [])
        assert columns_unchecked.pop(table, []) == ending, table
    assert columns_unchecked == NOT_CHECKED


def test_no_check_vouches_for_a_column_that_no_table_has():
    for name, checks in family_checks().items():
        columns = {column for table in families()[name].tables for column in PUBLISHED[table.name].names}
        assert {column for names in checks.columns.values() for column in names} <= columns
