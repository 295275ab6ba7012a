"""The wiring of the build: what `make`, DVC and git must agree on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from orrery.config import Params, Size
from tests.effort import sample
from tests.every_domain import ROOT
from tests.rooms import STEPS, rooms_of, stages

pytestmark = pytest.mark.xdist_group("wiring")  # the imports of all modules are read once
MOST_STAGES = 12  # DVC takes 0.3 s and more for each, growing with their number.


@pytest.mark.parametrize("name", stages())
def test_a_stage_depends_on_the_rooms_of_our_code_that_it_reaches(name):
    """Were one missing, changed code would leave old results; `python -m tests.rooms` writes the lists."""
    listed = [path for path in stages()[name]["deps"] if path.startswith("pipeline/")]
    assert listed == rooms_of(name)
    assert [path for path in listed if not (ROOT / path).exists()] == []


def test_rooms_are_those_that_a_stage_runs():
    rooms = {name: set(rooms_of(name)) for name in stages()}
    assert "pipeline/orrery/planning" in rooms["validate"]
    assert "pipeline/orrery/families/questions" in rooms["generate-tasks"] - rooms["generate"]
    assert "pipeline/orrery/grading" in rooms["assemble"]  # shipped as files
    assert not any("/cli" in path or "/browse" in path for paths in rooms.values() for path in paths)


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(sorted(stages()), 3))
def test_no_module_is_loaded_outside_the_rooms_of_a_stage(name, with_venv):
    """Importing the stage loads no module that reading its imports did not find."""
    loaded = "import sys; print(*(name for name in sys.modules if name.startswith('orrery.')))"
    script = "".join(f"import orrery.stages.{step}; " for step in STEPS.get(name, (name,))) + loaded
    environment = with_venv | {"PYTHONPATH": str(ROOT / "pipeline")}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    rooms = [f"{path.removesuffix('.py')}/" for path in rooms_of(name)]
    outside = [
        module
        for module in run.stdout.split()
        if not any(f"pipeline/{module.replace('.', '/')}/".startswith(room) for room in rooms)
    ]
    packages = {"orrery.families", "orrery.stages", "orrery.evaluation"}  # the first by its __init__.py
    assert sorted(set(outside) - packages) == []


# One process for all questions to DVC, whose start alone takes seconds: build, then change a key at a time.
@pytest.mark.parametrize(
    ("keys", "stages_again"),
    [
        ("ask.questions", ["assemble", "generate-tasks"]),
        ("pose.rows", ["assemble", "generate", "generate-tasks"]),
        ("render.paraphrases", ["assemble", "generate-tasks"]),
        ("solve.problems_with_questions", ["assemble", "solve"]),
        ("draw.problems", ["assemble", "generate"]),
        ("by_domain.ferry", ["assemble", "generate"]),
        ("check.recheck_sample_rate", ["assemble", "validate"]),
        ("composed.domains", ["assemble", "compose"]),
        ("scale", ["assemble", "compose", "generate", "generate-tasks", "solve"]),
    ],
)
def test_a_key_of_params_is_named_by_the_stages_that_read_it(keys, stages_again):
    """What DVC goes by: a key of ``params``, or one above it, as written there for the size in force.

    The dataset contains its parameters, so all of them are read by assemble.
    """
    changed, found = f"sizes.smallest.{keys}", []
    for name, stage in stages().items():
        named = [str(key).replace("${size}", "smallest") for key in stage.get("params", ())]
        if any(f"{changed}.".startswith(f"{key}.") for key in named):
            found.append(name)
    assert sorted(found) == stages_again


def test_every_key_of_a_size_is_read_by_some_stage():
    """Did a stage not name a group, changing it would leave old results."""
    read = {key for stage in stages().values() for key in stage.get("params", ())}
    assert {f"sizes.${{size}}.{group}" for group in Size.model_fields} <= read
    assert set(Params.model_fields) - {"sizes"} <= read
    for name, stage in stages().items():
        if any(key.startswith("sizes.") for key in stage.get("params", ())):
            assert "size" in stage["params"], name


def test_there_are_few_stages():
    assert len(stages()) <= MOST_STAGES
    assert not any("matrix" in stage or "foreach" in stage for stage in stages().values())


MADE = ("outputs/dataset/README.md", "outputs/.unfinished/x", "dvc_plots/index.html", ".venv/ready")


@pytest.mark.parametrize("made", MADE)
def test_what_is_made_is_not_in_git(root, made):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    assert subprocess.run(["git", "check-ignore", "-q", made], cwd=root).returncode == 0


def test_dvc_may_look_at_git(root):
    """Metrics are compared between revisions, experiments are commits: DVC refuses what it is kept from."""
    assert "no_scm" not in (root / ".dvc" / "config").read_text()
    if (root / ".git").exists():
        assert subprocess.run(["git", "check-ignore", "-q", "dvc.lock"], cwd=root).returncode == 1


def test_the_folder_of_what_is_made_says_in_git_what_will_lie_where(root):
    """Every folder that a stage of dvc.yaml writes stands in the table."""
    stated = (root / "outputs/README.md").read_text()
    outs = [each for stage in stages().values() for each in stage["outs"]]
    made = {path.split("/")[1] for each in outs for path in ([each] if isinstance(each, str) else each)}
    assert [name for name in sorted(made) if f"| `{name}/" not in stated] == []
    if (root / ".git").exists():
        ignored = subprocess.run(["git", "check-ignore", "-q", "outputs/README.md"], cwd=root)
        assert ignored.returncode == 1
