"""Many problems in PDDL taken apart at once: what ``taken_apart`` finds in each, as arrays."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.pddl.write import taken_apart
from orrery.store.kinds import STRING

Numbers: TypeAlias = NDArray[np.int64]

OBJECTS, INIT, GOAL = 2, 3, 4  # the lines on which they stand
BEFORE = {OBJECTS: "  (:objects ", INIT: "  (:init ", GOAL: "  (:goal (and "}
METRIC = "\n  (:metric "


class TakenApart(NamedTuple):
    """Problems taken apart, as Arrow arrays: objects by problem; facts one after the other, and how many."""

    objects: Any
    init: Any
    init_counts: Numbers
    goal: Any
    goal_counts: Numbers


def all_taken_apart(texts: Any) -> TakenApart:
    """Return the parts of problems that ``write_problem`` wrote, given as an Arrow column."""
    listed = pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) and texts.chunks else texts
    if (
        not len(listed)
        or pc.any(pc.or_(pc.match_substring(listed, METRIC), pc.match_substring(listed, "(= "))).as_py()
    ):
        return _one_by_one(listed.to_pylist())
    lines = pc.split_pattern(listed, "\n")
    objects, init, goal = (pc.list_element(lines, number) for number in (OBJECTS, INIT, GOAL))
    # Each ends with the parentheses that close it, and those that close what it stands in.
    return TakenApart(
        pc.utf8_slice_codeunits(objects, len(BEFORE[OBJECTS]), -len(")")),
        *_facts(pc.utf8_slice_codeunits(init, len(BEFORE[INIT]) + 1, -len("))"))),
        *_facts(pc.utf8_slice_codeunits(goal, len(BEFORE[GOAL]) + 1, -len("))))"))),
    )


def _facts(inside: Any) -> tuple[Any, Numbers]:
    """Return facts, of texts such as ``on a b) (clear a``, and how many each has."""
    split = pc.split_pattern(inside, ") (")
    counts = pc.list_value_length(split).to_numpy().astype(np.int64)
    empty = pc.equal(inside, "").to_numpy(zero_copy_only=False)
    facts = split.flatten()
    if empty.any():
        facts = facts.filter(pc.not_equal(facts, ""))
        counts = np.where(empty, 0, counts)
    return facts, counts


def _one_by_one(texts: list[str]) -> TakenApart:
    parts = [taken_apart(text) for text in texts]
    columns: list[Any] = [pa.array([problem.objects for problem in parts], STRING)]
    for facts_by_problem in ([problem.init for problem in parts], [problem.goal for problem in parts]):
        columns += (
            pa.array(chain.from_iterable(facts_by_problem), STRING),
            np.array([len(problem) for problem in facts_by_problem], np.int64),
        )
    return TakenApart(*columns)
