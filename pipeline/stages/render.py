"""Stage ``render``: the texts of one domain's problems, to ``outputs/texts/<domain>``.

Names, order and wording are drawn once a problem and side; the mixtures of explicit and abstract
sides share them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from pipeline.catalog import entry_of
from pipeline.engine import map_items
from pipeline.model import Literal, OrreryError, Problem, literals
from pipeline.pddl.read import read_problem
from pipeline.seeds import stream
from pipeline.settings import Settings
from pipeline.stages.summary import Summary
from pipeline.store.schemas import INTERMEDIATE
from pipeline.store.shards import read_rows, write
from pipeline.words import Words, environment, explicit, names_by_type

STAGE = "render"
ABSTRACTION = {False: "explicit", True: "abstract"}


def run(settings: Settings, name: str, jobs: int = 1) -> Summary:
    """Render every mixture that the domain's words allow for each problem."""
    problems = list(
        read_rows(settings.outputs / "problems" / name / "problems.parquet", INTERMEDIATE["problems"])
    )
    render = partial(_texts, settings.root, settings.seed)
    done = map_items(problems, render, jobs=jobs, label=f"render {name}", describe=itemgetter("problem_id"))
    texts = [row for rows in done for row in rows]
    write(settings.outputs / "texts" / name / "texts.parquet", INTERMEDIATE["texts"], texts)
    return Summary(STAGE, name, {"texts": len(texts)})


def _texts(root: Path, seed: int, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of all mixtures of one problem."""
    entry = entry_of(root, row["domain"])
    words = entry.words
    problem = read_problem(row["problem_pddl"], entry.domain, row["problem_id"])
    names = names_by_type(problem, entry.domain)
    sides = {side: _side(words, problem, names, row, side, seed) for side in ("init", "goal")}
    variant = stream(seed, "words", row["problem_id"], "objects").randrange(1 << 16)
    objects = words.objects(names, variant)
    return [
        {
            "problem_id": row["problem_id"],
            "mixture": f"{ABSTRACTION[init_abstract]}-{ABSTRACTION[goal_abstract]}",
            "vocabulary": "plain",
            "paraphrase": 0,
            "init_is_abstract": int(init_abstract),
            "goal_is_abstract": int(goal_abstract),
            "is_placeholder": int((init_abstract or goal_abstract) and not (row["tied"] or row["strict"])),
            "goal_holds_initially": 0,
            "natural_language": _frame(root)(objects, init_text, goal_text, variant),
            "init_text": init_text,
            "goal_text": goal_text,
        }
        for init_abstract, init_text in sides["init"].items()
        for goal_abstract, goal_text in sides["goal"].items()
        if init_abstract == goal_abstract or not (row["tied"] or row["strict"])
    ]


@cache
def _frame(root: Path) -> Callable[[str, str, str, int], str]:
    """What puts objects, initial state and goal together to one text."""
    try:
        template = environment(root / "templates").get_template("texts/frame.j2")
        frame = template.module.frame  # type: ignore[attr-defined]
        frame("", "", "", 0)
    except (TemplateError, AttributeError, TypeError) as error:
        line = getattr(error, "lineno", None)
        where = f"templates/texts/frame.j2{f':{line}' if line else ''}"
        raise OrreryError(where, str(error), "it must define frame(objects, init, goal, variant)") from error
    return lambda *parts: str(frame(*parts))


def _side(
    words: Words, problem: Problem, names: dict[str, list[str]], row: dict[str, Any], side: str, seed: int
) -> dict[bool, str]:
    """The explicit text of one side and, where the configuration has a passage, the abstract one."""
    rng = stream(seed, "words", row["problem_id"], side)
    said: frozenset[Literal] = literals(problem.init) if side == "init" else problem.goal
    texts = {False: explicit(said, words, rng)}
    configuration = row[f"{side}_configuration"]
    if words.has_passage(side, configuration):
        parameters = json.loads(row[f"{side}_parameters"])
        texts[True] = words.passage(side, configuration, parameters, names, rng.randrange(1 << 16))
    return texts
