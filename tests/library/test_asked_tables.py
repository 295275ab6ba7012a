"""Tables are chosen by names and patterns, in the same way wherever a model is asked."""

import pytest

from orrery.library.asked_tables import asking_tables, tables_wanted
from orrery.model import UsageError
from tests.evaluation.samples import ASKING

NAMES = ("acp_app_gen", "acp_app_bool", "text_to_pddl")


def test_every_table_that_asks_something_is_found():
    assert asking_tables() == sorted(ASKING)


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("all", NAMES),
        ("text_to_pddl", ["text_to_pddl"]),
        ("acp_*", ["acp_app_gen", "acp_app_bool"]),
        ("acp_app_gen, *_bool,acp_app_gen", ["acp_app_gen", "acp_app_bool"]),
        ("all,acp_app_gen", NAMES),
        ("acp_app_gen,", ["acp_app_gen"]),
    ],
)
def test_names_and_patterns_choose(wanted, chosen):
    assert tables_wanted(wanted, NAMES, "is not here") == sorted(chosen)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("acp_land_gen", "table 'acp_land_gen': is not here .*acp_app_bool, acp_app_gen, text_to_pddl"),
        ("all,plan_*", "table 'plan_.': is not here"),
        ("problems", "has no questions for a model"),
        ("acp_nothing", "has no questions for a model"),
        ("", "match no table"),
        (" , ", "match no table"),
    ],
)
def test_what_fits_no_table_is_refused_with_those_there_are(wanted, message):
    with pytest.raises(UsageError, match=message):
        tables_wanted(wanted, NAMES, "is not here")
