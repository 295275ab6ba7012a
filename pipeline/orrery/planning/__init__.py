"""Planning tasks: grounding, execution, search, outside planners, and what they prove."""
