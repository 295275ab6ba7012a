"""Whether a stage may run."""

import pytest

from orrery.config import load
from orrery.model import OrreryError
from orrery.stages.running import running
from tests.checkout import PARAMS
from tests.every_domain import ROOT


@pytest.mark.parametrize(
    ("name", "mend"),
    [("fery", "did you mean 'ferry'"), ("''", "correct the name"), ("../domains/ferry", "correct the name")],
)
def test_an_unknown_domain_is_named_with_its_file_before_a_stage_runs(tmp_path, name, mend):
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    (tmp_path / "params.yaml").write_text(PARAMS.replace("- ferry", f"- {name}"))
    message = rf"params\.yaml: domains: '{name.strip(chr(39))}' has no folder .*{mend}"
    with pytest.raises(OrreryError, match=message), running(load(tmp_path), "solve"):
        pytest.fail("it runs")
    assert not (tmp_path / "outputs").exists()
