"""The rules of the house, held by reading the code: import direction and state."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from tests.effort import slow
from tests.every_domain import ROOT
from tests.imports import SOURCE, imports_of, module_name

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
MUTATORS = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard"}
    | {"clear", "sort", "reverse", "appendleft", "popleft"}
)
MAKERS = frozenset({"list", "dict", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"})


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


@slow
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


def test_no_module_is_a_bag():
    bags = {"utils", "util", "helpers", "helper", "common", "misc", "shared"}
    assert [
        named(p) for p in sources("pipeline/orrery", "generators") if p.stem in bags or p.parent.name in bags
    ] == []


def is_mutable(value: ast.expr | None) -> bool:
    """Whether an expression makes a list, dict, set or the like."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] in MAKERS
    return isinstance(value, MUTABLE)


def changed_name(node: ast.AST) -> str | None:
    """The name whose content a node changes: ``x[k] = v``, ``del x[k]``, ``x.append(v)``, ``x += v``."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
            return name
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
    return None


def test_no_two_classes_of_the_package_have_one_name():
    texts = (path.read_text() for path in sources("pipeline/orrery"))
    classes = Counter(name for text in texts for name in re.findall(r"^class ([A-Z]\w*)", text, re.MULTILINE))
    assert classes
    assert [name for name, number in classes.items() if number > 1] == []


@slow
def test_no_module_keeps_state():
    """Nothing is global, and containers at the level of the module are constants that nothing changes."""
    for path in sources("pipeline/orrery", "generators"):
        tree = ast.parse(path.read_text())
        bound = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        containers = {
            target.id
            for node in bound
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and target.id != "__all__" and is_mutable(node.value)
        }
        assert [name for name in containers if not name.isupper()] == [], path
        assert not containers & set(map(changed_name, ast.walk(tree))), path
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), path
