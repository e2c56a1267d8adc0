"""An option of a decision: what it costs and takes, whether it holds, its rank, and where each of that changes."""

from flopsheet.accounting.formula.compose import call, fill, plus
from flopsheet.accounting.line import Line
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.questions.decision.turns import LINEAR, NEAR_LINES, TURN_LINES

RANGE = "Its Low cost, Base and High cost"
ORDER = "Viable options, in order; the others have no rank"
BY_COST = "Viable options by cost, of equal cost by loss and then as they are given; the others have no rank"
HOLDS = "Program, memory, window, capacity and cap, in this case"
NEVER = "0: nothing suffices"


def _between(value: str, ends: tuple[str, str, str]) -> str:
    """Return the formula of whether a value is inside a range."""
    least, most = call("min", *ends), call("max", *ends)
    return fill("1 if (VALUE - LEAST) * (MOST - VALUE) > 0 else 0", VALUE=value, LEAST=least, MOST=most)


def _cases(name: str) -> tuple[str, str, str]:
    return f"{name}_low", f"{name}_base", f"{name}_high"


def _repeat_line(name: str, link: str, unit: str, title: str) -> Line:
    return Line(name, link, unit, title=title, source="Models")


def _in(case: str) -> tuple[Line, ...]:
    """Return what an option's program costs in a case, whether it holds there, and its rank by that cost."""
    title = TITLES[case]
    return (
        _repeat_line(f"program_{case}", f"spent_{case}", "USD", f"Program: {title}"),
        _repeat_line(f"capped_{case}", f"under_cap_{case}", "USD", f"Under the cap: {title}"),
        Line(
            f"holds_{case}",
            fill("0 if why_not_CASE else reaches_target", CASE=case),
            "flag",
            title=f"Viable: {title}",
            source=HOLDS,
        ),
        Line(
            f"order_{case}",
            fill("0 - holds_CASE / program_CASE * tie if program_CASE else 0", CASE=case),
            "1/USD",
            title=f"Order: {title}",
            source=BY_COST,
        ),
        Line(
            f"rank_{case}",
            fill("1 + cheaper_CASE if order_CASE < 0 else 0", CASE=case),
            "",
            title=f"Rank by cost: {title}",
            about="0: it is not viable",
            source=ORDER,
        ),
    )


VERDICT_LINES = (
    Line(
        "reaches_target",
        "1 if target_loss * (own_loss - target_loss) <= 0 else 0",
        "flag",
        title="Reaches the loss",
        about="1 where none is to be reached",
        source="Predicted loss against input target_loss",
    ),
    *(line for case in CASES for line in _in(case)),
    Line(
        "cap_shown",
        "budget_usd if budget_usd else highest_under_cap",
        "USD",
        title="Cap",
        source="Input budget_usd",
    ),
    *(_repeat_line(f"days_{case}", f"run_days_{case}", "days", f"Days: {TITLES[case]}") for case in CASES),
    _repeat_line("option_tokens", "own_tokens", "tokens", "Training tokens"),
    _repeat_line("option_program", "own_program", "USD", "Program"),
    _repeat_line("option_capped", "own_capped", "USD", "Cash under the cap"),
    _repeat_line("option_over", "own_over", "month", "First month over the cap"),
    _repeat_line("option_reserved", "reserved_count", "accelerators", "Reserved accelerators"),
    _repeat_line("option_end", "own_end", "date", "Last day of the final run"),
    Line(
        "option_reason",
        "max(own_reason, 10 * (1 - reaches_target) * (0 if own_reason else 1))",
        "verdict",
        title="Why not",
        about="The first that applies: program shorter than the run, memory, window, capacity, cap, loss",
        source="Program, and input target_loss",
    ),
    _repeat_line("option_days", "own_days", "days", "Days"),
    _repeat_line("option_loss", "own_loss", "nats per token", "Predicted loss"),
    _repeat_line("option_memory", "own_memory", "flag", "Fits in memory"),
    _repeat_line("option_time", "own_time", "flag", "Within schedule"),
    _repeat_line("option_money", "own_money", "flag", "Within the cap"),
    Line(
        "option_holds",
        "0 if option_reason else 1",
        "flag",
        title="Viable",
        about="1: within program, memory, schedule, capacity and cap, in the live case",
        source=HOLDS,
    ),
    Line("option_counts", "option_holds", "models", title="Viable, as a count", source="Holds"),
)
"""Whether an option holds, in the live case; its cost and days in each case."""

