"""An option of a decision: what it costs and takes, whether it holds, and where that changes."""

from flopsheet.accounting.line import Line

LINEAR = "Hours, and with them days and cost, are in proportion to tokens and to 1 / MFU; cost also to the price"
RANGE = "Its Low cost, Base and High cost"


def _between(value: str, ends: tuple[str, str, str]) -> str:
    """Return the formula of whether a value is inside a range."""
    least, most = f"min({', '.join(ends)})", f"max({', '.join(ends)})"
    return f"1 if ({value} - {least}) * ({most} - {value}) > 0 else 0"


def _cases(name: str) -> tuple[str, str, str]:
    return f"{name}_low", f"{name}_base", f"{name}_high"


def _repeated(name: str, link: str, unit: str, title: str) -> Line:
    return Line(name, link, unit, title=title, source="Models")


OPTION_LINES = (
    _repeated("cost_low", "run_cost_low", "USD", "Final run: Low cost"),
    _repeated("cost_base", "run_cost_base", "USD", "Final run: Base"),
    _repeated("cost_high", "run_cost_high", "USD", "Final run: High cost"),
    _repeated("option_program", "own_program", "USD", "Program"),
    _repeated("days_low", "run_days_low", "days", "Days: Low cost"),
    _repeated("days_base", "run_days_base", "days", "Days: Base"),
    _repeated("days_high", "run_days_high", "days", "Days: High cost"),
    _repeated("option_loss", "own_loss", "nats per token", "Predicted loss"),
    _repeated("option_memory", "own_memory", "flag", "Fits in memory"),
    _repeated("option_time", "own_time", "flag", "Within schedule"),
    _repeated("option_money", "own_money", "flag", "Within the cap"),
    Line(
        "option_holds",
        "own_memory * own_time * own_money",
        "flag",
        title="Holds",
        about="1: within schedule, memory and cap, in the live case",
        source="Product",
    ),
    Line("option_counts", "option_holds", "models", title="Holds, as a count", source="Holds"),
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
        "own_price * money_room if budget_usd else 0",
        "USD/GPU-h",
        title="Highest price under the cap",
        about="0: there is no cap",
        source=LINEAR,
    ),
    Line(
        "mfu_needed",
        "own_mfu / room if room else 0",
        "share",
        title="MFU needed",
        about="Below it the run takes too long or too much money; over 100 % no MFU suffices. 0: nothing suffices",
        source=LINEAR,
    ),
    Line("tokens_limit", "own_tokens * room", "tokens", title="Most tokens", source=LINEAR),
    Line(
        "price_turns",
        _between("price_limit", _cases("hour")),
        "flag",
        title="Price may turn it",
        about="1: the limit is inside the range of the price",
        source=RANGE,
    ),
    Line(
        "mfu_turns",
        _between("mfu_needed", _cases("run_mfu")),
        "flag",
        title="MFU may turn it",
        about="1: the limit is inside the range of the MFU",
        source=RANGE,
    ),
    Line(
        "tokens_turn",
        _between("tokens_limit", _cases("run_tokens")),
        "flag",
        title="Tokens may turn it",
        about="1: the limit is inside the range of the tokens",
        source=RANGE,
    ),
    Line(
        "may_turn",
        "max(price_turns, mfu_turns, tokens_turn)",
        "models",
        title="An input may turn it, as a count",
        source="Largest of the three",
    ),
)
"""One row per model."""
