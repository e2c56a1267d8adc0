"""Whether a program may be: in time, memory, capacity and cap; and what every model has of its program."""

from flopsheet.accounting.line import Line

CAP = "Money cap against what it covers"
AGAINST = "Peak funding, or the cash of the final run alone, as budget_covers says"
VERDICT_LINES = (
    Line(
        "too_short",
        "1 if max(begins + run_days - program_days, 0 - begins) > 1 / 1000000 else 0",
        "flag",
        title="The program is shorter than the run",
        about="Or the run begins before it",
        source="Days of the program and of the run",
    ),
    Line(
        "no_capacity",
        "1 if shortfall_total > need_total / 1000000 else 0",
        "flag",
        title="Hours are missing",
        source="Shortfall",
    ),
    Line("long_enough", "1 - too_short", "flag", title="The program has room for the run", source="Days"),
    Line("and_in_memory", "long_enough * run_fits", "flag", title="And it is in memory", source="Product"),
    Line("and_in_time", "and_in_memory * run_in_time", "flag", title="And within the window", source="Product"),
    Line(
        "and_supplied", "and_in_time * (1 - no_capacity)", "flag", title="And every hour is supplied", source="Product"
    ),
    Line(
        "reason",
        "(1 + long_enough + and_in_memory + and_in_time + and_supplied) * (1 - and_supplied * within_cap)",
        "verdict",
        title="Why not",
        about="The first that applies; 0: nothing stands against it",
        source="Program, memory, window, capacity, cap",
    ),
)
UNDATED = "0 where the plan has no date"
MODEL_LINES = (
    Line(
        "run_begins",
        "run_begun",
        "date",
        title="Start",
        about="0 where the plan has no date",
        source="First day of the final run",
    ),
    Line(
        "run_ends",
        "run_ended",
        "date",
        title="End",
        about="0 where the plan has no date",
        source="Last day of the final run",
    ),
    Line("programme_cost", "programme_total", "USD", title="Program, cash", source="Cash of all months"),
    Line("capped_cost", "cost_under_cap", "USD", title="Cash under the cap", source=AGAINST),
    Line(
        "tokens_within_budget",
        "min(affordable_tokens, paid_tokens) if budget_usd else affordable_tokens",
        "tokens",
        title="Tokens within time and money",
        about="The fewer of what the window and the cap allow",
        source=CAP,
    ),
    Line("within_budget", "is_paid", "flag", title="Within the cap", about="1 without a cap", source=AGAINST),
    Line("verdict", "why_not", "verdict", title="Why not", about="0: nothing stands against it", source="Program"),
)
"""Lines that a question adds to every model."""
