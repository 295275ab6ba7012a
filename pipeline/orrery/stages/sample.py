"""``orrery sample``: one problem of a domain in PDDL, English and a picture, checked as in ``generate``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import Entry, entry_of
from orrery.language.frame import explicit_text
from orrery.model import ConfigurationPair, Generated, ParameterError, UsageError
from orrery.pddl.write import write_domain, write_problem
from orrery.pictures.draw import draw_problem
from orrery.problems.generator_check import check_generated, check_repeated
from orrery.seeds import stream

ATTEMPTS = 100  # draws, because some tasks or goals may not fit


class DrawnProblem(NamedTuple):
    """A problem with its text and its picture, an SVG document of initial state and goal.

    PDDL and text have the names of the columns of the table ``text_to_pddl``.
    """

    domain: str
    task: str
    difficulty: str
    seed: int
    domain_pddl: str
    problem_pddl: str
    natural_language: str
    picture: str


def sample(
    root: Path, domain: str, *, seed: int = 0, task: str | None = None, difficulty: str | None = None
) -> DrawnProblem:
    """Draw a problem from the generator of a domain.

    Args:
        root: the folder with domains, generators and templates (see ``installation.find_root``).
        domain: the name of the domain.
        seed: the seed of the draw.
        task: the name of the task (default: any task of the domain).
        difficulty: a difficulty of ``domain.yaml`` (default: the first one).

    Raises:
        UsageError: the domain, task or difficulty does not exist, or the domain has only problem files.
        OrreryError: the generator fails or its result is not a problem of the domain, or the picture
        described
            in ``domain.yaml`` cannot be drawn.
    """
    entry = entry_of(root, domain)
    tasks, level = _tasks(entry, task), _level(entry, difficulty)
    chosen, generated = _drawn(entry, tasks, level, seed)
    rng = stream(seed, "draw", domain, "words")
    text = explicit_text(generated.problem, entry.domain, entry.words, root / "templates", rng)
    pddl = write_domain(entry.domain), write_problem(generated.problem)
    picture = draw_problem(entry.domain, generated.problem, entry.description.picture)
    return DrawnProblem(domain, chosen.name, level, seed, *pddl, text.text, picture)


def _tasks(entry: Entry, name: str | None) -> list[ConfigurationPair]:
    """Return the tasks of that name, or all."""
    if not entry.tasks:
        mend = f"its problems are {entry.folder / 'problems'}/*.pddl"
        raise UsageError(f"domain '{entry.name}'", "has no generator, so no problem can be drawn", mend)
    tasks = [task for task in entry.tasks if name in (None, task.name)]
    if not tasks:
        names = ", ".join(task.name for task in entry.tasks)
        raise UsageError(f"domain '{entry.name}'", f"has no task '{name}'", f"tasks: {names}")
    return tasks


def _level(entry: Entry, name: str | None) -> str:
    """Return the difficulty of that name, or the first; "" if the domain has none."""
    difficulties = entry.description.difficulties or {}
    if name and name not in difficulties:
        listed = f"difficulties: {', '.join(difficulties)}" if difficulties else "the domain has none"
        raise UsageError(f"domain '{entry.name}'", f"has no difficulty '{name}'", listed)
    return name or next(iter(difficulties), "")


def _drawn(
    entry: Entry, tasks: list[ConfigurationPair], difficulty: str, seed: int
) -> tuple[ConfigurationPair, Generated]:
    """Return the first draw that is a non-trivial problem.

    Raises:
        OrreryError: the generator fails, or its result is not a problem of the domain.
        UsageError: no draw gave such a problem.
    """

    def draw(attempt: int) -> tuple[ConfigurationPair, Generated]:
        rng = stream(seed, "draw", entry.name, str(attempt))
        task = rng.choice(tasks)
        return task, entry.make(task, difficulty, rng)

    def redraw(attempt: int) -> Generated:
        return draw(attempt)[1]

    reason = "the goal is initially true"
    for attempt in range(ATTEMPTS):
        try:
            task, generated = draw(attempt)
        except ParameterError as error:
            reason = str(error)
            continue
        check_generated(entry, task, generated)
        check_repeated(entry, task, generated, partial(redraw, attempt))
        if not generated.problem.satisfied(generated.problem.init):
            return task, generated
    source = f"domain '{entry.name}', difficulty '{difficulty}'"
    raise UsageError(source, f"none of {ATTEMPTS} draws gave a problem: {reason}", "name another task")
