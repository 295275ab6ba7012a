"""Seven domains of the planning competitions, from PDDL to checked rows as docs/add-a-domain.md says."""

import difflib
import shutil
from pathlib import Path

import pytest

from tests.checkout import build, checkout, must, orrery, spoil
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow

ANSWERS = Path(__file__).parent.parent / "fixtures" / "domains_of_others"
NAMES = sorted(path.name for path in ANSWERS.iterdir())
PAGE = ROOT / "docs" / "add-a-domain.md"


def by_file(name):
    """The files that a user writes into, by their place in the answers."""
    return {
        "domain.yaml": f"domains/{name}/domain.yaml",
        "generator.py": f"generators/{name}.py",
        "words.j2": f"templates/domains/{name}.j2",
    }


def new_lines(old, new):
    """How many lines that are not blank have to be written to turn ``old`` into ``new``."""
    lines = difflib.ndiff(old.splitlines(), new.splitlines())
    return sum(line.startswith("+ ") and bool(line[2:].strip()) for line in lines)


def written(root, name):
    """Write the answers over the skeleton; return the lines of PDDL and those that are not the skeleton's."""
    lines = [new_lines("", (ANSWERS / name / "domain.pddl").read_text())]
    for answer, file in by_file(name).items():
        skeleton, text = (root / file).read_text(), (ANSWERS / name / answer).read_text()
        lines.append(new_lines(skeleton, text))
        (root / file).write_text(text)
    if (ANSWERS / name / "problems").exists():
        shutil.copytree(ANSWERS / name / "problems", root / "domains" / name / "problems")
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_the_page_alone_leads_from_pddl_to_checked_rows(tmp_path, name):
    root = checkout(tmp_path, ["swap"])
    must(root, "new-domain", name, "--pddl", str(ANSWERS / name / "domain.pddl"))
    lines = written(root, name)
    params = root / "params.yaml"
    spoil(params, "  - swap\n", "")
    report = orrery(root, "doctor", name)
    assert "FAULT" not in report.output, report.output
    build(root, [name])
    for table in ("questions", "plan_execution", "text_to_pddl", "problems"):
        assert rows(root, table), table
    must(root, "validate", "--jobs", "1")
    assert f"| `{name}` | {' | '.join(map(str, lines))} |" in PAGE.read_text()


def rows(root, table):
    """The number of rows of a table."""
    return int(must(root, "query", "--format", "csv", f"select count(*) from {table}").stdout.split()[-1])
