"""A checkout of our own for a test: the folders that a stage reads, and a tiny params.yaml."""

import shutil

from tests.every_domain import ROOT

PARAMS = """\
# sizes for a test
seed: 7
domains:
  - blocksworld
  - ferry
size: tiny
sizes:
  tiny:
    problems: {easy: 6}
    asked: 2
    states: 2
    questions: 3
    max_states: 20000
    planner_share: 0.0
  other:
    problems: {easy: 1, hard: 2}
    asked: 1
    states: 1
    questions: 1
"""


def checkout(folder, domains=("blocksworld", "ferry")):
    """The path of a checkout that holds these domains."""
    made = folder / "checkout"
    for name in domains:
        shutil.copytree(ROOT / "domains" / name, made / "domains" / name)
        for file in (f"generators/{name}.py", f"templates/domains/{name}.j2"):
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, made / file)
    for path in (ROOT / "templates").iterdir():
        if path.is_dir() and path.name != "domains":
            shutil.copytree(path, made / "templates" / path.name)
    (made / "params.yaml").write_text(PARAMS)
    return made
