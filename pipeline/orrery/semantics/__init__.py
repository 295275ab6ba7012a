"""The semantics of actions: grounding, applicability, progression, plan validation. Small, pure, exact."""
