"""When two problems of a domain are the same: problem graphs, goal closure, canonical keys."""
