"""What the check of all problems finds in rows made for it."""

from types import SimpleNamespace

import pytest

from orrery.checks.problems import check_dataset
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Verdicts
from tests.store.samples import row, write_shards
from tests.tables import PUBLISHED


@pytest.mark.parametrize(("domain", "is_composed"), [("composed-7", True), ("composed-blocks", False)])
def test_only_a_composed_domain_needs_a_row_of_its_own(tmp_path, domain, is_composed):
    schema = PUBLISHED["problems"]
    write_shards(tmp_path, schema, "test", [row(schema, domain=domain, seen="")])
    verdicts = Verdicts()
    check_dataset(SimpleNamespace(dataset=tmp_path), Notes(tmp_path / "notes"), verdicts)
    faults = [list(finding.faults) for finding in verdicts.findings if finding.check == "composed"]
    assert faults == ([["the composed domain has no row in domain_modeling"]] if is_composed else [])
