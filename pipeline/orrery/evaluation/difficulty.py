"""The difficulty of rows, in the sense of item response theory.

A model of ability a answers a row of difficulty b with probability c + (1 - c) / (1 + exp(b - a)), where c is
the probability of a right guess. The difficulty is predicted from the structure of the row. The coefficients
were fitted to published replies (``templates/evals/difficulty.yaml``). Replies of earlier runs to the same
rows correct it: for each row, and for its group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array, diags_array, eye_array, hstack
from scipy.special import expit

from orrery.evaluation.asked import AskedTable, facts_of
from orrery.evaluation.results.page import readable_runs
from orrery.evaluation.results.runs import ABILITY, DECIDED
from orrery.library.items import Item
from orrery.model import Row
from orrery.pddl.faults import SourceText
from orrery.pddl.tree import Node, parse
from orrery.scoring.tally import query
from orrery.yaml_text import read_yaml

COEFFICIENTS = "evals/difficulty.yaml"  # in templates
GUESSES = {"bool": 0.5, "mcq": 0.25}  # by format; others: 0
SMALLEST = 1e-12

# First replies: a correction says more than the row.
_FIRST_REPLIES = f'select "table", id, value from scores where turn = 0 and verdict in {DECIDED}'

RowKey: TypeAlias = tuple[str, str]  # table and id
Reals: TypeAlias = NDArray[np.float64]


class RowDifficulty(NamedTuple):
    """The difficulty of a row with the standard deviation of its error, and the chance of a right guess."""

    value: float
    error: float
    guess: float


class EarlierReply(NamedTuple):
    """Whether the reply of a run to a row was right."""

    run: str
    row: RowKey
    is_right: bool


@dataclass(frozen=True)
class DifficultyModel:
    """The coefficients fitted to published replies.

    ``intercept`` is the difficulty of a row with average structure. ``features`` has mean, scale and weight
    of the logarithm of each feature. ``row_sd`` is the standard deviation of the difficulty of rows with
    equal structure, ``ability_sd`` that of the abilities, ``group_sd`` the assumed one of groups of rows.
    """

    intercept: float
    features: Mapping[str, Mapping[str, float]]
    row_sd: float
    ability_sd: float
    group_sd: float

    def predict(self, row: Row) -> float:
        """Return the difficulty of a row by its structure; an unknown feature counts as average."""
        logarithms = structure_of(row)
        terms = (
            feature["weight"] * (logarithms[name] - feature["mean"]) / feature["scale"]
            for name, feature in self.features.items()
            if name in logarithms
        )
        return self.intercept + sum(terms)


@dataclass(frozen=True)
class Difficulties:
    """The difficulties of rows, and the earlier runs and the number of replies that they are based on.

    ``ability_sd`` is the standard deviation of abilities, whose mean is 0.
    """

    rows: Mapping[RowKey, RowDifficulty]
    runs: tuple[str, ...]
    replies: int
    ability_sd: float

    @property
    def basis(self) -> str:
        """What the difficulties are based on, in words."""
        if not self.runs:
            return "predicted from the structure of the rows, fitted to published plans in blocksworld"
        return f"estimated from {self.replies:,} replies of earlier runs ({', '.join(self.runs)})"


def difficulty_model(root: Path) -> DifficultyModel:
    """Return the fitted coefficients; ``root`` is the folder of templates."""
    content = read_yaml(root / "templates" / COEFFICIENTS)
    return DifficultyModel(**content["model"])


def structure_of(row: Row) -> dict[str, float]:
    """Return the logarithms of 1 plus the known features of a row: its plan, objects and goal."""
    steps = row.get("h_star")
    counts = {
        "steps": row.get("plan_length") if steps is None else steps,
        "objects": row.get("num_objects"),
        "goal_literals": _goal_literals(row.get("problem_pddl")),
    }
    return {name: log1p(count) for name, count in counts.items() if count is not None}


def _goal_literals(problem: str | None) -> int | None:
    """Return the number of conjuncts of the goal of a problem in PDDL; None without a problem."""
    if not problem:
        return None
    sections = (section for section in parse(SourceText(problem, "<problem>")) if isinstance(section, Node))
    goals = [section[1] for section in sections if section.head == ":goal" and len(section) > 1]
    conjunctions = [goal for goal in goals if isinstance(goal, Node)]
    return sum(len(goal) - 1 if goal.head == "and" else 1 for goal in conjunctions)


def difficulties(
    tables: Iterable[AskedTable], data: str, evals: Path, tell: Callable[[str], None]
) -> Difficulties:
    """Return the difficulties of all rows of ``tables``, of which there is at least one.

    Args:
        tables: the tables with their items.
        data: the identity of the rows, as in the description of a run; runs on other data are ignored.
        evals: the folder of all runs. Adaptive runs are ignored, because their rows depend on their replies.
        tell: called with messages about damaged runs, which are left out.
    """
    items = {(table.name, row_id): item for table in tables for row_id, item in table.items.items()}
    replies = _earlier_replies(evals, data, items, tell)
    model = difficulty_model(next(iter(items.values())).root)
    runs = tuple(sorted({reply.run for reply in replies}))
    return Difficulties(estimate(model, items, replies), runs, len(replies), model.ability_sd)


def _earlier_replies(
    evals: Path, data: str, items: Mapping[RowKey, Item], tell: Callable[[str], None]
) -> list[EarlierReply]:
    """Return the decided first replies of earlier runs to the rows."""
    runs, damaged = readable_runs(evals, on_disk=True)
    for line in damaged:
        tell(f"left out: run {line.name}: {line.problem}")
    replies = [
        EarlierReply(run.name, (row["table"], row["id"]), row["value"] == 1)
        for run in runs
        if run.about["data"] == data and ABILITY not in run.about
        for row in query(_FIRST_REPLIES, {"scores": run.scores})
    ]
    return [reply for reply in replies if reply.row in items]


def estimate(
    model: DifficultyModel, items: Mapping[RowKey, Item], replies: Sequence[EarlierReply]
) -> dict[RowKey, RowDifficulty]:
    """Return the difficulty of each item: predicted from its structure, and corrected by replies.

    A correction is the sum of an effect of the row and of its group, if there are several groups. A group is
    a table, or the rows of a table with one level of explicitness.
    """
    keys = [*items]
    predicted = np.array([model.predict(item.row) for item in items.values()])
    guesses = np.array([GUESSES.get(facts_of(item, "")["format"], 0.0) for item in items.values()])
    groups = [f"{item.table} {item.row.get('explicitness') or ''}" for item in items.values()]
    levels, runs = sorted({*groups}), sorted({reply.run for reply in replies})
    of_groups = indicator(groups, levels if len(levels) > 1 else [])
    effects = hstack([of_groups, eye_array(len(keys))], format="csr")
    place = {key: number for number, key in enumerate(keys)}
    answered = np.array([place[reply.row] for reply in replies], int)
    design = hstack([indicator([reply.run for reply in replies], runs), -effects[answered]], format="csr")
    counts = (len(runs), of_groups.shape[1], len(keys))
    mode, variances = posterior_mode(
        design,
        np.repeat([model.ability_sd, model.group_sd, model.row_sd], counts),
        np.array([reply.is_right for reply in replies], float),
        -predicted[answered],
        guesses[answered],
    )
    values = predicted + effects @ mode[len(runs) :]
    errors = np.sqrt(effects @ variances[len(runs) :])
    return dict(
        zip(keys, map(RowDifficulty, values.tolist(), errors.tolist(), guesses.tolist()), strict=True)
    )


def posterior_mode(
    design: csr_array, sds: Reals, right: Reals, offset: Reals, guesses: Reals
) -> tuple[Reals, Reals]:
    """Return the posterior mode of the effects on the logits of replies, and the variance of each effect.

    The effects have independent normal priors with mean 0. The variances ignore their correlations.

    Args:
        design: replies x effects: the factor of each effect on the logit of each reply.
        sds: the prior standard deviations of the effects.
        right: 1 for each right reply, 0 for the others.
        offset: the logits without effects.
        guesses: the probabilities of right guesses.
    """
    scaled = design @ diags_array(sds)  # effects in units of their standard deviations converge sooner

    def loss(effects: Reals) -> tuple[float, Reals]:
        chances = success(scaled @ effects + offset, guesses)
        likelihood = np.log(np.where(right == 1, chances, 1 - chances)).sum()
        slopes = (right - chances) * (chances - guesses) / ((1 - guesses) * chances)
        return (effects**2).sum() / 2 - likelihood, effects - scaled.T @ slopes

    mode = sds * minimize(loss, np.zeros(len(sds)), jac=True, method="L-BFGS-B").x
    precisions = (design**2).T @ information(design @ mode + offset, guesses)
    return mode, 1 / (1 / sds**2 + precisions)


def success(logits: Reals, guesses: Reals) -> Reals:
    """Return the probabilities of right replies."""
    chances: Reals = np.clip(guesses + (1 - guesses) * expit(logits), SMALLEST, 1 - SMALLEST)
    return chances


def information(logits: Reals, guesses: Reals) -> Reals:
    """Return the Fisher information of replies on their logits."""
    chances = success(logits, guesses)
    return ((chances - guesses) / (1 - guesses)) ** 2 * (1 - chances) / chances


def indicator(values: Sequence[str], levels: Sequence[str]) -> csr_array:
    """Return the matrix values x levels with 1 for the level of each value; empty without levels."""
    place = {level: number for number, level in enumerate(levels)}
    columns = [place[value] for value in values if value in place]
    return csr_array((np.ones(len(columns)), (range(len(columns)), columns)), (len(values), len(levels)))
