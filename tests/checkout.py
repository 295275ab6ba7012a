"""A checkout of our own for a test: the folders that a stage reads, and a tiny params.yaml."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

import yaml
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.dataset.card import write_card
from orrery.dataset.question_view import write_question_view
from tests.every_domain import CATALOG, ROOT

PARAMS = """\
# sizes for a test
seed: 7
domains:
  - blocksworld
  - ferry
size: tiny
sizes:
  tiny:
    scale: 1
    draw: {problems: {easy: 6}}
    by_domain: {}
    solve: {problems_with_questions: 2, states: 2, max_states: 20000}
    render: {}
    ask: {questions: 3}
    pose: {rows: 1, max_states: 1000}
    worlds: {rows: 2, max_states: 1000}
    check: {recheck_sample_rate: 0.0}
  other:
    scale: 1
    draw: {problems: {easy: 1, hard: 2}}
    by_domain: {}
    solve: {problems_with_questions: 1, states: 1}
    render: {}
    ask: {questions: 1}
    check: {}
"""

# In the size tiny: they stand in all three splits, and most have an empty ferry at first.
TASKS_OF_FERRY = (
    "aboard-to-evenly_spread", "aboard-to-one_location", "counted-to-gather", "evenly_spread-to-aboard",
    "evenly_spread-to-one_location", "one_location-to-aboard",
)  # fmt: skip
# For `make test`: with texts and without, with questions and without, for training and for tests alone.
SOME = ("blocksworld", "ferry", "floor-tile", "floortile", "logistics", "visitall")
STAGES = (
    "generate",
    "solve",
    "render",
    "generate-questions",
    "generate-plan-tasks",
    "generate-worlds",
)  # as dvc.yaml orders them


def checkout(folder, domains=("blocksworld", "ferry"), *, mechanics=(), themes=(), composed=0, asked=0):
    """The path of a checkout that holds these domains, mechanics and themes.

    ``composed``: how many domains its size wants to be composed; ``asked``: how many get questions.
    """
    made = folder / "checkout"
    copy_mechanics(made, mechanics, themes)
    for name in domains:
        shutil.copytree(ROOT / "domains" / name, made / "domains" / name)
        for file in (f"generators/{name}.py", f"templates/domains/{name}.j2"):
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, made / file)
    for path in (ROOT / "templates").iterdir():
        if path.is_dir() and path.name != "domains":
            shutil.copytree(path, made / "templates" / path.name)
    listed = "".join(f"  - {name}\n" for name in domains)
    text = PARAMS.replace("  - blocksworld\n  - ferry\n", listed)
    if "ferry" in domains:
        tasks = f"tasks: {{ferry: [{', '.join(TASKS_OF_FERRY)}]}}"
        text = text.replace("{problems: {easy: 6}}", f"{{problems: {{easy: 6}}, {tasks}}}")
    if composed:
        text = text.replace(
            "    pose: {rows: 1",
            f"    composed: {{domains: {composed}, asked: {asked}}}\n    pose: {{rows: 1",
        )
    (made / "params.yaml").write_text(text)
    return made


def copy_mechanics(root, mechanics, themes):
    """Copy mechanics and themes of ours to ``root``; the themes name these mechanics only."""
    for name in mechanics:
        shutil.copytree(ROOT / "mechanics" / name, root / "mechanics" / name)
    for name in themes:
        (root / "themes").mkdir(parents=True, exist_ok=True)
        content = yaml.safe_load((ROOT / "themes" / f"{name}.yaml").read_text())
        content["mechanics"] = {
            one: content["mechanics"][one] for one in mechanics if one in content["mechanics"]
        }
        (root / "themes" / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False, width=1000))


def orrery(root, *arguments):
    """A command of ours run in this process on the checkout ``root``."""
    return CliRunner().invoke(app, [*arguments, "--root", str(root)])


def must(root, *arguments):
    """As ``orrery``, for a command that has to succeed."""
    result = orrery(root, *arguments)
    assert result.exit_code == 0, (arguments, result.output, result.stderr, result.exception)
    return result


def build(root, domains, jobs=1):
    """Every stage up to ``assemble``."""
    for name in domains:
        for stage in STAGES:
            must(root, stage, name, "--jobs", str(jobs))
    must(root, "describe-domains")
    must(root, "assemble", "--jobs", str(jobs))


@cache
def tiny_build(domains=CATALOG.names):
    """A checkout with these domains, built at a tiny size once a process; not to be changed."""
    root = checkout(Path(tempfile.mkdtemp(prefix="orrery-")), domains)
    atexit.register(shutil.rmtree, root.parent, ignore_errors=True)
    build(root, domains)
    return root


def remade(root, domains):
    """Make the manifest and the card anew, as somebody would who wants a change of rows not to show."""
    about = {name: CATALOG.entry(name).description for name in domains}
    dataset = root / "outputs/dataset"
    facts = {"seed": 1, "size": "smallest", "views": {"questions": write_question_view(dataset, 1)}}
    write_card(dataset, about, templates=root / "templates", **facts)


def contents(folder):
    """The bytes of every file under ``folder``, by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def spoil(path, old, new):
    """Replace a text that a file must contain."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
