"""Compute of a micro-batch under a layout: rates, products, attention, elementwise work, and what a stack adds."""

from flopsheet.planning.written_lines import lines_from

RATES = lines_from(__package__, "compute.toml", "rates")

COMPUTE = lines_from(__package__, "compute.toml", "compute")
"""Per micro-batch and stage."""
