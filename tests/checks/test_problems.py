"""What the check of all problems finds in rows made for it."""

from types import SimpleNamespace

import pytest

from orrery.checks.problems import check_dataset, key_faults
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Verdicts
from orrery.pddl.read import read_problem
from tests.every_domain import entry
from tests.store.samples import row, write_shards
from tests.tables import PUBLISHED


@pytest.mark.parametrize(("domain", "is_composed"), [("composed-7", True), ("composed-blocks", False)])
def test_only_a_composed_domain_needs_a_row_of_its_own(tmp_path, domain, is_composed):
    schema = PUBLISHED["problems"]
    write_shards(tmp_path, schema, "test", [row(schema, domain=domain, seen="")])
    verdicts = Verdicts()
    check_dataset(SimpleNamespace(dataset=tmp_path, root=tmp_path), Notes(tmp_path / "notes"), verdicts)
    faults = [list(finding.faults) for finding in verdicts.findings if finding.check == "composed"]
    assert faults == ([["the composed domain has no row in domain_modeling"]] if is_composed else [])


def test_another_key_is_seen_also_where_a_domain_has_no_texts(rows):
    for name in ("floortile", "ferry"):
        first, second, *_ = (row for row in rows["problems"] if row["domain"] == name)
        assert faults_of_keys(first) == faults_of_keys(second) == []
        for key in ("strict_key", "loose_key"):
            assert faults_of_keys({**first, key: second[key]}) == ["its stored keys are not its own"]


def faults_of_keys(row):
    problem = read_problem(row["problem_pddl"], entry(row["domain"]).domain)
    return key_faults(SimpleNamespace(entry=entry(row["domain"]), row=row, problem=problem))
