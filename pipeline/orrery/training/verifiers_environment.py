"""An environment of ``verifiers``: single-turn items of a table, with their score as reward.

It is for releases with ``verifiers.SingleTurnEnv`` and ``verifiers.load_environment`` (0.1 to 0.3).
Releases from 0.4 on have tasksets instead: see ``verifiers_taskset``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from copy import copy
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from orrery.grading import Score
from orrery.installation import needing
from orrery.library.fresh_rows import WORLD
from orrery.library.items import USUAL, Item
from orrery.model import ToolMissing, UsageError
from orrery.scoring.scorer import UNDECIDED
from orrery.training.examples import table_items
from orrery.training.rewards import UNPARSED, Reward, text_of

ITEMS = 1000  # items of a fresh set
SCORES_KEPT = 64
APART = 1_000_000_007  # added to the seed for evaluation items, so that they differ from the training items


def load_environment(
    table: str = "acp_app_gen",
    domain: str | None = None,
    difficulty: str | None = None,
    *,
    kind: str | None = None,
    style: str = USUAL,
    dataset: Path | str | None = None,
    items: int = ITEMS,
    eval_items: int = 100,
    seed: int = 0,
    undecided: float = 0.0,
    format_share: float = 0.0,
    rules: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Return an environment of ``verifiers``, a ``SingleTurnEnv``, with the items of a table.

    For the table ``world`` it is a ``MultiTurnEnv`` of episodes in worlds.

    ``verifiers.load_environment("orrery", table=...)`` calls this function. Fresh training items belong to
    the split ``train``, evaluation items to ``test``. Both sets are drawn at their first use.

    Args:
        table: the table of the items.
        domain: a domain (default: all domains of the table in turn).
        difficulty: a difficulty of ``domain.yaml`` (default: the easiest).
        kind: the kind of problem (default: any).
        style: the style of the prompts.
        dataset: a folder of a dataset, or its id on the Hub. Then its splits ``train`` and ``test`` are
            used, and domain, difficulty and kind are not allowed.
        items: the number of training items; for a dataset the maximum.
        eval_items: the number of evaluation items; for a dataset the maximum.
        seed: the seed of fresh items.
        undecided: the reward of a reply that could not be proven right or wrong within the budget.
        format_share: the part of the reward of a wrong but readable reply; a model can collect it
            without solving anything.
        rules: for the table ``world``, options of ``orrery.world``, such as ``{"reward": "shaped"}``.
        options: further arguments of ``SingleTurnEnv`` or ``MultiTurnEnv``, such as ``parser``.

    Raises:
        UsageError: the table, domain, difficulty, kind, style or folder does not exist.
        ToolMissing: ``verifiers`` is not installed, or its release has no ``SingleTurnEnv``.
    """
    vf, reward = _verifiers(), Reward(undecided=undecided, format_share=format_share)
    if table == WORLD:
        from orrery.training.verifiers_worlds import world_episodes

        if dataset is not None:
            raise UsageError(f"dataset {dataset}", "has no worlds to act in", "leave it out")
        return world_episodes(domain, difficulty, kind, seed, items, eval_items, rules or {}, **options)
    trained = table_items(table, domain, difficulty, seed, kind, style, "train", dataset)
    test_items = table_items(table, domain, difficulty, seed + APART, kind, style, "test", dataset)

    # Scored once for the reward and both metrics; in a thread, so that other rollouts continue.
    once = lru_cache(maxsize=SCORES_KEPT)(partial(reward.score, table=table))

    async def scored(completion: Any, info: Any) -> Score:
        """Return the score of a reply."""
        return await asyncio.to_thread(once, text_of(completion), _row(info))

    async def right(completion: Any, info: Any) -> float:
        """Return the reward of a reply."""
        return reward.value(await scored(completion, info)) or 0.0

    async def unparsed(completion: Any, info: Any) -> float:
        """Return 1.0 if no answer can be read, otherwise 0.0."""
        return float((await scored(completion, info)).verdict == UNPARSED)

    async def undecided_score(completion: Any, info: Any) -> float:
        """Return 1.0 if the reply is undecided, otherwise 0.0."""
        return float((await scored(completion, info)).verdict == UNDECIDED)

    rubric = vf.Rubric(funcs=[right, unparsed, undecided_score], weights=[1.0, 0.0, 0.0])
    sets = {"dataset": partial(_set, trained, items), "eval_dataset": partial(_set, test_items, eval_items)}
    if not hasattr(vf, "DatasetBuilder"):  # since 0.1.10; older releases need finished sets
        sets = {name: make() for name, make in sets.items()}
    return vf.SingleTurnEnv(rubric=rubric, **sets, **options)


def _row(info: Any) -> Any:
    """Return the row in the ``info`` of an example, which some releases store as JSON."""
    about = json.loads(info) if isinstance(info, str) else info
    return about["row"]


def _set(items: Iterable[Item], limit: int) -> Any:
    """Return items in the columns that ``verifiers`` reads."""
    from datasets import Dataset

    chosen = islice(copy(items), limit)  # a copy, so that a repeated call gives the same set
    rows = [
        {
            "prompt": item.prompt,
            "answer": item.gold,
            "info": {"row": json.dumps(dict(item.row), ensure_ascii=False), "table": item.table},
        }
        for item in chosen
    ]
    return Dataset.from_list(rows)


def _verifiers() -> Any:
    """Return the package.

    Raises:
        ToolMissing: it is not installed, or has no ``SingleTurnEnv``.
    """
    mend = "pip install 'verifiers<0.4'; with 0.4 and later use the taskset: vf-eval orrery"
    with needing("load_environment", mend):
        import verifiers
    if not hasattr(verifiers, "SingleTurnEnv"):
        version = getattr(verifiers, "__version__", "")
        raise ToolMissing("load_environment", f"finds verifiers {version} without SingleTurnEnv", mend)
    return verifiers
