"""What ``import orrery`` offers, and what an item says."""

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import orrery
from orrery.library.items import Item, styles
from orrery.model import ToolMissing, UsageError
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, TABLES, fresh

pytestmark = IN_ONE_PROCESS

HEAVY = {"pyarrow", "numba", "numpy", "duckdb", "jinja2", "pydantic"}


def test_the_names_are_there_and_no_others():
    offered = [getattr(orrery, name) for name in orrery.__all__]
    assert all(offered)
    assert set(orrery.__all__) <= set(dir(orrery))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = orrery.nothing


def test_type_checkers_are_told_the_same():
    stub = (ROOT / "pipeline" / "orrery" / "__init__.pyi").read_text()
    exported = {line.rpartition(" as ")[2] for line in stub.splitlines() if " as " in line} | {"__version__"}
    assert exported == set(orrery.__all__)
    assert (ROOT / "pipeline" / "orrery" / "py.typed").is_file()


def test_importing_loads_nothing_and_takes_no_time():
    code = (
        "import time, sys; start = time.perf_counter(); import orrery; taken = time.perf_counter() - start;"
        "print(taken, *sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "pipeline", capture_output=True, text=True, check=True
    )
    path, *loaded = run.stdout.split()
    assert float(path) < 0.5
    assert HEAVY.isdisjoint(name.partition(".")[0] for name in loaded)


def test_a_part_that_needs_an_extra_says_which():
    """As in an installation without pyarrow; a score needs none."""
    code = """
import sys
sys.modules["pyarrow"] = None
import orrery
row = {"group": "applicable_actions_bool", "answer": "yes"}
print(orrery.score("yes", row).verdict)
try:
    orrery.tasks
except orrery.installation.ToolMissing as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "pipeline", capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    verdict, output = run.stdout.splitlines()
    assert verdict == "right"
    assert "pip install 'orrery-planning[data]'" in output
    assert issubclass(ToolMissing, Exception)


@pytest.mark.parametrize("table", TABLES)
def test_a_prompt_is_messages_that_hold_what_the_table_says(table):
    item = fresh(table)[0]
    roles = [message["role"] for message in item.prompt]
    assert roles == ["system", "user"]
    assert all(set(message) == {"role", "content"} and message["content"] for message in item.prompt)
    text = item.row.get("natural_language") or item.row["question"]
    assert text.split("\n")[0] in item.prompt[1]["content"]
    assert item.gold not in ("", "ANSWER: ")


@pytest.mark.parametrize("table", TABLES)
def test_an_answer_after_reasoning_is_read(table):
    for item in fresh(table):
        prompt = replace(item, style="reasoned").prompt
        assert prompt[1] == item.prompt[1]
        assert "Think step by step" in prompt[0]["content"]
        assert "PDDL and nothing else" not in prompt[0]["content"]
        thoughts = (
            "At first two facts hold.\n1. The first rule asks for both of them.\n2. So the check succeeds."
        )
        assert item.score(f"{thoughts}\n\n{item.gold}").verdict == "right"
        assert item.score(thoughts).verdict == "unparsed"


def test_an_item_can_be_pickled():
    item = fresh("text_to_pddl")[0]
    again = pickle.loads(pickle.dumps(item))
    assert (again, again.prompt, again.gold) == (item, item.prompt, item.gold)


def test_styles_of_every_table():
    assert styles(ROOT, "acp_app_gen")[0] == "zero_shot"
    assert "all" in styles(ROOT, "action_modeling")
    with pytest.raises(UsageError, match="has no questions for a model"):
        styles(ROOT, "problems")
    with pytest.raises(UsageError, match="has no questions for a model"):
        _ = Item("problems", {"id": "x"}, "zero_shot", Path()).gold
