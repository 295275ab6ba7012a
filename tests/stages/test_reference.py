"""What is said of tables and views."""

import pytest

from orrery.model import UsageError
from orrery.stages.reference import columns


def test_a_table_is_described_under_the_names_of_its_splits():
    assert columns("acp_app_gen_test") == columns("acp_app_gen")
    with pytest.raises(UsageError, match="is unknown"):
        columns("nothing_test")
