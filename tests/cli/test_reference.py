"""What is said of tables and views."""

import pytest

from orrery.cli.reference import described_columns, entries_of
from orrery.model import UsageError
from tests.every_domain import ROOT


def test_a_table_is_described_under_the_names_of_its_splits():
    assert described_columns("acp_app_gen_test") == described_columns("acp_app_gen")
    with pytest.raises(UsageError, match=r"is unknown \(tables: acp_app_bool, "):
        described_columns("nothing_test")


def test_names_like_what_was_asked_for_are_named():
    with pytest.raises(UsageError, match=r"\(did you mean 'questions'\?\)"):
        described_columns("questons")
    with pytest.raises(UsageError, match=r"\(did you mean 'landmark'\?\)"):
        entries_of(ROOT, "landmrk")
    with pytest.raises(UsageError, match=r"orrery glossary"):
        entries_of(ROOT, "xyzzy")
