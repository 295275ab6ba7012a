"""What may be missing from a dataset: tables and domains that a size asks nothing of, and no others."""

import shutil

from pipeline.store.shards import shards
from tests.checkout import build, checkout, must, orrery

DOMAINS = ("blocksworld", "ferry")


def asks_for(root, problems, ferry, questions):
    """The size ``tiny`` with these problems a domain, ferry's apart, and so many questions."""
    params = root / "params.yaml"
    text = params.read_text().replace("questions: 3", f"questions: {questions}")
    text = text.replace("asked: 2", f"asked: {questions}")
    size = f"problems: {problems}\n    by_domain: {{ferry: {{problems: {ferry}}}}}"
    params.write_text(text.replace("problems: {easy: 6}", size, 1))


def test_a_size_may_leave_out_questions_and_domains(tmp_path):
    root = checkout(tmp_path, DOMAINS)
    asks_for(root, "{easy: 4}", "{}", 0)
    build(root, DOMAINS)
    must(root, "validate", "--jobs", "1")
    dataset = root / "outputs/dataset"
    assert shards(dataset, "text_to_pddl")
    assert shards(dataset, "domain_modeling")
    assert not shards(dataset, "acp_app_gen")
    assert "ferry" not in must(root, "query", "select distinct domain from problems").output


def test_a_table_that_was_made_may_not_be_missing(tmp_path):
    root = checkout(tmp_path, DOMAINS)
    asks_for(root, "{easy: 4}", "{}", 1)
    build(root, DOMAINS)
    shutil.rmtree(root / "outputs/dataset/data/acp_app_gen")
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code == 3
    assert "acp_app_gen" in result.stderr
    assert "are missing" in result.stderr
