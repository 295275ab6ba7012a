"""A check may not import what made the columns it checks: said in a table, held by reading imports."""

import ast

import pytest

from tests.every_domain import ROOT

SOURCE = ROOT / "pipeline"
EXECUTION = ("orrery.semantics.grounding", "orrery.semantics.progression")
SOLVING = ("orrery.planners.exhaustive", "orrery.analysis")

# What made the columns that each check judges.
MADE_BY = {
    "agreement": ("orrery",),
    "colours": ("orrery.equivalence", "orrery.families.problems"),
    "counts": ("orrery.store", "orrery.equivalence", "orrery.stages"),
    "determined": ("orrery.stages", "orrery.language.words", "orrery.families.problems"),
    "graphs": ("orrery.equivalence", "orrery.families.problems"),
    "holds": ("orrery.equivalence", "orrery.families.problems", "orrery.stages"),
    "labels": ("orrery.stages", "orrery.store"),
    "renamed": ("orrery.language.renamed_domain", "orrery.stages"),
    "balance": ("orrery.families.questions", "orrery.dataset", "orrery.stages", "orrery.store"),
    "lifted": (*SOLVING, *EXECUTION, "orrery.semantics.joins", "orrery.semantics.prepared"),
    "pairs": (*SOLVING, "orrery.semantics.relaxation", "orrery.planners"),
    "projections": (*SOLVING, "orrery.planners.refutation", "orrery.semantics.relaxation"),
    "reached_samples": (*SOLVING, "orrery.planners", "orrery.families.questions"),
    "space": (*SOLVING, "orrery.planners", "orrery.semantics.relaxation"),
    "compiled_query": (*SOLVING, "orrery.planners", "orrery.families.questions"),
    "world": (*SOLVING, "orrery.families.questions", "orrery.semantics.relaxation"),
    "undecided": ("orrery",),
    "inputs": (*SOLVING, "orrery.families.questions"),
    "modelling": ("orrery.stages", "orrery.families.problems", "orrery.families.modelling"),
    "problem_rows": ("orrery.stages", "orrery.families.questions", "orrery.families.text_to_pddl"),
    "plans": (*SOLVING, *EXECUTION, "orrery.planners"),
    "problems": (*SOLVING, "orrery.equivalence", "orrery.families.problems", "orrery.stages"),
    "row_index": ("orrery.stages",),
    "text_to_pddl": ("orrery.stages", "orrery.families.text_to_pddl", "orrery.language.words.explicit"),
    "verdicts": ("orrery.stages",),
    "external_planner": (*SOLVING, *EXECUTION, "orrery.planners.fast_downward"),
    "splits": ("orrery.equivalence", "orrery.families.problems"),
    "states": (*SOLVING, "orrery.semantics.relaxation"),
    "tables": ("orrery.store",),
    "questions": (*SOLVING, "orrery.families.questions", "orrery.semantics.relaxation"),
    "questions.answers": (*SOLVING, "orrery.families.questions", "orrery.semantics.relaxation"),
    "questions.atoms": (*SOLVING, "orrery.families.questions"),
    "questions.bool_mcq": (*SOLVING, "orrery.families.questions", "orrery.semantics.relaxation"),
    "questions.columns": (*SOLVING, "orrery.families.questions", "orrery.stages"),
    "questions.kind_check": (*SOLVING, "orrery.families.questions"),
    "questions.kinds": (*SOLVING, "orrery.families.questions", "orrery.semantics.relaxation"),
    "questions.sequences": (*SOLVING, *EXECUTION, "orrery.planners", "orrery.families.questions"),
    "questions.words_read_back": (
        "orrery.families.questions", "orrery.stages", "orrery.language.words.explicit",
    ),
    "texts": ("orrery.stages", "orrery.language.words.explicit", "orrery.language.words.sentence"),
}  # fmt: skip
CHECKS = SOURCE / "orrery" / "checks"
# The checks of the question kinds are found in a folder, and all are held to the line of that folder.
KINDS = {
    f"questions.kinds.{path.stem}": MADE_BY["questions.kinds"]
    for path in (CHECKS / "questions" / "kinds").glob("[!_]*.py")
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
    """The file of a module of ``orrery.checks``, or None for a name of anything else."""
    folder = SOURCE.joinpath(*module.split("."))
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return path if module.startswith("orrery.checks.") and path.exists() else None


def within_checks(name):
    """What a check imports, by itself and through other modules of ``orrery.checks``."""
    found, todo = set(), [f"orrery.checks.{name}"]
    while todo:
        new = imported(file_of(todo.pop())) - found
        found |= new
        todo.extend(filter(file_of, new))
    return found


def forbidden(names, made_by):
    return {name for name in names for module in made_by if name == module or name.startswith(f"{module}.")}


@pytest.mark.parametrize("name", [*MADE_BY, *sorted(KINDS)])
def test_a_check_does_not_import_what_made_its_columns(name):
    assert forbidden(within_checks(name), (MADE_BY | KINDS)[name]) == set()


def test_every_check_has_its_line():
    paths = (path.relative_to(CHECKS).with_suffix("") for path in CHECKS.rglob("*.py"))
    modules = {".".join(path.parts).removesuffix(".__init__") for path in paths} - {"__init__"}
    assert modules == {*MADE_BY, *KINDS}


def test_every_module_named_exists():
    for module in {module for modules in MADE_BY.values() for module in modules}:
        path = SOURCE.joinpath(*module.split("."))
        inside = path.parent.with_suffix(".py")
        assert path.is_dir() or path.with_suffix(".py").exists() or f" {path.name}(" in inside.read_text()


def test_the_test_sees_what_it_forbids():
    assert forbidden(within_checks("questions"), ("orrery.checks.world",))
    assert forbidden(within_checks("states"), ("orrery.checks.world",))
    assert not forbidden({"orrery.planners.exhaustive_python"}, ("orrery.planners.exhaustive",))
