"""Planning tasks: grounding, execution, search, external planners, and proofs."""
