"""An option of a decision: what it costs and takes, whether it holds, its rank, and where each of that changes."""

from flopsheet.accounting.formula.compose import call, fill, plus
from flopsheet.accounting.line import Line
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.written_lines import lines_from

ORDER = "Viable options, in order; the others have no rank"
BY_COST = "Viable options by cost, of equal cost by loss and then as they are given; the others have no rank"
WIDE = (
    "Per billion USD: in a condition a spreadsheet writes a number with twenty decimals, too few for one over a cost."
    " Less than a dollar counts as one"
)
LINEAR = "Hours, and with them days and cost, are in proportion to tokens and to 1 / MFU; cost also to the price"
HOLDS = "Program, memory, window, capacity and cap, in this case"


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
            fill("0 - 1000000000 * holds_CASE / max(program_CASE, 1) * tie", CASE=case),
            "",
            title=f"Order: {title}",
            about=WIDE,
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
    *lines_from(__package__, "lines.toml", "target"),
    *(line for case in CASES for line in _in(case)),
    *lines_from(__package__, "lines.toml", "cap"),
    *(_repeat_line(f"days_{case}", f"run_days_{case}", "days", f"Days: {TITLES[case]}") for case in CASES),
    *lines_from(__package__, "lines.toml", "option_holds", holds=HOLDS),
)
"""Whether an option holds, in the live case; its cost and days in each case."""

LIMIT_LINES = lines_from(
    __package__,
    "lines.toml",
    "limit",
    {
        "price_turns": _between("price_limit", _cases("hour")),
        "mfu_turns": _between("mfu_needed", _cases("run_mfu")),
        "tokens_turn": _between("tokens_limit", _cases("run_tokens")),
    },
    linear=LINEAR,
)
"""Where an option's verdict changes, and whether that is inside the range of an input."""

RANK_LINES = (
    *lines_from(
        __package__,
        "lines.toml",
        "per_loss",
        {"rank_kept": plus(*(fill("1 if rank_CASE == rank_by_cost else 0", CASE=case) for case in CASES))},
        by_cost=BY_COST,
        wide=WIDE,
        order=ORDER,
    ),
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

OPTION_LINES = (
    *VERDICT_LINES,
    *LIMIT_LINES,
    *RANK_LINES,
    *lines_from(__package__, "turns.toml", "near"),
    *lines_from(__package__, "turns.toml", "turn", linear=LINEAR),
)
"""One row per model."""

_ENDS = (("leading", "most_first", "First option"), ("runner_up", "most_second", "Second option"))
ENDS_LINES = (
    *(
        Line(
            f"{name}_{what}",
            f"{link}_{what}",
            unit,
            title=f"{title}, by {what}",
            about="0: there is none",
            source="Rank",
        )
        for what, unit in (("cost", "USD"), ("loss", "nats per token"))
        for name, link, title in _ENDS
    ),
    Line("highest_under_cap", "most_under_cap", "USD", title="Highest cost under the cap", source="Cash under the cap"),
)
"""One row: the first two options by cost and by loss, and what the most expensive one takes."""
