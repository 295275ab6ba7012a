"""What actions mean: grounding, applicability, progression, plan validation. Small, pure, exact."""
