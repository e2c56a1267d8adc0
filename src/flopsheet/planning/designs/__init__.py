"""Sweeps: many designs of a plan at once, by axes over its inputs and dimensions; the best of them kept."""
