"""A check may not import what made the columns it checks: said in a table, held by reading imports."""

import ast

import pytest

from tests.every_domain import ROOT

EXECUTION = ("pipeline.semantics.grounding", "pipeline.semantics.progression")
SOLVING = ("pipeline.planners.exhaustive", "pipeline.facts")

# What made the columns that each check judges.
MADE_BY = {
    "agreement": ("pipeline",),
    "colours": ("pipeline.equivalence", "pipeline.generation"),
    "counts": ("pipeline.store", "pipeline.equivalence", "pipeline.stages"),
    "descriptions": ("pipeline.stages", "pipeline.generation"),
    "determined": ("pipeline.stages", "pipeline.words", "pipeline.generation"),
    "graphs": ("pipeline.equivalence", "pipeline.generation"),
    "holds": ("pipeline.equivalence", "pipeline.generation", "pipeline.stages"),
    "labels": ("pipeline.stages", "pipeline.store"),
    "renamed": ("pipeline.vocabulary", "pipeline.stages"),
    "answers": (*SOLVING, "pipeline.questions", "pipeline.semantics.relaxation"),
    "balance": ("pipeline.questions", "pipeline.publishing", "pipeline.stages", "pipeline.store"),
    "claims": (*SOLVING, "pipeline.questions", "pipeline.semantics.relaxation"),
    "columns": (*SOLVING, "pipeline.questions", "pipeline.stages"),
    "formats": (*SOLVING, "pipeline.questions", "pipeline.semantics.relaxation"),
    "lifted": (*SOLVING, *EXECUTION, "pipeline.semantics.joins", "pipeline.semantics.prepared"),
    "pairs": (*SOLVING, "pipeline.semantics.relaxation", "pipeline.planners"),
    "projections": (*SOLVING, "pipeline.planners.refutation", "pipeline.semantics.relaxation"),
    "questions": (*SOLVING, "pipeline.questions", "pipeline.semantics.relaxation"),
    "removals": (*SOLVING, "pipeline.questions"),
    "sequences": (*SOLVING, *EXECUTION, "pipeline.planners", "pipeline.questions"),
    "sightings": (*SOLVING, "pipeline.planners", "pipeline.questions"),
    "space": (*SOLVING, "pipeline.planners", "pipeline.semantics.relaxation"),
    "told": ("pipeline.questions", "pipeline.stages", "pipeline.words.explicit"),
    "wider": (*SOLVING, "pipeline.planners", "pipeline.questions"),
    "world": (*SOLVING, "pipeline.questions", "pipeline.semantics.relaxation"),
    "open_matters": ("pipeline",),
    "plans": (*SOLVING, *EXECUTION, "pipeline.planners"),
    "retold": (*SOLVING, *EXECUTION, "pipeline.planners.fast_downward"),
    "splits": ("pipeline.equivalence", "pipeline.generation"),
    "states": (*SOLVING, "pipeline.semantics.relaxation"),
    "tables": ("pipeline.store",),
    "texts": ("pipeline.stages", "pipeline.words.explicit", "pipeline.words.sentence"),
}


def imported(path):
    """Dotted names that a module imports, those of names within modules included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def file_of(module):
    """The file of a module of ``pipeline.checks``, or None for a name of anything else."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return path if module.startswith("pipeline.checks.") and path.exists() else None


def within_checks(name):
    """What a check imports, by itself and through other modules of ``pipeline.checks``."""
    found, todo = set(), [f"pipeline.checks.{name}"]
    while todo:
        new = imported(file_of(todo.pop())) - found
        found |= new
        todo.extend(filter(file_of, new))
    return found


def forbidden(names, made_by):
    return {name for name in names for module in made_by if name == module or name.startswith(f"{module}.")}


@pytest.mark.parametrize("name", MADE_BY)
def test_a_check_does_not_import_what_made_its_columns(name):
    assert forbidden(within_checks(name), MADE_BY[name]) == set()


def test_every_check_has_its_line():
    modules = {path.stem for path in (ROOT / "pipeline" / "checks").glob("*.py")} - {"__init__"}
    assert modules == set(MADE_BY)


def test_every_module_named_exists():
    for module in {module for modules in MADE_BY.values() for module in modules}:
        path = ROOT.joinpath(*module.split("."))
        inside = path.parent.with_suffix(".py")
        assert path.is_dir() or path.with_suffix(".py").exists() or f" {path.name}(" in inside.read_text()


def test_the_test_sees_what_it_forbids():
    assert forbidden(within_checks("answers"), ("pipeline.planners.fast_downward",))
    assert forbidden(within_checks("states"), ("pipeline.checks.world",))
    assert not forbidden({"pipeline.planners.exhaustive_python"}, ("pipeline.planners.exhaustive",))
