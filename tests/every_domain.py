"""What tests over all domains share: the catalog of this checkout, and problems drawn from its generators."""

from functools import cache
from pathlib import Path

from orrery.catalog import Catalog
from orrery.model import ParameterError
from orrery.pddl.read import read_problem
from orrery.seeds import stream

ROOT = Path(__file__).resolve().parent.parent
CATALOG = Catalog(ROOT)
# Domains without files; the last three are looked at by slow tests only.
COMPOSED = ("composed-5", "composed-6", "composed-3", "composed-10")


@cache
def entry(name):
    return CATALOG.entry(name)


@cache
def words(name):
    return entry(name).words


def difficulties(name):
    return sorted(entry(name).description.difficulties or {"": {}})


def drawn(name, task, difficulty, seed):
    """A problem of the domain; None where no parameters within the limits fit the task."""
    here = entry(name)
    limits = here.limits(difficulty)
    try:
        parameters = here.call("draw", task, limits, stream(seed, task.name, difficulty, "parameters"))
    except ParameterError:
        return None
    return built(name, task, parameters, stream(seed, task.name, difficulty, "problem"))


def built(name, task, parameters, rng):
    """The problem of these parameters; those that ``draw`` gave must do."""
    return entry(name).call("build", task, parameters, rng)


def easy_problems(name, count):
    """Easy problems of the domain, its tasks taking turns; where it has none, those of its files."""
    here, tasks = entry(name), entry(name).tasks
    if not tasks:
        return [read_problem(path.read_text(), here.domain) for path in here.problem_files[:count]]
    level = "easy" if "easy" in difficulties(name) else difficulties(name)[0]
    made = (drawn(name, tasks[i % len(tasks)], level, i) for i in range(count))
    return [generated.problem for generated in made if generated is not None]
