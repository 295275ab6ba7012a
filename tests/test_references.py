"""Files and modules that docstrings, comments and pages name are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pipeline" / "orrery"
ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())  # also named alone
FOLDERS = ("benchmarks", "docs", "domains", "generators", "pipeline", "templates", "tests", *ROOMS)
PATH = re.compile(rf"(?<![\w/.-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w\.(?:py|md|j2|yaml|toml|txt|pddl)\b")
# A test, alone or after the file that has it.
TEST = re.compile(r"(?:(tests/[\w/]+\.py)::)?\b(test_\w+)\b(?!\.py)")
MODULE = re.compile(r"(?<![\w.])orrery(?:\.[a-z]\w*)+")
# Examples of domains to come, and records of what was there once.
EXAMPLES = re.compile(r"/(?:x|lamps|bright-lamps|tyreworld)\b|/<")
HISTORY = ("CHANGELOG.md", "templates/card/CHANGELOG.md")


def files(*patterns: str) -> list[Path]:
    listed = ["git", "ls-files", "--", *patterns]
    lines = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / line for line in lines if line not in HISTORY and (ROOT / line).exists()]


def test_paths_that_are_named_are_there():
    missing = []
    for path in files("pipeline/*.py", "generators/*.py", "*.md", "Makefile", "dvc.yaml", "params.yaml"):
        for name in PATH.findall(path.read_text(encoding="utf-8")):
            places = (ROOT / name, path.parent / name, PACKAGE / name)
            if not EXAMPLES.search(name) and not any(place.exists() for place in places):
                missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert missing == []


def test_tests_that_are_named_are_there():
    """A test without a file is in the file named before it on its line."""
    missing, compared = [], 0
    for path in files("*.md"):
        for line in path.read_text(encoding="utf-8").splitlines():
            file = ""
            for named, test in TEST.findall(line):
                file = named or file
                compared += bool(file)
                if file and not _defines(ROOT / file, test):
                    missing.append(f"{path.relative_to(ROOT)}: {file}::{test}")
    assert missing == []
    assert compared


def test_modules_that_are_named_are_there():
    missing = []
    for path in files("pipeline/*.py", "generators/*.py", "*.md"):
        for name in MODULE.findall(path.read_text(encoding="utf-8")):
            if not _is_there(name):
                missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert missing == []


def test_no_file_names_a_document_that_is_not_published():
    named = [path for path in files("pipeline", "generators", "tests", "*.md") if path != Path(__file__)]
    assert [path for path in named if b"DESIGN" in path.read_bytes()] == []


def _is_there(name: str) -> bool:
    """Whether a dotted name is a package, a module, or a name in the text of one."""
    folder, parts = ROOT / "pipeline", name.split(".")
    for number, part in enumerate(parts, 1):
        if (folder / part).is_dir():
            folder /= part
        elif (module := folder / f"{part}.py").exists():
            return number == len(parts) or _names(module, parts[number])
        else:
            return _names(folder / "__init__.py", part)
    return True


def _defines(module: Path, test: str) -> bool:
    return module.exists() and f"\ndef {test}(" in module.read_text(encoding="utf-8")


def _names(module: Path, name: str) -> bool:
    return module.exists() and re.search(rf"\b{name}\b", module.read_text(encoding="utf-8")) is not None
