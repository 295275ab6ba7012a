"""The folder as it is shipped: it imports nothing else, works anywhere, and finds kinds by looking."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import orrery.grading
from orrery.grading import GRADERS, grade
from orrery.stages.assemble import copy_graders
from tests.question_rows import ROWS, row

FOLDER = Path(orrery.grading.__file__).parent
FILES = {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*.py"))}
KINDS = {"app", "areach", "just", "land", "nexta", "prog", "reach", "val"}
ALONE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import grading
print(json.dumps([grading.__file__, sorted(grading.GRADERS)]))
for row, reply in json.load(sys.stdin):
    print(grading.grade(reply, row).verdict)
"""
# A ninth kind of question, with an answer of one word.
NINTH = """
from ..boolean import BOOLEAN
from ..clauses import WORDS, words_grader

def answers_for(row):
    return lambda text, marked: [word for word in WORDS.findall(text) if word.startswith("b1")]

GRADERS = {"typing_gen": words_grader(answers_for), "typing_bool": BOOLEAN}
"""


@pytest.fixture
def copied(tmp_path):
    """A folder with a copy of the package in it."""
    copy_graders(tmp_path)
    return tmp_path


def alone(folder, *cases_asked):
    """A process that knows nothing but the standard library and the copy in ``folder``."""
    # -I: no environment variables, no current folder; -S: no site-packages; -B: no __pycache__ in the copy.
    command = [sys.executable, "-I", "-S", "-B", "-c", ALONE, str(folder)]
    return subprocess.run(
        command, input=json.dumps(cases_asked), capture_output=True, text=True, timeout=60, check=False
    )


def test_a_copy_grades_a_row_where_nothing_is_installed(copied):
    process = alone(copied, (ROWS["app-one"], "ANSWER: (pick-up b1)"), (ROWS["mc-app"], "A"))
    assert process.returncode == 0, process.stderr
    imported, *verdicts = process.stdout.splitlines()
    assert json.loads(imported) == [str(copied / "grading" / "__init__.py"), sorted(GRADERS)]
    assert verdicts == ["right", "wrong"]


def test_a_copy_holds_the_python_files_and_nothing_else(copied):
    copies = [path for path in copied.rglob("*") if path.is_file()]
    files = {path.relative_to(copied / "grading").as_posix(): path.read_bytes() for path in copies}
    assert files == {name: path.read_bytes() for name, path in FILES.items()}


@pytest.mark.parametrize("name", FILES)
def test_every_file_imports_the_standard_library_and_the_folder_only(name):
    for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom) and node.level:
            assert node.level <= len(Path(name).parts), "does not leave the folder"
        elif isinstance(node, ast.ImportFrom):
            assert node.module.partition(".")[0] in sys.stdlib_module_names


def test_every_kind_is_one_file():
    assert {path.stem for path in (FOLDER / "kinds").glob("*.py")} == KINDS | {"__init__"}


def test_a_ninth_kind_is_one_more_file(copied):
    (copied / "grading" / "kinds" / "typing.py").write_text(NINTH)
    rows_asked = [{"group": "typing_gen", "answer": "b1"}, {"group": "typing_bool", "answer": "no"}]
    process = alone(
        copied, (rows_asked[0], "ANSWER: b1"), (rows_asked[0], "It is b10."), (rows_asked[1], "No.")
    )
    assert process.returncode == 0, process.stderr
    imported, *verdicts = process.stdout.splitlines()
    assert set(json.loads(imported)[1]) == {*GRADERS, "typing_gen", "typing_bool"}
    assert verdicts == ["right", "wrong", "right"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("GRADERS = {'landmarks_gen': None}", "kinds/zoo.py: another kind grades group 'landmarks_gen'"),
        ("GRADER = None", "has no attribute 'GRADERS'"),
    ],
)
def test_a_file_that_is_no_kind_of_its_own_is_refused(copied, code, message):
    (copied / "grading" / "kinds" / "zoo.py").write_text(code)
    process = alone(copied)
    assert process.returncode == 1
    assert message in process.stderr


def test_other_groups_are_refused():
    with pytest.raises(ValueError, match="poetry_gen"):
        grade("", row("poetry_gen", []))
