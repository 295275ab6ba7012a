"""Which modules of this package a command of ours runs, read from the code.

Modules are followed by their imports, those inside functions too, from the function of each command. Where a
folder is the registry, what stands in it counts for whoever calls the function that looks there. A module is
found that would only have been imported in some cases: what is said here is never too little.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from orrery.model import UsageError

PACKAGE = Path(__file__).resolve().parent
LOADER = "orrery.generator_file"  # whoever runs it, runs what generators import


@cache
def modules() -> Mapping[str, Path]:
    """Return the file of every module of the package, by dotted name."""
    files, above = sorted(PACKAGE.rglob("*.py")), PACKAGE.parent
    return {".".join(p.relative_to(above).with_suffix("").parts).removesuffix(".__init__"): p for p in files}


@cache
def children() -> Mapping[str, tuple[str, ...]]:
    """Return the modules that lie in a package, by its name."""
    found = defaultdict[str, list[str]](list)
    for name in modules():
        found[name.rpartition(".")[0]].append(name)
    return {package: tuple(names) for package, names in found.items()}


@cache
def beside(folder: Path) -> Mapping[str, str]:
    """Return the modules whose files lie in a folder, by the name of the file."""
    return {path.name: name for name, path in modules().items() if path.parent == folder}


@cache
def tree(module: str) -> ast.Module:
    """Return the code of a module."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def nodes(within: ast.AST) -> tuple[ast.AST, ...]:
    """Return a node and all below it; kept, for every question to the code asks for them."""
    return tuple(ast.walk(within))


@cache
def says_something(module: str) -> bool:
    """Return whether there is more in a module than its docstring, as in few an ``__init__``."""
    return any(not isinstance(node, ast.Expr | ast.ImportFrom) or is_ours(node) for node in tree(module).body)


def is_ours(node: ast.AST) -> bool:
    """Return whether a statement imports something, apart from ``__future__``."""
    return isinstance(node, ast.ImportFrom) and node.module != "__future__"


@cache
def bindings(module: str, within: ast.AST) -> Mapping[str, str]:
    """Return the dotted name behind each name that imports in a node bind; ``import a.b`` binds ``a.b``."""
    found: dict[str, str] = {}
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
    """Return functions and classes at the top of a module, by name."""
    defined = ast.FunctionDef | ast.ClassDef
    return {node.name: node for node in tree(module).body if isinstance(node, defined)}


@cache
def used(node: ast.AST) -> frozenset[str]:
    """Return the names that a node reads, and those of its attributes as ``a.b``."""
    plain = [each for each in nodes(node) if isinstance(each, ast.Name)]
    names = frozenset(each.id for each in plain if isinstance(each.ctx, ast.Load))
    attributes = {dotted_name(each) for each in nodes(node) if isinstance(each, ast.Attribute)}
    return names | (attributes - {""})


def dotted_name(node: ast.AST) -> str:
    """Return a name, or a chain of attributes of a name as ``a.b``; empty for what is neither."""
    if isinstance(node, ast.Attribute):
        above = dotted_name(node.value)
        return above and f"{above}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def with_helpers(module: str, name: str) -> list[ast.AST]:
    """Return a function and all functions and classes of its module that it uses."""
    defined, found, waiting = functions(module), dict[str, ast.AST](), [name]
    while waiting:
        if (each := waiting.pop()) in defined and each not in found:
            found[each] = defined[each]
            waiting += used(defined[each])
    return list(found.values())


def owner(dotted: str) -> str:
    """Return the module in which a dotted name lies; empty where it is none of ours."""
    while dotted and dotted not in modules():
        dotted = dotted.rpartition(".")[0]
    return dotted


@cache
def may_look(module: str) -> bool:
    """Return whether a call of the module may list modules, or import one by a name put together."""
    return any(isinstance(node, ast.Call) and looked_at(node) is not None for node in nodes(tree(module)))


