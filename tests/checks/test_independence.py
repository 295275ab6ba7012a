"""A check may not import what made the columns it checks: one rule for all, held by reading imports."""

import ast

import pytest

from tests.every_domain import ROOT

SOURCE = ROOT / "pipeline"
CHECKS = SOURCE / "orrery" / "checks"
FAMILIES = [path.parent.name for path in sorted((SOURCE / "orrery" / "families").glob("*/__init__.py"))]

# What decides states, and the planners that it asks.
DECIDES = tuple(
    f"orrery.planning.{name}"
    for name in ("decide", "decided", "evidence", "landmarks", "plans", "reachability", "shortest", "states")
)
PLANNERS = tuple(
    f"orrery.planning.{name}"
    for name in (
        *("adl_domain", "adl_execution", "exhaustive", "exhaustive_kernel", "exhaustive_python"),
        *("external_parsers", "external_parser_worker", "fast_downward", "outcome", "probe", "process"),
        *("refutation", "translator"),
    )
)
# What makes rows and states facts of them. Of a family, a check may know the schemas of its tables alone.
MAKERS = (
    *DECIDES,
    "orrery.dataset",
    "orrery.equivalence",
    "orrery.planning.exhaustive",
    "orrery.planning.h2",
    "orrery.problems",
    "orrery.stages",
    "orrery.worlds",
    *(f"orrery.families.{name}" for name in FAMILIES),
)
ALLOWED = {
    # Whether a text determines its problem is asked of problems made anew; `splits` judges the keys.
    ("determined", "orrery.equivalence"),
    # The words by which a task says that its problem comes from a file, or has a long plan.
    ("problem_blocks", "orrery.problems.quotas.FROM_FILE"),
    ("problem_blocks", "orrery.problems.quotas.LADDER"),
    ("problems", "orrery.problems.quotas.LADDER"),
}
# What some modules, with all that they import of the others, may not know beyond that.
PROGRESSION = tuple(
    f"orrery.planning.task.{name}"
    for name in ("applicable", "is_applicable", "is_plan", "progress", "random_walk", "run")
)
EXECUTION = ("orrery.planning.grounding", *PROGRESSION)
STRICTER = {
    "agreement": ("orrery",),
    "breadth_first_search": (*PLANNERS, *PROGRESSION),
    "compiled_query": PLANNERS,
    "counts": ("orrery.store",),
    "determined": ("orrery.language.words",),
    "execution": ("orrery.planning",),
    "external_planner": (*EXECUTION, "orrery.planning.fast_downward"),
    "folder": ("orrery.store",),
    "labels": ("orrery.store",),
    "lifted": EXECUTION,
    "plans.plan_row": ("orrery.equivalence",),
    "problem_plans": (*EXECUTION, *PLANNERS),
    "questions.words_read_back": ("orrery.language.words.explicit",),
    "reading.generated_descriptions": ("orrery.language.words", "orrery.pddl", "orrery.planning"),
    **{
        f"reading.{name}": (
            "orrery.language.inflection",
            "orrery.language.prose",
            "orrery.language.shapes",
            "orrery.language.words.form",
            "orrery.language.words.listing",
            "orrery.language.words.sentence",
        )
        for name in (
            "contexts",
            "domain_texts",
            "list_wordings",
            "prose",
            "sentences",
            "shapes",
            "wording_tree",
        )
    },
    "reachability": PLANNERS,
    "relaxation": (*EXECUTION, *PLANNERS),
    "renamed": ("orrery.language.renamed_domain",),
    "statements": ("orrery",),
    "tables": ("orrery.store",),
    "text_to_pddl": ("orrery.language.words.explicit",),
    "texts": ("orrery.language.words.explicit", "orrery.language.words.sentence"),
    "worlds.dialogue": EXECUTION,
    "worlds.observations": (*EXECUTION, *PLANNERS),
}


def modules():
    """The names of all modules of ``orrery.checks``, without that prefix."""
    paths = (path.relative_to(CHECKS).with_suffix("") for path in sorted(CHECKS.rglob("*.py")))
    return [".".join(path.parts).removesuffix("__init__").removesuffix(".") for path in paths]


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
    return path if f"{module}.".startswith("orrery.checks.") and path.exists() else None


def within_checks(name):
    """What a check imports, by itself and through other modules of ``orrery.checks``."""
    found, todo = set(), [f"orrery.checks.{name}".removesuffix(".")]
    while todo:
        new = imported(file_of(todo.pop())) - found
        found |= new
        todo.extend(module for module in new if file_of(module) and module != "orrery.checks")
    return found


def forbidden(names, made_by):
    return {name for name in names for module in made_by if f"{name}.".startswith(f"{module}.")}


def makers(names, allowed=()):
    """The makers among ``names``; a module of which only an allowed name is taken is none."""
    found = {name for name in forbidden(names, MAKERS) if "schemas" not in name.split(".")}
    found -= {f"orrery.families.{name}" for name in FAMILIES}  # the package that holds the schemas
    found -= forbidden(found, allowed)
    return {name for name in found if not any(each.startswith(f"{name}.") for each in allowed)}


@pytest.mark.parametrize("name", modules())
def test_no_check_imports_what_makes_rows(name):
    allowed = [module for check, module in ALLOWED if check == name]
    assert makers(imported(file_of(f"orrery.checks.{name}".removesuffix("."))), allowed) == set()


@pytest.mark.parametrize("name", STRICTER)
def test_a_check_does_not_import_what_made_its_columns(name):
    found = within_checks(name) - {"orrery.checks"}
    assert forbidden(found, STRICTER[name]) == set()


def test_what_is_allowed_is_needed_and_every_module_named_exists():
    for check, module in ALLOWED:
        assert forbidden(imported(file_of(f"orrery.checks.{check}")), [module]), (check, module)
    assert set(STRICTER) <= set(modules())
    for module in {*MAKERS, *(module for several in STRICTER.values() for module in several)}:
        path = SOURCE.joinpath(*module.split("."))
        inside = path.parent / "__init__.py" if path.parent.is_dir() else path.parent.with_suffix(".py")
        assert path.is_dir() or path.with_suffix(".py").exists() or f" {path.name}(" in inside.read_text()
