"""``orrery sample``: one problem of a domain in PDDL, English and a picture, checked as in ``generate``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import Entry, entry_of
from orrery.language.frame import explicit_text
from orrery.language.words import names_by_type
from orrery.model import ConfigurationPair, Generated, ParameterError, UsageError, parameters_beside, suggest
from orrery.pddl.write import write_domain, write_problem
from orrery.pictures.draw import draw_problem
from orrery.problems.generator_check import check_generated, check_repeated
from orrery.seeds import stream

ATTEMPTS = 100  # draws, because some tasks or goals may not fit


class DrawnProblem(NamedTuple):
    """A problem with its texts and its picture, an SVG document of initial state and goal.

    PDDL and explicit text have the names of the columns of the table ``text_to_pddl``. ``abstract`` is the
    text of its passages, with explicit sentences where there is no passage; empty without any.
    """

    domain: str
    task: str
    difficulty: str
    seed: int
    domain_pddl: str
    problem_pddl: str
    natural_language: str
    abstract: str
    picture: str


def sample(
    root: Path, domain: str, *, seed: int = 0, task: str | None = None, difficulty: str | None = None
) -> DrawnProblem:
    """Draw a problem from the generator of a domain; of a domain without one, choose a problem file.

    Args:
        root: the folder with domains, generators and templates (see ``installation.find_root``).
        domain: the name of the domain.
        seed: the seed of the draw.
        task: the name of the task (default: any task of the domain).
        difficulty: a difficulty of ``domain.yaml`` (default: the first one).

    Raises:
        UsageError: the domain, task or difficulty does not exist, or the domain has no problems.
        OrreryError: the generator fails or its result is not a problem of the domain, or the picture
            described in ``domain.yaml`` cannot be drawn.
    """
    entry = entry_of(root, domain)
    if not entry.tasks and task is None:
        level = ""
        name, generated = _of_file(entry, seed)
    else:
        tasks, level = _tasks(entry, task), _level(entry, difficulty)
        chosen, generated = _drawn(entry, tasks, level, seed)
        name = chosen.name
    rng = stream(seed, "draw", domain, "words")
    text = explicit_text(generated.problem, entry.domain, entry.words, root / "templates", rng)
    pddl = write_domain(entry.domain), write_problem(generated.problem)
    abstract = _abstract(entry, generated, text.init, text.goal, seed)
    picture = draw_problem(entry.domain, generated.problem, entry.description.picture)
    return DrawnProblem(domain, name, level, seed, *pddl, text.text, abstract, picture)


def _of_file(entry: Entry, seed: int) -> tuple[str, Generated]:
    """Return the name of a problem file and its problem.

    Raises:
        UsageError: there is none.
    """
    files = entry.problem_files
    if not files:
        mend = f"write {entry.generator_file}, or add files {entry.folder / 'problems'}/*.pddl"
        raise UsageError(f"domain '{entry.name}'", "has no generator and no problem files", mend)
    path = files[seed % len(files)]
    return path.stem, Generated(entry.problem_of(path), ConfigurationPair("", ""))


def _abstract(entry: Entry, generated: Generated, init: str, goal: str, seed: int) -> str:
    """Return the abstract text of a problem, given its explicit sentences; empty without passages."""
    words, task, names = entry.words, generated.task, names_by_type(generated.problem, entry.domain)
    has_init, has_goal = words.has_passage("init", task.init), words.has_passage("goal", task.goal)
    if has_init:
        parameters = parameters_beside(generated.init_parameters, explicit_goal=not has_goal)
        init = words.passage("init", task.init, parameters, names, seed)
    if has_goal:
        goal = words.passage("goal", task.goal, generated.goal_parameters, names, seed)
    return f"{init}\n{goal}" if has_init or has_goal else ""


def _tasks(entry: Entry, name: str | None) -> list[ConfigurationPair]:
    """Return the tasks of that name, or all."""
    if not entry.tasks:
        mend = f"its problems are {entry.folder / 'problems'}/*.pddl"
        raise UsageError(f"domain '{entry.name}'", "has no generator, so no problem can be drawn", mend)
    tasks = [task for task in entry.tasks if name in (None, task.name)]
    if not tasks:
        mend = suggest(str(name), "tasks", [task.name for task in entry.tasks])
        raise UsageError(f"domain '{entry.name}'", f"has no task '{name}'", mend)
    return tasks


def _level(entry: Entry, name: str | None) -> str:
    """Return the difficulty of that name, or the first; "" if the domain has none."""
    difficulties = entry.description.difficulties or {}
    if name and name not in difficulties:
        mend = suggest(name, "difficulties", difficulties)
        raise UsageError(f"domain '{entry.name}'", f"has no difficulty '{name}'", mend)
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