@cache
def looked_into(module: str, name: str) -> frozenset[str]:
    """Return the packages in whose folders a function of ours looks, by itself or by those that it calls."""
    if not may_look(module):
        return frozenset()
    found = set[str]()
    bound = bindings(module, tree(module))
    for node in with_helpers(module, name):
        for call in (each for each in nodes(node) if isinstance(each, ast.Call)):
            place = looked_at(call)
            found |= {bound.get(place, place) if place else module} if place is not None else set()
    return frozenset(found & modules().keys())


def last_name(node: ast.expr) -> str:
    """Return a name, or the last of a chain of attributes; empty for what is neither."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def looked_at(call: ast.Call) -> str | None:
    """Return the package whose modules a call lists, or imports by a name put together; empty for its own."""
    asked, first = last_name(call.func), call.args[0] if call.args else None
    if asked.endswith("iter_modules") and first is not None:
        return ast.unparse(first).removesuffix("__path__").rstrip(".")
    if asked.endswith("import_module") and isinstance(first, ast.JoinedStr):
        start = first.values[0]
        text = ast.unparse(start.value) if isinstance(start, ast.FormattedValue) else ast.literal_eval(start)
        return str(text).removesuffix("__name__").rstrip(".")
    return None


def resolved(bound: Mapping[str, str], name: str) -> str:
    """Return the dotted name behind a name, or behind its longest start that is bound; empty for none."""
    start, rest = name, ""
    while start and start not in bound:
        start, _, last = start.rpartition(".")
        rest = f".{last}{rest}"
    return f"{bound[start]}{rest}" if start else ""


def discovered(module: str) -> set[str]:
    """Return what stands in folders where called functions look; all of a package that is read as files."""
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
            if rest == "__file__":
                found |= {each for each in modules() if each.startswith(f"{home}.")}
    return found.union(*(children().get(package, ()) for package in packages))


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules that a module imports, finds in a folder, or runs as a process of their own."""
    code = tree(module)
    names = {owner(dotted) for dotted in bindings(module, code).values()} | discovered(module)
    files = beside(modules()[module].parent)
    texts = {n.value for n in nodes(code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    names |= {files[text] for text in texts & files.keys()}
    names |= texts & modules().keys()
    return frozenset(filter(None, names))


def closure(start: Iterable[str]) -> set[str]:
    """Return all modules that importing some of them brings, with the packages they lie in."""
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
    """Return whether a module reads the version, which is all that the top package holds."""
    wanted = {"orrery.__version__", "importlib.metadata.version"}
    return not wanted.isdisjoint(bindings(module, tree(module)).values())


def command(name: str) -> set[str]:
    """Return the modules that the function of ``orrery NAME`` uses; the command line only reads arguments."""
    places = ("orrery.cli.main", f"orrery.cli.{name}")
    at = next((each for each in places if each in modules() and name in functions(each)), None)
    if at is None:
        raise UsageError(f"orrery code {name}", "is no command", "name commands as `orrery --help` does")
    top: list[ast.stmt] = [node for node in tree(at).body if isinstance(node, ast.Import | ast.ImportFrom)]
    everywhere, start = bindings(at, ast.Module(top, [])), set[str]()
    for node in with_helpers(at, name):
        names = {name.partition(".")[0] for name in used(node)}
        start |= {owner(dotted) for bound, dotted in everywhere.items() if bound in names}
        start |= {owner(dotted) for dotted in bindings(at, node).values()}
    return {each for each in start if each and not each.startswith("orrery.cli")}


@cache
def taken_by(generators: Path) -> frozenset[str]:
    """Return the modules of the package that the generators of a folder import."""
    code = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(generators.rglob("*.py"))]
    imports = [node for each in code for node in ast.walk(each) if isinstance(node, ast.ImportFrom)]
    return frozenset(filter(None, (owner(node.module or "") for node in imports)))


def run_by(name: str, generators: Path) -> Mapping[str, Path]:
    """Return the modules that ``orrery NAME`` runs, apart from the command line itself, with their files.

    What the generators of a folder import counts where the command loads generators.

    Raises:
        UsageError: there is no such command.
    """
    found = closure(command(name))
    if LOADER in found:
        found |= closure(taken_by(generators))
    return {module: modules()[module] for module in sorted(found)}
