"""Check the labels of a text_to_pddl row: its name, its flags, and its folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.verdicts import differing
from orrery.model import ConfigurationPair

VOCABULARIES = ("plain", "meaningless", "misleading")
FOLDS = 5
STEP, LARGEST = 20, 80  # sizes in steps of twenty propositions; all larger ones are in one fold


def check(row: Mapping[str, Any], task: ConfigurationPair) -> list[str]:
    """Return the columns that contradict others; ``task`` is the task of the row."""
    wanted = {
        "id": name_of(row["problem_id"], row["fold_mixture"], row["vocabulary"], row["paraphrase"]),
        "name": task.name,
        "num_propositions": row["init_num_propositions"] + row["goal_num_propositions"],
        "fold": int(row["loose_key"], 16) % FOLDS,
        "fold_size": size_fold(row["num_propositions"]),
        "fold_mixture": f"{_explicitness(row['init_is_abstract'])}-{_explicitness(row['goal_is_abstract'])}",
    }
    faults = differing(wanted, row)
    if row["vocabulary"] not in VOCABULARIES:
        faults.append(f"there is no vocabulary '{row['vocabulary']}'")
    if _abstract(row) and row["vocabulary"] != VOCABULARIES[0]:
        faults.append("an abstract text speaks of the domain, whose names are others here")
    if not task.interchangeable and row["init_is_abstract"] != row["goal_is_abstract"]:
        faults.append("init and goal are tied, but one is explicit and the other abstract")
    return faults


def name_of(problem: str, mixture: str, vocabulary: str, paraphrase: int) -> str:
    """Return the id of a text, composed of the properties that distinguish the texts of its problem."""
    endings = [f"/{vocabulary}"] * (vocabulary != VOCABULARIES[0]) + [f"/p{paraphrase}"] * (paraphrase != 0)
    return f"{problem}/{mixture}{''.join(endings)}"


def size_fold(propositions: int) -> str:
    """Return the range of sizes for a number of propositions."""
    if propositions > LARGEST:
        return f"{LARGEST + 1}+"
    lowest = max(0, propositions - 1) // STEP * STEP
    return f"{lowest + 1}-{lowest + STEP}"


def _explicitness(abstract: int) -> str:
    return ("explicit", "abstract")[abstract]


def _abstract(row: Mapping[str, Any]) -> bool:
    return bool(row["init_is_abstract"] or row["goal_is_abstract"])
