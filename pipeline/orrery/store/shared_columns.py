"""Columns that tables of several files have in common, each described once."""

from __future__ import annotations

from orrery.store.kinds import INT, LONG, STRING, column

PROBLEM_ID = column("problem_id", STRING, "The problem, as `<domain>/<split>/<six digits>`")
DOMAIN = column("domain", STRING, "Name of the planning domain")
DIFFICULTY = column(
    "difficulty", STRING, "Range of sizes the problem was drawn from (`easy`, `medium`, `hard`)"
)
SEED_PATH = column("seed_path", STRING, "Path of the random stream that made the row, under the root seed")
NUM_OBJECTS = column("num_objects", INT, "Number of objects")
NUM_FACTS = column(
    "num_facts", INT, "Number of fluent facts in the grounded task; null where it was not grounded",
    nullable=True,
)  # fmt: skip
NUM_ACTIONS = column(
    "num_actions", INT, "Number of relaxed-reachable ground actions; null where more than 500 are possible",
    nullable=True,
)  # fmt: skip
NUM_STATES = column(
    "num_states", LONG, "Number of reachable states; null where they were not all visited", nullable=True
)
