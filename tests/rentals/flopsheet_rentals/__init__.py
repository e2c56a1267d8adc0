"""A question of somebody else: what storage for checkpoints costs, per model and month by month."""

from flopsheet import (
    MODELS,
    Check,
    Figure,
    Line,
    Link,
    Question,
    Rows,
    Table,
    hookimpl,
    inputs_from,
    sheet_from,
)

MONTHS = Rows("month", "Month", "month", until="horizon")

STORED = Table(
    "stored",
    "Checkpoints per model",
    (
        Line("checkpoint_bytes", "2 * parameters", "bytes", title="A checkpoint", source="2 bytes per parameter"),
        Line("kept_bytes", "checkpoint_bytes * 500", "bytes", title="Kept per month", source="500 of them"),
    ),
    (MODELS,),
)
RENT = Table(
    "rent",
    "Rent by month",
    (
        Line("held_bytes", "kept * month", "bytes", title="Held", source="Kept × months"),
        Line("bill", "held_bytes / 1000000000000 * storage_price", "USD", title="Bill", source="TB × price"),
        Line("billed", "billed_so_far", "USD", title="Billed so far", source="Sum of the bills"),
        Line("rise", "bill - bill_before", "USD", title="Rise", source="Against the month before"),
        Line("over", "1 if bill > cap else 0", "flag", title="Over the cap", source="Bill against the cap"),
    ),
    (MONTHS,),
    (
        Link("kept", "stored", "kept_bytes", "sum", "Kept by all models"),
        Link("billed_so_far", "rent", "bill", "running", "Bills so far"),
        Link("bill_before", "rent", "bill", "previous", "Bill of the month before"),
    ),
)
MODEL = Table(
    "models",
    "Models",
    (Line("rent_share", "own_kept / all_kept", "share", title="Share of the rent", source="Bytes kept"),),
    (MODELS,),
    (Link("own_kept", "stored", "kept_bytes"), Link("all_kept", "cases", "kept_in_all")),
)
CASE = Table(
    "cases",
    "Cluster",
    (
        Line("rent_cost", "all_bills", "USD", title="Rent in all", source="Sum of the bills"),
        Line("kept_in_all", "kept_by_models", "bytes", title="Kept per month", source="Sum of the models"),
    ),
    (),
    (
        Link("all_bills", "rent", "bill", "sum", "All bills"),
        Link("kept_by_models", "stored", "kept_bytes", "sum", "Kept by all models"),
    ),
)

QUESTION = Question(
    name="rentals",
    title="When does storage reach its cap?",
    about="What storage for checkpoints costs month by month, and when a month's bill reaches the cap.",
    inputs=inputs_from(__name__),
    tables=(STORED, RENT, MODEL, CASE),
    figures=(
        Figure("rent", "Rent in all", "cases", "rent_cost", "All bills until the horizon"),
        Figure("highest", "Highest bill", "rent", "bill", "Of all months", "max"),
        Figure("reached", "Cap is reached in month", "rent", "over", "0 where it never is", "first"),
    ),
    checks=(
        Check(
            "within_cap",
            "Every bill is within the cap",
            "rent",
            "1 if bill <= cap else 0",
            "A month's bill is over the cap",
            "Keep fewer checkpoints, or raise the cap",
        ),
    ),
    sheet=sheet_from(__name__),
)


@hookimpl
def flopsheet_questions():
    """Return the question."""
    return [QUESTION]
