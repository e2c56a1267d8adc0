"""Planning: what a model costs under a workload, and what a cluster buys under three scenarios."""
