"""What puts an option in the place of the first, and the first behind the second; which is nearest to being one."""

from flopsheet.planning.written_lines import lines_from

LINEAR = "Hours, and with them days and cost, are in proportion to tokens and to 1 / MFU; cost also to the price"

NEAR_LINES = lines_from(__package__, "turns.toml", "near")
"""Which option comes nearest where none is viable."""

TURN_LINES = lines_from(__package__, "turns.toml", "turn", linear=LINEAR)
"""What puts an option in the place of the first, and the first behind the second."""
