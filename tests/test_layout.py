"""The rules of the house, held by reading the code: import direction, documentation, state."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from tests.every_domain import ROOT
from tests.imports import SOURCE, imports, imports_of, module_name

pytestmark = pytest.mark.xdist_group("sources")  # which are read once

GENERATORS_MAY = frozenset({"orrery.model", "orrery.seeds", "orrery.generator_kit"})

# Packages that only some of our files may import.
KEPT_TO: tuple[tuple[str, str], ...] = (
    ("up_fast_downward", "pipeline/orrery/planning/external_parser_worker.py"),
    ("unified_planning.engines", "pipeline/orrery/planning/external_parser_worker.py"),
    ("unified_planning.shortcuts", "pipeline/orrery/planning/external_parser_worker.py"),
    ("pddl", "pipeline/orrery/pddl/"),
)

MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MUTABLE_CALLS = frozenset(
    {"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"}
)
MUTATORS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "remove",
        "discard",
        "clear",
    }
    | {"sort", "reverse", "appendleft", "popleft"}
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*folders: str) -> list[Path]:
    """Our Python files in ``folders``, sorted; each of these has some."""
    found = {folder: sorted((ROOT / folder).rglob("*.py")) for folder in folders}
    assert all(found.values()), found
    return sorted(chain.from_iterable(found.values()))


def named(path: Path) -> str:
    """The file's name from the top of the repository."""
    return path.relative_to(ROOT).as_posix()


def within(name: str, package: str) -> bool:
    """Whether ``name`` is ``package`` or lies in it."""
    return name == package or name.startswith(package + ".")


