"""What computes a program: hours reserved and owned, the rest on demand or on spot, and what an hour of each costs."""

from flopsheet.planning.written_lines import lines_from

SUPPLY = "Reserved hours first, which are paid for anyway, then owned ones, then the rest"

FLEET_LINES = lines_from(__package__, "fleet.toml", "fleet", supply=SUPPLY)
"""Lines of one case."""
