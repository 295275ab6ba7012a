"""What an OpenEnv server tells of itself."""

from __future__ import annotations

from types import MappingProxyType

_TEXT = {"type": "string"}
METADATA = MappingProxyType(
    {"name": "orrery_worlds", "description": "Planning domains that one acts in, with exact costs to go."}
)
SCHEMA = MappingProxyType(
    {
        "action": {
            "type": "object",
            "properties": {
                "reply": {
                    "type": ["string", "integer"],
                    "description": "An action in words or in PDDL, its number in the list, or a question.",
                }
            },
            "required": ["reply"],
        },
        "observation": {
            "type": "object",
            "properties": {
                "text": _TEXT,
                "admissible": {"type": "array", "items": _TEXT},
                "reason": {"type": "string", "description": "Why the episode is over."},
                "info": {"type": "object"},
                "session_id": _TEXT,
                "seed": {"type": "integer"},
            },
        },
        "state": {
            "type": "object",
            "properties": {
                "episode_id": {"type": ["string", "null"]},
                "step_count": {"type": "integer"},
                "total_reward": {"type": "number"},
                "transcript": {"type": "object"},
            },
        },
    }
)