@pytest.fixture(scope="module", autouse=True)
def imports_read() -> None:
    """Read all imports before any test, so that none takes long for being the first."""
    for path in sources("pipeline/orrery", "generators", "benchmarks"):
        imports_of(path)


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The code of our package and of the generators."""
    return {path: ast.parse(path.read_text()) for path in sources("pipeline/orrery", "generators")}


def test_imports_keep_to_the_contracts():
    """The contracts stand in pyproject.toml under ``tool.importlinter``."""
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [linter, "--no-cache"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_imports_of_every_form_are_seen():
    code = "import a.b\nfrom c import d\nfrom . import e\nfrom .f import g\ndef h():\n    from ..i import j\n"
    found = [name for _, name in imports(ast.parse(code), "orrery.x.y")]
    assert found == ["a.b", "c.d", "orrery.x.e", "orrery.x.f.g", "orrery.i.j"]
    assert [n for _, n in imports(ast.parse("from . import e"), "orrery.x", True)] == ["orrery.x.e"]


def test_there_is_no_cycle():
    modules = {module_name(path) for path in sources("pipeline/orrery", "generators")}
    graph: dict[str, set[str]] = {}
    for path in sources("pipeline/orrery", "generators"):
        names = {name if name in modules else name.rpartition(".")[0] for _, name in imports_of(path)}
        graph[module_name(path)] = (names & modules) - {module_name(path)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " -> ".join(error.args[1]))


def test_grading_imports_the_standard_library_and_itself_only():
    files = sources("pipeline/orrery/grading")
    assert files
    for path in files:
        tops = {name.partition(".")[0] for _, name in imports_of(path) if not within(name, "orrery.grading")}
        assert sorted(tops - sys.stdlib_module_names) == []


def test_generators_import_the_model_the_seeds_and_the_standard_library():
    wrong = [
        f"{named(path)}:{line}: {name}"
        for path in sources("generators")
        for line, name in imports_of(path)
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(within(name, module) for module in GENERATORS_MAY)
    ]
    assert wrong == []


def test_some_packages_are_kept_to_one_place():
    wrong = [
        f"{named(path)}:{line}: {name}"
        for path in sources("pipeline/orrery", "generators", "benchmarks")
        for line, name in imports_of(path)
        for package, place in KEPT_TO
        if within(name, package) and not named(path).startswith(place)
    ]
    assert wrong == []
    readers = {
        named(p) for p in sources("pipeline/orrery") for _, name in imports_of(p) if within(name, "pddl")
    }
    assert len(readers) <= 1, "one module knows the pddl package"


def functions(tree: ast.AST) -> Iterator[Function]:
    """All functions and methods, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def public_functions(tree: ast.Module | ast.ClassDef) -> Iterator[Function]:
    """Public functions of a module and public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node


def bare(function: Function) -> list[str]:
    """What a function lacks: its docstring, its return type, or the types of parameters."""
    spec = function.args
    parameters = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *filter(None, [spec.vararg, spec.kwarg])]
    lacking = [] if ast.get_docstring(function) else ["docstring"]
    lacking += [] if function.returns else ["return type"]
    return lacking + [p.arg for p in parameters if not p.annotation and p.arg not in {"self", "cls"}]


def test_public_functions_are_documented_and_annotated(trees):
    lacking = {
        f"{named(path)}:{function.lineno} {function.name}": bare(function)
        for path, tree in trees.items()
        for function in public_functions(tree)
    }
    assert {name: missing for name, missing in lacking.items() if missing} == {}


def test_modules_say_what_they_are_for(trees):
    assert [named(path) for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def is_mutable(value: ast.expr | None) -> bool:
    """Whether an expression makes a list, dict, set or the like."""
    if isinstance(value, ast.Call):
        callee = value.func
        name = callee.id if isinstance(callee, ast.Name) else getattr(callee, "attr", "")
        return name in MUTABLE_CALLS
    return isinstance(value, MUTABLE)


def containers(tree: ast.Module) -> dict[str, int]:
    """Module-level names bound to mutable containers, with their lines."""
    found = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if is_mutable(getattr(node, "value", None)):
            found |= {target.id: node.lineno for target in targets if isinstance(target, ast.Name)}
    return found


def changed_name(node: ast.AST) -> str | None:
    """The name whose content a node changes: ``x[k] = v``, ``del x[k]``, ``x.append(v)``, ``x += v``."""
    place: ast.AST | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        place = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        place = node.func.value
    elif isinstance(node, ast.AugAssign):
        place = node.target
    return place.id if isinstance(place, ast.Name) else None


def local_names(tree: ast.Module) -> set[str]:
    """Names that some function binds for itself, parameters included."""
    bound: set[str] = set()
    for function in functions(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.add(node.id)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
    return bound


def state(tree: ast.Module) -> list[str]:
    """The module-level state of a module: constants that change, containers not named as constants."""
    kept = containers(tree)
    found = [
        f"{line}: {name} is mutable and not a CONSTANT" for name, line in kept.items() if not constant(name)
    ]
    found += [f"{node.lineno}: global" for node in ast.walk(tree) if isinstance(node, ast.Global)]
    watched = set(kept) - local_names(tree) if kept else set()
    if not watched:
        return found
    changes = ((getattr(node, "lineno", 0), changed_name(node)) for node in ast.walk(tree))
    return found + [f"{line}: {name} is changed" for line, name in changes if name in watched]


def constant(name: str) -> bool:
    """Whether a name is that of a constant, or ``__all__``."""
    return name == "__all__" or name.isupper()


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("A = (1, 2)", False),
        ("A = {'x': 1}\ndef f():\n    return A['x']", False),
        ("def f():\n    a = []\n    a.append(1)\n    return a", False),
        ("registry = {}", True),
        ("KINDS = {}\ndef f(k):\n    KINDS[k] = 1", True),
        ("KINDS: list[int] = []\ndef f(k):\n    KINDS.append(k)", True),
        ("KINDS = defaultdict(list)\nKINDS.update(a=1)", True),
        ("A = 0\ndef f():\n    global A\n    A = 1", True),
    ],
)
def test_module_level_state_is_recognised(code, kept):
    assert bool(state(ast.parse(code))) is kept


@pytest.mark.slow
def test_no_module_keeps_state(trees):
    found = {named(path): state(tree) for path, tree in trees.items()}
    assert {name: places for name, places in found.items() if places} == {}


def test_no_module_is_a_bag():
    bags = {"utils", "util", "helpers", "helper", "common", "misc", "shared"}
    assert [
        named(p) for p in sources("pipeline/orrery", "generators") if p.stem in bags or p.parent.name in bags
    ] == []
