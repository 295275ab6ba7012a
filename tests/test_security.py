"""SECURITY.md claims what tests hold, with the numbers that the code has."""

import re
from pathlib import Path

import pytest

from orrery.dataset import views
from orrery.grading.score import MAX_REPLY
from orrery.pddl import sections, tree
from orrery.serve import exchange, nemo_gym, sessions

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_each_test_that_is_named_is_there(file, test):
    assert f"\ndef {test}(" in (ROOT / file).read_text(encoding="utf-8")


def test_each_line_of_the_table_names_a_test():
    lines = [line for line in TEXT.splitlines() if line.startswith("| ")][1:]
    assert len(lines) > 10
    assert [line for line in lines if "::test_" not in line] == []


@pytest.mark.parametrize(
    "claim",
    [
        f"{views.MEMORY} of memory, {views.SPILL} of temporary".replace("GiB", " GiB"),
        f"{views.QUERY_SECONDS:.0f} s of processor time, {views.ANSWER_MEBIBYTES:,} MiB of answer",
        f"{tree.MAX_CHARACTERS:,} characters, {tree.MAX_DEPTH:,} levels of lists, "
        f"{sections.MAX_TYPES:,} types",
        f"{MAX_REPLY:,} characters; a longer one",
        f"{exchange.MOST_BYTES // 2**10} KiB of a request, {nemo_gym.MOST_BYTES // 2**20} MiB of a "
        "conversation that NeMo Gym sends",
        f"{sessions.MOST_SESSIONS:,} sessions, of which unused ones are dropped after "
        f"{sessions.IDLE_SECONDS:,.0f} seconds",
    ],
)
def test_each_limit_is_that_of_the_code(claim):
    assert claim in TEXT


def test_the_readme_leads_there():
    assert "[SECURITY](SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
