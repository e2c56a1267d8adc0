"""What a program around one final training run comes to, and whether it may be: in time, memory, capacity and cap."""

from flopsheet.accounting.formula.compose import times
from flopsheet.planning.questions.money.totals import TOTALS
from flopsheet.planning.questions.money.verdict import CAP, VERDICT_LINES
from flopsheet.planning.written_lines import lines_from

COVERED = "Input budget_covers"

RUN_LINES = lines_from(__package__, "programme.toml", "run")
PEAK_LINES = lines_from(__package__, "programme.toml", "peak", {"co2e_kg": times("energy_total", "carbon")}, cap=CAP)
CAP_LINES = lines_from(__package__, "programme.toml", "cap", cap=CAP, covered=COVERED)
PROGRAMME_LINES = (
    *RUN_LINES,
    *(total.line for total in TOTALS),
    *PEAK_LINES,
    *lines_from(__package__, "programme.toml", "final_run", covered=COVERED),
    *CAP_LINES,
    *VERDICT_LINES,
    *lines_from(__package__, "programme.toml", "levelized_price"),
)
"""One row per model."""
