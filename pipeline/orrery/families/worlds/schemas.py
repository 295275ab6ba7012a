"""The columns of the table ``world``, and the instruction that begins its dialogues."""

from __future__ import annotations

import pyarrow as pa

from orrery.problems.schemas import shared
from orrery.store.kinds import INT, LONG, STRING, STRINGS, column, table

INSTRUCTION = (
    "You act in the world that is described to you. Reply with one action at a time, in words or in PDDL, "
    "until the goal is reached."
)
IMPOSSIBLE, UNHELPFUL = "impossible", "unhelpful"  # kinds of slips

_MESSAGE = pa.struct([pa.field(name, STRING, nullable=False) for name in ("role", "content")])
MESSAGES = pa.list_(pa.field("element", _MESSAGE, nullable=False))

WORLD = table(
    "world",
    "Problems to act in, one action at a time, with dialogues of shortest plans",
    column("id", STRING, "Name of the row: its problem, followed by `world`"),
    *shared("domain", "problem_id", "difficulty", "names", "seen"),
    column(
        "first_observation", STRING, "What an episode begins with: rules, objects, initial state and goal"
    ),
    column("goal_text", STRING, "The goal in words, as in the first observation"),
    *shared("domain_pddl", "problem_pddl"),
    column(
        "nl_templates", STRING, "JSON: all wordings of actions and facts by name, with {0}, {1} for arguments"
    ),
    column("h_star", INT, "Fewest actions from the initial state to the goal"),
    *shared("horizon", "num_objects"),
    column("num_states", LONG, "Number of reachable states"),
    column("num_dead_ends", LONG, "Number of reachable states from which the goal is out of reach"),
    column(
        "expert",
        MESSAGES,
        "A shortest plan as a dialogue: `system`, then the world as `user` and the player as `assistant` in "
        "turn, up to the observation that the goal is reached",
    ),
    column("plan", STRINGS, "A shortest plan: the actions of `expert`, one `(action object ...)` a reply"),
    column(
        "slip",
        MESSAGES,
        "A dialogue with one action off the shortest plan, the answer of the world, and a shortest way on",
    ),
    column("slip_plan", STRINGS, "The actions of `slip`, one `(action object ...)` a reply"),
    column(
        "slip_kind",
        STRING,
        "`impossible` if the slip changes nothing, as a condition does not hold; `unhelpful` if the goal is "
        "no nearer after it",
    ),
    column("slip_step", INT, "The reply of `slip` with the slip, counted from 1"),
    *shared("seed_path"),
)
