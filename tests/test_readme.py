"""The commands of the README, and of the pages that continue it, do what is shown.

Convention: a fenced block marked ``sh`` is run. A line that starts with ``$ `` is a command, the
lines after it are what it prints (on stdout); ``...`` stands for any text, also for whole lines. All
blocks run in order, in a copy of the repository in which the smallest dataset is built. Blocks marked
``bash`` or ``text`` are only shown.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = tuple(ROOT / name for name in ("README.md", "docs/evaluate.md", "docs/score-predictions.md"))
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command of a page and the output shown under it ("" where none is shown)."""

    text: str
    output: str


def commands(markdown: str) -> list[Command]:
    """The commands of the runnable blocks, in order."""
    found = []
    for block in BLOCK.findall(markdown):
        before, *parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
        if before.strip():
            raise ValueError(f"a runnable block starts with something that is not a command: {before!r}")
        for part in parts:
            text, _, output = part.partition("\n")
            found.append(Command(text, output.strip()))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether ``printed`` is what a page shows, ``...`` standing for any text."""
    pieces = [re.escape(piece) for piece in shown.strip().split("...")]
    return re.fullmatch(".*".join(pieces), printed.strip(), re.DOTALL) is not None


@pytest.mark.exhaustive
@pytest.mark.xdist_group("built")
def test_commands_do_what_is_shown(built, with_venv):
    environment = with_venv | {"PYTHONPATH": str(built)}
    shown = [command for page in PAGES for command in commands(page.read_text())]
    assert shown
    for command in shown:
        run = subprocess.run(
            command.text, shell=True, cwd=built, env=environment, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == 0, f"$ {command.text}\n{run.stdout}{run.stderr}"
        if command.output:
            assert matches(command.output, run.stdout), f"$ {command.text}\nprinted\n{run.stdout}"
