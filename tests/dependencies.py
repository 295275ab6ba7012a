"""Which modules of ours a stage of dvc.yaml runs, read from the code, and the ``deps`` that follow.

``python -m tests.dependencies`` prints, for every stage, the lines that dvc.yaml should have; with
``--write`` it enters them.
Modules are followed by their imports, those inside functions too, from the function of each command. Where a
folder is the registry, what stands in it counts for whoever calls the function that looks there.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "pipeline"
MOST = 0.5  # a folder of which the closure has so much is named whole


@cache
def modules() -> Mapping[str, Path]:
    """The file of every module of the package, by dotted name."""
    files = sorted((SOURCE / "orrery").rglob("*.py"))
    return {".".join(p.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): p for p in files}


@cache
def tree(module: str) -> ast.Module:
    """The code of a module."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def nodes(within: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it; kept, for every question to the code asks for them."""
    return tuple(ast.walk(within))


@cache
def says_something(module: str) -> bool:
    """Whether there is more in a module than its docstring, as in few an ``__init__``."""
    return any(not isinstance(node, ast.Expr | ast.ImportFrom) or is_ours(node) for node in tree(module).body)


def is_ours(node: ast.AST) -> bool:
    """Whether a statement imports something, apart from ``__future__``."""
    return isinstance(node, ast.ImportFrom) and node.module != "__future__"


@cache
def bindings(module: str, within: ast.AST) -> Mapping[str, str]:
    """What the imports within a node bind: the dotted name behind each name; ``import a.b`` binds ``a.b``."""
    found = {}
    parts = module.split(".")
    package = parts if modules()[module].name == "__init__.py" else parts[:-1]
    for node in nodes(within):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*up, *filter(None, [node.module])])
            found |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    return found


@cache
def functions(module: str) -> Mapping[str, ast.AST]:
    """Functions and classes at the top of a module, by name."""
    defined = ast.FunctionDef | ast.ClassDef
    return {node.name: node for node in tree(module).body if isinstance(node, defined)}


@cache
def used(node: ast.AST) -> frozenset[str]:
    """The names that a node reads, and those of its attributes as ``a.b``."""
    plain = [each for each in nodes(node) if isinstance(each, ast.Name)]
    names = frozenset(each.id for each in plain if isinstance(each.ctx, ast.Load))
    attributes = {ast.unparse(each) for each in nodes(node) if isinstance(each, ast.Attribute)}
    return names | attributes


def with_helpers(module: str, name: str) -> list[ast.AST]:
    """A function and all functions and classes of its module that it uses."""
    defined, found, waiting = functions(module), dict[str, ast.AST](), [name]
    while waiting:
        if (each := waiting.pop()) in defined and each not in found:
            found[each] = defined[each]
            waiting += used(defined[each])
    return list(found.values())


def owner(dotted: str) -> str:
    """The module in which a dotted name lies; empty where it is none of ours."""
    while dotted and dotted not in modules():
        dotted = dotted.rpartition(".")[0]
    return dotted


@cache
def looked_into(module: str, name: str) -> frozenset[str]:
    """The packages in whose folders a function of ours looks, by itself or by those that it calls."""
    found = set[str]()
    bound = bindings(module, tree(module))
    for node in with_helpers(module, name):
        for call in (each for each in nodes(node) if isinstance(each, ast.Call)):
            place = looked_at(call)
            found |= {bound.get(place, place) if place else module} if place is not None else set()
    return frozenset(found & modules().keys())


def looked_at(call: ast.Call) -> str | None:
    """The package whose modules a call lists, or imports by a name put together; empty for its own."""
    asked, first = ast.unparse(call.func), call.args[0] if call.args else None
    if asked.endswith("iter_modules") and first is not None:
        return ast.unparse(first).removesuffix("__path__").rstrip(".")
    if asked.endswith("import_module") and isinstance(first, ast.JoinedStr):
        start = first.values[0]
        text = ast.unparse(start.value) if isinstance(start, ast.FormattedValue) else ast.literal_eval(start)
        return str(text).removesuffix("__name__").rstrip(".")
    return None


def resolved(bound: Mapping[str, str], name: str) -> str:
    """The dotted name behind a name, or behind its longest start that an import binds; empty for none."""
    start, rest = name, ""
    while start and start not in bound:
        start, _, last = start.rpartition(".")
        rest = f".{last}{rest}"
    return f"{bound[start]}{rest}" if start else ""


