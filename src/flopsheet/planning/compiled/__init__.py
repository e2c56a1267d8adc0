"""The compiled plan: every name resolved once, so that each engine walks the same data."""