LIMIT_LINES = (
    Line("time_room", "window_tokens / own_tokens", "ratio", title="Window over what the run takes", source=LINEAR),
    Line(
        "money_room",
        "paid_tokens / own_tokens if budget_usd else time_room",
        "ratio",
        title="What the cap pays for over what the run takes",
        about="Without a cap time alone counts",
        source=LINEAR,
    ),
    Line("room", "min(time_room, money_room)", "ratio", title="Room", about="Below 1: too little", source=LINEAR),
    Line(
        "money_binds",
        "1 if money_room < time_room else 0",
        "flag",
        title="Money binds first",
        about="1: money, else time",
        source=LINEAR,
    ),
    Line(
        "price_limit",
        "own_highest",
        "USD/GPU-h",
        title="Highest price under the cap",
        about="0: there is no cap, or no hour is rented at the plan's price",
        source=LINEAR,
    ),
    Line(
        "mfu_needed",
        "own_mfu / room if room else 0",
        "share",
        title="MFU needed",
        about=f"Below it the run takes too long or too much money; over 100% no MFU suffices. {NEVER}",
        source=LINEAR,
    ),
    Line("tokens_limit", "own_tokens * room", "tokens", title="Most tokens", source=LINEAR),
    Line(
        "price_turns",
        _between("price_limit", _cases("hour")),
        "flag",
        title="Price may change it",
        about="1: the limit is inside the range of the price",
        source=RANGE,
    ),
    Line(
        "mfu_turns",
        _between("mfu_needed", _cases("run_mfu")),
        "flag",
        title="MFU may change it",
        about="1: the limit is inside the range of the MFU",
        source=RANGE,
    ),
    Line(
        "tokens_turn",
        _between("tokens_limit", _cases("run_tokens")),
        "flag",
        title="Tokens may change it",
        about="1: the limit is inside the range of the tokens",
        source=RANGE,
    ),
    Line(
        "may_turn",
        "max(price_turns, mfu_turns, tokens_turn)",
        "models",
        title="An input may change it, as a count",
        source="Largest of the three",
    ),
    Line("range_turns", "may_turn", "flag", title="At risk", source="Price, MFU or tokens"),
)
"""Where an option's verdict changes, and whether that is inside the range of an input."""

RANK_LINES = (
    Line(
        "per_loss",
        "1 / option_loss if option_loss else 0",
        "",
        title="1 / loss",
        source="Loss, where a law predicts one",
    ),
    Line(
        "tie",
        "1 + per_loss / 1000000 - model / 1000000000000",
        "",
        title="What tells options of one cost apart",
        about="A reservation costs the same whatever runs on it: the lower loss is first, then the first model",
        source="Loss and the model's number",
    ),
    Line(
        "cost_order",
        "0 - option_holds / option_program * tie if option_program else 0",
        "1/USD",
        title="Order by cost",
        source=BY_COST,
    ),
    Line(
        "rank_by_cost",
        "1 + cheaper_options if cost_order < 0 else 0",
        "",
        title="Rank by cost",
        about="Of the viable options, by the cost of the program; 0: it is not viable",
        source=ORDER,
    ),
    Line(
        "rank_kept",
        plus(*(fill("1 if rank_CASE == rank_by_cost else 0", CASE=case) for case in CASES)),
        "cases",
        title="Rank stability",
        about="Of three cases",
        source="Ranks",
    ),
    Line(
        "loss_order",
        "0 - option_holds / option_loss if option_loss else 0",
        "",
        title="Order by loss",
        source=ORDER,
    ),
    Line(
        "rank_by_loss",
        "1 + better_options if loss_order < 0 else 0",
        "",
        title="Rank by loss",
        about="Of the viable options, by predicted loss; 0: it is not viable, or the law predicts none",
        source=ORDER,
    ),
    Line(
        "choice_order",
        "loss_order if prefer_is_loss else cost_order",
        "",
        title="Order of choice",
        source="Input prefer",
    ),
    Line(
        "rank_by_choice",
        "1 + preferred_options if choice_order < 0 else 0",
        "",
        title="Rank",
        about="By cost or by loss, as prefer says; 0: it is not viable",
        source=ORDER,
    ),
    Line("laws_won", "laws_of_lowest_loss", "laws", title="Lowest loss under", about="Of all options", source="Laws"),
    *(
        Line(
            f"{name}_{what}",
            fill("option_OF if rank_by_WHAT == PLACE else 0", OF=of, WHAT=what, PLACE=place),
            unit,
            title=f"{title} by {what}",
            source="Rank",
        )
        for what, of, unit in (("cost", "program", "USD"), ("loss", "loss", "nats per token"))
        for place, name, title in ((1, "first", "First"), (2, "second", "Second"))
    ),
)
"""The order of the options that hold: by cost, in each case too, and by loss."""

OPTION_LINES = (*VERDICT_LINES, *LIMIT_LINES, *RANK_LINES, *NEAR_LINES, *TURN_LINES)
"""One row per model."""

ENDS_LINES = tuple(
    Line(f"{name}_{what}", f"{link}_{what}", unit, title=f"{title}, by {what}", about="0: there is none", source="Rank")
    for what, unit in (("cost", "USD"), ("loss", "nats per token"))
    for name, link, title in (("leading", "most_first", "First option"), ("runner_up", "most_second", "Second option"))
)
"""One row: the first two options by cost and by loss."""