def discovered(module: str) -> set[str]:
    """What stands in the folders where functions look that a module calls; all of a package read as files."""
    code = tree(module)
    bound, found = bindings(module, code), set[str]()
    defined = ast.FunctionDef | ast.ClassDef
    called = {name for node in code.body if not isinstance(node, defined) for name in used(node)}
    # What a package defines may never be called; a module's functions are there to be.
    own = called & functions(module).keys() if modules()[module].name == "__init__.py" else functions(module)
    packages = {each for name in own for each in looked_into(module, name)}
    for name in used(code):
        dotted = resolved(bound, name)
        home = owner(dotted)
        if home and home != module and dotted != home:
            rest = dotted.removeprefix(f"{home}.").partition(".")[0]
            packages |= looked_into(home, rest)
            found |= {each for each in modules() if each.startswith(f"{home}.") and rest == "__file__"}
    return found | {name for name in modules() for package in packages if name.rpartition(".")[0] == package}


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of ours that a module imports, finds in a folder, or runs as a process of their own."""
    code = tree(module)
    names = {owner(dotted) for dotted in bindings(module, code).values()} | discovered(module)
    beside = modules()[module].parent
    texts = {n.value for n in nodes(code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    names |= {name for name, path in modules().items() if path.parent == beside and path.name in texts}
    names |= texts & modules().keys()
    return frozenset(filter(None, names))


def closure(start: Iterable[str]) -> set[str]:
    """All modules that importing some of them brings, with the packages they lie in."""
    found, waiting = set[str](), list(start)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += imported(name)
            waiting += [name.rpartition(".")[0]] if "." in name else []
    top = any(map(asks_for_the_version, found))
    return {name for name in found if says_something(name) and (name != "orrery" or top)}


@cache
def asks_for_the_version(module: str) -> bool:
    """Whether a module reads the version, which is all that the top package holds."""
    wanted = {"orrery.__version__", "importlib.metadata.version"}
    return not wanted.isdisjoint(bindings(module, tree(module)).values())


def command(name: str) -> set[str]:
    """The modules that the function of ``orrery NAME`` uses; the command line itself only reads arguments."""
    at = next(m for m in ("orrery.cli.main", f"orrery.cli.{name}") if m in modules() and name in functions(m))
    top = [node for node in tree(at).body if isinstance(node, ast.Import | ast.ImportFrom)]
    everywhere, start = bindings(at, ast.Module(top, [])), set[str]()
    for node in with_helpers(at, name):
        names = {name.partition(".")[0] for name in used(node)}
        start |= {owner(dotted) for bound, dotted in everywhere.items() if bound in names}
        start |= {owner(dotted) for dotted in bindings(at, node).values()}
    return {each for each in start if each and not each.startswith("orrery.cli")}


def commands(stage: Mapping[str, object]) -> list[str]:
    """The names of the commands of a stage of dvc.yaml."""
    lines = stage["cmd"] if isinstance(stage["cmd"], list) else [stage["cmd"]]
    return [str(line).split()[1] for line in lines]


@cache
def taken_by_generators() -> frozenset[str]:
    """The modules of ours that generators import; a stage that loads them runs these too."""
    code = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("generators/*.py"))]
    imports = [node for each in code for node in nodes(each) if isinstance(node, ast.ImportFrom)]
    return frozenset(filter(None, (owner(node.module or "") for node in imports)))


def needed(stage: Mapping[str, object]) -> set[Path]:
    """The files of ours that the commands of a stage run."""
    drawing = any(line.startswith("generators/") for line in stage["deps"])
    return set(run_by(tuple(commands(stage)), drawing))


@cache
def run_by(names: tuple[str, ...], drawing: bool) -> frozenset[Path]:
    """The files of ours that some commands run; with the generators where they draw problems."""
    start = set[str]().union(*map(command, names), taken_by_generators() if drawing else ())
    return frozenset(modules()[name] for name in closure(start))


@cache
def coded() -> Mapping[str, Path]:
    """The files of modules that hold any code, by their path as text."""
    return {str(file): file for name, file in modules().items() if says_something(name)}


@cache
def files(path: Path) -> set[Path]:
    """The files of modules at and under a path that hold any code."""
    return {file for name, file in coded().items() if name == str(path) or name.startswith(f"{path}{os.sep}")}


def cover(folder: Path, wanted: set[Path]) -> Iterator[Path]:
    """Name ``wanted`` files of a folder: the folder where most of it is wanted, or what stands in it."""
    inside, there = files(folder) & wanted, files(folder)
    if folder.is_file() or len(inside) >= MOST * len(there) > 0:
        yield from [folder] if inside else []
    else:
        for path in sorted(folder.iterdir()):
            yield from cover(path, wanted)


def lines(stage: Mapping[str, object]) -> list[str]:
    """What the ``deps`` of a stage should name of our code."""
    rooms, wanted = sorted((SOURCE / "orrery").iterdir()), needed(stage)
    return [path.relative_to(ROOT).as_posix() for room in rooms for path in cover(room, wanted)]


def stages() -> dict[str, dict[str, object]]:
    """The stages of dvc.yaml."""
    found: dict[str, dict[str, object]] = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    return found


def write() -> None:
    """Enter the lines in dvc.yaml, in the place of those of every stage; all else stays."""
    path = ROOT / "dvc.yaml"
    text = path.read_text()
    for name, stage in stages().items():
        head, mark, rest = text.partition(f"\n  {name}:\n")
        before, deps, after = rest.partition("    deps:\n")
        listed = re.match(r"(?:      - .*\n)*", after)
        kept = [line for line in stage["deps"] if not line.startswith("pipeline/")]
        entered = "".join(f"      - {line}\n" for line in [*kept, *lines(stage)])
        text = head + mark + before + deps + entered + after[listed.end() :]
    path.write_text(text)


def main() -> None:
    """Print the lines for every stage, or enter them."""
    if sys.argv[1:] == ["--write"]:
        write()
        return
    for name, stage in stages().items():
        print(f"  {name}:", *(f"      - {line}" for line in lines(stage)), sep="\n")


if __name__ == "__main__":
    main()
