"""Analysis of a planning task by planners: plans, reachability, landmarks."""
