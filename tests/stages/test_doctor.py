"""The doctor: what is a fault of the folders, and what is not."""

import re

from orrery.stages.doctor import Report, _looked_at
from tests.checkout import checkout


def test_a_domain_that_is_not_built_is_told_and_is_no_fault(tmp_path):
    root = checkout(tmp_path, ["ferry", "gripper"])
    params = root / "params.yaml"
    listed = re.sub(r"(?m)^( *)- gripper\n", "", params.read_text())
    params.write_text(re.sub(r"(?m)^ +gripper: .*\n", "", listed))
    faults, unlisted = _looked_at(root)
    assert (faults, unlisted) == ([], ["gripper"])
    report = Report((("python", "3", ""),), {}, tuple(faults), tuple(unlisted))
    assert report.code == 0
    assert "domain gripper" in report.as_text()
