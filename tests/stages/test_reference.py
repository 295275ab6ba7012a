"""What is said of tables and views."""

import pytest

from orrery.model import UsageError
from orrery.stages.reference import columns, glossary
from tests.every_domain import ROOT


def test_a_table_is_described_under_the_names_of_its_splits():
    assert columns("acp_app_gen_test") == columns("acp_app_gen")
    with pytest.raises(UsageError, match=r"is unknown \(tables: acp_app_bool, "):
        columns("nothing_test")


def test_names_like_what_was_asked_for_are_named():
    with pytest.raises(UsageError, match=r"\(did you mean 'questions'\?\)"):
        columns("questons")
    with pytest.raises(UsageError, match=r"\(did you mean 'landmark'\?\)"):
        glossary(ROOT, "landmrk")
    with pytest.raises(UsageError, match=r"orrery glossary"):
        glossary(ROOT, "xyzzy")
