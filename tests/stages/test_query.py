"""What is asked, and of what."""

import pytest

from orrery.model import OrreryError
from orrery.stages import query


def test_a_dataset_that_is_named_must_be_one_though_there_are_runs(tmp_path):
    (tmp_path / "evals" / "run").mkdir(parents=True)
    (tmp_path / "evals" / "run" / "scores.parquet").touch()
    with pytest.raises(OrreryError, match="is not a dataset"):
        query.run(str(tmp_path / "nowhere"), tmp_path / "evals", "select 1")
