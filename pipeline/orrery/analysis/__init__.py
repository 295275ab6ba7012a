"""What the planners prove about a planning task: plans, reachability, landmarks."""
